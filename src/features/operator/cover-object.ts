import { type Static, Type } from 'typebox';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { namedObject, nullable } from '../../http/responses/response-types.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';
import { amount } from './operator-route.ts';

export const BalanceSampleObject = namedObject('BalanceSample', {
  at: Type.Integer({ description: 'When the figures were taken, in Unix seconds' }),
  assets_msat: nullable(amount('The balances of the nodes; null before a node was measured')),
  liabilities_msat: amount('What was owed to all wallets'),
  suspense_msat: amount('What was in suspense'),
  owed_msat: amount('`liabilities_msat` + `suspense_msat`'),
  cover_percent: nullable(
    Type.Integer({
      description: '`assets_msat` in percent of `owed_msat`, rounded down. Null: the assets are unknown, or nothing was owed',
    }),
  ),
  lowest_cover_percent: nullable(
    Type.Integer({ description: 'The lowest of the hourly samples of its step: an hour, for `month` 6 hours, for `year` a day' }),
  ),
  is_complete: Type.Boolean({ description: 'Whether each node was measured then. Otherwise the last balance before counts' }),
});

/** The periods of the history of balances, and the hours between two samples of each. */
const PERIODS = {
  day: { days: 1, stepHours: 1 },
  week: { days: 7, stepHours: 1 },
  month: { days: 30, stepHours: 6 },
  year: { days: 365, stepHours: 24 },
} as const;
export type HistoryPeriod = keyof typeof PERIODS;
export const HISTORY_PERIODS = Object.keys(PERIODS) as HistoryPeriod[];

/** Returns the last sample of each step with the lowest cover in it, oldest first. */
export async function readHistory(
  { database, clock }: Pick<OperatorModules, 'database' | 'clock'>,
  period: HistoryPeriod,
): Promise<Static<typeof BalanceSampleObject>[]> {
  const { days, stepHours } = PERIODS[period];
  const rows = await database.all(sql.listSamples, Math.floor(unixSeconds(clock) / 3600) - 24 * days);
  const steps = new Map<number, Static<typeof BalanceSampleObject>>();
  for (const { hour, is_complete, ...row } of rows) {
    const step = Math.floor(hour / stepHours);
    const owed = row.liabilities_msat + row.suspense_msat;
    const cover = coverPercent(row.assets_msat, owed);
    const lowest = lower(steps.get(step)?.lowest_cover_percent ?? null, cover);
    steps.set(step, { ...row, owed_msat: owed, cover_percent: cover, lowest_cover_percent: lowest, is_complete: is_complete === 1 });
  }
  return [...steps.values()];
}

function lower(a: number | null, b: number | null): number | null {
  return a === null || b === null ? (a ?? b) : Math.min(a, b);
}

/** Returns what the nodes have in percent of what is owed, rounded down. Null if it is unknown, or nothing is owed. */
export function coverPercent(assetsMsat: number | null, owedMsat: number): number | null {
  if (assetsMsat === null || owedMsat <= 0) return null;
  // A product of two amounts is no safe integer.
  return Number((BigInt(assetsMsat) * 100n) / BigInt(owedMsat));
}
