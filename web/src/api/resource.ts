import { useCallback, useEffect, useMemo, useReducer } from 'preact/hooks';
import { type Event, isLoggedOut } from './client.ts';
import { onEvent, onMissedEvents } from './live.ts';
import { createResourceStore, type ResourceState, type ResourceUser } from './resource-store.ts';
import { endSession } from './session.tsx';

/** Data of the API, as a screen shows it. */
export interface Resource<T> {
  /** The last data, also while it is loaded again and after a failure. */
  readonly data: T | undefined;
  /** Why the last request failed. */
  readonly error: unknown;
  /** When `data` was loaded, in milliseconds since 1970. */
  readonly loadedAt: number | undefined;
  readonly isLoading: boolean;
  reload(): void;
}

export interface ResourceOptions {
  /** Loads again after an event for which this returns true. */
  readonly isAffected?: (event: Event) => boolean;
  /** Loads again at this interval, in milliseconds, while the tab is visible. For data without events. */
  readonly everyMs?: number;
}

const store = createResourceStore({
  onError: (error) => isLoggedOut(error) && endSession(),
  isVisible: () => !document.hidden,
});
onEvent(store.receive);
onMissedEvents(store.reloadAll);

/** Forgets all data, when another account may log in. */
export const clearResources = store.clear;

/** Loads all data of the screen again. */
export const reloadResources = store.reloadAll;

/**
 * Loads data with `load`, and again when `key` changes, after events, and when events were missed. `key` identifies the data: components with
 * the same key share it, and a screen that is opened again shows the old data at once. Without a key nothing is loaded.
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  { isAffected, everyMs }: ResourceOptions = {},
): Resource<T> {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  // One user per key: until the effects have run, the entry of the old key keeps the old `load`.
  const user = useMemo<ResourceUser>(() => ({ load, onChange: () => rerender(undefined) }), [key]);
  Object.assign(user, { load, isAffected, everyMs });
  useEffect(() => (key === undefined ? undefined : store.use(key, user)), [key, user]);
  useEffect(() => {
    if (key !== undefined) store.schedule(key);
  }, [key, everyMs]);
  const reload = useCallback(() => {
    if (key !== undefined) store.reload(key);
  }, [key]);
  const { data, error, loadedAt, isLoading }: ResourceState = key === undefined ? { isLoading: false } : store.read(key);
  return { data: data as T | undefined, error, loadedAt, isLoading, reload };
}
