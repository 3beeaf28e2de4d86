import type { Invoice } from '../../core/invoices/invoice.ts';
import type { ImportedTransactionRow } from '../../core/journal/imported-transactions.ts';
import { transferHash } from '../../core/journal/wallet-transaction-id.ts';
import type { BookingRow } from '../../core/journal/wallet-transactions.ts';
import { floorSat, type Msat, msat, ZERO_MSAT } from '../../core/kernel/money.ts';
import { type Payment, paidFeeMsat } from '../../core/payments/payment.ts';
import { bufferObject } from './fields.ts';
import { ADD_INDEX } from './invoice-routes.ts';
import { ceilSat, costOf } from './payment-object.ts';

/** Returns a payment that has succeeded, with its booking. */
export function paidItem(payment: Payment, booking: BookingRow | undefined) {
  const feeMsat = paidFeeMsat(payment);
  return paymentItem(payment, {
    ...(booking ? bookedCost(booking, feeMsat) : costOf(payment, feeMsat)),
    preimage: payment.preimage ?? '',
    memo: payment.memo,
  });
}

/** Returns a payment that is in flight. Its fee is what is held for fees. */
export function pendingItem(payment: Payment, heldFeeMsat: Msat) {
  return paymentItem(payment, { ...costOf(payment, heldFeeMsat), preimage: '', memo: 'Payment in transition' });
}

/** Returns a transfer to another wallet, or another transaction that is no payment. */
export function sentItem(booking: BookingRow) {
  const { id, placed_at_ms, label, service_fee_msat } = booking;
  return sent({
    hash: transferHash(id),
    ...bookedCost(booking, msat(service_fee_msat)),
    timestamp: Math.floor(placed_at_ms / 1000),
    memo: label,
  });
}

/** Returns a payment that was made in the program from which the wallet was imported. */
export function importedSentItem({ id, amount_msat, fee_msat, memo, created_at, ...row }: ImportedTransactionRow) {
  const fee = ceilSat(msat(fee_msat));
  return sent({
    hash: row.payment_hash ?? transferHash(id),
    value: floorSat(msat(-amount_msat)) + fee,
    fee,
    fee_msat,
    timestamp: created_at,
    memo,
    preimage: row.preimage ?? '',
    payReq: row.payment_request ?? '',
  });
}

/** Returns an invoice. A paid one has the amount that was credited, after the fee of the service. */
export function invoiceItem(invoice: Invoice, credit: BookingRow | undefined) {
  const isPaid = invoice.state === 'settled';
  return received({
    hash: invoice.paymentHash,
    payReq: invoice.paymentRequest,
    description: invoice.memo,
    amt: isPaid && credit ? creditedSat(credit) : floorSat((isPaid ? invoice.receivedMsat : invoice.amountMsat) ?? ZERO_MSAT),
    isPaid,
    expirySeconds: invoice.expirySeconds,
    timestamp: invoice.createdAt,
    isKeysend: invoice.isKeysend,
  });
}

/** Returns a transfer from another wallet, or another transaction without an invoice. */
export function receivedItem(booking: BookingRow) {
  return received({
    hash: transferHash(booking.id),
    description: booking.label,
    amt: creditedSat(booking),
    timestamp: Math.floor(booking.placed_at_ms / 1000),
  });
}

/** Returns an invoice that was paid in the program from which the wallet was imported. */
export function importedReceivedItem({ id, amount_msat, fee_msat, memo, created_at, ...row }: ImportedTransactionRow) {
  return received({
    hash: row.payment_hash ?? transferHash(id),
    payReq: row.payment_request ?? '',
    description: memo,
    amt: floorSat(msat(amount_msat - fee_msat)),
    timestamp: created_at,
  });
}

/** Returns the change of the balance in whole satoshis, so that the items of the lists add up to the balance. */
function bookedSat({ amount_msat, balance_msat }: BookingRow, feeMsat: number): number {
  return floorSat(msat(balance_msat - feeMsat)) - floorSat(msat(balance_msat - amount_msat));
}

function creditedSat(booking: BookingRow): number {
  return bookedSat(booking, booking.service_fee_msat);
}

function bookedCost(booking: BookingRow, feeMsat: Msat) {
  const value = -bookedSat(booking, feeMsat);
  return { value, fee: value - floorSat(msat(-booking.amount_msat)), fee_msat: feeMsat };
}

interface Cost {
  readonly value: number;
  readonly fee: number;
  readonly fee_msat: number;
}

function paymentItem(payment: Payment, { preimage, memo, ...cost }: Cost & { readonly preimage: string; readonly memo: string }) {
  const { paymentHash: hash, paymentRequest: payReq, createdAt: timestamp, isKeysend } = payment;
  return sent({ hash, payReq, timestamp, isKeysend, preimage, memo, ...cost });
}

interface SentItem extends Cost {
  readonly hash: string;
  readonly timestamp: number;
  readonly memo: string;
  readonly preimage?: string;
  readonly payReq?: string;
  readonly isKeysend?: boolean;
}

function sent({ hash, preimage = '', payReq = '', isKeysend = false, value, fee, fee_msat, timestamp, memo }: SentItem) {
  return {
    payment_preimage: preimage,
    payment_hash: bufferObject(hash),
    r_hash: bufferObject(hash),
    type: 'paid_invoice',
    value,
    fee,
    fee_msat,
    timestamp,
    memo,
    pay_req: payReq,
    keysend: isKeysend,
  };
}

interface ReceivedItem {
  readonly hash: string;
  readonly description: string;
  readonly amt: number;
  readonly timestamp: number;
  readonly payReq?: string;
  readonly isPaid?: boolean;
  readonly expirySeconds?: number;
  readonly isKeysend?: boolean;
}

function received(item: ReceivedItem) {
  const { hash, payReq = '', isPaid = true, expirySeconds = 0, isKeysend = false, description, amt, timestamp } = item;
  return {
    r_hash: bufferObject(hash),
    payment_hash: hash,
    payment_request: payReq,
    pay_req: payReq,
    description,
    type: 'user_invoice',
    amt,
    ispaid: isPaid,
    // The time of validity, not its end: BTCPay adds it to `timestamp`.
    expire_time: expirySeconds,
    timestamp,
    add_index: ADD_INDEX,
    keysend: isKeysend,
  };
}
