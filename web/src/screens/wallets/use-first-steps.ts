import type { ComponentType } from 'preact';
import { useRef } from 'preact/hooks';
import { api, type FirstSteps } from '../../api/client.ts';
import { useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';

export interface FirstStepsProps {
  readonly state: FirstSteps;
  /** Reads the state again. */
  readonly onChanged: () => void;
}

interface Checklist {
  readonly state: FirstSteps;
  /** Undefined when all is done, or it is hidden. */
  readonly View?: ComponentType<FirstStepsProps> | undefined;
}

/** The checklist of a new service, for its operator. What is below it waits for `isDecided`, so that nothing moves when the checklist appears. */
export function useFirstSteps(): Partial<Checklist> & { readonly isDecided: boolean; readonly onChanged: () => void } {
  const isOperator = useSession().account.role === 'operator';
  const isShown = useRef(false);
  const { data, error, reload } = useResource(isOperator ? 'first steps' : undefined, readChecklist, {
    isAffected: () => isShown.current,
  });
  isShown.current = data?.View !== undefined;
  return { ...data, isDecided: !isOperator || data !== undefined || error !== undefined, onChanged: reload };
}

async function readChecklist(signal: AbortSignal): Promise<Checklist> {
  const state = await api.operator.getFirstSteps({}, { signal });
  const isOpen = !state.is_hidden && state.steps.some(({ is_done }) => !is_done);
  return { state, View: isOpen ? (await import('./first-steps.tsx')).FirstSteps : undefined };
}
