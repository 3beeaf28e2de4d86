import type { Database } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import { type AmountRange, isAmountInRange, positionsInRange } from './amount-range.ts';
import { parseWalletTransactionId, walletTransactionId } from './wallet-transaction-id.ts';
import * as sql from './wallet-transactions.sql.ts';

export type { BookingRow, WalletTransactionRow } from './wallet-transactions.sql.ts';

/** Whose transactions a list contains: one wallet's, by its ledger account, or those of all wallets of an account. */
export type TransactionOwner = { readonly ledgerAccount: number } | { readonly accountId: string };

/** Which transactions a list contains: those of an owner, or those that a key has made, by its lineage. */
export type TransactionScope = TransactionOwner | { readonly lineageId: string };

export interface TransactionQuery extends TransactionFilter {
  readonly status: sql.Status | 'all';
  /** `desc`: newest first. */
  readonly order: sql.Order;
}

export interface TransactionFilter {
  readonly type?: string | undefined;
  /** Unix milliseconds, inclusive: the time of the booking, or of the start of a payment that is not booked. */
  readonly fromMs?: number | undefined;
  readonly untilMs?: number | undefined;
  readonly amount?: AmountRange | undefined;
  /** Returns whether each of the rows matches a search. */
  readonly matches?: ((rows: readonly sql.WalletTransactionRow[]) => Promise<readonly boolean[]>) | undefined;
}

/** A part of a list. */
export interface TransactionPart {
  readonly rows: sql.WalletTransactionRow[];
  /** The row after which the list continues; undefined at its end. It is the last one that was read, so it may be none of `rows`. */
  readonly next: sql.WalletTransactionRow | undefined;
}

/** How many rows one request reads to filter them. */
const MAX_READ = 20_000;
/** The maximum difference between the clocks of instances, which set the times. */
const CLOCK_SLACK_MS = 60_000;

/**
 * Returns at most `limit` transactions after a position, in the order of the list. A filter reads at most 20,000 rows of the owner, so that a part
 * may be short before the end of the list. Few transactions with an amount are found directly.
 */
export async function readTransactions(
  database: Database,
  scope: TransactionScope,
  query: TransactionQuery,
  part: { after: number | undefined; limit: number },
): Promise<TransactionPart> {
  const found = query.amount && !('lineageId' in scope) && (await positionsInRange(database, scope, query.amount));
  return (found ? await readPositions(database, found, query, part) : undefined) ?? readInOrder(database, scope, query, part);
}

/**
 * Reads the transactions at these positions, which are in ascending order, as a list. Returns undefined when one is missing: a payment that has
 * ended meanwhile has another position.
 */
