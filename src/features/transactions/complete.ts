import type { Database } from '../../core/db/database.ts';
import type { Invoice } from '../../core/invoices/invoice.ts';
import type { Invoices } from '../../core/invoices/invoices.ts';
import { parseWalletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Payments } from '../../core/payments/payments.ts';
import type { FundedWallet, Wallets } from '../../core/wallets/wallets.ts';
import type { Objects } from './objects.ts';
import { storedWithTransfers } from './transactions.sql.ts';
import { isTransfer, transactionFromOpenInvoice, transactionFromRow, type WalletTransaction } from './wallet-transaction.ts';
import type { RenderedTransaction } from './wallet-transaction-object.ts';

/** The modules that a history reads. */
export interface Sources {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly wallets: Wallets;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly objects: Objects;
  readonly clock: Clock;
}

/** Adds payments, invoices and wallets to rows, in the same order. Reads each kind of other rows with one statement. */
export async function completeRows(sources: Sources, rows: readonly WalletTransactionRow[]): Promise<WalletTransaction[]> {
  const { database, wallets, invoices, payments } = sources;
  const transfers = rows.flatMap((row) => (row.lntx === null ? [transferIdOf(row)] : []));
  const walletIds = rows.map(({ wallet_id }) => wallet_id);
  const [funded, paid, received, sent, others] = await Promise.all([
    fundedWallets(sources, walletIds),
    payments.findMany(lightningIds(rows, 'out')),
    invoices.findMany(lightningIds(rows, 'in')),
    transfers.length === 0 ? [] : database.all(storedWithTransfers, transfers),
    wallets.ownersOf(rows.flatMap((row) => (isTransfer(row) ? (row.other_account ?? []) : []))),
  ]);
  const paymentOf = new Map(paid.map((payment) => [payment.id, payment]));
  const invoiceOf = new Map(received.map((invoice) => [invoice.id, invoice]));
  const sentOf = new Map(sent.map((one) => [one.id, one]));
  return rows.map((row) => {
    const isOut = row.amount_msat < 0;
    const { pass_thru, fiat } = sentOf.get(transferIdOf(row)) ?? {};
    return transactionFromRow(row, funded(row.wallet_id), {
      payment: isOut ? paymentOf.get(row.lntx ?? '') : undefined,
      invoice: isOut ? undefined : invoiceOf.get(row.lntx ?? ''),
      passThru: pass_thru ?? undefined,
      fiat: fiat ?? undefined,
      otherWalletId: isTransfer(row) ? others.get(row.other_account ?? 0) : undefined,
    });
  });
}

/** Returns rows as objects of the API, in the same order. */
export async function renderRows(sources: Sources, rows: readonly WalletTransactionRow[]): Promise<RenderedTransaction[]> {
  return (await completeRows(sources, rows)).map(sources.objects.walletTransaction);
}

/** Returns open invoices as wallet transactions of the API, in the same order. */
export async function renderOpenInvoices(sources: Sources, open: readonly Invoice[]): Promise<RenderedTransaction[]> {
  return (await completeOpenInvoices(sources, open)).map(sources.objects.walletTransaction);
}

/** Adds wallets to open invoices, in the same order. */
export async function completeOpenInvoices(sources: Sources, open: readonly Invoice[]): Promise<WalletTransaction[]> {
  const walletIds = open.map(({ walletId }) => walletId);
  const funded = await fundedWallets(sources, walletIds);
  return open.map((invoice) => transactionFromOpenInvoice(invoice, funded(invoice.walletId)));
}

/** Returns wallets with their balances, by their ids. Reads all of them with two statements. */
export async function fundedWallets({ wallets, ledger }: Sources, ids: readonly string[]): Promise<(id: string) => FundedWallet> {
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

/** Returns the ids of the payments (`out`) or of the invoices (`in`) of rows. */
export function lightningIds(rows: readonly WalletTransactionRow[], direction: 'in' | 'out'): string[] {
  const isOut = direction === 'out';
  return rows.flatMap(({ lntx, amount_msat: amountMsat }) => (lntx !== null && amountMsat < 0 === isOut ? [lntx] : []));
}

/** Returns the id of the ledger transfer of a wallet transaction. */
export function transferIdOf({ id }: WalletTransactionRow): string {
  return parseWalletTransactionId(id)?.transferId ?? '';
}
