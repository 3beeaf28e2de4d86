/** How many backups are kept: the newest of each of so many hours, days and months that have one. */
export interface Retention {
  readonly hours: number;
  readonly days: number;
  readonly months: number;
}

/**
 * Returns which backups are not kept. Of each hour, day and month (in UTC) that has a backup, the newest one counts. The newest backup of all
 * is always kept.
 * @param times when the backups were made, in Unix seconds
 */
export function expiredTimes(times: readonly number[], { hours, days, months }: Retention): Set<number> {
  const newestFirst = [...times].sort((a, b) => b - a);
  const kept = new Set<number>(newestFirst.slice(0, 1));
  for (const [length, count] of [
    ['2026-01-01T00'.length, hours],
    ['2026-01-01'.length, days],
    ['2026-01'.length, months],
  ] as const) {
    const periods = new Set<string>();
    for (const time of newestFirst) {
      const period = new Date(time * 1000).toISOString().slice(0, length);
      if (periods.has(period)) continue;
      if (periods.size === count) break;
      periods.add(period);
      kept.add(time);
    }
  }
  return new Set(times.filter((time) => !kept.has(time)));
}
