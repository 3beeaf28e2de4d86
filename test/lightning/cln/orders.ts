import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { PaymentOrder } from '../../../src/core/lightning/node.ts';
import { recording } from './replay.ts';

/** lightningd stores it in the label and does not interpret it. */
export const MARKER = '5ea1ed'.repeat(12);

/** Returns the order to pay the invoice of a recorded call of `xpay`, under the label of the recording. */
export function orderOf(name: string, paymentId?: string): PaymentOrder {
  const { params } = recording(name);
  const { paymentHash, paymentRequest, amountMsat } = decodeBolt11(String(params.invstring));
  return {
    paymentId: paymentId ?? String(params.label ?? 'pay_1'),
    paymentHash,
    paymentRequest,
    amountMsat: msat(amountMsat ?? Number(params.amount_msat)),
    marker: MARKER,
    feeLimitMsat: msat(Number(params.maxfee ?? 0)),
  };
}

/** 2,000,000 msat, paid under the label `pay_1`. */
export const ORDER = orderOf('xpay-held-then-success');
export const PREIMAGE = '605260658838a5c87b9e6630d1c6600f3a1e5241b6e61d7494e51755fad739d0';
