import { useEffect } from 'preact/hooks';
import type { Event } from './client.ts';
import { onEvent } from './live.ts';
import { type Resource, useResource } from './resource.ts';

export interface SlowResourceOptions {
  /** The data may have changed after an event for which this returns true. */
  readonly isAffected: (event: Event) => boolean;
  readonly intervalMs: number;
  /** Loads at this interval without events, too, in milliseconds: the data depends on the time. */
  readonly everyMs?: number;
}

/** Loads data, and after events again, at most once per interval: for sums and counts, which cost more than a page of a list. */
export function useSlowResource<T>(
  key: string | undefined,
  load: (signal: AbortSignal) => Promise<T>,
  { isAffected, intervalMs, ...options }: SlowResourceOptions,
): Resource<T> {
  const resource = useResource(key, load, options);
  const { reload } = resource;
  useEffect(() => {
    if (key === undefined) return;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = onEvent((event) => {
      if (timer !== undefined || !isAffected(event)) return;
      timer = setTimeout(() => {
        timer = undefined;
        reload();
      }, intervalMs);
    });
    return () => {
      stop();
      clearTimeout(timer);
    };
  }, [key, intervalMs, reload]);
  return resource;
}
