import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { LND_ERRORS } from '../../../src/core/lightning/lnd/errors.ts';
import { idRecords } from '../../../src/core/lightning/lnd/payment-record.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import {
  KEYSEND,
  keysendOf,
  type Line,
  MARKER,
  NO_RECORD,
  NO_ROUTE,
  orderOf,
  PREIMAGE,
  recorded,
  replayed,
  replayedOrders,
  SEND,
  SUCCESS,
  scriptedPayments,
  sends,
  state,
  trackOf,
} from './orders.ts';
import { recording } from './recordings.ts';
import type { ScriptedResponse } from './scripted-lnd.ts';

const opened = scriptedPayments();
const replaying = replayedOrders(opened);
const now = () => Date.now();

describe('LND pays an invoice', () => {
  it('with the fee limit, and with a hash of the payment id that its records keep', async () => {
    const { order, lnd, node } = await replaying(SUCCESS);
    expect(await node.pay(order)).toEqual({ state: 'succeeded', preimage: PREIMAGE, feeMsat: 1000 });
    const [{ body, macaroon } = { body: {}, macaroon: '' }] = lnd.sent('/v2/router/send');
    expect(body).toEqual({
      payment_request: order.paymentRequest,
      fee_limit_msat: '10000',
      timeout_seconds: 60,
      first_hop_custom_records: {
        '696971': expect.stringMatching(/^[\w+/]{43}=$/),
        '696973': Buffer.from(MARKER, 'hex').toString('base64'),
      },
    });
    expect(JSON.stringify(body)).not.toContain(order.paymentId);
    expect(macaroon).toBe('0201036c6e64');
  });

  it('only over free routes if the fee limit is 0', async () => {
    const { order, lnd, node } = await replaying(NO_ROUTE, { feeLimitMsat: msat(0) });
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    expect(lnd.sent('/v2/router/send')[0]?.body).toMatchObject({ fee_limit_msat: '0' });
  });

  it('without an amount, with the amount of the order', async () => {
    const paid = recording('03-pay', 'amountless with amt_msat 4321');
    const { order, lnd, node } = await replaying(paid);
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    expect(lnd.sent('/v2/router/send')[0]?.body).toMatchObject({ amt_msat: '4321' });
  });

  it.each([
    ['more than the channel has', 'INSUFFICIENT_BALANCE'],
    ['invoice cancelled by the receiver', 'INCORRECT_PAYMENT_DETAILS'],
    ['fee_limit_msat 999 below the fee of 1000', 'NO_ROUTE'],
  ])('and fails it: %s', async (name, reason) => {
    const failed = recording('03-pay', name);
    const { order, node } = await replaying(failed);
    expect(await node.pay(order)).toEqual({ state: 'failed', reason });
  });

  it('never with another amount or hash than the invoice', async () => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order);
    await expect(node.pay({ ...order, amountMsat: msat(1) })).rejects.toThrow('another amount than its invoice');
    lnd.on(trackOf({ paymentHash: '00'.repeat(32) }), NO_RECORD);
    await expect(node.pay({ ...order, paymentHash: '00'.repeat(32) })).rejects.toThrow('another payment hash than its invoice');
    expect(sends(lnd)).toBe(0);
  });
});

