import type { Invoice } from '../../core/invoices/invoice.ts';
import { parseWalletTransactionId, walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import {
  countTransactions,
  findCredit,
  findTransaction,
  findTransactions,
  readTransactions,
  skipTransactions,
  type TransactionOwner,
  type TransactionPart,
  type TransactionQuery,
  type WalletTransactionRow,
} from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { FundedWallet, Wallet } from '../../core/wallets/wallets.ts';
import { type FoundLightning, findLightning, type Owner } from './find-lightning.ts';
import { type RenderDependencies, Renderer } from './render.ts';
import { isSearch, matchesSearch, rowSearch, type Search } from './search.ts';
import { openItemId, type WalletTransaction } from './wallet-transaction.ts';

/** The filters of a list. `from` and `to` are Unix seconds, inclusive: booking times of settled transactions, start times of all others. */
export interface ListQuery extends Search {
  /** `all` does not include open invoices, because they move no money. */
  readonly status: 'settled' | 'pending' | 'failed' | 'open' | 'all';
  readonly order: 'asc' | 'desc';
  readonly type: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** 64 lower-case hex characters. */
  readonly paymentHash?: string | undefined;
}

/** A part of a list: a numbered page, or the transactions after a cursor. */
export interface HistoryPart {
  readonly limit: number;
  /** How many transactions come before it; 0 with a cursor. */
  readonly offset: number;
  /** `wtx_…` */
  readonly after: string | undefined;
  /** Whether the number of all transactions of the list is needed. */
  readonly isCounted: boolean;
}

export interface Listed {
  readonly items: WalletTransaction[];
  /** The cursor of the next part; undefined at the end. */
  readonly next: string | undefined;
  /** The number of transactions of the list: of settled ones without filters all, of others at most {@link MAX_COUNT}. Undefined if not counted. */
  readonly total: number | undefined;
  /** Whether there may be more than were counted. */
  readonly isCapped: boolean;
}

/** The limit of the numbers and offsets of filtered lists, because counting and skipping read every row. */
export const MAX_COUNT = 1000;

/** The maximum of payments of one invoice in a search. */
const MAX_ATTEMPTS = 1000;

/** The page size of statements: the memory that a slow client occupies. */
const STATEMENT_PAGE = 100;

/** A wallet, or an account by its id: all of its wallets. */
type Lister = Wallet | string;

/** Reads wallet transactions and lightning transactions. */
export class History {
  readonly #deps: RenderDependencies;
  readonly #renderer: Renderer;

  constructor(deps: RenderDependencies) {
    this.#deps = deps;
    this.#renderer = new Renderer(deps);
  }

  /** Returns a part of the list of a wallet, or of all wallets of an account; undefined if the cursor is not of this list. */
  list(of: Lister, query: ListQuery, part: HistoryPart): Promise<Listed | undefined> {
    if (query.status === 'open') return this.#listOpen(of, query, part);
    if (query.paymentHash !== undefined) return this.#listOfHash(of, query.paymentHash, query, part);
    return this.#listRows(of, query, part);
  }

  /** Returns a wallet transaction of the account by its id: also an open invoice, or the credit of the invoice that was open. */
  async find(accountId: string, id: string): Promise<WalletTransaction | undefined> {
    const row = await findTransaction(this.#deps.database, id);
    if (row) return isOwn(row, accountId) ? (await this.#renderer.render([row]))[0] : undefined;
    const invoice = await this.#ownInvoice(id, accountId);
    if (!invoice) return undefined;
    if (isOpen(invoice, unixSeconds(this.#deps.clock))) return (await this.#renderer.renderOpen([invoice]))[0];
    const credit = await findCredit(this.#deps.database, invoice.id);
    return credit && (await this.#renderer.render([credit]))[0];
  }

  /** Returns wallet transactions by their ids. */
  async findMany(ids: readonly string[]): Promise<WalletTransaction[]> {
    return this.#renderer.render(await findTransactions(this.#deps.database, ids));
  }

  /** Returns the settled transactions of a period (Unix seconds, inclusive), oldest first, in pages. */
  async *statement(wallet: Wallet, { from, to }: { from: number; to: number }): AsyncGenerator<WalletTransaction[]> {
    const query: TransactionQuery = { status: 'settled', order: 'asc', fromMs: from * 1000, untilMs: to * 1000 + 999 };
    for (let after: number | undefined = 0; after !== undefined; ) {
      const { rows, next }: TransactionPart = await readTransactions(this.#deps.database, ownerOf(wallet), query, {
        after,
        limit: STATEMENT_PAGE,
      });
      yield await this.#renderer.render(rows);
      after = next?.position;
    }
  }

  /** Returns both sides of a transfer between two wallets. */
  async transfer(id: string): Promise<{ into: WalletTransaction; out: WalletTransaction }> {
    const sides = await this.findMany([walletTransactionId(id, 'from'), walletTransactionId(id, 'to')]);
    const [out, into] = [sides.find(({ amountMsat }) => amountMsat < 0), sides.find(({ amountMsat }) => amountMsat > 0)];
    invariant(out && into, `transfer ${id} is between wallets`);
    return { into, out };
  }

  /** Returns the wallet transaction of a payment in any state. */
  async ofPayment({ transferId }: Payment): Promise<WalletTransaction> {
    const [found] = await this.findMany([walletTransactionId(transferId, 'from')]);
    invariant(found, 'a payment has a wallet transaction');
    return found;
  }

  /** Returns wallets with their balances, by their ids. */
  fundedWallets(ids: readonly string[]): Promise<(id: string) => FundedWallet> {
    return this.#renderer.fundedWallets(ids);
  }

  /** Returns a lightning transaction of the owner by its id or payment hash (hex). */
  lightning(idOrHash: string, owner: Owner): Promise<FoundLightning | undefined> {
    return findLightning(this.#deps, idOrHash, owner);
  }

  async #listRows(of: Lister, query: ListQuery, part: HistoryPart): Promise<Listed | undefined> {
    const { database } = this.#deps;
    const cursor = part.after === undefined ? undefined : await findTransaction(database, part.after);
    if (part.after !== undefined && !(cursor && isOwn(cursor, of) && isCursor(cursor, query.status))) return undefined;
    const rowQuery = this.#rowQuery(query);
    const isPlain = query.status === 'settled' && query.order === 'desc' && !isFiltered(rowQuery);
    if (isPlain && part.offset > 0) return this.#plainPage(of, rowQuery, part);
    const isRead = !isPlain && part.isCounted;
    const limit = isRead ? MAX_COUNT : part.limit;
    const { rows, next } = await readTransactions(database, ownerOf(of), rowQuery, { after: cursor?.position, limit });
    const page = rows.slice(part.offset, part.offset + part.limit);
    const items = await this.#renderer.render(page);
    if (!isRead) return { items, next: next?.id, total: part.isCounted ? await this.#countSettled(of) : undefined, isCapped: false };
    const hasMore = part.offset + part.limit < rows.length || next !== undefined;
    return { items, next: hasMore ? page.at(-1)?.id : undefined, total: rows.length, isCapped: next !== undefined };
  }

  /** A numbered page of settled transactions without filters: the index alone finds its beginning, and their number is known. */
  async #plainPage(of: Lister, query: TransactionQuery, { offset, limit }: HistoryPart): Promise<Listed> {
    const { database } = this.#deps;
    const after = await skipTransactions(database, ownerOf(of), offset);
    const total = await this.#countSettled(of);
    if (after === undefined) return { items: [], next: undefined, total, isCapped: false };
    const { rows, next } = await readTransactions(database, ownerOf(of), query, { after, limit });
    return { items: await this.#renderer.render(rows), next: next?.id, total, isCapped: false };
  }

  #rowQuery({ status, order, type, from, to, ...search }: ListQuery): TransactionQuery {
    invariant(status !== 'open', 'open invoices have no rows');
    return {
      status,
      order,
      type,
      fromMs: from === undefined ? undefined : from * 1000,
      untilMs: to === undefined ? undefined : to * 1000 + 999,
      matches: isSearch(search) ? rowSearch(this.#deps, search) : undefined,
    };
  }

  /** Counts settled transactions without reading them. */
  async #countSettled(of: Lister): Promise<number> {
    const { database, ledger } = this.#deps;
    return typeof of === 'string' ? countTransactions(database, of) : (await ledger.balance(of.ledgerAccount)).entries;
  }

  async #listOfHash(of: Lister, paymentHash: string, query: ListQuery, { limit, offset, after }: HistoryPart): Promise<Listed> {
    const { status, order, type, from = 0, to = Number.POSITIVE_INFINITY } = query;
    const found = (await this.#rowsOfHash(of, paymentHash)).filter((row) => {
      const seconds = Math.floor(row.placed_at_ms / 1000);
      return isListed(row, status) && (type === undefined || row.type === type) && seconds >= from && seconds <= to;
    });
    const matches = isSearch(query) ? await rowSearch(this.#deps, query)(found) : undefined;
    const rows = matches ? found.filter((_, index) => matches[index]) : found;
    if (order === 'asc') rows.reverse();
    const start = after === undefined ? offset : rows.findIndex(({ id }) => id === after) + 1;
    const page = rows.slice(start, start + limit);
    const next = start + limit < rows.length ? page.at(-1)?.id : undefined;
    const items = await this.#renderer.render(page);
    return { items, next, total: after === undefined ? rows.length : undefined, isCapped: false };
  }

  /** Returns the transactions of one payment hash, newest first: at most one credit, and the attempts to pay it. */
  async #rowsOfHash(of: Lister, paymentHash: string): Promise<WalletTransactionRow[]> {
    const { database, invoices, payments } = this.#deps;
    const attempts = await payments.listByHash(paymentHash, typeof of === 'string' ? of : of.id, MAX_ATTEMPTS);
    const invoice = await invoices.findByHash(paymentHash);
    const credit = invoice && (await findCredit(database, invoice.id));
    const ids = attempts.map(({ transferId }) => walletTransactionId(transferId, 'from'));
    const rows = [...(await findTransactions(database, ids)), ...(credit && isOwn(credit, of) ? [credit] : [])];
    return rows.sort((a, b) => b.position - a.position);
  }

  async #listOpen(of: Lister, query: ListQuery, { limit, offset, after, isCounted }: HistoryPart): Promise<Listed | undefined> {
    const cursor = after === undefined ? undefined : await this.#ownInvoice(after, of);
    if (after !== undefined && !cursor) return undefined;
    const { order, type, from = 0, to = Number.POSITIVE_INFINITY, paymentHash } = query;
    const matches = (invoice: Invoice) =>
      invoice.createdAt >= from &&
      invoice.createdAt <= to &&
      (type === undefined || invoice.wtxType === type) &&
      (paymentHash === undefined || invoice.paymentHash === paymentHash) &&
      matchesSearch({ label: invoice.memo, passThru: invoice.passThru }, query);
    const most = isCounted ? MAX_COUNT : limit + 1;
    const open = await this.#deps.invoices.listOpen(ownerOf(of), { order, after: cursor?.id, limit: most, matches });
    const items = open.invoices.slice(offset, offset + limit);
    const last = open.invoices.length > offset + limit ? items.at(-1) : open.isCapped ? open.last : undefined;
    return {
      items: await this.#renderer.renderOpen(items),
      next: last && openItemId(last),
      total: isCounted ? open.invoices.length : undefined,
      isCapped: open.isCapped,
    };
  }

  /** Returns the invoice of the owner whose id among wallet transactions is `id`. */
  async #ownInvoice(id: string, of: Lister): Promise<Invoice | undefined> {
    const { invoices, wallets } = this.#deps;
    const parsed = parseWalletTransactionId(id);
    const invoice = parsed?.side === 'to' ? await invoices.find(`lntx_${parsed.transferId}`) : undefined;
    if (!invoice) return undefined;
    if (typeof of !== 'string') return invoice.walletId === of.id ? invoice : undefined;
    return (await wallets.find(invoice.walletId))?.accountId === of ? invoice : undefined;
  }
}

function ownerOf(of: Lister): TransactionOwner {
  return typeof of === 'string' ? { accountId: of } : { ledgerAccount: of.ledgerAccount };
}

function isOwn(row: WalletTransactionRow, of: Lister): boolean {
  return typeof of === 'string' ? row.account_id === of : row.wallet_id === of.id;
}

function isListed(row: WalletTransactionRow, status: ListQuery['status']): boolean {
  return status === 'all' || row.status === status;
}

/** A payment of a list of pending ones may have ended since. */
function isCursor(row: WalletTransactionRow, status: ListQuery['status']): boolean {
  return status !== 'settled' || row.status === 'settled';
}

function isFiltered({ type, fromMs, untilMs, matches }: TransactionQuery): boolean {
  return [type, fromMs, untilMs, matches].some((filter) => filter !== undefined);
}

/** Returns whether an invoice can still be paid. One with a pending internal payment is open until that payment ends. */
function isOpen({ state, expiresAt }: Invoice, nowSeconds: number): boolean {
  return state === 'closing' || (state === 'open' && (expiresAt ?? 0) > nowSeconds);
}
