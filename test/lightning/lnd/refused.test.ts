import { describe, expect, it } from 'vitest';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import {
  KEYSEND,
  keysendOf,
  NO_RECORD,
  NO_ROUTE,
  orderOf,
  payingRequests,
  SEND,
  SUCCESS,
  scriptedPayments,
  state,
  trackOf,
} from './orders.ts';
import type { ScriptedResponse } from './scripted-lnd.ts';

const opened = scriptedPayments();
const now = () => Date.now();
const order = orderOf(SUCCESS);

/** What LND's handler answers to a request that it refuses, before the first message of the stream. */
function refusal(message: string, code = 2, status = 500): ScriptedResponse {
  return { status, body: { error: { code, message, details: [] } } };
}

const ANY_TEXT = refusal('a text that no table has');

describe('a request to send a payment that LND refuses', () => {
  it.each([
    ['cltv limit 2016 should be greater than 10003', 'ERROR'],
    ['invalid public key: x coordinate 5 is not on the secp256k1 curve', 'ERROR'],
    ['unknown witness program length 21', 'ERROR'],
    ['cannot parse data of length 14 as uint64', 'ERROR'],
    ['invoice not for current active network', 'ERROR'],
    ['', 'ERROR'],
    ['invoice expired. Valid until 2026-01-01', 'TIMEOUT'],
  ])('fails the payment at once if LND has no record of it afterwards, whatever the text: %s', async (message, reason) => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, refusal(message));
    expect(await node.pay({ ...order, firstRequestAtMs: now() })).toEqual({ state: 'failed', reason });
    expect(payingRequests(lnd)).toEqual([SEND, trackOf(order)]);
    expect(await node.pay(order)).toEqual({ state: 'failed', reason });
  });

  it('fails the payment also as an invalid argument, and as an error of a plain call', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, refusal('invalid', 3, 400));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
    lnd.on(SEND, { status: 400, body: { code: 3, message: 'proto: syntax error', details: [] } });
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('fails a keysend, too', async () => {
    const keysend = keysendOf(KEYSEND);
    const { lnd, node } = await opened(keysend);
    lnd.on(SEND, ANY_TEXT);
    expect(await node.keysend(keysend)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('fails the payment if LND has only the record of another payment of the hash, which has failed', async () => {
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, 'another payment'));
    lnd.on(SEND, ANY_TEXT);
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('has the outcome of the record if LND has one afterwards', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, ANY_TEXT);
    lnd.on(trackOf(order), NO_RECORD, state(SUCCESS, -1, order.paymentId));
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    lnd.on(trackOf(order), NO_RECORD, state(SUCCESS, 0, order.paymentId));
    expect(await node.pay(order)).toEqual({ state: 'pending' });
  });

  it.each([
    ['the connection breaks', { messages: [], ending: 'reset' }],
    ['LND does not answer', { messages: [], ending: 'silence' }],
    ['LND has stopped', refusal('waiting to start, RPC services not available')],
    ['LND answers with another error', refusal('database is locked')],
    ['a proxy answers', { status: 404, body: { message: 'not found' } }],
    ['the stream ends without a message', { messages: [] }],
  ] satisfies [string, ScriptedResponse][])('leaves the outcome unknown if the record cannot be read because %s', async (_, track) => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, ANY_TEXT);
    lnd.on(trackOf(order), NO_RECORD, track);
    const error = await node.pay(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(NodeUnavailable);
  });

  it.each([
    ['of a cancelled call', refusal('context canceled', 1, 499)],
    ['of a cancelled call, with the status of another', refusal('context canceled', 1)],
    ['of a timeout', refusal('context deadline exceeded', 4, 504)],
    ['of an internal error', refusal('stream terminated by RST_STREAM', 13)],
    ['of a connection that broke in LND', refusal('transport is closing', 14, 503)],
    ['of lost data', refusal('data loss', 15)],
    ['of an unknown caller', refusal('unauthenticated', 16, 401)],
    ['with a code that contradicts its status', refusal('bad gateway', 2, 502)],
    ['with a code that is text', { status: 500, body: { error: { code: '2', message: 'failed', details: [] } } }],
    ['without a code', { status: 500, body: { error: { message: 'upstream failed', details: [] } } }],
    ['without details', { status: 500, body: { error: { code: 2, message: 'upstream failed' } } }],
    ['of a proxy, as JSON', { status: 500, body: { message: 'Internal Server Error' } }],
    ['of a proxy, as text', { status: 502, body: 'Bad Gateway' }],
    ['of a proxy that has no body', { status: 500 }],
    ['of a proxy that limits the rate', { status: 429, body: { code: 2, message: 'slow down', details: [] } }],
    ['after the headers of a stream', { messages: [{ error: { code: 2, message: 'routerrpc server shutting down', details: [] } }] }],
  ] satisfies [string, ScriptedResponse][])('leaves the outcome unknown if the error is one %s', async (_, response) => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, response);
    const error = await node.pay(order).catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(Error);
    expect(error).not.toBeInstanceOf(NodeUnavailable);
  });

  it('is pending after the first message of the stream, whatever error follows', async () => {
    const { lnd, node } = await opened(order);
    const messages = (SUCCESS.response.messages ?? []).slice(0, 1);
    lnd.on(SEND, { messages: [...messages, { error: { code: 2, message: 'failed', details: [] } }] });
    expect(await node.pay(order)).toEqual({ state: 'pending' });
  });

  it('is decided by the next try while an earlier request may still be executed', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, ANY_TEXT);
    await expect(node.pay({ ...order, unclearSinceMs: now() })).rejects.toThrow(NodeUnavailable);
    expect(await node.lookupPayment({ ...order, unclearSinceMs: now() })).toEqual({ state: 'pending' });
    // The earlier request is executed after all.
    lnd.on(trackOf(order), state(SUCCESS, -1, order.paymentId));
    expect(await node.pay({ ...order, unclearSinceMs: now() })).toMatchObject({ state: 'succeeded' });
  });

  it('fails the payment when an earlier request can no longer be executed', async () => {
    const { lnd, node } = await opened(order, NO_RECORD, { timing: { graceMs: 200 } });
    lnd.on(SEND, ANY_TEXT);
    const unclear = { ...order, unclearSinceMs: now(), unclearCheckedAtMs: now() };
    await expect.poll(() => node.pay(unclear).catch(() => 'unknown')).toEqual({ state: 'failed', reason: 'ERROR' });
  });
});