describe('the block height of a payee that rejects a payment', () => {
  const REJECTED = recording('03-pay', 'invoice cancelled by the receiver');
  const { block_height: own } = recording('11-balances', 'GetInfo').response.body as { readonly block_height: number };
  const heights = [
    [own + 2, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' }],
    [own + 3, { state: 'failed', reason: 'NODE_BEHIND', payeeHeight: own + 3 }],
  ] as const;

  /** The end of the payment, as LND streams it to those who wait for it. */
  function rejectedAt(height: number, paymentId: string): Line {
    const { result } = recorded(REJECTED.response.messages?.at(-1), idRecords(paymentId));
    const failure = { code: 'INCORRECT_OR_UNKNOWN_PAYMENT_DETAILS', height };
    return { result: { ...result, htlcs: [{ status: 'FAILED', failure }] } };
  }

  it.each(heights)('%i explains the failure of a request if it is three blocks ahead', async (height, outcome) => {
    const { order, lnd, node } = await replaying(REJECTED);
    lnd.on(SEND, { messages: [rejectedAt(height, order.paymentId)] });
    expect(await node.pay(order)).toEqual(outcome);
  });

  it.each(heights)('%i explains the failure of a payment that was already in flight, too', async (height, outcome) => {
    const { order, lnd, node } = await replaying(REJECTED);
    lnd.on(trackOf(order), state(REJECTED, 0, order.paymentId), { messages: [rejectedAt(height, order.paymentId)] });
    expect(await node.pay(order)).toEqual(outcome);
    expect(sends(lnd)).toBe(0);
  });
});

describe('LND sends a keysend', () => {
  const order = keysendOf(KEYSEND);

  it('as recorded', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, replayed(KEYSEND));
    expect(await node.keysend(order)).toEqual({ state: 'succeeded', preimage: order.preimage, feeMsat: 0 });
    const { timeout_seconds: _, ...expected } = KEYSEND.request.body as Record<string, unknown>;
    expect(lnd.sent('/v2/router/send')[0]?.body).toMatchObject(expected);
  });

  it('never with a preimage of another hash, which LND does not check', async () => {
    const { lnd, node } = await opened(order);
    await expect(node.keysend({ ...order, preimage: '33'.repeat(32) })).rejects.toThrow('not that of its payment hash');
    expect(sends(lnd)).toBe(0);
  });
});

describe('LND reads the record of a payment before it sends', () => {
  it('so an expired invoice that was paid is reported as paid, although LND would call it expired', async () => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order, state(SUCCESS, -1, order.paymentId));
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded', preimage: PREIMAGE });
    expect(sends(lnd)).toBe(0);
  });

  it('and waits for the end of one that is in flight', async () => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order);
    const lines = (SUCCESS.response.messages ?? []).map((line) => recorded(line, idRecords(order.paymentId)));
    lnd.on(trackOf(order), { messages: lines });
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    expect(sends(lnd)).toBe(0);
  });

  it('and does not repeat a payment that failed', async () => {
    const order = orderOf(NO_ROUTE);
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, order.paymentId));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    expect(sends(lnd)).toBe(0);
  });

  it('and sends where another payment of the hash has failed, although its record is replaced', async () => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, 'another payment'));
    lnd.on(SEND, replayed(SUCCESS));
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    ['paid', -1],
    ['is paying', 0],
  ])('and refuses a hash that the operator %s by hand', async (_, at) => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order, state(SUCCESS, at, undefined));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(await node.lookupPayment(order)).toBeUndefined();
    expect(sends(lnd)).toBe(0);
  });

  it('and does not take the record of another payment for this one', async () => {
    const order = orderOf(NO_ROUTE);
    const { node } = await opened(order, state(NO_ROUTE, -1, 'another payment'));
    expect(await node.lookupPayment(order)).toBeUndefined();
  });

  it('once for two calls at the same time', async () => {
    const { order, lnd, node } = await replaying(SUCCESS);
    const [one, other] = await Promise.all([node.pay(order), node.pay(order)]);
    expect(one).toEqual(other);
    expect(sends(lnd)).toBe(1);
  });
});

