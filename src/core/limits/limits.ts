import { periodEnd, periodStart } from '../budgets/limits.ts';
import type { Database, Tx } from '../db/database.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { splitIds } from '../kernel/ids.ts';
import { type AmountUnit, amountText, type Msat, satText } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { SHORT_TTL, TtlCache } from '../kernel/ttl-cache.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import * as sql from './limits.sql.ts';

/** What operators and owners may limit, with the names of the API; null: no limit. Amounts are without fees. */
export type LimitFields = Pick<
  sql.LimitRow,
  | 'max_balance_msat'
  | 'max_payment_msat'
  | 'max_receive_msat'
  | 'max_out_day_msat'
  | 'max_out_month_msat'
  | 'max_payments_per_minute'
  | 'max_pending'
>;

/** The limits that a key may have, in addition to its largest payment. It receives and holds nothing itself. */
export type KeyLimitFields = Pick<LimitFields, 'max_out_day_msat' | 'max_out_month_msat' | 'max_payments_per_minute' | 'max_pending'>;

/** Another posting has changed what counts against a limit, or a limit is reached. {@link Limits.explain} finds out. */
export class LimitMissed extends Error {
  override readonly name = 'LimitMissed';
}

/** The payments of the present minute have reached their limit. In the next minute, the same request may succeed. */
export class MinuteLimitReached extends Refusal {
  constructor(message: string) {
    super('spending_limit_exceeded', message);
  }
}

/** Returns the balance of a wallet or an account, by its id. */
type BalanceOf = (ownerId: string) => Promise<number>;

const MINUTE = 60;

export type Limits = ReturnType<typeof createLimits>;

/**
 * The limits of accounts, wallets and keys. A wallet names its limited owners: itself, its account, the accounts above. The limits of a key are stored
 * when it is created. A posting that spends counts in the row of each of them, which is also the check, so limits hold under any concurrency. What
 * counts is the amount without fees: settled in the day or month, plus pending.
 */
export function createLimits({ database, clock }: { readonly database: Database; readonly clock: Clock }) {
  const owners = new TtlCache<readonly string[]>(SHORT_TTL);
  // A service without limits reads one row per second.
  const hasLimits = new TtlCache<boolean>({ ...SHORT_TTL, maxSize: 1 });

  async function readOwners(walletId: string): Promise<readonly string[] | undefined> {
    const row = await database.first(sql.findOwners, walletId);
    return row && splitIds(row.owners);
  }

  /** Returns the limited owners of a wallet. They may be one second old; the guard of the posting rejects outdated ones. */
  async function ownersOf(walletId: string): Promise<readonly string[]> {
    if (!(await hasLimits.get('any', async () => (await database.first(sql.findAny)) !== undefined))) return [];
    return (await owners.get(walletId, () => readOwners(walletId))) ?? [];
  }

  async function find(ownerIds: readonly string[]): Promise<sql.LimitRow[]> {
    return ownerIds.length === 0 ? [] : database.all(sql.find, [...ownerIds]);
  }

  /** Returns which limit an amount exceeds that a wallet receives; undefined if none. */
  async function receivingExcess(walletId: string, amountMsat: Msat, balanceOf: BalanceOf): Promise<string | undefined> {
    for (const row of await find(await ownersOf(walletId))) {
      const { owner_id, max_receive_msat: most, max_balance_msat: mostBalance } = row;
      const limited = isAccount(row) ? 'the account, or one above it,' : 'the wallet';
      if (most !== null && amountMsat > most) return `${limited} may receive at most ${satText(most)} at once`;
      if (mostBalance !== null && (await balanceOf(owner_id)) + amountMsat > mostBalance)
        return `the balance of ${limited} may be at most ${satText(mostBalance)}`;
    }
    return undefined;
  }

  return {
    ownersOf,
    find,

    /** Returns whether the owners of a wallet have changed since they were read, and reads them again. */
    async haveChanged(walletId: string, known: readonly string[]): Promise<boolean> {
      this.forget(walletId);
      return (await ownersOf(walletId)).join(' ') !== known.join(' ');
    },

    /** Forgets what this process has read, after a change. */
    forget(walletId?: string): void {
      hasLimits.clear();
      if (walletId === undefined) owners.clear();
      else owners.forget(walletId);
    },

    /** Returns the rows that count a payment that is started, or transfers. They throw {@link LimitMissed} unless all fit into all limits. */
    startRows(ownerIds: readonly string[], amounts: readonly Msat[], kind: 'payment' | 'transfer'): RowWrite[] {
      const sumMsat = sumOf(amounts);
      const changes = kind === 'payment' ? [sumMsat, 1, 0] : [0, 0, sumMsat];
      const checked = [amounts.length, sumMsat, Math.max(...amounts)];
      return ownerIds.map((id) => countRow(clock, id, [...changes, ...checked], () => new LimitMissed()));
    },

    /** Returns the reason why a payment, or transfers, do not fit into the limits; undefined if they fit now. */
    async explain(ownerIds: readonly string[], wanted: Omit<Wanted, 'now'>): Promise<Refusal | undefined> {
      const now = unixSeconds(clock);
      for (const row of await find(ownerIds)) {
        const refusal = refusalOf(row, { ...wanted, now });
        if (refusal) return refusal;
      }
      return undefined;
    },

    /** Returns the most that the balance of a wallet may be by its own limit; undefined without one. */
    async maxBalance(walletId: string): Promise<Msat | undefined> {
      if (!(await ownersOf(walletId)).includes(walletId)) return undefined;
      return ((await find([walletId]))[0]?.max_balance_msat ?? undefined) as Msat | undefined;
    },

    /** @throws Refusal `receiving_limit_exceeded` if a wallet may not receive an amount now. Undefined: an invoice of any amount. */
    async requireMayReceive(walletId: string, amountMsat: Msat | undefined, balanceOf: BalanceOf): Promise<void> {
      const excess = await receivingExcess(walletId, amountMsat ?? (1 as Msat), balanceOf);
      if (excess !== undefined) throw new Refusal('receiving_limit_exceeded', `Nothing was created: ${excess}.`);
    },

    receivingExcess,
  };
}

