import type { Database, SqlReader, Tx } from '../db/database.ts';
import * as sql from './sums.sql.ts';
import type { TransactionOwner } from './wallet-transactions.ts';

const NOTHING = { in_msat: 0, in_count: 0, out_msat: 0, out_count: 0, fees_msat: 0, failed_count: 0 };

/**
 * The sums of bookings, as the API names them. Fees are part of neither `in_msat` nor `out_msat`. `failed_count`: payments that were started in
 * the period and failed.
 */
type Sums = typeof NOTHING;

export type Summary = Awaited<ReturnType<typeof readSummary>>;

export interface SummaryQuery {
  /** Whole hours in Unix seconds; `until` is excluded. */
  readonly from: number;
  readonly until: number;
  /** Undefined: no buckets. */
  readonly interval: 'hour' | 'day' | 'month' | undefined;
}

const HOUR = 3600;
const DAY = 86_400;

/** Returns the sums of a wallet or an account. The cost depends on the hours with bookings in the period, not on the bookings. */
export function readSummary(database: Database, owner: TransactionOwner, query: SummaryQuery) {
  return database.snapshot((tx) => summaryIn(tx, owner, query));
}

async function summaryIn(tx: Tx, owner: TransactionOwner, { from, until, interval }: SummaryQuery) {
  const [kind, id] = 'accountId' in owner ? (['account', owner.accountId] as const) : (['wallet', owner.ledgerAccount] as const);
  const isWholeDays = from % DAY === 0 && until % DAY === 0;
  const unit = interval !== 'hour' && isWholeDays ? DAY : HOUR;
  const statements = sql.sums[kind];
  const rows = await tx.all(statements.sums, id, from / HOUR, until / HOUR, unit / HOUR);
  const failures = await tx.all(statements.failures, id, from * 1000, until * 1000, unit * 1000);
  const balance = kind === 'account' ? await tx.first(sql.balanceOfAccount, id) : await tx.first(sql.balanceOfWallet, id);
  const balanceMsat = balance?.balance_msat ?? 0;
  const later = await tx.first(statements.netSince, id, until / HOUR);
  const held = await tx.first(statements.held, id);
  const wallets = kind === 'account' ? await tx.first(sql.countWallets, id) : undefined;
  const parts = [...rows, ...failures].map((row) => ({ ...row, start: row.unit * unit }));
  return {
    /** The booked balance now, including what pending payments hold. */
    balance_msat: balanceMsat,
    held_msat: held?.held_msat ?? 0,
    /** The number of the account's wallets; 1 for a wallet. */
    wallets: wallets?.n ?? 1,
    ...total(parts),
    buckets: interval ? bucketsOf(parts, { from, until, interval }, balanceMsat - (later?.net_msat ?? 0)) : [],
  };
}

/** Returns the booked balance of all wallets of an account. */
export async function readAccountBalance(database: SqlReader, accountId: string): Promise<number> {
  return (await database.first(sql.balanceOfAccount, accountId))?.balance_msat ?? 0;
}

/** What was booked, or failed, in an hour or a day that begins at `start`. */
interface Part extends Partial<Sums> {
  readonly start: number;
}

function total(parts: readonly Part[]): Sums {
  const sums = { ...NOTHING };
  for (const part of parts) for (const name of Object.keys(NOTHING) as (keyof Sums)[]) sums[name] += part[name] ?? 0;
  return sums;
}

type BucketQuery = SummaryQuery & { readonly interval: 'hour' | 'day' | 'month' };

/**
 * Returns the sums of each interval of the period, also of those without bookings, with the booked balance at its end. `endMsat`: the balance at
 * the end of the period.
 */
function bucketsOf(parts: readonly Part[], { from, until, interval }: BucketQuery, endMsat: number) {
  const byStart = Map.groupBy(parts, ({ start }) => startOf(start, interval));
  const sums: (Sums & { start: number })[] = [];
  for (let start = startOf(from, interval); start < until; start = nextStart(start, interval))
    sums.push({ start, ...total(byStart.get(start) ?? []) });
  let balanceMsat = endMsat;
  const buckets = sums.reverse().map((bucket) => {
    const atEnd = { ...bucket, balance_msat: balanceMsat };
    balanceMsat -= bucket.in_msat - bucket.out_msat - bucket.fees_msat;
    return atEnd;
  });
  return buckets.reverse();
}

function startOf(seconds: number, interval: 'hour' | 'day' | 'month'): number {
  if (interval !== 'month') return seconds - (seconds % (interval === 'hour' ? HOUR : DAY));
  const date = new Date(seconds * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000;
}

/** Returns the beginning of the interval after the one that begins at `start`. */
export function nextStart(start: number, interval: 'hour' | 'day' | 'month'): number {
  if (interval !== 'month') return start + (interval === 'hour' ? HOUR : DAY);
  const date = new Date(start * 1000);
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1) / 1000;
}
