import { randomBytes } from 'node:crypto';
import type { FiatAmount } from '../kernel/fiat.ts';
import { floorSat, type Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { CustomRecords } from '../lightning/node.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import type { Wallet } from '../wallets/wallets.ts';
import { feeLimit, PAYMENT_FEE_RULE } from './fee-limit.ts';
import { type RequestTerms, requireReplay, type StartedPayment, startPayment, toReplay } from './hold.ts';
import { findByHash } from './pay-invoice.ts';
import { newPayment, readPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/** The expiry that the API shows for a keysend, which has none. */
const KEYSEND_EXPIRY_SECONDS = 432_000;

export interface Keysend extends RequestTerms {
  readonly wallet: Wallet;
  /** 33-byte public key in hex. */
  readonly destination: string;
  readonly amountMsat: Msat;
  /** The amount in a currency from which `amountMsat` was computed. */
  readonly fiat?: FiatAmount | undefined;
  readonly feeLimitMsat?: Msat | undefined;
  /** 32 bytes in hex, which the payer has chosen. Absent: the service chooses it. A preimage is paid once, like an invoice. */
  readonly preimage?: string | undefined;
  /** Without the record of the preimage, which the node adds. */
  readonly customRecords: CustomRecords;
  /** JSON text. */
  readonly passThru?: string | undefined;
}

/**
 * Starts a payment to a node without an invoice (bLIP 3). A live payment of the wallet with the same preimage, receiver and amount is the payment of this
 * order, too.
 * @throws Refusal, NodeUnavailable when no payment was started.
 */
export async function keysend(context: PaymentContext, order: Keysend): Promise<StartedPayment> {
  const { wallet, destination, amountMsat } = order;
  const connection = context.connections.of(wallet.nodeId);
  const node = connection.info();
  if (node && !node.capabilities.sendsKeysend) {
    throw new Refusal(
      'not_supported',
      `The Lightning node (${node.software}) cannot send keysend payments. Pay an invoice of the receiver.`,
    );
  }
  if (destination === connection.identity().pubkey || context.connections.owns(destination)) {
    throw new Refusal(
      'validation_failed',
      '`dest_pubkey` must not be a node of this service. Use a transfer, or pay an invoice of the other wallet.',
    );
  }
  const preimage = order.preimage ?? randomBytes(32).toString('hex');
  const paymentHash = paymentHashOf(preimage);
  const paymentRequest = `${destination}:${floorSat(amountMsat)}`;
  const { isLive, pending } = await findByHash(context, paymentHash, wallet.id);
  const live = isLive ? await readPayment(context.database, sql.findLive, paymentHash) : undefined;
  if (live) return toReplay(context, requireReplay(live, { walletId: wallet.id, paymentRequest, amountMsat }));
  const fee = await context.fees.quote(wallet.id, 'ln_out', amountMsat);
  const label = `${floorSat(amountMsat)} keysend to ${destination}`;
  const payment = newPayment(context.clock, wallet, {
    wtxType: 'ln_withdrawal',
    serviceFeeMsat: fee?.feeMsat,
    feeScheduleId: fee?.scheduleId,
    paymentHash,
    paymentRequest,
    destPubkey: destination,
    amountMsat,
    userLabel: label,
    memo: label,
    expirySeconds: KEYSEND_EXPIRY_SECONDS,
    preimage,
    isKeysend: true,
    customRecords: order.customRecords,
    passThru: order.passThru,
    fiat: order.fiat && JSON.stringify(order.fiat),
  });
  const { guards, extraRows, limits, lineageId } = order;
  const reserveMsat = order.feeLimitMsat ?? feeLimit(PAYMENT_FEE_RULE, amountMsat);
  return startPayment(context, { payment, reserveMsat, guards, extraRows, limits, lineageId }, pending);
}
