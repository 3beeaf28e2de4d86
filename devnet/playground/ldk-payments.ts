import * as ldk from 'lightningdevkit';
import type { Msat } from '../../src/core/kernel/money.ts';
import type { FailureReason, KeysendOrder } from '../../src/core/lightning/node.ts';
import type { Route, RouteHop, RouteQuery } from '../../src/core/lightning/route.ts';
import { KEYSEND_PREIMAGE_TYPE } from '../checks.ts';
import { PlaygroundRefusal } from '../test-network.ts';
import { bytes32Of, bytesOf, errorOf, hexOf, msatOf, some32, someU64, u64Of, unwrap } from './bindings.ts';
import { BLOCKS_PER_OPENING } from './channels.ts';
import type { LdkNode } from './ldk-node.ts';
import { MAX_SERVICE_NODES } from './node-name.ts';

// Payments in LDK's terms, for our node and for the outside nodes.

const ATTEMPTS = 3;
/** A held payment must not expire by the blocks that confirm the channels of new nodes. LDK sends it back 21 blocks before its expiry. */
const FINAL_CLTV_DELTA = 21 + MAX_SERVICE_NODES * BLOCKS_PER_OPENING + 24;

/** A payment to be sent. */
export interface Sending {
  /** LDK's id of the payment: 32 bytes in hex. */
  readonly ldkId: string;
  readonly amountMsat: number;
  /** Absent: no limit. */
  readonly feeLimitMsat?: number;
}

/** Returns the decoded invoice, or undefined when LDK cannot decode it. */
export function readInvoice(paymentRequest: string): ldk.Bolt11Invoice | undefined {
  const read = ldk.Bolt11Invoice.constructor_from_str(paymentRequest);
  return read.is_ok() ? unwrap<ldk.Bolt11Invoice>(read, 'read an invoice') : undefined;
}

/** Returns the amount in msat, or undefined for an invoice without an amount. */
export function invoiceAmount(invoice: ldk.Bolt11Invoice): number | undefined {
  const amount = u64Of(invoice.amount_milli_satoshis());
  return amount === undefined ? undefined : Number(amount);
}

/** Starts to pay an invoice. Returns an error when nothing was sent. */
export function sendToInvoice(node: LdkNode, invoice: ldk.Bolt11Invoice, sending: Sending): ldk.RetryableSendFailure | undefined {
  const parameters = unwrap<ldk.ThreeTuple_ThirtyTwoBytesRecipientOnionFieldsRouteParametersZ>(
    invoiceAmount(invoice) === undefined
      ? ldk.UtilMethods.constructor_payment_parameters_from_variable_amount_invoice(invoice, BigInt(sending.amountMsat))
      : ldk.UtilMethods.constructor_payment_parameters_from_invoice(invoice),
    'read the parameters of an invoice',
  );
  const route = parameters.get_c();
  route.set_max_total_routing_fee_msat(someU64(sending.feeLimitMsat));
  const retry = ldk.Retry.constructor_attempts(ATTEMPTS);
  return errorOf(node.manager.send_payment(parameters.get_a(), parameters.get_b(), bytesOf(sending.ldkId), route, retry));
}

type Spontaneous = Sending & Pick<KeysendOrder, 'destination' | 'preimage' | 'customRecords'>;

/** Starts a keysend payment. Returns an error when nothing was sent. */
export function sendSpontaneous(node: LdkNode, keysend: Spontaneous): ldk.RetryableSendFailure | undefined {
  const tlvs = Object.entries(keysend.customRecords).map(([type, value]) =>
    ldk.TwoTuple_u64CVec_u8ZZ.constructor_new(BigInt(type), bytesOf(value)),
  );
  const onion = unwrap<ldk.RecipientOnionFields>(
    ldk.RecipientOnionFields.constructor_spontaneous_empty().with_custom_tlvs(tlvs),
    'add the custom records',
  );
  const payee = ldk.PaymentParameters.constructor_for_keysend(bytesOf(keysend.destination), FINAL_CLTV_DELTA, true);
  const route = ldk.RouteParameters.constructor_new(payee, BigInt(keysend.amountMsat), someU64(keysend.feeLimitMsat));
  const preimage = some32(bytesOf(keysend.preimage));
  const retry = ldk.Retry.constructor_attempts(ATTEMPTS);
  return errorOf(node.manager.send_spontaneous_payment(preimage, onion, bytesOf(keysend.ldkId), route, retry));
}

/**
 * Returns the failure reason of a payment that was not sent, or undefined for `DuplicatePayment`: LDK knows that payment, so it is in progress.
 * LDK reports `RouteNotFound` for payments to itself, unknown destinations, fee limits without a route, and more than 483 payments in flight.
 */
export function sendFailure(error: ldk.RetryableSendFailure): FailureReason | undefined {
  if (error === ldk.RetryableSendFailure.LDKRetryableSendFailure_DuplicatePayment) return undefined;
  if (error === ldk.RetryableSendFailure.LDKRetryableSendFailure_RouteNotFound) return 'NO_ROUTE';
  return error === ldk.RetryableSendFailure.LDKRetryableSendFailure_PaymentExpired ? 'TIMEOUT' : 'ERROR';
}

