const HOUR = 3600;

/** Returns when the last `days` days began, in Unix seconds. Sums of the API begin with an hour. */
export function startOfLastDays(days: number): number {
  return (Math.floor(Date.now() / 1000 / HOUR) + 1 - days * 24) * HOUR;
}
