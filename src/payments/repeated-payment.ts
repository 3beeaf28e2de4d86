import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Payment } from './payment.ts';

/** A request to pay an invoice, as far as it is compared with an earlier one. */
export interface WantedPayment {
  readonly walletId: string;
  /** The canonical text: lower case, without `lightning:`. */
  readonly paymentRequest: string;
  /** Undefined when neither the invoice nor the request states it. */
  readonly amountMsat: Msat | undefined;
  /** The withdraw link that it claims. */
  readonly linkId: string | undefined;
}

/**
 * Returns the pending or settled payment of the same payment hash if the request repeats it: the same wallet, or for a claim the same
 * withdraw link, with the same payment request text and the same amount. A hash is paid once, so any other request is rejected, and
 * only the wallet's own keys are told of the payment: a payment hash can be put into a forged invoice by anybody who has seen it.
 * @throws Refusal `invoice_paid`, `invoice_mismatch`.
 */
export function requireRepeat(live: Payment, wanted: WantedPayment): Payment {
  const isSameText = live.paymentRequest === wanted.paymentRequest;
  const isClaim = wanted.linkId !== undefined;
  const isOwn = live.walletId === wanted.walletId && (!isClaim || live.linkId === wanted.linkId);
  if (isOwn && isSameText && live.amountMsat === wanted.amountMsat) return live;
  if (!isOwn || isClaim) throw new Refusal(isSameText ? 'invoice_paid' : 'invoice_mismatch');
  throw new Refusal('invoice_mismatch', mismatchMessage(live, isSameText));
}

/** Certain: this request pays nothing. Not certain while the other payment is pending: whether that one pays. */
function mismatchMessage({ id, state, amountMsat }: Payment, isSameText: boolean): string {
  const difference = isSameText ? `another amount (${amountMsat} msat)` : 'another payment request text';
  const progress = state === 'pending' ? 'is pending and may still be paid' : 'has succeeded';
  return (
    `This wallet has a payment of the same payment hash with ${difference}: ${id}, which ${progress}. ` +
    `This request paid nothing. Read GET /v1/lntx/${id} for the outcome of that payment.`
  );
}
