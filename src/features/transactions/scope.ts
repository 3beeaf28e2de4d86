import type { Database } from '../../core/db/database.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { listUnsettledOfAll, listUnsettledOfWallet, type UnsettledInvoice } from '../../core/invoices/lists.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { idTimeMs } from '../../core/kernel/ids.ts';
import { type EntryRow, entryFrom, entryTo } from '../../core/ledger/ledger.ts';
import {
  findPaymentByTransfer,
  type ListedPaymentState,
  listPaymentsByHash,
  listPaymentsOfAll,
  listPaymentsOfWallet,
} from '../../core/payments/lists.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { parseWalletTransactionId } from '../../core/wallets/wallet-transaction-id.ts';
import type { Wallet, Wallets } from '../../core/wallets/wallets.ts';
import * as sql from './lists.sql.ts';
import { CLOCK_SLACK_MS } from './places.ts';

/**
 * An entry and its place in the list. In the list of a wallet the place is the entry number. In the list of an account it is twice the position
 * of the transfer, plus one for outgoing entries.
 */
export interface PlacedEntry {
  readonly place: number;
  readonly walletId: string;
  readonly entry: EntryRow;
}

/** The line of a cursor. A settled payment is both an entry and a payment. */
export interface Pointed {
  readonly entry: PlacedEntry | undefined;
  readonly payment: Payment | undefined;
  /** The invoice, open or not, if the cursor is the id of an open invoice. */
  readonly invoice?: Invoice | undefined;
}

/** Everything about one payment hash. */
export interface OfHash {
  /** The invoice while it can be paid. */
  readonly openInvoice: Invoice | undefined;
  /** The credit of the invoice. */
  readonly credit: PlacedEntry | undefined;
  /** The payments of the hash, newest first, and the entries of those that succeeded. */
  readonly payments: readonly Payment[];
  readonly charges: readonly PlacedEntry[];
}

/** The longest expiry of an invoice. Older invoices cannot be paid. */
const LONGEST_EXPIRY_SECONDS = 31_536_000;

/** The maximum of payments of one invoice in a search. */
export const MAX_ATTEMPTS = 1000;

/** The open invoices of a piece that have not expired, and the number of rows that were read. */
export interface OpenPiece {
  readonly invoices: Invoice[];
  readonly lookedAt: number;
  /** The start of the next piece; undefined after the last. */
  readonly before: string | undefined;
}

/** The contents of a list, of one wallet or of all wallets of an account, read newest first in pieces of limited cost. */
export interface ListScope {
  /** The maximum of places that one request reads. */
  readonly maxLookedAt: number;
  lastPlace(): Promise<number>;
  /** Returns the entries of a range of places, newest first. */
  entries(first: number, last: number): Promise<PlacedEntry[]>;
  /** Returns the booking time of the entry at a place, or of the one before it. */
  bookedAtMs(place: number): Promise<number | undefined>;
  /** Returns payments created before an id, newest first, and the start of the next piece (undefined after the last). */
  payments(state: ListedPaymentState, before: string, limit: number): Promise<{ payments: Payment[]; before: string | undefined }>;
  /** Returns invoices created before an id that can still be paid, newest first. */
  openInvoices(before: string, limit: number): Promise<OpenPiece>;
  ofHash(paymentHash: string): Promise<OfHash>;
  find(walletTransactionId: string): Promise<Pointed>;
}

export interface ScopeDependencies {
  readonly database: Database;
  readonly invoices: Pick<Invoices, 'find' | 'findByHash' | 'findMany'>;
  readonly clock: Clock;
}

/** Reads a range of an account's entries, newest first. */
export type EntryReader = (ledgerAccount: number, first: number, last: number) => Promise<EntryRow[]>;

export function walletScope(deps: ScopeDependencies, read: EntryReader, wallet: Wallet, lastEntry: number): ListScope {
  const { database, invoices } = deps;
  const own = (invoice: Invoice | undefined) => (invoice?.walletId === wallet.id ? invoice : undefined);
  const placed = (entry: EntryRow): PlacedEntry => ({ place: entry.entry, walletId: wallet.id, entry });
  return {
    maxLookedAt: 20_000,
    lastPlace: async () => lastEntry,
    entries: async (first, last) => (await read(wallet.ledgerAccount, first, last)).map(placed),
    bookedAtMs: async (place) => (await read(wallet.ledgerAccount, place, place))[0]?.created_at_ms,
    payments: async (state, before, limit) => {
      const payments = await listPaymentsOfWallet(database, state, wallet.id, before, limit);
      return { payments, before: payments.length < limit ? undefined : payments.at(-1)?.id };
    },
    async find(id) {
      const parsed = parseWalletTransactionId(id);
      if (!parsed) return { entry: undefined, payment: undefined };
      const one = parsed.side === 'from' ? entryFrom : entryTo;
      const entry = await database.first(one, parsed.transferId, wallet.ledgerAccount);
      const found = parsed.side === 'from' ? await findPaymentByTransfer(database, parsed.transferId) : undefined;
      const payment = found?.payment.walletId === wallet.id ? found.payment : undefined;
      const invoice = parsed.side === 'to' && !entry ? own(await invoices.find(invoiceIdOf(parsed.transferId))) : undefined;
      return { entry: entry && placed(entry), payment, invoice };
    },
    async openInvoices(before, limit) {
      const rows = await listUnsettledOfWallet(database, wallet.ledgerAccount, before, limit);
      return openPiece(deps, rows, rows, limit);
    },
    async ofHash(paymentHash) {
      const invoice = own(await invoices.findByHash(paymentHash));
      const payments = await listPaymentsByHash(database, paymentHash, { walletId: wallet.id }, MAX_ATTEMPTS);
      const credit = invoice && (await database.first(sql.creditOfInvoice, invoice.id, wallet.accountId));
      const charges = await chargesOf(database, payments);
      return { openInvoice: openOnly(deps, invoice), payments, credit: credit && placed(credit), charges: charges.map(placed) };
    },
  };
}