/** The end of a payment: it no longer counts as pending, and counts as spent if it succeeded. */
export function endRows(clock: Clock, ownerIds: readonly string[], amountMsat: Msat, outcome: 'succeeded' | 'failed'): RowWrite[] {
  return ownerIds.map((id) => countRow(clock, id, [-amountMsat, -1, outcome === 'succeeded' ? amountMsat : 0, 0, null, null], notCounted));
}

/** Returns the rows that count a payment that succeeded after it was booked as failed. It counts even beyond the limits. */
export function lateRows(clock: Clock, ownerIds: readonly string[], amountMsat: Msat): RowWrite[] {
  return ownerIds.map((id) => countRow(clock, id, [0, 0, amountMsat, 0, null, null], notCounted));
}

function countRow(clock: Clock, ownerId: string, changes: readonly (number | null)[], onMiss: () => Error): RowWrite {
  const now = unixSeconds(clock);
  const starts = [periodStart('day', now), periodStart('month', now), now - (now % MINUTE)];
  return { statement: sql.count, parameters: [ownerId, ...starts, ...changes], onMiss };
}

function notCounted(): Error {
  return new Error('a payment was not counted against the limits of its owners');
}

/** What counts against limits. */
export type Counters = Omit<sql.LimitRow, 'owner_id' | keyof LimitFields>;

/** Returns what counts against the limits of a row now. */
export function usageOf(row: Counters, now: number) {
  return {
    out_day_msat: row.pending_msat + (row.day_start >= periodStart('day', now) ? row.day_msat : 0),
    out_month_msat: row.pending_msat + (row.month_start >= periodStart('month', now) ? row.month_msat : 0),
    payments_this_minute: row.minute_start >= now - (now % MINUTE) ? row.minute_count : 0,
    pending_payments: row.pending_count,
  };
}

/** A payment, or transfers, that must fit into the limits. */
interface Wanted {
  readonly amounts: readonly Msat[];
  readonly kind: 'payment' | 'transfer';
  readonly now: number;
  readonly unit?: AmountUnit | undefined;
}

/** Returns the sum, which may be more than an amount: it then exceeds every limit. */
function sumOf(amounts: readonly Msat[]): number {
  return Math.min(
    amounts.reduce((sum, one) => sum + one, 0),
    Number.MAX_SAFE_INTEGER,
  );
}

/** Returns whether the limits are those of an account. Wallets from LNPay have ids of several forms. */
function isAccount({ owner_id }: sql.LimitRow): boolean {
  return owner_id.startsWith('acc_');
}

/** A lineage of keys, whose id is that of its first key. */
function isKey({ owner_id }: sql.LimitRow): boolean {
  return owner_id.startsWith('key_');
}

