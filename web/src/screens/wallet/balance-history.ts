import type { Summary } from '../../../../client/satchel.js';
import type { BarsDay, StepPoint } from '../../parts/chart-scale.ts';

/** The sums of a wallet in a period, and those of its hours or days. */
export type BalanceHistory = Pick<Summary, 'in_msat' | 'in_count' | 'out_msat' | 'out_count' | 'fees_msat' | 'buckets'>;

const HOUR = 3600;

/** Returns the balance at the beginning, after each hour or day in which it changed, and now; in whole sats. */
export function balanceSteps({ buckets }: BalanceHistory, presentMsat: number, now: number): StepPoint[] {
  const points: StepPoint[] = [];
  for (const [index, { start, balance_msat, in_msat, out_msat, fees_msat }] of buckets.entries()) {
    const netMsat = in_msat - out_msat - fees_msat;
    if (index === 0) points.push({ at: start, value: Math.floor((balance_msat - netMsat) / 1000) });
    const end = Math.min(now, buckets[index + 1]?.start ?? now);
    if (netMsat !== 0) points.push({ at: end, value: Math.floor(balance_msat / 1000) });
  }
  return [...points, { at: now, value: Math.floor(presentMsat / 1000) }];
}

/** Returns what came in and went out, with fees, on each day, oldest first. Hours belong to the days of the browser's time zone. */
export function daysOf({ buckets }: BalanceHistory): BarsDay[] {
  const isHourly = (buckets[1]?.start ?? 0) - (buckets[0]?.start ?? 0) === HOUR;
  const days = Map.groupBy(buckets, ({ start }) => (isHourly ? startOfDay(start) : sameDateHere(start)));
  return [...days].map(([at, parts]) => ({
    at,
    in: Math.floor(parts.reduce((sum, { in_msat }) => sum + in_msat, 0) / 1000),
    out: Math.ceil(parts.reduce((sum, { out_msat, fees_msat }) => sum + out_msat + fees_msat, 0) / 1000),
  }));
}

function startOfDay(at: number): number {
  return Math.floor(new Date(at * 1000).setHours(0, 0, 0, 0) / 1000);
}

/** Returns the start of the same date in the browser's time zone for the start of a day in UTC. */
function sameDateHere(at: number): number {
  const date = new Date(at * 1000);
  return Math.floor(new Date(date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()).getTime() / 1000);
}

/** Returns what came in and went out in whole sats. Fees are part of what went out. */
export function movedSats({ in_msat, out_msat, fees_msat }: BalanceHistory): { inSats: number; outSats: number } {
  return { inSats: Math.floor(in_msat / 1000), outSats: Math.ceil((out_msat + fees_msat) / 1000) };
}