describe('the wait for a late request', () => {
  const graceMs = 300_000;
  const failed = state(NO_ROUTE, -1, order.paymentId);
  const ago = (seconds: number) => now() - seconds * 1000;

  it.each([
    ['is over after that time, although the process has just begun', { unclearSinceMs: ago(400), unclearCheckedAtMs: ago(0) }, 'failed'],
    ['does not count the time that no process has observed', { unclearSinceMs: ago(400), unclearCheckedAtMs: ago(200) }, 'pending'],
    ['does not count the time before this process, if no process has looked', { unclearSinceMs: ago(9_000) }, 'pending'],
    ['counts what several processes have observed', { unclearSinceMs: ago(700), unclearCheckedAtMs: ago(300) }, 'failed'],
    ['is not over before, although a process has observed all of it', { unclearSinceMs: ago(200), unclearCheckedAtMs: ago(0) }, 'pending'],
  ])('%s', async (_, unclear, expected) => {
    const { node } = await opened(order, failed, { timing: { graceMs } });
    expect(await node.lookupPayment({ ...order, ...unclear })).toMatchObject({ state: expected });
  });

  it('counts from the last moment at which the node did not respond, which the service stores', async () => {
    const { lnd, node } = await opened(order, failed, { timing: { graceMs } });
    const unclear = { ...order, unclearSinceMs: ago(400), unclearCheckedAtMs: now() };
    expect(node.unclearSince?.(unclear)).toBe(unclear.unclearSinceMs);
    lnd.on('GET /v1/balance/channels', { messages: [], ending: 'reset' });
    const before = now();
    await expect(node.balance()).rejects.toThrow();
    expect(node.unclearSince?.(unclear)).toBeGreaterThanOrEqual(before);
    expect(await node.lookupPayment(unclear)).toEqual({ state: 'pending' });
  });
});

describe('the evidence of a payment that LND refused', () => {
  const channels = (htlcs: readonly object[]) => ({ body: { channels: [{ pending_htlcs: htlcs }] } });
  const NONE = { body: { pending_force_closing_channels: [], waiting_close_channels: [] } };
  const hash = Buffer.from(order.paymentHash, 'hex').toString('base64');

  async function evidenceOf(htlcs: readonly object[], unclear: object) {
    const { lnd, node } = await opened(order);
    lnd.on('GET /v1/channels', channels(htlcs)).on('GET /v1/channels/pending', NONE);
    return node.collectEvidence?.({ ...order, ...unclear });
  }

  it('proves the failure if there is no record, no HTLC, and no request that can still be executed', async () => {
    const evidence = await evidenceOf([], {});
    expect(evidence).toMatchObject({ provesFailure: true, isWithoutHtlc: false });
    expect(evidence?.items.map(({ fact }) => fact)).toEqual([
      'LND has no record of the payment.',
      'No request to send the payment can still be executed.',
      'LND has read the block chain to its end.',
      'No channel has an HTLC with this payment hash.',
      'No channel is being closed.',
    ]);
  });

  it.each([
    ['a request can still be executed', [], { unclearSinceMs: now() }, 'No request to send the payment can still be executed.'],
    [
      'a channel has an HTLC of it',
      [{ incoming: false, amount: '1', hash_lock: hash }],
      {},
      'No channel has an HTLC with this payment hash.',
    ],
  ])('does not prove it if %s', async (_, htlcs, unclear, fact) => {
    const evidence = await evidenceOf(htlcs, unclear);
    expect(evidence?.provesFailure).toBe(false);
    expect(evidence?.items.filter(({ holds }) => !holds)).toMatchObject([{ fact }]);
  });

  it('does not prove it while a request is under way', async () => {
    const { lnd, node } = await opened(order);
    lnd.on('GET /v1/channels', channels([])).on('GET /v1/channels/pending', NONE);
    lnd.on(SEND, { messages: [], ending: 'silence' });
    const paying = node.pay(order).catch(() => 'unknown');
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
    expect(await paying).toBe('unknown');
  });
});
