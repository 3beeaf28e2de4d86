import type { Invoice } from '../../core/invoices/invoice.ts';
import { type AmountRange, isInRange, shownSat } from '../../core/journal/amount-range.ts';
import { parseWalletTransactionId, walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import {
  countOfKey,
  countTransactions,
  countUnsettled,
  filterTransactions,
  findCredit,
  findTransaction,
  findTransactions,
  readTransactions,
  skipTransactions,
  type TransactionFilter,
  type TransactionOwner,
  type TransactionPart,
  type TransactionQuery,
  type TransactionScope,
  type WalletTransactionRow,
} from '../../core/journal/wallet-transactions.ts';
import { type Counted, type List, type ListPart, listInMemory } from '../../core/kernel/list.ts';
import { Refusal } from '../../core/kernel/refusal.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import { completeOpenInvoices, completeRows, type Sources } from './complete.ts';
import { isSearch, matchesSearch, rowSearch, type Search } from './search.ts';
import { openItemId, type WalletTransaction } from './wallet-transaction.ts';

/** Whose transactions a list contains: those of a wallet, or those of all wallets of an account. */
export type OwnerScope = { readonly wallet: Wallet } | { readonly accountId: string };

/** The payments and transfers of an account that a key has made, by its lineage. */
interface KeyScope {
  readonly accountId: string;
  readonly lineageId: string;
}

export type ListScope = OwnerScope | KeyScope;

/** The filters of a list. `from` and `to` are Unix seconds, inclusive: booking times of settled transactions, start times of all others. */
export interface ListQuery extends Search {
  /** `all` does not include open invoices, because they move no money. */
  readonly status: 'settled' | 'pending' | 'failed' | 'open' | 'all';
  readonly type?: string | undefined;
  readonly from?: number | undefined;
  readonly to?: number | undefined;
  readonly amount?: AmountRange | undefined;
  /** 64 lower-case hex characters. */
  readonly paymentHash?: string | undefined;
}

/** The limit of the numbers and offsets of filtered lists, because counting and skipping read every row. */
const MAX_COUNT = 10_000;

/** The maximum of payments of one invoice in a search. */
const MAX_ATTEMPTS = 1000;

/** Returns the list of an owner's transactions. A cursor of another list is rejected. */
export function listTransactions(sources: Sources, of: ListScope, query: ListQuery): List<WalletTransaction> {
  // No invoice records its key.
  if (query.status === 'open') return isKeyScope(of) ? listInMemory<WalletTransaction>([], ({ id }) => id) : listOpen(sources, of, query);
  if (query.paymentHash !== undefined) return listOfHash(sources, of, query, query.paymentHash);
  return listRows(sources, of, query, query.status);
}

interface WholeList {
  readonly order: ListPart['order'];
  readonly limit: number;
}

/** Reads a list from its beginning to its end, in pages. No transaction is left out or repeated, although payments end meanwhile. */
export async function* readWholeList(
  sources: Sources,
  of: ListScope,
  query: ListQuery,
  { order, limit }: WholeList,
): AsyncGenerator<readonly WalletTransaction[]> {
  const { status } = query;
  if (status === 'open' || query.paymentHash !== undefined) {
    const list = listTransactions(sources, of, query);
    for (let after: string | undefined; ; ) {
      const { items, next } = await list.readPage({ limit, order, after });
      yield items;
      if (next === undefined) return;
      after = next;
    }
  }
  // A payment that ends gets another position. So a page begins after the position that the last row had, and not after its id.
  const pending = new Set<string>();
  const filter = { ...filterOf(sources, query), status, order };
  for (let after: number | undefined; ; ) {
    const { rows, next }: TransactionPart = await readTransactions(sources.database, transactionScopeOf(of), filter, { after, limit });
    yield await completeRows(
      sources,
      rows.filter(({ id }) => !pending.has(id)),
    );
    for (const row of rows) if (row.status === 'pending') pending.add(row.id);
    if (next === undefined) return;
    after = next.position;
  }
}

/** The list of an index. Without filters, the index alone counts it and finds the beginning of a page. */
function listRows(sources: Sources, of: ListScope, query: ListQuery, status: TransactionQuery['status']): List<WalletTransaction> {
  const { database } = sources;
  const scope = transactionScopeOf(of);
  const filter = filterOf(sources, query);
  const isPlain = Object.values(filter).every((one) => one === undefined);

  const read = (order: ListPart['order'], after: number | undefined, limit: number) =>
    readTransactions(database, scope, { ...filter, status, order }, { after, limit });
  const readBeginning = oncePerOrder((order) => read(order, undefined, MAX_COUNT));

  async function readRows({ limit, order, after, offset = 0 }: ListPart): Promise<TransactionPart> {
    if (after !== undefined) return read(order, await positionOf(after), limit);
    if (isPlain) {
      const position = offset > 0 ? await skipTransactions(database, scope, { order, status }, offset) : undefined;
      return offset > 0 && position === undefined ? { rows: [], next: undefined } : read(order, position, limit);
    }
    const { rows, next } = await readBeginning(order);
    const page = rows.slice(offset, offset + limit);
    return { rows: page, next: offset + limit < rows.length ? page.at(-1) : next };
  }

  /** A payment of a list of pending ones may have ended since. */
  async function positionOf(after: string): Promise<number> {
    const cursor = await findTransaction(database, after);
    if (cursor && isOwn(cursor, of) && (status !== 'settled' || cursor.status === 'settled')) return cursor.position;
    throw new Refusal('validation_failed', UNKNOWN_CURSOR);
  }

  return {
    async readPage(part) {
      const { rows, next } = await readRows(part);
      return { items: await completeRows(sources, rows), next: next?.id };
    },
    async count(max, order = 'desc') {
      if (isPlain) return countPlain(sources, of, status, max);
      const { rows, next } = await readBeginning(order);
      return { total: rows.length, isCapped: next !== undefined };
    },
  };
}

/** The number of items of a filtered list and its numbered page come from the same rows, which are read once. */
function oncePerOrder<T>(read: (order: ListPart['order']) => Promise<T>): (order: ListPart['order']) => Promise<T> {
  const running = new Map<ListPart['order'], Promise<T>>();
  return (order) => {
    const reading = running.get(order) ?? read(order);
    running.set(order, reading);
    return reading;
  };
}

function filterOf(sources: Sources, { type, from, to, amount, ...search }: ListQuery): TransactionFilter {
  return {
    type,
    fromMs: from === undefined ? undefined : from * 1000,
    untilMs: to === undefined ? undefined : to * 1000 + 999,
    amount,
    matches: isSearch(search) ? rowSearch(sources, search) : undefined,
  };
}

const UNKNOWN_CURSOR = '`after` must be the id of a transaction of this list.';

/** Counts transactions without reading them. More than `max - 1` pending or failed ones, or ones of a key, are not counted. */
async function countPlain(sources: Sources, of: ListScope, status: TransactionQuery['status'], max: number): Promise<Counted> {
  const settled = status === 'settled' || status === 'all' ? await countSettled(sources, of, max) : 0;
  const unsettled = UNSETTLED.filter((one) => status === one || status === 'all').map((one) =>
    countUnsettled(sources.database, transactionScopeOf(of), one, max),
  );
  const counted = await Promise.all(unsettled);
  const isCapped = isKeyScope(of) && settled >= max;
  return {
    total: counted.reduce((sum, count) => sum + Math.min(count, max - 1), isCapped ? max - 1 : settled),
    isCapped: isCapped || counted.some((count) => count >= max),
  };
}

const UNSETTLED = ['pending', 'failed'] as const;

/** Counts settled transactions without reading them; those of a key up to `max`. */
async function countSettled({ database, ledger }: Sources, of: ListScope, max: number): Promise<number> {
  if (isKeyScope(of)) return countOfKey(database, of.lineageId, 'settled', max);
  return 'wallet' in of ? (await ledger.balance(of.wallet.ledgerAccount)).entries : countTransactions(database, of.accountId);
}

/** The list of the transactions with a payment hash, of which there are few. */
function listOfHash(sources: Sources, of: ListScope, query: ListQuery, paymentHash: string): List<WalletTransaction> {
  const { status } = query;

  const readRows = oncePerOrder(async (order) => {
    const rows = await rowsOfHash(sources, of, paymentHash);
    const listed = await filterTransactions(
      status === 'all' ? rows : rows.filter((row) => row.status === status),
      filterOf(sources, query),
    );
    return order === 'asc' ? listed.toReversed() : listed;
  });

  return {
    async readPage({ limit, order, after, offset = 0 }) {
      const rows = await readRows(order);
      const start = after === undefined ? offset : rows.findIndex(({ id }) => id === after) + 1;
      const page = rows.slice(start, start + limit);
      return { items: await completeRows(sources, page), next: start + limit < rows.length ? page.at(-1)?.id : undefined };
    },
    count: async (_max, order = 'desc') => (await readRows(order)).length,
  };
}

/** Returns the transactions of one payment hash, newest first: at most one credit, and the attempts to pay it. */
async function rowsOfHash({ database, invoices, payments }: Sources, of: ListScope, paymentHash: string): Promise<WalletTransactionRow[]> {
  const attempts = await payments.listByHash(paymentHash, 'wallet' in of ? of.wallet.id : of.accountId, MAX_ATTEMPTS);
  const invoice = await invoices.findByHash(paymentHash);
  const credit = invoice && (await findCredit(database, invoice.id));
  const ids = attempts.map(({ transferId }) => walletTransactionId(transferId, 'from'));
  const rows = [...(await findTransactions(database, ids)), ...(credit ? [credit] : [])].filter((row) => isOwn(row, of));
  return rows.sort((a, b) => b.position - a.position);
}

function listOpen(sources: Sources, of: OwnerScope, query: ListQuery): List<WalletTransaction> {
  const { type, from = 0, to = Number.POSITIVE_INFINITY, amount = {}, paymentHash } = query;
  const matches = (invoice: Invoice) =>
    invoice.createdAt >= from &&
    invoice.createdAt <= to &&
    (type === undefined || invoice.wtxType === type) &&
    isInRange(amount, shownSat(invoice.amountMsat ?? 0, null)) &&
    (paymentHash === undefined || invoice.paymentHash === paymentHash) &&
    matchesSearch({ label: invoice.memo, passThru: invoice.passThru }, query);
  const read = (order: ListPart['order'], after: string | undefined, limit: number) =>
    sources.invoices.listOpen(ownerOf(of), { order, after, limit, matches });
  const readBeginning = oncePerOrder((order) => read(order, undefined, MAX_COUNT + 1));

  return {
    async readPage({ limit, order, after, offset = 0 }) {
      const cursor = after === undefined ? undefined : await findOpenItem(sources, after, of);
      if (after !== undefined && !cursor) throw new Refusal('validation_failed', UNKNOWN_CURSOR);
      const open = cursor ? await read(order, cursor.id, limit + 1) : await readBeginning(order);
      const page = open.invoices.slice(offset, offset + limit);
      const last = open.invoices.length > offset + limit ? page.at(-1) : open.isCapped ? open.last : undefined;
      return { items: await completeOpenInvoices(sources, page), next: last && openItemId(last) };
    },
    async count(_max, order = 'desc') {
      const open = await readBeginning(order);
      return { total: Math.min(open.invoices.length, MAX_COUNT), isCapped: open.isCapped };
    },
  };
}

/** Returns the invoice of the owner whose id among wallet transactions is `id`. */
export async function findOpenItem({ invoices, wallets }: Sources, id: string, of: OwnerScope): Promise<Invoice | undefined> {
  const parsed = parseWalletTransactionId(id);
  const invoice = parsed?.side === 'to' ? await invoices.find(`lntx_${parsed.transferId}`) : undefined;
  if (!invoice) return undefined;
  if ('wallet' in of) return invoice.walletId === of.wallet.id ? invoice : undefined;
  return (await wallets.find(invoice.walletId))?.accountId === of.accountId ? invoice : undefined;
}

function isKeyScope(of: ListScope): of is KeyScope {
  return 'lineageId' in of;
}

function ownerOf(of: OwnerScope): TransactionOwner {
  return 'wallet' in of ? { ledgerAccount: of.wallet.ledgerAccount } : of;
}

function transactionScopeOf(of: ListScope): TransactionScope {
  return isKeyScope(of) ? { lineageId: of.lineageId } : ownerOf(of);
}

/** Returns whether a transaction is of the owner, or made by the key. */
export function isOwn(row: WalletTransactionRow, of: ListScope): boolean {
  if ('wallet' in of) return row.wallet_id === of.wallet.id;
  return row.account_id === of.accountId && (!isKeyScope(of) || row.key_lineage_id === of.lineageId);
}
