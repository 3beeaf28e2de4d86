/** Instances stamp entries by clocks of their own, which may differ by this much. */
export const CLOCK_SLACK_MS = 60_000;

/**
 * The first place that was not booked before a time; one more than the last when there is none. Places are in the order of their time,
 * so it is found by halving, and nothing else is read.
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
