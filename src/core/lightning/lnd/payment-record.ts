import { hmacSha256 } from '../../kernel/crypto.ts';
import type { FailureReason, PaymentOutcome, PaymentReference, SendOrder } from '../node.ts';
import { fromBase64, readMsat, toBase64 } from './values.ts';

/** The newest payment of a payment hash, as LND returns it. */
export interface PaymentRecord {
  readonly status: 'IN_FLIGHT' | 'SUCCEEDED' | 'FAILED' | 'INITIATED';
  readonly payment_hash: string;
  /** In hex; zeros mean none. */
  readonly payment_preimage: string;
  readonly fee_msat: string;
  readonly failure_reason: string;
  readonly payment_request: string;
  readonly first_hop_custom_records?: Readonly<Record<string, string>>;
  readonly htlcs: readonly {
    readonly status: string;
    /** Unix nanoseconds. */
    readonly attempt_time_ns?: string;
    readonly route: { readonly total_time_lock: number };
    /** `height`: that of the payee, if it does not know the invoice, or finds that the HTLC expires too soon. */
    readonly failure?: { readonly code: string; readonly height?: number } | null;
  }[];
}

/** Returns whether an attempt is in flight that began before a time, in Unix milliseconds. */
export function isHeldSince({ status, htlcs = [] }: Pick<PaymentRecord, 'status'> & Partial<PaymentRecord>, beforeMs: number): boolean {
  const isOld = (ns: string | undefined) => ns !== undefined && Number(ns) / 1e6 < beforeMs;
  return status === 'IN_FLIGHT' && htlcs.some((htlc) => htlc.status === 'IN_FLIGHT' && isOld(htlc.attempt_time_ns));
}

/** Returns the largest block height of a payee that has rejected an attempt; undefined if none has. LND keeps failed attempts only until the end. */
export function payeeHeightOf({ htlcs = [] }: Pick<Partial<PaymentRecord>, 'htlcs'>): number | undefined {
  const heights = htlcs.flatMap(({ failure }) =>
    failure?.code === 'INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS' && failure.height ? [failure.height] : [],
  );
  return heights.length === 0 ? undefined : Math.max(...heights);
}

/**
 * The record that carries the payment's id. LND keeps it with the payment and sends it to the first hop. The type is odd, so that a peer may
 * ignore it.
 */
const ID_RECORD = '696971';
const ID_DOMAIN = Buffer.from('satchel payment id for LND, version 1');

/** The record that names the payment's wallet, encrypted. */
const MARKER_RECORD = '696973';

/** Returns the records of a new payment. */
export function recordsOf({ paymentId, marker }: SendOrder): Readonly<Record<string, string>> {
  return { ...idRecords(paymentId), [MARKER_RECORD]: toBase64(marker) };
}

/** Returns the records that identify a payment. A peer sees them, so they contain a hash of the id, not the id. */
export function idRecords(paymentId: string): Readonly<Record<string, string>> {
  return { [ID_RECORD]: hmacSha256(ID_DOMAIN, paymentId).toString('base64') };
}

/** Returns whether a record is of this payment, and not of another with the same payment hash. */
export function isRecordOf(record: PaymentRecord, { paymentId, isForeign }: PaymentReference): boolean {
  return isForeign === true || record.first_hop_custom_records?.[ID_RECORD] === idRecords(paymentId)[ID_RECORD];
}

/** Returns the marker of a payment; undefined if it has none. */
export function markerOfRecord(record: PaymentRecord): string | undefined {
  const marker = record.first_hop_custom_records?.[MARKER_RECORD];
  return marker === undefined ? undefined : fromBase64(marker);
}

/** The status alone decides. LND also reports a reason for payments that are in flight, and `TIMEOUT` for some that have succeeded. */
export function outcomeOfRecord(record: PaymentRecord): PaymentOutcome {
  if (record.status === 'SUCCEEDED') return { state: 'succeeded', preimage: record.payment_preimage, feeMsat: readMsat(record.fee_msat) };
  if (record.status === 'FAILED') return { state: 'failed', reason: REASONS[record.failure_reason] ?? 'ERROR' };
  return { state: 'pending' };
}

const REASONS: Readonly<Record<string, FailureReason>> = {
  FAILURE_REASON_NO_ROUTE: 'NO_ROUTE',
  FAILURE_REASON_TIMEOUT: 'TIMEOUT',
  FAILURE_REASON_INCORRECT_PAYMENT_DETAILS: 'INCORRECT_PAYMENT_DETAILS',
  FAILURE_REASON_INSUFFICIENT_BALANCE: 'INSUFFICIENT_BALANCE',
  FAILURE_REASON_ERROR: 'ERROR',
  FAILURE_REASON_CANCELED: 'CANCELED',
};
