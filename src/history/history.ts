import type { Database } from '../db/database.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { isId } from '../kernel/ids.ts';
import type { Payment } from '../payments/payment.ts';
import type { Payments } from '../payments/payments.ts';
import type { Side } from '../wallets/wallet-transaction-id.ts';
import type { Wallet, Wallets } from '../wallets/wallets.ts';
import * as sql from './entries.sql.ts';
import { type LightningTransaction, ofInvoice, ofPayment } from './lightning-transaction.ts';
import { ofEntry, ofUnsettled, type WalletTransaction } from './wallet-transaction.ts';

/** Reads what happened: wallet transactions and lightning transactions, put together from ledger, invoices and payments. */
export interface History {
  /** A page of a wallet's settled transactions, newest first, and how many there are. */
  page(wallet: Wallet, limit: number, offset: number): Promise<{ transactions: WalletTransaction[]; total: number }>;
  /** The wallet transaction of a payment, whatever its state. */
  ofPayment(payment: Payment): Promise<WalletTransaction>;
  /** One side of a ledger transfer that has been booked. */
  ofTransfer(transferId: string, side: Side): Promise<WalletTransaction | undefined>;
  /** The lightning transactions of an id or of a payment hash in hex: a payment inside has one on each side. */
  lightning(idOrHash: string): Promise<LightningTransaction[]>;
}

export function createHistory(deps: {
  database: Database;
  wallets: Wallets;
  invoices: Invoices;
  payments: Payments;
  clock: Clock;
}): History {
  const { database, wallets, invoices, payments, clock } = deps;

  async function walletOf(id: string): Promise<Wallet> {
    const wallet = await wallets.find(id);
    invariant(wallet, `wallet ${id} is gone`);
    return wallet;
  }

  /** Reads the invoices and payments behind some entries in two statements, however many there are. */
  async function render(entries: readonly sql.EntryRow[], wallet: Wallet): Promise<WalletTransaction[]> {
    const idsOf = (side: Side) => entries.flatMap((entry) => (entry.side === side && entry.lntx !== null ? [entry.lntx] : []));
    const [paid, received] = await Promise.all([payments.findMany(idsOf('from')), invoices.findMany(idsOf('to'))]);
    const now = unixSeconds(clock);
    const labels = new Map([
      ...paid.map((payment) => [payment.id, payment.userLabel] as const),
      ...received.map((invoice) => [invoice.id, invoice.memo] as const),
    ]);
    const behind = new Map([
      ...paid.map((payment) => [payment.id, ofPayment(payment)] as const),
      ...received.map((invoice) => [invoice.id, ofInvoice(invoice, now)] as const),
    ]);
    return entries.map((entry) => {
      const lntx = entry.lntx ?? '';
      return ofEntry(entry, wallet, behind.get(lntx), labels.get(lntx) ?? entry.memo ?? '');
    });
  }

  async function ofTransfer(transferId: string, side: Side): Promise<WalletTransaction | undefined> {
    const entry = await database.first(side === 'from' ? sql.entryFrom : sql.entryTo, transferId);
    const wallet = entry && (await wallets.findByLedgerAccount(entry.account));
    return entry && wallet && (await render([entry], wallet))[0];
  }

  return {
    ofTransfer,
    async page(wallet, limit, offset) {
      const { entries: total } = wallet.balance;
      const last = total - offset;
      const entries = last > 0 ? await database.all(sql.pageOfEntries, wallet.ledgerAccount, last - limit + 1, last) : [];
      return { transactions: await render(entries, wallet), total };
    },
    async ofPayment(payment) {
      const settled = payment.state === 'succeeded' ? await ofTransfer(payment.transferId, 'from') : undefined;
      return settled ?? ofUnsettled(payment, await walletOf(payment.walletId));
    },
    async lightning(idOrHash) {
      const isHash = /^[0-9a-f]{64}$/i.test(idOrHash);
      if (!isHash && !isId(idOrHash)) return [];
      const key = isHash ? idOrHash.toLowerCase() : idOrHash;
      const [invoice, payment] = await Promise.all([
        isHash ? invoices.findByHash(key) : invoices.find(key),
        isHash ? payments.findByHash(key) : payments.find(key),
      ]);
      return [...(invoice ? [ofInvoice(invoice, unixSeconds(clock))] : []), ...(payment ? [ofPayment(payment)] : [])];
    },
  };
}
