import type { Invoice } from '../../core/invoices/invoice.ts';
import { invariant } from '../../core/kernel/assert.ts';
import { floorSat, type Msat, msat, subMsat } from '../../core/kernel/money.ts';
import type { Balance, EntryRow, Receipt, TransferRow } from '../../core/ledger/ledger.ts';
import type { FailureReason } from '../../core/lightning/node.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { walletTransactionId } from '../../core/wallets/wallet-transaction-id.ts';
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

/** Returns whether an entry is one side of a transfer between two wallets of an account. */
export function isTransfer({ type }: { readonly type: string }): boolean {
  return type === 'ln_transfer_in' || type === 'ln_transfer_out';
}

export interface EntryContext {
  /** The invoice or payment that the entry settles. */
  readonly behind: LightningTransaction | undefined;
  readonly label: string;
  /** The wallet on the other side of a transfer between wallets. */
  readonly otherWalletId?: string | undefined;
}

/** An entry; one that was just booked has no position yet. */
type BookedEntry = Omit<EntryRow, 'position'>;

/** Builds the wallet transaction of an entry that the ledger has booked. */
export function ofEntry(entry: BookedEntry, { wallet, balance }: FundedWallet, context: EntryContext): WalletTransaction {
  const { behind, label, otherWalletId } = context;
  const amountMsat = msat(entry.side === 'from' ? -entry.amount_msat : entry.amount_msat);
  const after = msat(entry.balance_msat);
  return {
    id: walletTransactionId(entry.transfer_id, entry.side),
    // A payment has been listed since its hold.
    createdAt: entry.side === 'from' && behind ? behind.createdAt : Math.floor(entry.created_at_ms / 1000),
    amountMsat,
    numSatoshis: floorSat(after) - floorSat(subMsat(after, amountMsat)),
    balanceAfterMsat: after,
    userLabel: label,
    wallet,
    balance,
    type: entry.type,
    lightning: behind,
    passThru: entry.pass_thru ?? behind?.passThru,
    status: 'settled',
    failureReason: undefined,
    transferWallets: otherWalletId === undefined ? undefined : walletsOf(entry, wallet.id, otherWalletId),
  };
}

function walletsOf({ side }: BookedEntry, own: string, other: string): TransferWallets {
  return side === 'from' ? { sourceId: own, destinationId: other } : { sourceId: other, destinationId: own };
}

/** Builds one side of a transfer between wallets that has just been booked. */
export function ofBooked(transfer: TransferRow, side: 'from' | 'to', funded: FundedWallet, otherWalletId: string): WalletTransaction {
  return ofEntry(entryOf(transfer, side), funded, { behind: undefined, label: transfer.memo ?? '', otherWalletId });
}

/** Builds a payment that has just been booked as succeeded, from the receipt of that posting. */
export function ofSucceeded(payment: Payment, wallet: Wallet, receipt: Receipt): WalletTransaction {
  const transfer = receipt.transfers.find(({ id }) => id === payment.transferId);
  const balance = receipt.balances.get(payment.ledgerAccount);
  invariant(transfer && balance, 'the posting of a payment moves its amount');
  return ofEntry(entryOf(transfer, 'from'), { wallet, balance }, { behind: ofPayment(payment), label: payment.userLabel });
}

function entryOf(transfer: TransferRow, side: 'from' | 'to'): BookedEntry {
  const isFrom = side === 'from';
  return {
    transfer_id: transfer.id,
    side,
    entry: isFrom ? transfer.fromEntry : transfer.toEntry,
    amount_msat: transfer.amountMsat,
    balance_msat: isFrom ? transfer.fromBalanceMsat : transfer.toBalanceMsat,
    created_at_ms: transfer.createdAtMs,
    type: (isFrom ? transfer.fromType : transfer.toType) ?? '',
    lntx: null,
    memo: transfer.memo ?? null,
    pass_thru: transfer.passThru ?? null,
    other_account: isFrom ? transfer.to : transfer.from,
  };
}

/** The id of an open invoice among wallet transactions. The credit of a paid invoice has another id. */
export function openItemId(invoice: Invoice): string {
  return walletTransactionId(invoice.id.slice(invoice.id.indexOf('_') + 1), 'to');
}

/** Builds the wallet transaction of an open invoice, which has no ledger entry and is not part of the balance. */
export function ofOpenInvoice(invoice: Invoice, { wallet, balance }: FundedWallet, nowSeconds: number): WalletTransaction {
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

/** Builds the wallet transaction of a pending or failed payment, which has no ledger entry. */
export function ofUnsettled(payment: Payment, { wallet, balance }: FundedWallet): WalletTransaction {
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
