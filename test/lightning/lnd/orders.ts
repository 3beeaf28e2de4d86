import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { LndOptions } from '../../../src/core/lightning/lnd/lnd-node.ts';
import { idRecords } from '../../../src/core/lightning/lnd/payment-record.ts';
import type { KeysendOrder, PaymentOrder, PaymentReference } from '../../../src/core/lightning/node.ts';
import { type Recording, recording } from './recordings.ts';
import { type ReceivedRequest, type ScriptedLnd, type ScriptedResponse, scriptedLnd } from './scripted-lnd.ts';

/* Orders to pay the invoices of recordings, and the responses of LND to them. */

export const SUCCESS = recording('03-pay', 'success over two hops');
export const NO_ROUTE = recording('03-pay', 'fee_limit_msat 0 over two hops');
export const KEYSEND = recording('03-pay', 'keysend with a custom record');
export const NO_RECORD = recording('03-pay', 'track unknown').response;
export const SEND = 'POST /v2/router/send';
export const PREIMAGE = '4d8616636bea8e9fce175c4b5cbf55e330b5613531894294d611d42bd7bf09ad';

/** LND stores it and does not interpret it. */
export const MARKER = '5ea1ed'.repeat(12);

/** The order that a recorded request carried out. */
export function orderOf({ request }: Recording, changes: Partial<PaymentOrder> = {}): PaymentOrder {
  const paymentRequest = String(request.body?.payment_request);
  const { paymentHash, amountMsat = msat(Number(request.body?.amt_msat)) } = decodeBolt11(paymentRequest);
  return { paymentId: 'payment one', marker: MARKER, paymentHash, paymentRequest, amountMsat, feeLimitMsat: msat(10_000), ...changes };
}

export function keysendOf({ request }: Recording, changes: Partial<KeysendOrder> = {}): KeysendOrder {
  const body = request.body as { dest: string; payment_hash: string; dest_custom_records: Record<string, string> };
  const hex = (text = '') => Buffer.from(text, 'base64').toString('hex');
  return {
    paymentId: 'keysend one',
    marker: MARKER,
    paymentHash: hex(body.payment_hash),
    preimage: hex(body.dest_custom_records['5482373484']),
    destination: hex(body.dest),
    amountMsat: msat(7777),
    feeLimitMsat: msat(10_000),
    customRecords: { '696969': hex(body.dest_custom_records['696969']) },
    ...changes,
  };
}

export function trackOf({ paymentHash }: Pick<PaymentReference, 'paymentHash'>): string {
  return `GET /v2/router/track/${Buffer.from(paymentHash, 'hex').toString('base64url')}=`;
}

export type Line = { result: Record<string, unknown> };

/** LND returns the records that the request has set, with one of its own. */
export function recorded(line: unknown, records: object): Line {
  const { result } = line as Line;
  return { result: { ...result, first_hop_custom_records: { ...(result.first_hop_custom_records as object), ...records } } };
}

/** Answers a send as recorded, with the records of the request. */
export function replayed({ response }: Recording, keep = 99, ending: ScriptedResponse['ending'] = 'end') {
  return ({ body }: ReceivedRequest): ScriptedResponse => ({
    messages: (response.messages ?? []).slice(0, keep).map((line) => recorded(line, body.first_hop_custom_records as object)),
    ending,
  });
}

/** The state of a payment in a recording of a stream, as Track returns it. */
export function state({ response }: Recording, at: number, paymentId: string | undefined): ScriptedResponse {
  const lines = response.messages ?? [response.body];
  const records = paymentId === undefined ? {} : idRecords(paymentId);
  return { messages: [recorded(lines.at(at), records)], ending: at === -1 ? 'end' : 'silence' };
}

/** Opens the adapter as {@link scriptedLnd}, with a response to the request for the record of a payment. */
export function scriptedPayments() {
  const open = scriptedLnd();
  return async (order: Pick<PaymentReference, 'paymentHash'>, track: ScriptedResponse = NO_RECORD, options: Partial<LndOptions> = {}) => {
    const scripted = await open(options);
    scripted.lnd.on(trackOf(order), track);
    return scripted;
  };
}

/** Opens the adapter for the order of a recorded request, with the recorded response to it and no earlier record of the payment. */
export function replayedOrders(open: ReturnType<typeof scriptedPayments>) {
  return async (paid: Recording, changes: Partial<PaymentOrder> = {}) => {
    const order = orderOf(paid, changes);
    const { lnd, node } = await open(order);
    lnd.on(SEND, replayed(paid));
    return { order, lnd, node };
  };
}

export function sends(lnd: ScriptedLnd): number {
  return lnd.sent('/v2/router/send').length;
}

/** The requests about payments, in their order. */
export function payingRequests(lnd: ScriptedLnd): string[] {
  return lnd.sent('/v2/router/').map(({ method, path }) => `${method} ${path}`);
}
