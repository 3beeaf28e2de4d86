import { useCallback, useEffect, useReducer, useRef } from 'preact/hooks';
import { type Event, isLoggedOut } from './client.ts';
import { onEvent, onLiveState } from './live.ts';
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

interface Entry {
  data?: unknown;
  error?: unknown;
  loadedAt?: number;
}

const cache = new Map<string, Entry>();
const MAX_ENTRIES = 100;
/** Events that arrive together cause one request. */
const EVENT_DELAY_MS = 150;

/** Forgets all data, when another account may log in. */
export function clearResources(): void {
  cache.clear();
}

/**
 * Loads data with `load`, and again when `key` changes, after events, and when the live connection is restored. `key` identifies the data: a
 * screen that is opened again shows the old data at once. Without a key nothing is loaded.
 */
export function useResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  { isAffected, everyMs }: ResourceOptions = {},
): Resource<T> {
  const [, rerender] = useReducer((count: number) => count + 1, 0);
  const loading = useRef<AbortController | undefined>(undefined);
  const latest = useRef({ load, isAffected });
  latest.current = { load, isAffected };

  const reload = useCallback(() => {
    if (key === undefined) return;
    loading.current?.abort();
    const own = new AbortController();
    loading.current = own;
    rerender(undefined);
    latest.current
      .load(own.signal)
      .then(
        (data) => store(key, { data, loadedAt: Date.now() }),
        (error) => {
          if (own.signal.aborted) return;
          if (isLoggedOut(error)) endSession();
          store(key, { ...cache.get(key), error });
        },
      )
      .finally(() => {
        if (loading.current !== own) return;
        loading.current = undefined;
        rerender(undefined);
      });
  }, [key]);

  useEffect(() => {
    reload();
    return () => {
      loading.current?.abort();
      loading.current = undefined;
    };
  }, [reload]);

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stopEvents = onEvent((event) => {
      if (latest.current.isAffected?.(event) !== true) return;
      timer ??= setTimeout(() => {
        timer = undefined;
        reload();
      }, EVENT_DELAY_MS);
    });
    const stopState = onLiveState((state) => state === 'live' && reload());
    const interval = everyMs === undefined ? undefined : setInterval(() => document.hidden || reload(), everyMs);
    return () => {
      stopEvents();
      stopState();
      clearTimeout(timer);
      clearInterval(interval);
    };
  }, [reload, everyMs]);

  const entry = key === undefined ? undefined : cache.get(key);
  return {
    data: entry?.data as T | undefined,
    error: entry?.error,
    loadedAt: entry?.loadedAt,
    isLoading: loading.current !== undefined,
    reload,
  };
}

function store(key: string, entry: Entry): void {
  cache.delete(key);
  cache.set(key, entry);
  const [oldest] = cache.keys();
  if (cache.size > MAX_ENTRIES && oldest !== undefined) cache.delete(oldest);
}
