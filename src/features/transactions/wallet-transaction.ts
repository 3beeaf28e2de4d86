import type { Invoice } from '../../core/invoices/invoice.ts';
import { shownSat } from '../../core/journal/amount-range.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { type Msat, msat } from '../../core/kernel/money.ts';
import type { Receipt } from '../../core/ledger/ledger.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { FundedWallet, Wallet } from '../../core/wallets/wallets.ts';

/** A transaction in a wallet's history, with the other rows that the API's `wtx` shows. The wallet has its present balance. */
export interface WalletTransaction extends FundedWallet {
  /** `wtx_…` */
  readonly id: string;
  readonly type: string;
  readonly status: 'settled' | 'pending' | 'failed' | 'open';
  /** Unix seconds. A payment has been listed since its hold. */
  readonly createdAt: number;
  /** Exact and signed. */
  readonly amountMsat: Msat;
  /** The wallet's balance after it; undefined if it is not settled. */
  readonly balanceAfterMsat?: Msat;
  readonly label: string;
  readonly payment?: Payment | undefined;
  readonly invoice?: Invoice | undefined;
  /** JSON text that was sent with a transfer. */
  readonly passThru?: string | undefined;
  /** JSON text of a `FiatAmount` of a transfer that was requested in a currency. */
  readonly fiat?: string | undefined;
  /** The wallet on the other side of a transfer between wallets. */
  readonly otherWalletId?: string | undefined;
}

/** What the row of a transaction refers to. */
export type RelatedRows = Pick<WalletTransaction, 'payment' | 'invoice' | 'passThru' | 'fiat' | 'otherWalletId'>;

/** Returns the change of the balance in whole satoshis. */
export function changeSat({ amountMsat, balanceAfterMsat }: WalletTransaction): number {
  return shownSat(amountMsat, balanceAfterMsat ?? null);
}

/** Returns whether a wallet transaction is one side of a transfer between two wallets of an account. */
export function isTransfer({ type }: { readonly type: string }): boolean {
  return type === 'ln_transfer_in' || type === 'ln_transfer_out';
}

/** Returns the wallet transaction of a row. */
export function transactionFromRow(row: WalletTransactionRow, funded: FundedWallet, related: RelatedRows): WalletTransaction {
  const { payment, invoice } = related;
  if (row.balance_msat === null && payment) return transactionFromPayment(payment, funded);
  invariant(row.balance_msat !== null || invoice, 'a wallet transaction that is not settled has a payment or an invoice');
  return {
    ...funded,
    id: row.id,
    type: row.type,
    status: row.status,
    createdAt: payment?.createdAt ?? Math.floor(row.placed_at_ms / 1000),
    amountMsat: msat(row.amount_msat),
    ...(row.balance_msat !== null && { balanceAfterMsat: msat(row.balance_msat) }),
    label: row.label,
    ...related,
  };
}

/** Returns one side of a transfer between wallets that has just been booked. */
export function transactionFromTransfer(
  receipt: Receipt,
  side: 'from' | 'to',
  wallet: Wallet,
  { otherWalletId, fiat }: Pick<WalletTransaction, 'otherWalletId' | 'fiat'>,
): WalletTransaction {
  const [transfer] = receipt.transfers;
  const balance = receipt.balances.get(wallet.ledgerAccount);
  invariant(transfer && balance, 'a committed transfer has both sides');
  const isFrom = side === 'from';
  return {
    id: walletTransactionId(transfer.id, side),
    type: (isFrom ? transfer.fromType : transfer.toType) ?? '',
    status: 'settled',
    createdAt: Math.floor(transfer.createdAtMs / 1000),
    amountMsat: msat(isFrom ? -transfer.amountMsat : transfer.amountMsat),
    balanceAfterMsat: isFrom ? transfer.fromBalanceMsat : transfer.toBalanceMsat,
    label: transfer.memo ?? '',
    wallet,
    balance,
    passThru: transfer.passThru,
    fiat,
    otherWalletId,
  };
}

/** Returns the wallet transaction of a payment that has just been booked as succeeded, from the receipt of that posting. */
export function transactionFromReceipt(payment: Payment, wallet: Wallet, receipt: Receipt): WalletTransaction {
  const transfer = receipt.transfers.find(({ id }) => id === payment.transferId);
  const balance = receipt.balances.get(payment.ledgerAccount);
  invariant(transfer && balance, 'the posting of a payment moves its amount');
  return { ...transactionFromPayment(payment, { wallet, balance }), status: 'settled', balanceAfterMsat: transfer.fromBalanceMsat };
}

/** Returns the wallet transaction of a pending or failed payment, which has no ledger entry. */
export function transactionFromPayment(payment: Payment, funded: FundedWallet): WalletTransaction {
  return {
    ...funded,
    id: walletTransactionId(payment.transferId, 'from'),
    type: payment.wtxType,
    status: payment.state === 'failed' ? 'failed' : 'pending',
    createdAt: payment.createdAt,
    amountMsat: msat(-payment.amountMsat),
    label: payment.userLabel,
    payment,
  };
}

/** The id of an open invoice among wallet transactions. The credit of a paid invoice has another id. */
export function openItemId({ id }: Invoice): string {
  return walletTransactionId(id.slice(id.indexOf('_') + 1), 'to');
}

/** Returns the wallet transaction of an open invoice, which has no ledger entry and is not part of the balance. */
export function transactionFromOpenInvoice(invoice: Invoice, funded: FundedWallet): WalletTransaction {
  return {
    ...funded,
    id: openItemId(invoice),
    type: invoice.wtxType,
    status: 'open',
    createdAt: invoice.createdAt,
    amountMsat: invoice.amountMsat ?? msat(0),
    label: invoice.memo,
    invoice,
  };
}