describe('LND looks up a payment of another program by its hash', () => {
  const states = [
    ['has succeeded', 'succeeded', SUCCESS, -1],
    ['is pending', 'pending', SUCCESS, 0],
    ['has failed', 'failed', NO_ROUTE, -1],
  ] as const;

  it.each(states)('and returns that it %s, only if it was imported', async (_, expected, sent, at) => {
    const { paymentHash } = orderOf(sent);
    const { lnd, node } = await opened(orderOf(sent), state(sent, at, undefined));
    const reference = { paymentId: 'imported', paymentHash };
    expect(await node.lookupPayment({ ...reference, isForeign: true })).toMatchObject({ state: expected });
    expect(await node.lookupPayment(reference)).toBeUndefined();
    expect(sends(lnd)).toBe(0);
  });

  it('and returns nothing without a record', async () => {
    const { node } = await opened(orderOf(SUCCESS), NO_RECORD);
    expect(await node.lookupPayment({ paymentId: 'imported', paymentHash: orderOf(SUCCESS).paymentHash, isForeign: true })).toBeUndefined();
  });
});

describe('the status of a payment decides, not the reason', () => {
  it.each([
    ['track afterwards (timeout passed, then settled)', 'FAILURE_REASON_TIMEOUT'],
    ['cancelable true, cut, then settled by the receiver', 'FAILURE_REASON_CANCELED'],
  ])('%s: succeeded with %s', async (name, reason) => {
    const settled = recording('04-in-flight', name);
    expect((settled.response.body as Line).result.failure_reason).toBe(reason);
    const order = { paymentId: 'one', paymentHash: String((settled.response.body as Line).result.payment_hash) };
    const { node } = await opened(order, state(settled, 0, 'one'));
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded', feeMsat: 1000 });
  });

  it('a payment in flight with a reason that looks final is pending', async () => {
    const failed = recording('03-pay', 'invoice cancelled by the receiver');
    const at = (failed.response.messages as Line[]).findIndex(
      ({ result }) => result.status === 'IN_FLIGHT' && result.failure_reason === 'FAILURE_REASON_INCORRECT_PAYMENT_DETAILS',
    );
    expect(at).toBeGreaterThan(0);
    const order = orderOf(failed);
    const { node } = await opened(order, state(failed, at, order.paymentId));
    expect(await node.lookupPayment(order)).toEqual({ state: 'pending' });
  });
});

describe('a payment whose HTLC was in flight when LND made no new attempts any more', () => {
  const held = recording('04-in-flight', 'timeout_seconds 3 reached while an HTLC is held for 10 s, then settled');
  const order = orderOf(held);
  const inFlight = (ageSeconds: number): ScriptedResponse => {
    const htlc = { status: 'IN_FLIGHT', attempt_time_ns: String((now() - ageSeconds * 1000) * 1e6), route: { total_time_lock: 1 } };
    const result = { status: 'IN_FLIGHT', first_hop_custom_records: idRecords(order.paymentId), htlcs: [htlc] };
    return { messages: [{ result }], ending: 'silence' };
  };
  const failed = (reason: string): ScriptedResponse => {
    const result = { status: 'FAILED', failure_reason: `FAILURE_REASON_${reason}`, htlcs: [] };
    return { messages: [{ result: { ...result, first_hop_custom_records: idRecords(order.paymentId) } }] };
  };

  it.each([
    ['INSUFFICIENT_BALANCE', 120, 'RETURNED'],
    ['NO_ROUTE', 120, 'RETURNED'],
    ['INSUFFICIENT_BALANCE', 10, 'INSUFFICIENT_BALANCE'],
    ['INCORRECT_PAYMENT_DETAILS', 120, 'INCORRECT_PAYMENT_DETAILS'],
  ])('fails with a reason of its own, and not with that of LND’s next try: %s after %i seconds', async (reason, seconds, expected) => {
    const { lnd, node } = await opened(order, inFlight(seconds));
    expect(await node.lookupPayment(order)).toEqual({ state: 'pending' });
    lnd.on(trackOf(order), failed(reason));
    expect(await node.lookupPayment(order)).toEqual({ state: 'failed', reason: expected });
  });
});