/**
 * Returns the list of all wallets of an account. The ledger has no index by account, so this reads all transfers from the newest one. For a
 * small account of a large service, the lists of its wallets are faster.
 */
export function accountScope(deps: ScopeDependencies & { wallets: Wallets }, accountId: string): ListScope {
  const { database, invoices, wallets } = deps;
  const own = async (invoice: Invoice | undefined) =>
    invoice && (await wallets.find(invoice.walletId))?.accountId === accountId ? invoice : undefined;
  const placed = (row: sql.OwnedEntryRow): PlacedEntry => ({
    place: 2 * row.position + (row.side === 'from' ? 1 : 0),
    walletId: row.wallet_id,
    entry: row,
  });
  return {
    maxLookedAt: 400_000,
    lastPlace: async () => 2 * ((await database.first(sql.transferUpTo, Number.MAX_SAFE_INTEGER))?.position ?? 0) + 1,
    async entries(first, last) {
      const rows = await database.all(sql.entriesOfAccount, accountId, Math.floor(first / 2), Math.floor(last / 2));
      return rows.map(placed).filter(({ place }) => place >= first && place <= last);
    },
    bookedAtMs: async (place) => (await database.first(sql.transferUpTo, Math.floor(place / 2)))?.created_at_ms,
    payments: async (state, before, limit) => {
      const all = await listPaymentsOfAll(database, state, before, limit);
      const payments = all.filter((one) => one.accountId === accountId).map(({ payment }) => payment);
      return { payments, before: all.length < limit ? undefined : all.at(-1)?.payment.id };
    },
    async find(id) {
      const parsed = parseWalletTransactionId(id);
      if (!parsed) return { entry: undefined, payment: undefined };
      const entry = await database.first(parsed.side === 'from' ? sql.ownedFrom : sql.ownedTo, parsed.transferId, accountId);
      const found = parsed.side === 'from' ? await findPaymentByTransfer(database, parsed.transferId) : undefined;
      const payment = found?.accountId === accountId ? found.payment : undefined;
      const invoice = parsed.side === 'to' && !entry ? await own(await invoices.find(invoiceIdOf(parsed.transferId))) : undefined;
      return { entry: entry && placed(entry), payment, invoice };
    },
    async openInvoices(before, limit) {
      const rows = await listUnsettledOfAll(database, before, limit);
      const ownRows = rows.filter((row) => row.accountId === accountId);
      return openPiece(deps, rows, ownRows, limit);
    },
    async ofHash(paymentHash) {
      const invoice = await own(await invoices.findByHash(paymentHash));
      const payments = await listPaymentsByHash(database, paymentHash, { accountId }, MAX_ATTEMPTS);
      const credit = invoice && (await database.first(sql.creditOfInvoice, invoice.id, accountId));
      const charges = await chargesOf(database, payments);
      return { openInvoice: openOnly(deps, invoice), payments, credit: credit && placed(credit), charges: charges.map(placed) };
    },
  };
}

/** Returns the invoice id in the wallet transaction id of an open invoice. */
function invoiceIdOf(transferId: string): string {
  return `lntx_${transferId}`;
}

/** Returns whether an invoice can still be paid. One with a pending internal payment is open until that payment ends. */
export function isOpen({ state, expiresAt }: Pick<Invoice, 'state' | 'expiresAt'>, nowSeconds: number): boolean {
  return state === 'closing' || (state === 'open' && (expiresAt ?? 0) > nowSeconds);
}

function openOnly({ clock }: ScopeDependencies, invoice: Invoice | undefined): Invoice | undefined {
  return invoice && isOpen(invoice, unixSeconds(clock)) ? invoice : undefined;
}

async function openPiece(
  { invoices, clock }: ScopeDependencies,
  rows: readonly UnsettledInvoice[],
  own: readonly UnsettledInvoice[],
  limit: number,
): Promise<OpenPiece> {
  const now = unixSeconds(clock);
  const ids = own.filter((one) => isOpen(one, now)).map(({ id }) => id);
  // An invoice may have been paid between the two reads.
  const open = (await invoices.findMany(ids)).filter((invoice) => isOpen(invoice, now));
  open.sort((a, b) => (a.id < b.id ? 1 : -1));
  const oldest = rows.at(-1)?.id;
  const isEnd = rows.length < limit || oldest === undefined || idTimeMs(oldest) < (now - LONGEST_EXPIRY_SECONDS) * 1000 - CLOCK_SLACK_MS;
  return { invoices: open, lookedAt: rows.length, before: isEnd ? undefined : oldest };
}

async function chargesOf(database: Database, payments: readonly Payment[]): Promise<sql.OwnedEntryRow[]> {
  const ids = payments.filter(({ state }) => state === 'succeeded').map(({ transferId }) => transferId);
  return ids.length === 0 ? [] : database.all(sql.paidEntries, ids);
}