function refusalOf(row: sql.LimitRow, wanted: Wanted): Refusal | undefined {
  const [name, text] = reachedLimit(row, wanted) ?? [];
  if (name === undefined || text === undefined) return undefined;
  // The figures of an account are the sums of all its wallets, which a key of one wallet must not learn.
  const message = isAccount(row) ? `The account, or one above it, has reached its limit \`${name}\`.` : text;
  const mayFitLater = name === 'max_payments_per_minute' && wanted.amounts.length <= (row.max_payments_per_minute ?? 0);
  return mayFitLater ? new MinuteLimitReached(message) : new Refusal('spending_limit_exceeded', message);
}

/** Returns the name of the limit into which a payment, or transfers, do not fit, and what the wallet may still do. */
function reachedLimit(row: sql.LimitRow, { amounts, kind, now, unit }: Wanted): [keyof LimitFields, string] | undefined {
  const amountMsat = sumOf(amounts);
  const text = (value: number) => amountText(value, unit);
  const sender = isKey(row) ? 'The key' : 'The wallet';
  const used = usageOf(row, now);
  if (row.max_payment_msat !== null && Math.max(...amounts) > row.max_payment_msat)
    return ['max_payment_msat', `${sender} may send at most ${text(row.max_payment_msat)} at once.`];
  for (const period of ['day', 'month'] as const) {
    const [most, spent] = [row[`max_out_${period}_msat`], used[`out_${period}_msat`]];
    if (most === null || spent + amountMsat <= most) continue;
    const until = new Date(periodEnd(period, now) * 1000).toISOString().slice(0, 10);
    const left = `${text(Math.max(0, most - spent))} more until ${until} (UTC), of ${text(most)} per ${period}`;
    return [`max_out_${period}_msat`, `${sender} may send ${left}.`];
  }
  if (row.max_payments_per_minute !== null && used.payments_this_minute + amounts.length > row.max_payments_per_minute)
    return ['max_payments_per_minute', `${sender} may start ${row.max_payments_per_minute} payments per minute. Wait for the next minute.`];
  if (kind === 'payment' && row.max_pending !== null && used.pending_payments >= row.max_pending)
    return ['max_pending', `${sender} may have ${row.max_pending} pending payments. Wait until one of them has ended.`];
  return undefined;
}

/** Stores the limits of a lineage of keys with its first key. They never change. */
export async function insertKeyLimits(tx: Tx, lineageId: string, limits: KeyLimitFields): Promise<void> {
  const nothingSent = { dayMsat: 0, dayStart: 0, monthMsat: 0, monthStart: 0 };
  await store(tx, lineageId, { max_balance_msat: null, max_payment_msat: null, max_receive_msat: null, ...limits }, nothingSent);
}

/**
 * Sets the limits of an account or a wallet. Everything that it has sent in the present day and month counts from the beginning, and what is pending
 * at that moment counts as sent. Call {@link Limits.forget} after the commit.
 * @returns the limits before; undefined if there were none
 */
export async function setLimits(
  tx: Tx,
  clock: Clock,
  ownerId: string,
  accountId: string,
  limits: LimitFields,
): Promise<LimitFields | undefined> {
  await tx.all(sql.lockAccounts, accountId);
  const now = unixSeconds(clock);
  const [day, month] = [periodStart('day', now), periodStart('month', now)];
  const before = await tx.first(sql.find, [ownerId]);
  const isNew = before === undefined;
  if (isNew) await tx.run(sql.addOwner, ownerId);
  const spentSince = async (start: number) => (isNew ? ((await tx.first(sql.readSpent, ownerId, start / 3600))?.spent_msat ?? 0) : 0);
  const sent = { dayMsat: await spentSince(day), dayStart: day, monthMsat: await spentSince(month), monthStart: month };
  await store(tx, ownerId, limits, sent);
  return before;
}

/** What an owner has sent in the present periods (Unix seconds). */
interface Sent {
  readonly dayMsat: number;
  readonly dayStart: number;
  readonly monthMsat: number;
  readonly monthStart: number;
}

async function store(tx: Tx, ownerId: string, limits: LimitFields, { dayMsat, dayStart, monthMsat, monthStart }: Sent): Promise<void> {
  const { max_balance_msat, max_payment_msat, max_receive_msat, max_out_day_msat, max_out_month_msat } = limits;
  const { max_payments_per_minute, max_pending } = limits;
  const most = [max_balance_msat, max_payment_msat, max_receive_msat, max_out_day_msat, max_out_month_msat];
  await tx.run(sql.set, ownerId, ...most, max_payments_per_minute, max_pending, dayMsat, dayStart, monthMsat, monthStart);
}
