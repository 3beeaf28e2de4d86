import type { Database } from '../../core/db/database.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { parseWalletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { FundedWallet, Wallets } from '../../core/wallets/wallets.ts';
import { ofInvoice, ofPayment } from './lightning-transaction.ts';
import { storedTexts } from './transactions.sql.ts';
import { isTransfer, transactionFromOpenInvoice, transactionFromRow, type WalletTransaction } from './wallet-transaction.ts';

export interface RenderDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
}

/** Adds payments, invoices and wallets to rows of transactions. */
export class Renderer {
  readonly #deps: RenderDependencies;

  constructor(deps: RenderDependencies) {
    this.#deps = deps;
  }

  /** Returns wallets with their balances, by their ids. Reads all of them with two statements. */
  async fundedWallets(ids: readonly string[]): Promise<(id: string) => FundedWallet> {
    const { wallets, ledger } = this.#deps;
    const found = await wallets.findMany([...new Set(ids)]);
    const balances = await ledger.balances(found.map(({ ledgerAccount }) => ledgerAccount));
    const indexOf = new Map(found.map(({ id }, index) => [id, index]));
    return (id) => {
      const index = indexOf.get(id) ?? -1;
      const [wallet, balance] = [found[index], balances[index]];
      invariant(wallet && balance, `wallet ${id} is gone`);
      return { wallet, balance };
    };
  }

  /** Returns the transactions of rows, in the same order. Reads each kind of other rows with one statement. */
  async render(rows: readonly WalletTransactionRow[]): Promise<WalletTransaction[]> {
    const { database, wallets, invoices, payments, clock } = this.#deps;
    const transfers = rows.flatMap((row) => (row.lntx === null ? [transferIdOf(row)] : []));
    const [funded, paid, received, sent, others] = await Promise.all([
      this.fundedWallets(rows.map(({ wallet_id }) => wallet_id)),
      payments.findMany(lightningIds(rows, 'out')),
      invoices.findMany(lightningIds(rows, 'in')),
      transfers.length === 0 ? [] : database.all(storedTexts, [], transfers),
      wallets.ownersOf(rows.flatMap((row) => (isTransfer(row) ? (row.other_account ?? []) : []))),
    ]);
    const now = unixSeconds(clock);
    const paymentOf = new Map(paid.map((payment) => [payment.id, payment]));
    const invoiceOf = new Map(received.map((invoice) => [invoice.id, invoice]));
    const passThruOf = new Map(sent.map(({ id, pass_thru }) => [id, pass_thru ?? undefined]));
    return rows.map((row) => {
      const [payment, invoice] = [paymentOf.get(row.lntx ?? ''), invoiceOf.get(row.lntx ?? '')];
      const lightning = payment ? ofPayment(payment) : invoice && ofInvoice(invoice, now);
      const otherWalletId = isTransfer(row) ? others.get(row.other_account ?? 0) : undefined;
      const context = { lightning, label: row.label, passThru: passThruOf.get(transferIdOf(row)), otherWalletId };
      return transactionFromRow(row, funded(row.wallet_id), context, payment);
    });
  }

  /** Returns open invoices as transactions, in the same order. */
  async renderOpen(open: readonly Invoice[]): Promise<WalletTransaction[]> {
    const funded = await this.fundedWallets(open.map(({ walletId }) => walletId));
    const now = unixSeconds(this.#deps.clock);
    return open.map((invoice) => transactionFromOpenInvoice(invoice, funded(invoice.walletId), now));
  }
}

/** Returns the ids of the payments (`out`) or of the invoices (`in`) of rows. */
export function lightningIds(rows: readonly WalletTransactionRow[], direction: 'in' | 'out'): string[] {
  const isOut = direction === 'out';
  return rows.flatMap(({ lntx, amount_msat: amountMsat }) => (lntx !== null && amountMsat < 0 === isOut ? [lntx] : []));
}

/** Returns the id of the ledger transfer of a wallet transaction. */
export function transferIdOf({ id }: Pick<WalletTransactionRow, 'id'>): string {
  return parseWalletTransactionId(id)?.transferId ?? '';
}