describe('a payment that LND has recorded and not ended is pending', () => {
  const held = recording('04-in-flight', 'timeout_seconds 3 reached while an HTLC is held for 10 s, then settled');
  const order = orderOf(held);

  it('when the receiver holds it longer than the call waits, whatever timeout_seconds is', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, replayed(held, 2, 'silence'));
    expect(await node.pay(order)).toEqual({ state: 'pending' });
  });

  it.each(['end', 'reset'] as const)('when the connection breaks after the first message (%s)', async (ending) => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, replayed(held, 1, ending));
    expect(await node.pay(order)).toEqual({ state: 'pending' });
  });

  it('when LND shuts down after the first message', async () => {
    const { lnd, node } = await opened(order);
    const goodbye = { error: { code: 2, message: 'routerrpc server shutting down', details: [] } };
    lnd.on(SEND, ({ body }) => ({ messages: [recorded(held.response.messages?.[0], body.first_hop_custom_records as object), goodbye] }));
    expect(await node.pay(order)).toEqual({ state: 'pending' });
  });
});

describe('the outcome is unknown, and not NodeUnavailable,', () => {
  const order = orderOf(SUCCESS);
  const cases: [string, ScriptedResponse][] = [
    ['the connection breaks before the first message', { messages: [], ending: 'reset' }],
    ['the stream ends without a message', { messages: [], ending: 'end' }],
    ['no message arrives in time', { messages: [], ending: 'silence' }],
    ['LND shuts down', { messages: [{ error: { code: 2, message: 'routerrpc server shutting down', details: [] } }] }],
    ['the error is not of the handler', { status: 500, body: { error: { code: 13, message: 'something new', details: [] } } }],
    ['the response is not from LND', { status: 502, body: 'Bad Gateway' }],
  ];
  const requests = cases.flatMap(([name, response]) => [
    { name, response, order },
    { name: `${name}, for the first request`, response, order: { ...order, firstRequestAtMs: now() } },
  ]);
  it.each(requests)('when $name', async ({ response, ...request }) => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, response);
    const error: Error = await node.pay(request.order).then(
      (outcome) => Promise.reject(new Error(`it returned ${outcome.state}`)),
      (thrown) => thrown,
    );
    expect(error).not.toBeInstanceOf(NodeUnavailable);
    expect(error.message).not.toContain('it returned');
  });
});

describe('an error of LND means', () => {
  it.each(LND_ERRORS.filter(([, meaning]) => meaning === 'not_ready' || meaning === 'forbidden'))(
    'that nothing was done: %s',
    async (text) => {
      const order = orderOf(SUCCESS);
      const { lnd, node } = await opened(order);
      lnd.on(SEND, { status: 500, body: { error: { code: 2, message: text, details: [] } } });
      lnd.on('POST /v1/invoices', { status: 500, body: { code: 2, message: text, details: [] } });
      await expect(node.pay(order)).rejects.toThrow(NodeUnavailable);
      const invoice = { preimage: '01'.repeat(32), description: '', expirySeconds: 60 };
      await expect(node.createInvoice(invoice)).rejects.toThrow(NodeUnavailable);
    },
  );

  it.each(LND_ERRORS.filter(([, meaning]) => meaning === 'payment_exists'))('that the record has the outcome: %s', async (text) => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order);
    lnd.on(trackOf(order), NO_RECORD, state(SUCCESS, -1, order.paymentId));
    lnd.on(SEND, { status: 409, body: { error: { code: 6, message: text, details: [] } } });
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded', preimage: PREIMAGE });
    lnd.on(trackOf(order), NO_RECORD, state(SUCCESS, -1, 'another payment'));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
    lnd.on(trackOf(order), NO_RECORD);
    await expect(node.pay(order)).rejects.toThrow('LND contradicts itself');
  });

  it('that the payment failed: not an invoice, which is not sent to LND', async () => {
    const order = orderOf(SUCCESS);
    const { lnd, node } = await opened(order);
    expect(await node.pay({ ...order, paymentRequest: 'hello' })).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(sends(lnd)).toBe(0);
  });
});

