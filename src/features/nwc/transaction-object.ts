import type { Invoice } from '../../core/invoices/invoice.ts';
import { transferHash } from '../../core/journal/wallet-transaction-id.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import type { Payment } from '../../core/payments/payment.ts';
import type { WalletTransaction } from '../transactions/wallet-transaction.ts';

/** A transaction of NIP-47. Amounts are millisatoshis, times Unix seconds. Texts without a value are "", other fields null. */
export interface NwcTransaction {
  readonly type: 'incoming' | 'outgoing';
  readonly state: 'pending' | 'accepted' | 'settled' | 'failed' | 'expired';
  readonly invoice: string;
  readonly description: string;
  readonly description_hash: string;
  /** Only when it is settled. */
  readonly preimage: string;
  readonly payment_hash: string;
  /** Without the fee. */
  readonly amount: number;
  readonly fees_paid: number;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly settled_at: number | null;
  readonly metadata: object | null;
}

const INVOICE_STATES = {
  closing: 'pending',
  held: 'accepted',
  arriving: 'pending',
  settled: 'settled',
  failed: 'failed',
  canceled: 'expired',
} as const;

/** Returns an invoice, or a keysend that was received. */
export function transactionOfInvoice(invoice: Invoice, nowSeconds: number): NwcTransaction {
  const { state, isKeysend } = invoice;
  const isSettled = state === 'settled';
  return {
    type: 'incoming',
    state: state === 'open' ? ((invoice.expiresAt ?? 0) > nowSeconds ? 'pending' : 'expired') : INVOICE_STATES[state],
    invoice: isKeysend ? '' : invoice.paymentRequest,
    description: invoice.memo,
    description_hash: invoice.descriptionHash ?? '',
    preimage: isSettled ? (invoice.preimage ?? '') : '',
    payment_hash: invoice.paymentHash,
    amount: invoice.receivedMsat ?? (state === 'held' ? invoice.heldMsat : undefined) ?? invoice.amountMsat ?? 0,
    fees_paid: 0,
    created_at: invoice.createdAt,
    expires_at: isKeysend ? null : (invoice.expiresAt ?? null),
    settled_at: isSettled ? (invoice.settledAt ?? null) : null,
    metadata: metadataOf(invoice.passThru),
  };
}

const PAYMENT_STATES = { pending: 'pending', succeeded: 'settled', failed: 'failed' } as const;

export function transactionOfPayment(payment: Payment): NwcTransaction {
  const { isKeysend } = payment;
  const isSettled = payment.state === 'succeeded';
  return {
    type: 'outgoing',
    state: PAYMENT_STATES[payment.state],
    invoice: isKeysend ? '' : payment.paymentRequest,
    description: payment.memo,
    description_hash: payment.descriptionHash ?? '',
    preimage: isSettled ? (payment.preimage ?? '') : '',
    payment_hash: payment.paymentHash,
    amount: payment.amountMsat,
    fees_paid: payment.feeMsat ?? 0,
    created_at: payment.createdAt,
    expires_at: isKeysend ? null : (payment.expiresAt ?? null),
    settled_at: isSettled ? (payment.settledAt ?? null) : null,
    metadata: metadataOf(payment.passThru),
  };
}

/** Returns a transaction of a wallet. */
export function transactionOfWallet(wtx: WalletTransaction, nowSeconds: number): NwcTransaction {
  if (wtx.payment) return transactionOfPayment(wtx.payment);
  if (wtx.invoice) return transactionOfInvoice(wtx.invoice, nowSeconds);
  return {
    type: wtx.amountMsat < 0 ? 'outgoing' : 'incoming',
    state: 'settled',
    invoice: '',
    description: wtx.label,
    description_hash: '',
    preimage: '',
    payment_hash: transferHash(wtx.id),
    amount: Math.abs(wtx.amountMsat),
    fees_paid: 0,
    created_at: wtx.createdAt,
    expires_at: null,
    settled_at: wtx.createdAt,
    metadata: metadataOf(wtx.passThru),
  };
}

function metadataOf(passThru: string | undefined): object | null {
  const value = passThru === undefined ? undefined : parseJson(passThru);
  return isJsonObject(value) ? value : null;
}
