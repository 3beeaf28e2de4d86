import type { Invoice } from '../../core/invoices/invoice.ts';
import { walletTransactionId } from '../../core/journal/wallet-transaction-id.ts';
import type { WalletTransactionRow } from '../../core/journal/wallet-transactions.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { floorSat, type Msat, msat, subMsat } from '../../core/kernel/money.ts';
import type { Balance, Receipt, TransferRow } from '../../core/ledger/ledger.ts';
import type { FailureReason } from '../../core/lightning/node.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { FundedWallet, Wallet } from '../../core/wallets/wallets.ts';
import { type LightningTransaction, ofInvoice, ofPayment, passThruOf } from './lightning-transaction.ts';

/** A transaction in a wallet's history: the API's `wtx`. Times are Unix seconds. */
export interface WalletTransaction {
  /** `wtx_…` */
  readonly id: string;
  readonly createdAt: number;
  /** Exact and signed. */
  readonly amountMsat: Msat;
  /** floor(balance after) − floor(balance before), so that the transactions sum to the balance. */
  readonly numSatoshis: number;
  /** The wallet's balance after it; undefined if it is not settled. */
  readonly balanceAfterMsat: Msat | undefined;
  readonly userLabel: string;
  readonly wallet: Wallet;
  /** The wallet's balance when this was read. */
  readonly balance: Balance;
  readonly type: string;
  readonly lightning: LightningTransaction | undefined;
  /** JSON text. */
  readonly passThru: string | undefined;
  readonly status: 'settled' | 'pending' | 'failed' | 'open';
  readonly failureReason: FailureReason | undefined;
  /** The two wallets of a transfer between wallets; undefined for any other type. */
  readonly transferWallets: TransferWallets | undefined;
}

export interface TransferWallets {
  readonly sourceId: string;
  readonly destinationId: string;
}

/** Returns whether a wallet transaction is one side of a transfer between two wallets of an account. */
export function isTransfer({ type }: { readonly type: string }): boolean {
  return type === 'ln_transfer_in' || type === 'ln_transfer_out';
}

/** What a wallet transaction shows of other rows. */
interface Context {
  /** The invoice or payment. */
  readonly lightning: LightningTransaction | undefined;
  readonly label: string;
  /** JSON text that was sent with a transfer. */
  readonly passThru?: string | undefined;
  /** The wallet on the other side of a transfer between wallets. */
  readonly otherWalletId?: string | undefined;
}

/** A booked side of a transfer. */
interface Booked {
  readonly id: string;
  readonly type: string;
  /** Signed. */
  readonly amountMsat: number;
  readonly balanceMsat: number;
  readonly bookedAtMs: number;
}

function bookedTransaction(booked: Booked, { wallet, balance }: FundedWallet, context: Context): WalletTransaction {
  const { lightning, label, passThru, otherWalletId } = context;
  const amountMsat = msat(booked.amountMsat);
  const after = msat(booked.balanceMsat);
  const isOut = amountMsat < 0;
  return {
    id: booked.id,
    // A payment has been listed since its hold.
    createdAt: isOut && lightning ? lightning.createdAt : Math.floor(booked.bookedAtMs / 1000),
    amountMsat,
    numSatoshis: floorSat(after) - floorSat(subMsat(after, amountMsat)),
    balanceAfterMsat: after,
    userLabel: label,
    wallet,
    balance,
    type: booked.type,
    lightning,
    passThru: passThru ?? lightning?.passThru,
    status: 'settled',
    failureReason: undefined,
    transferWallets:
      otherWalletId === undefined
        ? undefined
        : isOut
          ? { sourceId: wallet.id, destinationId: otherWalletId }
          : { sourceId: otherWalletId, destinationId: wallet.id },
  };
}