async function readPositions(
  database: Database,
  found: readonly number[],
  query: TransactionQuery,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<TransactionPart | undefined> {
  const { order, status } = query;
  const direction = order === 'asc' ? 1 : -1;
  const ordered = (order === 'asc' ? found : found.toReversed()).filter(
    (position) => after === undefined || (position - after) * direction > 0,
  );
  const rows: sql.WalletTransactionRow[] = [];
  for (let start = 0; start < ordered.length; ) {
    if (start > 0) await takeTurn();
    const wanted = start > 0 ? PER_TURN.scannedRows : Math.min(limit + 1, PER_TURN.scannedRows);
    const positions = ordered.slice(start, start + wanted);
    const page = await database.all(sql.findPositions, positions);
    if (page.length < positions.length) return undefined;
    const ofStatus = status === 'all' ? page : page.filter((row) => row.status === status);
    for (const row of await filterTransactions(
      ofStatus.sort((a, b) => (a.position - b.position) * direction),
      query,
    )) {
      if (rows.length === limit) return { rows, next: rows.at(-1) };
      rows.push(row);
    }
    start += wanted;
  }
  return { rows, next: undefined };
}

async function readInOrder(
  database: Database,
  scope: TransactionScope,
  query: TransactionQuery,
  { after, limit }: { after: number | undefined; limit: number },
): Promise<TransactionPart> {
  const { order, status } = query;
  const [pages, id] = statementsOf(scope);
  const isFiltered = [query.type, query.fromMs, query.untilMs, query.amount, query.matches].some((filter) => filter !== undefined);
  const rows: sql.WalletTransactionRow[] = [];
  let position = await startOf(database, query, after);
  let last: sql.WalletTransactionRow | undefined;
  for (let read = 0; read < MAX_READ; ) {
    if (read > 0) await takeTurn();
    const wanted = isFiltered && read > 0 ? PER_TURN.scannedRows : Math.min(limit + 1 - rows.length, PER_TURN.scannedRows);
    const page = await database.all(pages[order][status], id, position, wanted);
    const matching = await filterTransactions(page, query);
    for (const row of matching) {
      if (rows.length === limit) return { rows, next: rows.at(-1) };
      rows.push(row);
    }
    last = page.at(-1);
    if (page.length < wanted || !last || isBeyond(last, query)) return { rows, next: undefined };
    position = last.position;
    read += page.length;
  }
  return { rows, next: last };
}

/** Returns the position after which a list without filters continues that has skipped `count` transactions; undefined beyond its end. */
export async function skipTransactions(
  database: Database,
  scope: TransactionScope,
  { order, status }: Pick<TransactionQuery, 'order' | 'status'>,
  count: number,
): Promise<number | undefined> {
  const [pages, id] = statementsOf(scope);
  let position = order === 'desc' ? Number.MAX_SAFE_INTEGER : 0;
  for (let skipped = 0; skipped < count; ) {
    if (skipped > 0) await takeTurn();
    const step = Math.min(count - skipped, PER_TURN.indexEntries);
    const row = await database.first(pages[order].skip[status], id, position, step, step - 1);
    if (!row) return undefined;
    position = row.position;
    skipped += step;
  }
  return position;
}

/** Returns a transaction by its id; undefined for a malformed one, which PostgreSQL might not be able to compare. */
export async function findTransaction(database: Database, id: string): Promise<sql.WalletTransactionRow | undefined> {
  return parseWalletTransactionId(id) && database.first(sql.findById, id);
}

export function findTransactions(database: Database, ids: readonly string[]): Promise<sql.WalletTransactionRow[]> {
  return ids.length === 0 ? Promise.resolve([]) : database.all(sql.findMany, ids);
}

/** Returns the transaction that credits an invoice. */
export function findCredit(database: Database, invoiceId: string): Promise<sql.WalletTransactionRow | undefined> {
  return database.first(sql.findCredit, invoiceId);
}

/** Returns the booked transactions with these ids, each with the fee of the service that was charged with it. */
export async function findBookings(database: Database, ids: readonly string[]): Promise<ReadonlyMap<string, sql.BookingRow>> {
  return ids.length === 0 ? new Map() : new Map((await database.all(sql.findBookings, ids)).map((row) => [row.id, row]));
}

/** Returns the credits of invoices by the ids of the invoices. */
export async function findCredits(database: Database, invoiceIds: readonly string[]): Promise<ReadonlyMap<string, sql.BookingRow>> {
  if (invoiceIds.length === 0) return new Map();
  return new Map((await database.all(sql.findCredits, invoiceIds)).map((row) => [row.lntx ?? '', row]));
}

/** Returns transfers and other transactions without an invoice or a payment, but not fees, among the newest `among` of a wallet, newest first. */
export function listInternal(database: Database, ledgerAccount: number, among: number): Promise<sql.BookingRow[]> {
  return database.all(sql.listInternal, ledgerAccount, among);
}

/** Returns the ids of invoices that were credited since a time (Unix milliseconds), among the newest transactions of a wallet. */
export async function listCredited(database: Database, ledgerAccount: number, limit: number, sinceMs: number): Promise<string[]> {
  return (await database.all(sql.listCredited, ledgerAccount, limit, sinceMs)).map(({ lntx }) => lntx);
}

/** Returns the number of settled transactions of an account. */
export async function countTransactions(database: Database, accountId: string): Promise<number> {
  return (await database.first(sql.countOfAccount, accountId))?.n ?? 0;
}

/** Returns the number of pending or failed transactions of an owner, up to `max`. */
export async function countUnsettled(
  database: Database,
  scope: TransactionScope,
  status: 'pending' | 'failed',
  max: number,
): Promise<number> {
  if ('lineageId' in scope) return countOfKey(database, scope.lineageId, status, max);
  const row =
    'accountId' in scope
      ? await database.first(sql.counts.account[status], scope.accountId, max)
      : await database.first(sql.counts.wallet[status], scope.ledgerAccount, max);
  return row?.n ?? 0;
}

/** Returns the number of payments and transfers that a key has made and that are in a state, up to `max`. */
export async function countOfKey(database: Database, lineageId: string, status: sql.Status, max: number): Promise<number> {
  return (await database.first(sql.counts.key[status], lineageId, max))?.n ?? 0;
}

/** Returns the number and the sum of the payments and transfers that a key has made, without fees; undefined for more than `max`. */
export async function sumOfKey(
  database: Database,
  lineageId: string,
  max: number,
): Promise<{ readonly count: number; readonly sumMsat: number } | undefined> {
  const row = await database.first(sql.sumOfKey, lineageId, max + 1);
  const count = row?.n ?? 0;
  return count > max ? undefined : { count, sumMsat: row?.amount_msat ?? 0 };
}

/** A payment as its transaction shows it. */
interface StartedPayment {
  readonly id: string;
  readonly transferId: string;
  readonly walletId: string;
  readonly wtxType: string;
  readonly amountMsat: number;
  readonly userLabel: string;
}

/** Returns the row of a payment that is started, for the posting of its hold. @param lineageId the lineage of the key that made it */
export function pendingTransactionRow(payment: StartedPayment, nowMs: number, lineageId?: string): RowWrite {
  const { id, transferId, walletId, wtxType, amountMsat, userLabel } = payment;
  const parameters = [walletTransactionId(transferId, 'from'), walletId, wtxType, -amountMsat, nowMs, id, userLabel, lineageId ?? null];
  return { statement: sql.insertPending, parameters, onMiss: notStored };
}

/** Returns the row of a payment that failed, for the posting that releases its hold. */
export function failedTransactionRow({ transferId }: { readonly transferId: string }): RowWrite {
  return { statement: sql.markFailed, parameters: [walletTransactionId(transferId, 'from')], onMiss: notStored };
}

/** A payment that the node has reported, as its transaction shows it until it is final. */
interface ReportedPayment {
  readonly id: string;
  readonly transferId: string;
  readonly walletId: string;
  readonly wtxType: string;
  readonly amountMsat: number;
  readonly memo: string;
}

/** Returns the row of a reported payment: `pending` while it is arriving, `failed` if it never arrived. A booking makes it settled. */
export function reportedTransactionRow(payment: ReportedPayment, status: 'pending' | 'failed', nowMs: number): RowWrite {
  const { id, transferId, walletId, wtxType, amountMsat, memo } = payment;
  const parameters = [walletTransactionId(transferId, 'to'), walletId, wtxType, amountMsat, nowMs, id, memo, null];
  return { statement: status === 'pending' ? sql.insertPending : sql.insertNotReceived, parameters, onMiss: notStored };
}

/** Returns the row of an arriving payment that never arrived. */
export function notReceivedTransactionRow(transferId: string): RowWrite {
  return { statement: sql.markFailed, parameters: [walletTransactionId(transferId, 'to')], onMiss: notStored };
}

function notStored(): Error {
  return new Error('the wallet transaction of a payment was not stored');
}

function statementsOf(scope: TransactionScope) {
  if ('lineageId' in scope) return [sql.pages.key, scope.lineageId] as const;
  return 'accountId' in scope ? ([sql.pages.account, scope.accountId] as const) : ([sql.pages.wallet, scope.ledgerAccount] as const);
}

/** Returns the rows that match a filter, in the same order. */
export async function filterTransactions(
  rows: readonly sql.WalletTransactionRow[],
  { type, fromMs = 0, untilMs = Number.POSITIVE_INFINITY, amount, matches }: TransactionFilter,
): Promise<sql.WalletTransactionRow[]> {
  const selected = rows.filter(
    (row) =>
      row.placed_at_ms >= fromMs &&
      row.placed_at_ms <= untilMs &&
      (type === undefined || row.type === type) &&
      (amount === undefined || isAmountInRange(amount, row)),
  );
  if (!matches || selected.length === 0) return selected;
  const found = await matches(selected);
  return selected.filter((_, index) => found[index]);
}

/** Returns whether no later row of the list can be in the period. */
function isBeyond(
  { placed_at_ms: ms }: sql.WalletTransactionRow,
  { order, fromMs = 0, untilMs = Number.POSITIVE_INFINITY }: TransactionQuery,
): boolean {
  return order === 'desc' ? ms < fromMs - CLOCK_SLACK_MS : ms > untilMs + CLOCK_SLACK_MS;
}

/** Returns the position after which the list begins: that of the cursor, or that of the beginning of the period. */
async function startOf(database: Database, { order, fromMs, untilMs }: TransactionQuery, after: number | undefined): Promise<number> {
  if (order === 'asc') {
    const start = fromMs === undefined ? 0 : (await firstSince(database, fromMs - CLOCK_SLACK_MS)) - 1;
    return Math.max(start, after ?? 0);
  }
  const start = untilMs === undefined ? Number.MAX_SAFE_INTEGER : await firstSince(database, untilMs + CLOCK_SLACK_MS + 1);
  return Math.min(start, after ?? start);
}

/** Returns a position before which all transactions have earlier times. Positions have the order of their times, but for the clocks. */
async function firstSince(database: Database, sinceMs: number): Promise<number> {
  let [low, high] = [1, ((await database.first(sql.newestUpTo, Number.MAX_SAFE_INTEGER))?.position ?? 0) + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const row = await database.first(sql.newestUpTo, middle);
    if (!row || row.placed_at_ms < sinceMs) low = middle + 1;
    else high = middle;
  }
  return low;
}
