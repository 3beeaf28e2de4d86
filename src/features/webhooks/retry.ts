/** How long an event is tried again, and how long an endpoint without a success stays enabled. */
export const RETRY_SECONDS = 3 * 24 * 60 * 60;

/** The longest wait after the first failed attempt; it doubles with each further one. */
const FIRST_MS = 10_000;
export const LONGEST_WAIT_MS = 8 * 60 * 60 * 1000;

/** Whether an endpoint has failed so often in a row that it gets one delivery at a time. */
export function isDown({ failures }: { readonly failures: number }): boolean {
  return failures >= 5;
}

/**
 * Returns the time of the next attempt, or undefined after the last one, three days after the first. The wait is random, from 0 to twice its mean
 * ("full jitter"), so that a receiver that returns is not sent all events at one moment.
 */
export function nextAttemptMs(firstMs: number, nowMs: number, attempts: number, random: () => number = Math.random): number | undefined {
  const lastMs = firstMs + RETRY_SECONDS * 1000;
  if (nowMs >= lastMs) return undefined;
  const longest = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_WAIT_MS);
  return Math.min(nowMs + Math.max(1000, Math.ceil(longest * random())), lastMs);
}
