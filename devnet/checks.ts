import { isPublicKey } from '../src/core/kernel/secp256k1.ts';
import type { CustomRecords, InvoiceRequest, KeysendOrder, NodeCapabilities, PaymentOrder, SendOrder } from '../src/core/lightning/node.ts';
import { paymentHashOf } from '../src/core/lightning/payment-hash.ts';
import type { RecordQuery } from '../src/core/lightning/record-page.ts';
import { type OutsideName, PlaygroundRefusal } from './test-network.ts';

/** Test networks support everything. */
export const ALL_CAPABILITIES: NodeCapabilities = {
  sendsKeysend: true,
  receivesKeysend: true,
  guards: 'all',
  descriptionHashWithoutText: true,
  holdInvoices: true,
};

// Checks of requests to both test networks. Every value is checked before it reaches WebAssembly: a point that is not on the curve makes
// Rust panic, and the bindings read past the end of an array that is too short.

/** Lower types are reserved for the protocol. Source: BOLT1. */
const FIRST_CUSTOM_TYPE = 65_536n;
/** LDK uses this type itself and does not send it. */
const LDK_TYPE = 77_777n;
/** The record that carries the preimage of a keysend. */
export const KEYSEND_PREIMAGE_TYPE = 5_482_373_484n;
const MAX_U64 = 2n ** 64n - 1n;
/** A payment's onion holds less; LDK checks its exact limit. */
const MAX_RECORD_BYTES = 65_536;
/** The capacity of the largest QR code. */
const MAX_INVOICE_LENGTH = 7_089;
/** Source: BOLT11, `d`. */
const MAX_DESCRIPTION_BYTES = 639;

function requireThat(condition: boolean, message: string): void {
  if (!condition) throw new PlaygroundRefusal(message);
}

/** Requires 32 bytes in lower-case hex: a hash or a preimage. */
export function requireBytes32(label: string, value: string): void {
  requireThat(typeof value === 'string' && /^[0-9a-f]{64}$/.test(value), `${label} must be 32 bytes in hex`);
}

/** Requires a compressed point of secp256k1 in lower-case hex. */
export function requirePoint(label: string, value: string): void {
  requireThat(typeof value === 'string' && value === value.toLowerCase() && isPublicKey(value), `${label} must be a public key`);
}

/** Requires a safe integer of at least `least`. */
export function requireWhole(label: string, value: number, least = 0): void {
  requireThat(Number.isSafeInteger(value) && value >= least, `${label} must be a whole number of at least ${least}`);
}

/** Requires the position of an event, or null for the beginning. Does not check that the event exists. */
export function requirePosition(value: string | null): void {
  requireThat(value === null || (typeof value === 'string' && value.length <= 64), 'after must be a position or null');
}

/** Requires a query for a page of records. */
export function requireRecordQuery({ sinceSeconds, cursor, limit }: RecordQuery): void {
  requireWhole('sinceSeconds', sinceSeconds);
  if (limit !== undefined) requireWhole('limit', limit, 1);
  requireThat(cursor === undefined || (typeof cursor === 'string' && cursor.length <= 300), 'cursor must be that of a page');
}

/** Requires an expiry that fits LDK's 32 bits. BOLT11 has no limit. */
export function requireExpiry(value: number): void {
  requireWhole('expirySeconds', value);
  requireThat(value <= 0xffff_ffff, 'expirySeconds must be less than 2^32');
}

export function requireDescription(label: string, value: string): void {
  requireThat(typeof value === 'string' && Buffer.byteLength(value) <= MAX_DESCRIPTION_BYTES, `${label} must be at most 639 bytes`);
}

export function requireId(label: string, value: string): void {
  requireThat(typeof value === 'string' && value.length > 0 && value.length <= 256, `${label} must be 1 to 256 characters`);
}

/** Requires text that could be an invoice. LDK decodes it. */
export function requireInvoiceText(value: string): void {
  requireThat(
    typeof value === 'string' && value.length <= MAX_INVOICE_LENGTH && /^[\x21-\x7e]+$/.test(value),
    'paymentRequest must be an invoice',
  );
}

export function requireOutside(value: OutsideName): void {
  requireThat(value === 'alice' || value === 'carol', 'the node must be alice or carol');
}

export function requireRecords(records: CustomRecords): void {
  let bytes = 0;
  for (const [type, value] of Object.entries(records)) {
    requireThat(
      /^[1-9][0-9]{4,19}$/.test(type) && BigInt(type) >= FIRST_CUSTOM_TYPE && BigInt(type) <= MAX_U64,
      'the type of a custom record must be a number of at least 65536',
    );
    requireThat(BigInt(type) !== LDK_TYPE, `record ${LDK_TYPE} is reserved`);
    requireThat(BigInt(type) !== KEYSEND_PREIMAGE_TYPE, `record ${KEYSEND_PREIMAGE_TYPE} is reserved for the preimage of a keysend`);
    requireThat(typeof value === 'string' && /^([0-9a-f]{2})*$/i.test(value), `the value of record ${type} must be hex`);
    bytes += value.length / 2;
  }
  requireThat(bytes <= MAX_RECORD_BYTES, `custom records must be at most ${MAX_RECORD_BYTES} bytes`);
}

/** Requires a request for an invoice of our node. */
export function requireInvoiceRequest(request: InvoiceRequest): void {
  if (request.amountMsat !== undefined) requireWhole('amountMsat', request.amountMsat);
  if (request.descriptionHash === undefined) requireDescription('description', request.description);
  else requireBytes32('descriptionHash', request.descriptionHash);
  requireExpiry(request.expirySeconds);
  requireBytes32('preimage', request.preimage);
}

/** Requires an order to pay an invoice. */
export function requirePaymentOrder(order: PaymentOrder): void {
  requireOrder(order);
  requireInvoiceText(order.paymentRequest);
}

/** Requires an order to send a keysend payment. */
export function requireKeysendOrder(order: KeysendOrder): void {
  requireOrder(order);
  requirePoint('destination', order.destination);
  requireBytes32('preimage', order.preimage);
  requireRecords(order.customRecords);
  requireThat(paymentHashOf(order.preimage) === order.paymentHash, 'the preimage is not that of paymentHash');
}

function requireOrder(order: SendOrder): void {
  requireId('paymentId', order.paymentId);
  requireBytes32('paymentHash', order.paymentHash);
  requireWhole('amountMsat', order.amountMsat, 1);
  requireWhole('feeLimitMsat', order.feeLimitMsat);
  requireThat(typeof order.marker === 'string' && /^([0-9a-f]{2}){1,128}$/.test(order.marker), 'marker must be 1 to 128 bytes in hex');
}