/** Returns the failure reason of a payment that was sent. */
export function paymentFailure(reason: ldk.Option_PaymentFailureReasonZ): FailureReason {
  switch (reason instanceof ldk.Option_PaymentFailureReasonZ_Some ? reason.some : undefined) {
    case ldk.PaymentFailureReason.LDKPaymentFailureReason_RecipientRejected:
      return 'INCORRECT_PAYMENT_DETAILS';
    case ldk.PaymentFailureReason.LDKPaymentFailureReason_RouteNotFound:
    case ldk.PaymentFailureReason.LDKPaymentFailureReason_RetriesExhausted:
      return 'NO_ROUTE';
    case ldk.PaymentFailureReason.LDKPaymentFailureReason_UserAbandoned:
    case ldk.PaymentFailureReason.LDKPaymentFailureReason_PaymentExpired:
      return 'TIMEOUT';
    default:
      return 'ERROR';
  }
}

/** A payment that a node holds, or has claimed. */
export interface Arrival {
  readonly paymentHash: string;
  /** Undefined for a hold invoice, whose preimage LDK does not know. */
  readonly preimage: string | undefined;
  readonly amountMsat: Msat;
  readonly keysend: boolean;
  readonly customRecords: Record<string, string>;
}

export function readArrival(event: ldk.Event_PaymentClaimable | ldk.Event_PaymentClaimed): Arrival {
  const preimage = bytes32Of(event.purpose.preimage());
  const customRecords: Record<string, string> = {};
  for (const tlv of event.onion_fields.custom_tlvs()) {
    if (tlv.get_a() !== KEYSEND_PREIMAGE_TYPE) customRecords[tlv.get_a().toString()] = hexOf(tlv.get_b());
  }
  return {
    paymentHash: hexOf(event.payment_hash),
    preimage: preimage && hexOf(preimage),
    amountMsat: msatOf(event.amount_msat),
    keysend: event.purpose instanceof ldk.PaymentPurpose_SpontaneousPayment,
    customRecords,
  };
}

/** Claims a payment. The event `PaymentClaimed` follows. */
export function claim(node: LdkNode, preimage: string): void {
  // `claim_funds` fails payments with custom records of an even type, which the sender requires the receiver to understand.
  node.manager.claim_funds_with_known_custom_tlvs(bytesOf(preimage));
}

export function sendBack(node: LdkNode, paymentHash: string): void {
  node.manager.fail_htlc_backwards(bytesOf(paymentHash));
}

export interface NewInvoice {
  readonly amountMsat?: number | undefined;
  readonly description: string;
  readonly descriptionHash?: string | undefined;
  readonly expirySeconds: number;
  /** For a hold invoice, whose preimage LDK does not know. */
  readonly paymentHash?: string | undefined;
}

/** Creates an invoice from checked arguments. Costs about 0.8 ms and does not change LDK's state. @throws PlaygroundRefusal */
export function createInvoice(node: LdkNode, wanted: NewInvoice): ldk.Bolt11Invoice {
  const description = wanted.descriptionHash
    ? ldk.Bolt11InvoiceDescription.constructor_hash(ldk.Sha256.constructor_from_bytes(bytesOf(wanted.descriptionHash)))
    : ldk.Bolt11InvoiceDescription.constructor_direct(
        unwrap<ldk.Description>(ldk.Description.constructor_new(wanted.description), 'use the description'),
      );
  const made = node.manager.create_bolt11_invoice(
    someU64(wanted.amountMsat),
    description,
    ldk.Option_u32Z.constructor_some(wanted.expirySeconds),
    ldk.Option_u16Z.constructor_some(FINAL_CLTV_DELTA),
    some32(wanted.paymentHash === undefined ? undefined : bytesOf(wanted.paymentHash)),
  );
  if (!made.is_ok()) throw new PlaygroundRefusal('LDK cannot create this invoice');
  return unwrap<ldk.Bolt11Invoice>(made, 'create the invoice');
}

/** Returns the route that LDK's router would use now. Nothing is sent. */
export function routesTo(node: LdkNode, { destination, amountMsat }: RouteQuery): Route[] {
  const payee = ldk.PaymentParameters.constructor_from_node_id(bytesOf(destination), FINAL_CLTV_DELTA);
  // One path, like LND's routes.
  payee.set_max_path_count(1);
  const found = node.findRoute(ldk.RouteParameters.constructor_new(payee, BigInt(amountMsat), someU64(undefined)));
  const height = node.manager.current_best_block().get_height();
  return (found?.get_paths() ?? []).map((path) => toRoute(node, path, height));
}

/** LDK stores the amount in the fee of the last hop. */
function toRoute(node: LdkNode, path: ldk.Path, height: number): Route {
  const ldkHops = path.get_hops();
  const amounts = ldkHops.map((hop) => hop.get_fee_msat());
  const total = sum(amounts);
  const hops = ldkHops.map((hop, index) => toHop(node, hop, index, ldkHops, height));
  return {
    totalMsat: msatOf(total),
    feesMsat: msatOf(total - (amounts.at(-1) ?? 0n)),
    timeLock: height + deltas(ldkHops),
    hops,
  };
}

function toHop(node: LdkNode, hop: ldk.RouteHop, index: number, all: readonly ldk.RouteHop[], height: number): RouteHop {
  const later = all.slice(index + 1);
  const isLast = later.length === 0;
  return {
    shortChannelId: String(hop.get_short_channel_id()),
    capacitySat: node.capacitySat(hop.get_short_channel_id()),
    pubkey: hexOf(hop.get_pubkey()),
    forwardMsat: msatOf(isLast ? hop.get_fee_msat() : sum(later.map((one) => one.get_fee_msat()))),
    feeMsat: msatOf(isLast ? 0n : hop.get_fee_msat()),
    expiryHeight: height + deltas(isLast ? [hop] : later),
  };
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function deltas(hops: readonly ldk.RouteHop[]): number {
  return hops.reduce((total, hop) => total + hop.get_cltv_expiry_delta(), 0);
}
