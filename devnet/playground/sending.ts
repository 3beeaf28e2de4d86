import {
  Bolt11Invoice,
  PaymentParameters,
  RecipientOnionFields,
  Retry,
  type RetryableSendFailure,
  RouteParameters,
  type ThreeTuple_ThirtyTwoBytesRecipientOnionFieldsRouteParametersZ,
  TwoTuple_u64CVec_u8ZZ,
  UtilMethods,
} from 'lightningdevkit';
import type { CustomRecords } from '../../src/lightning/node.ts';
import { bytesOf, errorOf, some32, someU64, u64Of, unwrap } from './bindings.ts';
import type { LdkNode } from './ldk-node.ts';

const ATTEMPTS = 3;
/** BOLT 11's default is 18 blocks, LDK asks for 42 of its own payers. */
const KEYSEND_CLTV_DELTA = 42;

/** How LDK knows a payment, and how much it may cost to route. */
export interface Sending {
  /** 32 bytes in hex. */
  readonly ldkId: string;
  readonly amountMsat: number;
  /** Absent: no limit. */
  readonly feeLimitMsat?: number;
}

/** The invoice in the text; undefined when LDK cannot read it. */
export function readInvoice(paymentRequest: string): Bolt11Invoice | undefined {
  const read = Bolt11Invoice.constructor_from_str(paymentRequest);
  return read.is_ok() ? unwrap<Bolt11Invoice>(read, 'read an invoice') : undefined;
}

/** What the invoice asks for in msat; undefined for any amount. */
export function invoiceAmount(invoice: Bolt11Invoice): number | undefined {
  const amount = u64Of(invoice.amount_milli_satoshis());
  return amount === undefined ? undefined : Number(amount);
}

/** Begins to pay an invoice; the error says why nothing was sent. */
export function sendToInvoice(node: LdkNode, invoice: Bolt11Invoice, sending: Sending): RetryableSendFailure | undefined {
  const parameters = unwrap<ThreeTuple_ThirtyTwoBytesRecipientOnionFieldsRouteParametersZ>(
    invoiceAmount(invoice) === undefined
      ? UtilMethods.constructor_payment_parameters_from_variable_amount_invoice(invoice, BigInt(sending.amountMsat))
      : UtilMethods.constructor_payment_parameters_from_invoice(invoice),
    'take the parameters of an invoice',
  );
  const route = parameters.get_c();
  route.set_max_total_routing_fee_msat(someU64(sending.feeLimitMsat));
  const retry = Retry.constructor_attempts(ATTEMPTS);
  return errorOf(node.manager.send_payment(parameters.get_a(), parameters.get_b(), bytesOf(sending.ldkId), route, retry));
}

export interface Spontaneous extends Sending {
  readonly destination: string;
  readonly preimage: string;
  readonly customRecords: CustomRecords;
}

/** Begins a keysend; the error says why nothing was sent. */
export function sendSpontaneous(node: LdkNode, keysend: Spontaneous): RetryableSendFailure | undefined {
  const tlvs = Object.entries(keysend.customRecords).map(([type, value]) =>
    TwoTuple_u64CVec_u8ZZ.constructor_new(BigInt(type), bytesOf(value)),
  );
  const onion = unwrap<RecipientOnionFields>(
    RecipientOnionFields.constructor_spontaneous_empty().with_custom_tlvs(tlvs),
    'take the custom records',
  );
  const payee = PaymentParameters.constructor_for_keysend(bytesOf(keysend.destination), KEYSEND_CLTV_DELTA, true);
  const route = RouteParameters.constructor_new(payee, BigInt(keysend.amountMsat), someU64(keysend.feeLimitMsat));
  const preimage = some32(bytesOf(keysend.preimage));
  const retry = Retry.constructor_attempts(ATTEMPTS);
  return errorOf(node.manager.send_spontaneous_payment(preimage, onion, bytesOf(keysend.ldkId), route, retry));
}
