import type { Database } from '../db/database.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { invariant } from '../kernel/assert.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { isId } from '../kernel/ids.ts';
import * as sql from '../ledger/entries.sql.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Payment } from '../payments/payment.ts';
import type { Payments } from '../payments/payments.ts';
import { parseWalletTransactionId, type Side } from '../wallets/wallet-transaction-id.ts';
import type { FundedWallet, Wallet, Wallets } from '../wallets/wallets.ts';
import { type LightningTransaction, ofInvoice, ofPayment } from './lightning-transaction.ts';
import { entriesOfPeriod, type Period } from './statement.ts';
import { ofEntry, ofUnsettled, type WalletTransaction } from './wallet-transaction.ts';

/** Reads what happened: wallet transactions and lightning transactions, put together from ledger, invoices and payments. */
export interface History {
  /** A page of a wallet's settled transactions, newest first, and how many there are. */
  page(wallet: Wallet, limit: number, offset: number): Promise<{ transactions: WalletTransaction[]; total: number }>;
  /** What follows a wallet transaction in that order, at the same cost however deep; undefined when the wallet has no such one. */
  pageAfter(wallet: Wallet, limit: number, afterId: string): Promise<WalletTransaction[] | undefined>;
  /** The settled transactions of a period, oldest first, a page at a time. */
  statement(wallet: Wallet, period: Period): AsyncIterable<WalletTransaction[]>;
  /** Both sides of a transfer between two wallets, as they are now. */
  transfer(id: string, source: Wallet, destination: Wallet): Promise<{ into: WalletTransaction; out: WalletTransaction }>;
  /** The wallet transaction of a payment, whatever its state. */
  ofPayment(payment: Payment): Promise<WalletTransaction>;
  /** The lightning transactions of an id or of a payment hash in hex: a payment inside has one on each side. */
  lightning(idOrHash: string): Promise<LightningTransaction[]>;
}

export interface HistoryDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
}

export function createHistory(deps: HistoryDependencies): History {
  const { database, ledger, wallets, invoices, payments, clock } = deps;

  /** Reads the invoices and payments behind some entries in two statements, however many there are. */
  async function render(entries: readonly sql.EntryRow[], owner: FundedWallet): Promise<WalletTransaction[]> {
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
      return ofEntry(entry, owner, behind.get(lntx), labels.get(lntx) ?? entry.memo ?? '');
    });
  }

  async function funded(wallet: Wallet): Promise<FundedWallet> {
    return { wallet, balance: await ledger.balance(wallet.ledgerAccount) };
  }

  return {
    async page(wallet, limit, offset) {
      const owner = await funded(wallet);
      const total = owner.balance.entries;
      const last = total - offset;
      const entries = last > 0 ? await ledger.entries(wallet.ledgerAccount, last - limit + 1, last) : [];
      return { transactions: await render(entries, owner), total };
    },
    async pageAfter(wallet, limit, afterId) {
      const after = parseWalletTransactionId(afterId);
      const entry =
        after && (await database.first(after.side === 'from' ? sql.entryFrom : sql.entryTo, after.transferId, wallet.ledgerAccount));
      if (!entry) return undefined;
      const entries = await ledger.entries(wallet.ledgerAccount, entry.entry - limit, entry.entry - 1);
      return render(entries, await funded(wallet));
    },
    async *statement(wallet, period) {
      const owner = await funded(wallet);
      const account = { account: wallet.ledgerAccount, total: owner.balance.entries };
      for await (const page of entriesOfPeriod(ledger, account, period)) yield await render(page, owner);
    },
    async transfer(id, source, destination) {
      const [from, to] = await Promise.all([
        database.first(sql.entryFrom, id, source.ledgerAccount),
        database.first(sql.entryTo, id, destination.ledgerAccount),
      ]);
      invariant(from && to, `transfer ${id} is not between these wallets`);
      const [[out], [into]] = await Promise.all([render([from], await funded(source)), render([to], await funded(destination))]);
      invariant(out && into, 'an entry is rendered');
      return { into, out };
    },
    async ofPayment(payment) {
      const wallet = await wallets.find(payment.walletId);
      invariant(wallet, `wallet ${payment.walletId} is gone`);
      const owner = await funded(wallet);
      if (payment.state !== 'succeeded') return ofUnsettled(payment, owner);
      const entry = await database.first(sql.entryFrom, payment.transferId, payment.ledgerAccount);
      invariant(entry, `payment ${payment.id} succeeded without a transfer`);
      return ofEntry(entry, owner, ofPayment(payment), payment.userLabel);
    },
    lightning: (idOrHash) => findLightning(deps, idOrHash),
  };
}

async function findLightning(
  { invoices, payments, clock }: Pick<HistoryDependencies, 'invoices' | 'payments' | 'clock'>,
  idOrHash: string,
): Promise<LightningTransaction[]> {
  if (isId(idOrHash)) {
    const invoice = await invoices.find(idOrHash);
    if (invoice) return [ofInvoice(invoice, unixSeconds(clock))];
    const payment = await payments.find(idOrHash);
    return payment ? [ofPayment(payment)] : [];
  }
  if (!/^[0-9a-f]{64}$/i.test(idOrHash)) return [];
  const hash = idOrHash.toLowerCase();
  const [invoice, payment] = await Promise.all([invoices.findByHash(hash), payments.findByHash(hash)]);
  return [...(invoice ? [ofInvoice(invoice, unixSeconds(clock))] : []), ...(payment ? [ofPayment(payment)] : [])];
}
