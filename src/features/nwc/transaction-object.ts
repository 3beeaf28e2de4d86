import type { Invoice } from '../../core/invoices/invoice.ts';
import { transferHash } from '../../core/journal/wallet-transaction-id.ts';
import { findCredits } from '../../core/journal/wallet-transactions.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { isJsonObject, parseJson } from '../../core/kernel/json.ts';
import { type Payment, paidFeeMsat } from '../../core/payments/payment.ts';
import type { Sources } from '../transactions/complete.ts';
import { isTransfer, type WalletTransaction } from '../transactions/wallet-transaction.ts';
import { TYPE_NAMES } from '../transactions/wallet-transaction-object.ts';

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
  /** Of an outgoing one without the fees, of an incoming one what was credited after the fee of the service: with `fees_paid`, the balance is their sum. */
  readonly amount: number;
  /** The routing fee and the fee of the service. */
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

/** Returns an invoice, or a keysend that was received. @param serviceFeeMsat the fee of the service, if it is settled */
export function transactionOfInvoice(invoice: Invoice, nowSeconds: number, serviceFeeMsat = 0): NwcTransaction {
  const { state, isKeysend, receivedMsat } = invoice;
  const isSettled = state === 'settled';
  return {
    type: 'incoming',
    state: state === 'open' ? ((invoice.expiresAt ?? 0) > nowSeconds ? 'pending' : 'expired') : INVOICE_STATES[state],
    invoice: isKeysend ? '' : invoice.paymentRequest,
    description: invoice.memo,
    description_hash: invoice.descriptionHash ?? '',
    preimage: isSettled ? (invoice.preimage ?? '') : '',
    payment_hash: invoice.paymentHash,
    amount:
      receivedMsat === undefined
        ? ((state === 'held' ? invoice.heldMsat : undefined) ?? invoice.amountMsat ?? 0)
        : receivedMsat - serviceFeeMsat,
    fees_paid: 0,
    created_at: invoice.createdAt,
    expires_at: isKeysend ? null : (invoice.expiresAt ?? null),
    settled_at: isSettled ? (invoice.settledAt ?? null) : null,
    metadata: metadataOf(invoice.passThru),
  };
}

/** Returns an invoice with the fee of the service that was charged for it. */
export async function readInvoiceTransaction(
  { database, clock }: Pick<Sources, 'database' | 'clock'>,
  invoice: Invoice,
): Promise<NwcTransaction> {
  const credit = (await findCredits(database, [invoice.id])).get(invoice.id);
  return transactionOfInvoice(invoice, unixSeconds(clock), credit?.service_fee_msat);
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
    fees_paid: paidFeeMsat(payment),
    created_at: payment.createdAt,
    expires_at: isKeysend ? null : (payment.expiresAt ?? null),
    settled_at: isSettled ? (payment.settledAt ?? null) : null,
    metadata: metadataOf(payment.passThru),
  };
}

/** Returns a transaction of a wallet. @param serviceFeeMsat the fee of the service that was charged with it */
export function transactionOfWallet(wtx: WalletTransaction, nowSeconds: number, serviceFeeMsat = 0): NwcTransaction {
  if (wtx.payment) return transactionOfPayment(wtx.payment);
  if (wtx.invoice) return transactionOfInvoice(wtx.invoice, nowSeconds, serviceFeeMsat);
  const isOut = wtx.amountMsat < 0;
  return {
    type: isOut ? 'outgoing' : 'incoming',
    state: 'settled',
    invoice: '',
    description: wtx.label || (isTransfer(wtx) ? '' : (TYPE_NAMES[wtx.type] ?? '')),
    description_hash: '',
    preimage: '',
    payment_hash: transferHash(wtx.id),
    amount: Math.abs(wtx.amountMsat),
    fees_paid: isOut ? serviceFeeMsat : 0,
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