/** Returns the wallet transaction of a row. `payment` is given if the row is not settled. */
export function transactionFromRow(
  row: WalletTransactionRow,
  funded: FundedWallet,
  context: Context,
  payment: Payment | undefined,
): WalletTransaction {
  const { id, type, amount_msat: amountMsat, balance_msat: balanceMsat, placed_at_ms: bookedAtMs } = row;
  if (balanceMsat !== null) return bookedTransaction({ id, type, amountMsat, balanceMsat, bookedAtMs }, funded, context);
  invariant(payment, 'a wallet transaction that is not settled has a payment');
  return transactionFromPayment(payment, funded);
}

/** Returns one side of a transfer between wallets that has just been booked. */
export function transactionFromTransfer(
  transfer: TransferRow,
  side: 'from' | 'to',
  funded: FundedWallet,
  otherWalletId: string,
): WalletTransaction {
  const { memo: label = '', passThru } = transfer;
  return bookedTransaction(bookedSide(transfer, side), funded, { lightning: undefined, label, passThru, otherWalletId });
}

/** Returns the wallet transaction of a payment that has just been booked as succeeded, from the receipt of that posting. */
export function transactionFromReceipt(payment: Payment, wallet: Wallet, receipt: Receipt): WalletTransaction {
  const transfer = receipt.transfers.find(({ id }) => id === payment.transferId);
  const balance = receipt.balances.get(payment.ledgerAccount);
  invariant(transfer && balance, 'the posting of a payment moves its amount');
  const context = { lightning: ofPayment(payment), label: payment.userLabel };
  return bookedTransaction(bookedSide(transfer, 'from'), { wallet, balance }, context);
}

function bookedSide(transfer: TransferRow, side: 'from' | 'to'): Booked {
  const isFrom = side === 'from';
  return {
    id: walletTransactionId(transfer.id, side),
    type: (isFrom ? transfer.fromType : transfer.toType) ?? '',
    amountMsat: isFrom ? -transfer.amountMsat : transfer.amountMsat,
    balanceMsat: isFrom ? transfer.fromBalanceMsat : transfer.toBalanceMsat,
    bookedAtMs: transfer.createdAtMs,
  };
}

/** The id of an open invoice among wallet transactions. The credit of a paid invoice has another id. */
export function openItemId(invoice: Pick<Invoice, 'id'>): string {
  return walletTransactionId(invoice.id.slice(invoice.id.indexOf('_') + 1), 'to');
}

/** Returns the wallet transaction of an open invoice, which has no ledger entry and is not part of the balance. */
export function transactionFromOpenInvoice(invoice: Invoice, { wallet, balance }: FundedWallet, nowSeconds: number): WalletTransaction {
  const amountMsat = invoice.amountMsat ?? msat(0);
  return {
    id: openItemId(invoice),
    createdAt: invoice.createdAt,
    amountMsat,
    numSatoshis: floorSat(amountMsat),
    balanceAfterMsat: undefined,
    userLabel: invoice.memo,
    wallet,
    balance,
    type: invoice.wtxType,
    lightning: ofInvoice(invoice, nowSeconds),
    passThru: invoice.passThru,
    status: 'open',
    failureReason: undefined,
    transferWallets: undefined,
  };
}

/** Returns the wallet transaction of a pending or failed payment, which has no ledger entry. */
export function transactionFromPayment(payment: Payment, { wallet, balance }: FundedWallet): WalletTransaction {
  return {
    id: walletTransactionId(payment.transferId, 'from'),
    createdAt: payment.createdAt,
    amountMsat: msat(-payment.amountMsat),
    numSatoshis: floorSat(msat(-payment.amountMsat)),
    balanceAfterMsat: undefined,
    userLabel: payment.userLabel,
    wallet,
    balance,
    type: payment.wtxType,
    lightning: ofPayment(payment),
    passThru: passThruOf(payment),
    status: payment.state === 'failed' ? 'failed' : 'pending',
    failureReason: payment.failureReason,
    transferWallets: undefined,
  };
}
