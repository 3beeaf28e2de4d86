import { useRef } from 'preact/hooks';
import { api, type FirstSteps } from '../../api/client.ts';
import { type Resource, useResource } from '../../api/resource.ts';
import { useSession } from '../../api/session.tsx';

/** The checklist of a new service, for its operator. `isShown`: until all is done or it is hidden. */
export function useFirstSteps(): { resource: Resource<FirstSteps>; isShown: boolean } {
  const isOperator = useSession().account.role === 'operator';
  const load = (signal: AbortSignal) => api.operator.getFirstSteps({}, { signal });
  const isShown = useRef(false);
  const resource = useResource(isOperator ? 'first steps' : undefined, load, { isAffected: () => isShown.current });
  isShown.current = isOpen(resource.data);
  return { resource, isShown: isShown.current };
}

function isOpen(state: FirstSteps | undefined): boolean {
  return state !== undefined && !state.is_hidden && state.steps.some(({ is_done }) => !is_done);
}
