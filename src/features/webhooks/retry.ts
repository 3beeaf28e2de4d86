/** How long an event is tried again, and how long an endpoint without a success stays enabled. */
export const RETRY_DAYS = 3;
const RETRY_MS = RETRY_DAYS * 24 * 60 * 60 * 1000;

/** The longest wait after the first failed attempt; it doubles with each further one. */
const FIRST_MS = 10_000;
const LONGEST_MS = 8 * 60 * 60 * 1000;

/** After so many failures in a row an endpoint counts as down. */
export const FAILURES_OF_OUTAGE = 5;

/**
 * Returns the time of the next attempt, or undefined after the last one, three days after the first. The wait is random, from 0 to twice its mean
 * ("full jitter"), so that a receiver that returns is not sent all events at one moment.
 */
export function nextAttemptMs(firstMs: number, nowMs: number, attempts: number, random: () => number = Math.random): number | undefined {
  const lastMs = firstMs + RETRY_MS;
  if (nowMs >= lastMs) return undefined;
  const longest = Math.min(FIRST_MS * 2 ** Math.min(attempts - 1, 30), LONGEST_MS);
  return Math.min(nowMs + Math.max(1000, Math.ceil(longest * random())), lastMs);
}

/** Returns whether an endpoint that has failed since `failingSince` (Unix seconds) is disabled. */
export function hasFailedTooLong(failingSince: number, nowSeconds: number): boolean {
  return (nowSeconds - failingSince) * 1000 >= RETRY_MS;
}
