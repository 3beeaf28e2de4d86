import { useEffect, useRef, useState } from 'preact/hooks';
import type { Event } from '../../api/client.ts';
import { onEvent } from '../../api/live.ts';

/** The list changes at most once in this time. */
const INTERVAL_MS = 1_000;
/** The most events that are kept; older ones are in the API. */
export const MAX_ARRIVED = 1_000;

/** Returns the events since the component was shown, newest first, in batches: one change per second, in a frame of its own. */
export function useArrivedEvents(isWanted: (event: Event) => boolean): readonly Event[] {
  const [arrived, setArrived] = useState<readonly Event[]>([]);
  const filter = useRef(isWanted);
  filter.current = isWanted;
  useEffect(() => {
    const batches = createBatches<Event>(
      (batch) => setArrived((events) => [...batch.toReversed(), ...events].slice(0, MAX_ARRIVED)),
      INTERVAL_MS,
    );
    const stop = onEvent((event) => {
      if (filter.current(event)) batches.add(event);
    });
    return () => {
      stop();
      batches.cancel();
    };
  }, []);
  return arrived;
}

/** Collects values, and passes the newest on in batches: one at once, then one per interval. A page in the background gets none until it is shown. */
export function createBatches<T>(pass: (batch: readonly T[]) => void, intervalMs: number, frames: Frames = globalThis) {
  let waiting: T[] = [];
  let timer: ReturnType<typeof setTimeout> | undefined;
  let frame: number | undefined;
  let earliest = 0;

  function plan() {
    timer = undefined;
    frame = frames.requestAnimationFrame(() => {
      frame = undefined;
      earliest = Date.now() + intervalMs;
      const batch = waiting;
      waiting = [];
      pass(batch);
    });
  }
  return {
    add(value: T) {
      waiting.push(value);
      if (waiting.length > MAX_ARRIVED) waiting.shift();
      if (timer === undefined && frame === undefined) timer = setTimeout(plan, Math.max(0, earliest - Date.now()));
    },
    cancel() {
      clearTimeout(timer);
      if (frame !== undefined) frames.cancelAnimationFrame(frame);
    },
  };
}

type Frames = Pick<typeof globalThis, 'requestAnimationFrame' | 'cancelAnimationFrame'>;

/** Returns the first page of events: those that have arrived and those that were loaded, once each, newest first. */
export function mergeEvents(arrived: readonly Event[], stored: readonly Event[], pageSize: number): readonly Event[] {
  const newest = stored[0]?.id ?? '';
  // Ids sort in the order of the events. What arrived before the page was loaded is on it.
  const added = arrived.filter(({ id }) => id > newest);
  return added.length === 0 ? stored : [...added, ...stored].slice(0, pageSize);
}
