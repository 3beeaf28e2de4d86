import type { Database, Tx } from '../db/database.ts';
import * as sql from './sums.sql.ts';
import type { TransactionOwner } from './wallet-transactions.ts';

/** The sums of bookings, in millisatoshis. Fees are part of neither `in` nor `out`. */
export interface Sums {
  readonly inMsat: number;
  readonly inCount: number;
  readonly outMsat: number;
  readonly outCount: number;
  readonly feesMsat: number;
  /** Payments that were started in the period and failed. */
  readonly failedCount: number;
}

/** The sums of one hour, day or month (UTC). */
export interface Bucket extends Sums {
  /** Unix seconds. */
  readonly start: number;
  /** The booked balance at its end. */
  readonly balanceMsat: number;
}

export interface Summary extends Sums {
  /** The booked balance now, including {@link heldMsat}. */
  readonly balanceMsat: number;
  /** What pending payments hold. */
  readonly heldMsat: number;
  /** The number of the account's wallets; 1 for a wallet. */
  readonly wallets: number;
  readonly buckets: readonly Bucket[];
}

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
export function readSummary(database: Database, owner: TransactionOwner, query: SummaryQuery): Promise<Summary> {
  return database.snapshot((tx) => summaryIn(tx, owner, query));
}

async function summaryIn(tx: Tx, owner: TransactionOwner, { from, until, interval }: SummaryQuery): Promise<Summary> {
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
  const parts = partsOf(rows, failures, unit);
  return {
    ...total(parts),
    balanceMsat,
    heldMsat: held?.held_msat ?? 0,
    wallets: wallets?.n ?? 1,
    buckets: interval ? bucketsOf(parts, { from, until, interval }, balanceMsat - (later?.net_msat ?? 0)) : [],
  };
}

/** The sums of one read hour or day. */
interface Part extends Sums {
  readonly start: number;
}

const NOTHING: Sums = { inMsat: 0, inCount: 0, outMsat: 0, outCount: 0, feesMsat: 0, failedCount: 0 };

function partsOf(rows: readonly sql.SumRow[], failures: readonly { unit: number; n: number }[], seconds: number): Part[] {
  const booked = rows.map((row) => ({
    start: row.unit * seconds,
    inMsat: row.in_msat,
    inCount: row.in_count,
    outMsat: row.out_msat,
    outCount: row.out_count,
    feesMsat: row.fees_msat,
    failedCount: 0,
  }));
  return [...booked, ...failures.map(({ unit, n }) => ({ ...NOTHING, start: unit * seconds, failedCount: n }))];
}

function total(parts: readonly Sums[]): Sums {
  const sum = (key: keyof Sums) => parts.reduce((all, part) => all + part[key], 0);
  return {
    inMsat: sum('inMsat'),
    inCount: sum('inCount'),
    outMsat: sum('outMsat'),
    outCount: sum('outCount'),
    feesMsat: sum('feesMsat'),
    failedCount: sum('failedCount'),
  };
}

type BucketQuery = SummaryQuery & { readonly interval: 'hour' | 'day' | 'month' };

/** Returns a bucket for each interval of the period, also for those without bookings. `endMsat`: the balance at the end of the period. */
function bucketsOf(parts: readonly Part[], { from, until, interval }: BucketQuery, endMsat: number): Bucket[] {
  const byStart = Map.groupBy(parts, ({ start }) => startOf(start, interval));
  const sums: (Sums & { start: number })[] = [];
  for (let start = startOf(from, interval); start < until; start = nextStart(start, interval))
    sums.push({ start, ...total(byStart.get(start) ?? []) });
  let balanceMsat = endMsat;
  const buckets = sums.reverse().map((bucket) => {
    const atEnd = { ...bucket, balanceMsat };
    balanceMsat -= bucket.inMsat - bucket.outMsat - bucket.feesMsat;
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
