import { floorSat, type Msat } from '../../core/kernel/money.ts';
import type { Bolt11 } from '../../core/lightning/bolt11/bolt11.ts';
import { type Payment, paidFeeMsat } from '../../core/payments/payment.ts';
import { decodedInvoice } from '../nodes/decoded-invoice.ts';
import { bufferObject } from './fields.ts';

/** A decoded invoice. The decoder does not read on-chain addresses. */
export function lndhubInvoice(invoice: Bolt11) {
  return { ...decodedInvoice(invoice), fallback_addr: '' };
}

/** Returns a fee in satoshis, rounded up, so that an app never shows less than was paid. */
export function ceilSat(feeMsat: Msat): number {
  return Math.ceil(feeMsat / 1000);
}

/**
 * Returns amount and fee of a payment, as lists and responses have them. The fee is that of the route and that of the service. `value` is the sum:
 * BTCPay subtracts the fee from it.
 */
export function costOf({ amountMsat }: Payment, feeMsat: Msat) {
  const fee = ceilSat(feeMsat);
  return { value: floorSat(amountMsat) + fee, fee, fee_msat: feeMsat };
}

/**
 * Returns the response of a payment that has succeeded. `decoded` must be there: BTCPay finds the preimage only in it. Alby needs `payment_route`.
 * @param invoice undefined for a keysend
 */
export function paidPayment(payment: Payment, invoice: Bolt11 | undefined) {
  const { amountMsat, preimage = '', paymentHash, paymentRequest, descriptionHash = '', memo, destPubkey } = payment;
  const feeMsat = paidFeeMsat(payment);
  const cost = costOf(payment, feeMsat);
  const amountSat = floorSat(amountMsat);
  const asked = invoice
    ? lndhubInvoice(invoice)
    : { destination: destPubkey, payment_hash: paymentHash, description: memo, description_hash: '', timestamp: String(payment.createdAt) };
  return {
    payment_error: '',
    payment_preimage: bufferObject(preimage),
    payment_hash: bufferObject(paymentHash),
    payment_route: {
      total_amt: cost.value,
      total_fees: cost.fee,
      total_amt_msat: amountMsat + feeMsat,
      total_fees_msat: feeMsat,
      hops: [],
    },
    payment_request: paymentRequest,
    pay_req: paymentRequest,
    num_satoshis: amountSat,
    num_msat: amountMsat,
    description: memo,
    description_hash: descriptionHash,
    destination: destPubkey,
    // The amount that was paid, also of an invoice without one.
    decoded: { ...asked, num_satoshis: String(amountSat), num_msat: String(amountMsat), payment_preimage: preimage },
    ...cost,
    type: 'paid_invoice',
    timestamp: payment.createdAt,
    memo,
    status: 'complete',
  };
}
