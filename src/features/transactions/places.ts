import { createTurnQueue } from '../../core/kernel/turn-queue.ts';

/** The maximum difference between the clocks of instances, which set the times of entries. */
export const CLOCK_SLACK_MS = 60_000;

/**
 * Returns the first place that was booked at or after a time; `last` + 1 if there is none. Places have the order of their times, so this is a
 * binary search.
 */
export async function firstPlaceSince(
  { bookedAtMs }: { bookedAtMs(place: number): Promise<number | undefined> },
  last: number,
  sinceMs: number,
): Promise<number> {
  let [low, high] = [1, last + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const ms = await bookedAtMs(middle);
    if (ms === undefined || ms < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Waits for a turn to read the next piece of a long list. Shared by all readers: SQLite returns synchronously, so long reads would otherwise
 * block all other requests.
 */
export const pieceTurn = createTurnQueue();
