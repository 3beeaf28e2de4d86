import type { Database } from '../db/database.ts';
import type { EntryRow } from '../ledger/entries.sql.ts';
import * as entriesSql from '../ledger/entries.sql.ts';
import { type Payment, rowToPayment } from '../payments/payment.ts';
import * as paid from '../payments/payments.sql.ts';
import { parseWalletTransactionId } from '../wallets/wallet-transaction-id.ts';
import type { Wallet } from '../wallets/wallets.ts';
import * as sql from './lists.sql.ts';

/** An entry of a wallet, and its place in the order of the list: its number in the wallet, or twice the position of its transfer, one more for what left. */
export interface PlacedEntry {
  readonly place: number;
  readonly walletId: string;
  readonly entry: EntryRow;
}

/** What a cursor points at; a payment's own line is both once it is settled. */
export interface Pointed {
  readonly entry: PlacedEntry | undefined;
  readonly payment: Payment | undefined;
}

export type PaymentStates = 'any' | 'pending' | 'failed';

/** What a list covers, one wallet or all wallets of an account, read newest first in pieces of bounded cost. */
export interface Scope {
  /** How many places one request may look at. */
  readonly maxLookedAt: number;
  lastPlace(): Promise<number>;
  /** The entries of a range of places, newest first. */
  entries(first: number, last: number): Promise<PlacedEntry[]>;
  /** When the entry at a place, or the one before it, was booked. */
  bookedAtMs(place: number): Promise<number | undefined>;
  /** Payments made before an id, newest first; `before` says where the next piece begins, undefined after the last. */
  payments(states: PaymentStates, before: string, limit: number): Promise<{ payments: Payment[]; before: string | undefined }>;
  find(walletTransactionId: string): Promise<Pointed>;
}

/** Reads an account's entries from one number to another, newest first. */
export type EntryReader = (ledgerAccount: number, first: number, last: number) => Promise<EntryRow[]>;

export function walletScope(database: Database, read: EntryReader, wallet: Wallet, lastEntry: number): Scope {
  const placed = (entry: EntryRow): PlacedEntry => ({ place: entry.entry, walletId: wallet.id, entry });
  return {
    maxLookedAt: 20_000,
    lastPlace: async () => lastEntry,
    entries: async (first, last) => (await read(wallet.ledgerAccount, first, last)).map(placed),
    bookedAtMs: async (place) => (await read(wallet.ledgerAccount, place, place))[0]?.created_at_ms,
    payments: async (states, before, limit) => {
      const rows = await database.all(paid.listOfWallet[states], wallet.id, before, limit);
      return { payments: rows.map(rowToPayment), before: rows.length < limit ? undefined : rows.at(-1)?.id };
    },
    async find(id) {
      const parsed = parseWalletTransactionId(id);
      if (!parsed) return { entry: undefined, payment: undefined };
      const one = parsed.side === 'from' ? entriesSql.entryFrom : entriesSql.entryTo;
      const entry = await database.first(one, parsed.transferId, wallet.ledgerAccount);
      const payment = parsed.side === 'from' ? await database.first(paid.findByTransfer, parsed.transferId) : undefined;
      return { entry: entry && placed(entry), payment: payment?.wallet_id === wallet.id ? rowToPayment(payment) : undefined };
    },
  };
}

/**
 * The ledger has no index by account: its transfers are looked through from the newest. Where the account has a small part of a large
 * service, the lists of its single wallets are the better way.
 */
export function accountScope(database: Database, accountId: string): Scope {
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
    payments: async (states, before, limit) => {
      const rows = await database.all(paid.listOfAll[states], before, limit);
      const own = rows.filter((row) => row.account_id === accountId);
      return { payments: own.map(rowToPayment), before: rows.length < limit ? undefined : rows.at(-1)?.id };
    },
    async find(id) {
      const parsed = parseWalletTransactionId(id);
      if (!parsed) return { entry: undefined, payment: undefined };
      const entry = await database.first(parsed.side === 'from' ? sql.ownedFrom : sql.ownedTo, parsed.transferId, accountId);
      const row = parsed.side === 'from' ? await database.first(paid.findByTransfer, parsed.transferId) : undefined;
      return { entry: entry && placed(entry), payment: row?.account_id === accountId ? rowToPayment(row) : undefined };
    },
  };
}