describe('after a request with an unclear outcome', () => {
  const order = orderOf(NO_ROUTE);

  it('no record does not prove that the payment was not sent, until some time has passed', async () => {
    const { node } = await opened(order, NO_RECORD, { timing: { graceMs: 300 } });
    expect(await node.lookupPayment({ ...order, unclearSinceMs: now() })).toEqual({ state: 'pending' });
    await new Promise((resolve) => setTimeout(resolve, 350));
    expect(await node.lookupPayment({ ...order, unclearSinceMs: now() - 400 })).toBeUndefined();
  });

  it('it is sent again, because LND pays a hash once', async () => {
    const paid = orderOf(SUCCESS, { unclearSinceMs: now() });
    const { lnd, node } = await opened(paid);
    lnd.on(SEND, replayed(SUCCESS));
    expect(await node.pay(paid)).toMatchObject({ state: 'succeeded' });
  });

  it('a failure is not final, because the earlier request may still run', async () => {
    const { lnd, node } = await opened(order);
    lnd.on(SEND, replayed(NO_ROUTE));
    const unclear = { ...order, unclearSinceMs: now() };
    expect(await node.pay(unclear)).toEqual({ state: 'pending' });
    lnd.on(trackOf(order), state(NO_ROUTE, -1, order.paymentId));
    expect(await node.lookupPayment(unclear)).toEqual({ state: 'pending' });
    expect(await node.pay(unclear)).toEqual({ state: 'pending' });
  });

  it('a failure is final when some time has passed', async () => {
    const { node } = await opened(order, state(NO_ROUTE, -1, order.paymentId), { timing: { graceMs: 200 } });
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(await node.pay({ ...order, unclearSinceMs: now() - 300 })).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
  });

  it('the time counts from the last moment at which the node did not respond', async () => {
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, order.paymentId), { timing: { graceMs: 400 } });
    await new Promise((resolve) => setTimeout(resolve, 450));
    lnd.on('GET /v1/balance/channels', { messages: [], ending: 'reset' });
    await expect(node.balance()).rejects.toThrow();
    expect(await node.lookupPayment({ ...order, unclearSinceMs: now() - 10_000 })).toEqual({ state: 'pending' });
  });
});

describe('LND is not asked to send', () => {
  const order = orderOf(SUCCESS);

  it.each(['RPC_ACTIVE', 'LOCKED', 'WAITING_TO_START', 'NON_EXISTING', 'UNLOCKED'])(
    'in state %s, where it would fail the payment',
    async (name) => {
      const { lnd, node } = await opened(order);
      lnd.on('GET /v1/state', { body: { state: name } });
      await expect(node.pay(order)).rejects.toThrow(NodeUnavailable);
      expect(lnd.requests.some(({ path }) => path.startsWith('/v2/router'))).toBe(false);
      expect((await node.info()).cannotSend).toContain(`LND is starting (${name})`);
    },
  );

  it('without an active channel', async () => {
    const { lnd, node } = await opened(order);
    const info = recording('11-balances', 'GetInfo').response.body as object;
    lnd.on('GET /v1/getinfo', { body: { ...info, num_active_channels: 0 } });
    await expect(node.pay(order)).rejects.toThrow(new NodeUnavailable('LND has no active channel'));
    expect((await node.info()).cannotSend).toBe('LND has no active channel');
    expect(sends(lnd)).toBe(0);
  });

  it('again right after it became ready', async () => {
    const { lnd, node } = await opened(order);
    lnd.on('GET /v1/state', { body: { state: 'RPC_ACTIVE' } }, { body: { state: 'SERVER_ACTIVE' } });
    lnd.on(SEND, replayed(SUCCESS));
    await expect(node.pay(order)).rejects.toThrow(NodeUnavailable);
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
  });
});

it('the preimages of recordings are those of their hashes', () => {
  expect(hash('sha256', Buffer.from(PREIMAGE, 'hex'), 'hex')).toBe(orderOf(SUCCESS).paymentHash);
});
