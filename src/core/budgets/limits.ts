import { type Msat, msat } from '../kernel/money.ts';

export const BUDGET_PERIODS = ['day', 'week', 'month', 'ever'] as const;

/** Calendar periods in UTC; a week begins on Monday (ISO 8601). `ever` is one period that never ends. */
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number];

/** The limits of a key. Budget and largest payment include fees. */
export interface KeyLimits {
  /** The lineage: a key and its replacements in rotations, whose spending counts together. */
  readonly lineageId: string;
  readonly budget: { readonly amountMsat: Msat; readonly period: BudgetPeriod } | undefined;
  /** The limit of one payment. */
  readonly maxPaymentMsat: Msat | undefined;
  /** Whether the lineage has limits like those of accounts and wallets. Postings count in their row, whose owner is the lineage. */
  readonly hasCounters?: boolean;
}

const DAY_SECONDS = 86_400;
/** 1 January 1970 was a Thursday. */
const DAYS_FROM_MONDAY = 3;

/** Returns the start of the period that contains `nowSeconds`, in Unix seconds; 0 for `ever`. */
export function periodStart(period: BudgetPeriod, nowSeconds: number): number {
  const day = Math.floor(nowSeconds / DAY_SECONDS);
  switch (period) {
    case 'day':
      return day * DAY_SECONDS;
    case 'week':
      return (day - ((day + DAYS_FROM_MONDAY) % 7)) * DAY_SECONDS;
    case 'month': {
      const now = new Date(nowSeconds * 1000);
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth()) / 1000;
    }
    case 'ever':
      return 0;
  }
}

/** Returns the end of the period that contains `nowSeconds`, in Unix seconds: the start of the next one. */
export function periodEnd(period: Exclude<BudgetPeriod, 'ever'>, nowSeconds: number): number {
  const start = periodStart(period, nowSeconds);
  if (period !== 'month') return start + (period === 'day' ? 1 : 7) * DAY_SECONDS;
  const first = new Date(start * 1000);
  return Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1) / 1000;
}

/** The columns of a key with its limits. */
export type LimitColumns = {
  lineage_id: string;
  budget_msat: number | null;
  budget_period: BudgetPeriod | null;
  max_payment_msat: number | null;
  /** 1 if the lineage has a row in `spending_limit`, which is never deleted. */
  has_counters: number | null;
};

/** Returns the limits of a key's row; undefined if it has none. */
export function rowToLimits(row: LimitColumns): KeyLimits | undefined {
  const { lineage_id: lineageId, budget_msat, budget_period: period, max_payment_msat } = row;
  const hasCounters = row.has_counters === 1;
  const budget = budget_msat === null || period === null ? undefined : { amountMsat: msat(budget_msat), period };
  const maxPaymentMsat = max_payment_msat === null ? undefined : msat(max_payment_msat);
  return budget || maxPaymentMsat !== undefined || hasCounters ? { lineageId, budget, maxPaymentMsat, hasCounters } : undefined;
}

/** Returns the owners in whose limits a payment counts: those of its wallet, and the lineage of its key if that has such limits. */
export function countedOwners(walletOwners: readonly string[], limits: KeyLimits | undefined): readonly string[] {
  return limits?.hasCounters ? [...walletOwners, limits.lineageId] : walletOwners;
}
