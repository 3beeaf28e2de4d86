import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openCln } from '../../../src/core/lightning/cln/cln-node.ts';
import type { PaymentOrder } from '../../../src/core/lightning/node.ts';
import { silentLog as log } from '../../support/ledger.ts';
import { MARKER, ORDER, orderOf, PREIMAGE } from './orders.ts';
import { type Answer, recording, replayOnSocket, type Script } from './replay.ts';

const timing = { waitMs: 60_000, quietMs: 100, heartbeatMs: 1000 };
const NO_ROWS: Answer = { result: { payments: [] } };
const SUCCESS = { state: 'succeeded', preimage: PREIMAGE, feeMsat: 0 };
const PENDING = { state: 'pending' };

async function replayed(script: Script, { waitMs } = timing) {
  const replay = await replayOnSocket(script);
  const node = openCln({ url: replay.url, log, timing: { ...timing, waitMs } });
  const count = (method: string) => replay.calls.filter((call) => call.method === method).length;
  return { replay, node, count };
}

/**
 * Stops the clocks that measure periods. A busy machine must not end one. They stop at whole numbers, so that sums of periods are exact.
 * @returns a function that advances them
 */
function stopClock(): (ms: number) => void {
  let passedMs = 0;
  for (const clock of [performance, Date]) {
    const startMs = Math.ceil(clock.now());
    const spy = vi.spyOn(clock, 'now').mockImplementation(() => startMs + passedMs);
    onTestFinished(() => spy.mockRestore());
  }
  return (ms) => {
    passedMs += ms;
  };
}

/** Returns the rows of a recording with some fields changed, or only some of the rows. */
function rows(name: string, change: object, count?: number): Answer {
  const { result } = JSON.parse(recording(name).response) as { result: { payments: object[] } };
  return { result: { payments: result.payments.slice(0, count).map((row) => ({ ...row, ...change })) } };
}

describe('a payment through Core Lightning', () => {
  it('claims the payment id, calls xpay with the limits of the order and its id and marker as label, and returns what the rows show', async () => {
    const { replay, node } = await replayed({ xpay: 'xpay-held-then-success', listsendpays: [NO_ROWS, 'listsendpays-complete'] });
    expect(await node.pay({ ...ORDER, feeLimitMsat: 77 as never })).toEqual(SUCCESS);
    const methods = replay.calls.map(({ method }) => method);
    expect(methods.indexOf('listsendpays')).toBeLessThan(methods.indexOf('datastore'));
    expect(methods.indexOf('datastore')).toBeLessThan(methods.indexOf('xpay'));
    expect(replay.calls.find(({ method }) => method === 'datastore')?.params).toMatchObject({
      key: ['satchel', 'payment', 'pay_1'],
      mode: 'must-create',
    });
    const { params } = replay.calls.find(({ method }) => method === 'xpay') ?? {};
    expect(params).toEqual({ invstring: ORDER.paymentRequest, maxfee: 77, retry_for: 40, label: `pay_1 ${MARKER}` });
  });

  it('returns the success of an earlier request without another call of xpay', async () => {
    const { node, count } = await replayed({ listsendpays: 'listsendpays-complete' });
    expect(await node.pay(ORDER)).toEqual(SUCCESS);
    expect(await node.lookupPayment(ORDER)).toEqual(SUCCESS);
    expect(count('xpay')).toBe(0);
  });

  it('joins two requests at the same time', async () => {
    const { node, count } = await replayed({ xpay: 'xpay-held-then-success', listsendpays: [NO_ROWS, 'listsendpays-complete'] });
    expect(await Promise.all([node.pay(ORDER), node.pay(ORDER)])).toEqual([SUCCESS, SUCCESS]);
    expect(count('xpay')).toBe(1);
  });

  it('does not take the success of another payment id for its own', async () => {
    const { node, count } = await replayed({ listsendpays: 'listsendpays-complete' });
    expect(await node.pay({ ...ORDER, paymentId: 'pay_2' })).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(count('xpay')).toBe(0);
  });

  it.each<[string, string, string]>([
    ['xpay-fail-expired', '207', 'TIMEOUT'],
    ['xpay-fail-fee0-multihop', '206', 'NO_ROUTE'],
    ['xpay-fail-garbage-invoice', '-32602', 'ERROR'],
    ['xpay-fail-amount-missing', '-32602', 'ERROR'],
    ['xpay-after-restore', '205', 'NO_ROUTE'],
    ['xpay-fail-unknown-at-destination', '203', 'INCORRECT_PAYMENT_DETAILS'],
    ['xpay-fail-temporary-failure-retry', '209', 'NO_ROUTE'],
    ['xpay-fail-partial_msat', '209', 'TIMEOUT'],
    ['xpay-already-paid', '219', 'ERROR'],
  ])('%s (%s) fails for good with %s when no row is in flight', async (answer, _code, reason) => {
    const { replay, node, count } = await replayed({ xpay: answer });
    expect(await node.pay(ORDER)).toEqual({ state: 'failed', reason });
    replay.change({ xpay: 'xpay-held-then-success' });
    expect(await node.pay(ORDER)).toEqual({ state: 'failed', reason });
    expect(await node.lookupPayment(ORDER)).toEqual({ state: 'failed', reason });
    expect(count('xpay')).toBe(1);
  });

  it('fails with INSUFFICIENT_BALANCE when the channels have less than the amount', async () => {
    const { node } = await replayed({ xpay: 'xpay-fail-too-big-for-us', listpeerchannels: { result: { channels: [] } } });
    expect(await node.pay(ORDER)).toEqual({ state: 'failed', reason: 'INSUFFICIENT_BALANCE' });
  });

  it.each<[string, Answer]>([
    ['an error without a row in the table', { error: { code: 210, message: 'something new' } }],
    ['-4', { error: { code: -4, message: 'Plugin terminated before replying to RPC call.' } }],
  ])('is pending after %s, and has failed when nothing was in flight for long enough', async (_name, answer) => {
    const pass = stopClock();
    const { node, count } = await replayed({ xpay: answer });
    expect(await node.pay(ORDER)).toEqual(PENDING);
    pass(timing.quietMs - 1);
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    pass(1);
    expect(await node.lookupPayment(ORDER)).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(count('xpay')).toBe(1);
  });

  it('succeeds if a part is in flight after an error without a row in the table', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: { error: { code: 210, message: 'something new' } } });
    expect(await node.pay(ORDER)).toEqual(PENDING);
    pass(timing.quietMs);
    replay.change({ listsendpays: 'listsendpays-pending' });
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    replay.change({ listsendpays: 'listsendpays-complete' });
    expect(await node.lookupPayment(ORDER)).toEqual(SUCCESS);
  });

  it('is unknown after a lost response', async () => {
    const { node } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
  });

  it.each<[string, Answer]>([
    ['an error', 'xpay-fail-unknown-at-destination'],
    ['a success', 'xpay-held-then-success'],
    ['no response', 'lost'],
  ])('is unknown, not unavailable, when the node cannot be reached after %s of xpay', async (_name, answer) => {
    const { replay, node } = await replayed({});
    replay.change({
      xpay: () => {
        replay.change({ listsendpays: 'lost' });
        return answer;
      },
    });
    await expect(node.pay(ORDER)).rejects.toMatchObject({ name: 'ResponseLost' });
  });

  it('is unavailable when the node cannot be reached before the call of xpay', async () => {
    const { node, count } = await replayed({ listsendpays: 'lost' });
    await expect(node.pay(ORDER)).rejects.toMatchObject({ name: 'NodeUnavailable' });
    expect(count('xpay')).toBe(0);
  });

  it('is unavailable, not unknown, when the rune does not permit xpay', async () => {
    const { node } = await replayed({ xpay: { error: { code: 1502, message: 'Not permitted: …' } } });
    await expect(node.pay(ORDER)).rejects.toThrow('the rune is invalid, or does not permit the method xpay');
  });

  it('rejects an order that contradicts its invoice, and pays no text that is not an invoice', async () => {
    const { replay, node } = await replayed({});
    await expect(node.pay({ ...ORDER, paymentHash: '22'.repeat(32) })).rejects.toThrow('another payment hash');
    await expect(node.pay({ ...ORDER, amountMsat: 1 as never })).rejects.toThrow('another amount');
    expect(await node.pay({ ...ORDER, paymentRequest: 'lnbcrt1nonsense' })).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(replay.calls).toEqual([]);
  });

  it('has no record of an id that was never used', async () => {
    const { node } = await replayed({});
    expect(await node.lookupPayment(ORDER)).toBeUndefined();
  });
});

describe('a payment of another program', () => {
  const foreign = { paymentId: 'imported', paymentHash: ORDER.paymentHash, isForeign: true } as const;

  it.each<[string, Answer, object]>([
    ['succeeded', rows('listsendpays-complete', { label: 'of LNbits' }), SUCCESS],
    ['succeeded without a label', rows('listsendpays-complete', { label: undefined }), SUCCESS],
    ['is pending', rows('listsendpays-pending', { payment_hash: ORDER.paymentHash, label: undefined }), PENDING],
  ])('that %s is found by its hash, only if it was imported', async (_, answer, outcome) => {
    const { node, count } = await replayed({ listsendpays: answer });
    expect(await node.lookupPayment(foreign)).toEqual(outcome);
    expect(await node.lookupPayment({ ...foreign, isForeign: undefined })).toBeUndefined();
    expect([count('xpay'), count('datastore')]).toEqual([0, 0]);
  });

  it('has failed when all its parts have failed and nothing was in flight for long enough', async () => {
    const pass = stopClock();
    const { node, count } = await replayed({ listsendpays: rows('listsendpays-complete', { label: undefined, status: 'failed' }) });
    expect(await node.lookupPayment(foreign)).toEqual(PENDING);
    pass(timing.quietMs);
    expect(await node.lookupPayment(foreign)).toMatchObject({ state: 'failed' });
    expect(count('xpay')).toBe(0);
  });

  it('is not known without a row', async () => {
    const { node } = await replayed({});
    expect(await node.lookupPayment(foreign)).toBeUndefined();
  });
});

describe('a payment whose response was lost', () => {
  it('is sent again, because lightningd pays a hash at most once', async () => {
    const { replay, node, count } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    replay.change({ xpay: 'xpay-held-then-success', listsendpays: [NO_ROWS, 'listsendpays-complete'] });
    expect(await node.pay({ ...ORDER, unclearSinceMs: 1 })).toEqual(SUCCESS);
    expect(count('xpay')).toBe(2);
  });

  it('does not fail because the repeated request fails, until nothing was in flight for long enough', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    replay.change({ xpay: 'xpay-fail-fee0-multihop' });
    expect(await node.pay({ ...ORDER, unclearSinceMs: 1 })).toEqual(PENDING);
    pass(timing.quietMs - 1);
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    pass(1);
    expect(await node.lookupPayment(ORDER)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
  });

  it('stays pending while xpay is still looking for a route', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost', listpays: 'listpays-pending' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    for (let tries = 0; tries < 4; tries++) {
      expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
      pass(timing.quietMs);
    }
    replay.change({ listsendpays: 'listsendpays-complete' });
    expect(await node.lookupPayment(ORDER)).toEqual(SUCCESS);
  });

  it('does not fail when another request has begun meanwhile', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost' });
    const other = openCln({ url: replay.url, log, timing });
    await expect(node.pay(ORDER)).rejects.toThrow();
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    pass(timing.quietMs);
    await expect(other.pay(ORDER)).rejects.toThrow();
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
  });

  it('fails after the period also when the service is restarted again and again, and not before', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    const lookUpAfterRestart = () => openCln({ url: replay.url, log, timing }).lookupPayment(ORDER);
    expect(await lookUpAfterRestart()).toEqual(PENDING);
    for (let restart = 0; restart < 3; restart++) {
      pass(timing.quietMs / 4);
      expect(await lookUpAfterRestart()).toEqual(PENDING);
    }
    pass(timing.quietMs / 4);
    expect(await lookUpAfterRestart()).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('begins the period again after something was in flight', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    for (const inFlight of [{ listpays: 'listpays-pending' }, { listsendpays: rows('listsendpays-pending', { label: 'pay_1' }) }]) {
      pass(timing.quietMs);
      replay.change(inFlight);
      expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
      replay.change({ listpays: { result: { pays: [] } }, listsendpays: NO_ROWS });
      expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    }
    pass(timing.quietMs);
    expect(await node.lookupPayment(ORDER)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('does not fail early when the clock of the machine is set forward, and waits again when it is set back', async () => {
    const pass = stopClock();
    const { replay, node } = await replayed({ xpay: 'lost' });
    await expect(node.pay(ORDER)).rejects.toThrow();
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    const now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 10 * timing.quietMs);
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    clock.mockImplementation(() => now - 10 * timing.quietMs);
    const restarted = openCln({ url: replay.url, log, timing });
    expect(await restarted.lookupPayment(ORDER)).toEqual(PENDING);
    clock.mockImplementation(() => now - 9 * timing.quietMs);
    pass(timing.quietMs);
    expect(await restarted.lookupPayment(ORDER)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('of which nothing else is known is pending with an unclear request, also when its claim is new', async () => {
    const { node } = await replayed({ xpay: 'xpay-fail-fee0-multihop' });
    expect(await node.pay({ ...ORDER, unclearSinceMs: 1 })).toEqual(PENDING);
  });
});

describe('what was observed on real nodes', () => {
  it('an error of xpay is not final while another part is in flight', async () => {
    const answer = 'xpay-error-while-part-in-flight';
    const order = orderOf(answer);
    const { node } = await replayed({ xpay: answer, listsendpays: [NO_ROWS, 'listsendpays-after-xpay-error-part-in-flight'] });
    expect(await node.pay(order)).toEqual(PENDING);
  });

  it('a paid invoice that has no route is still paid', async () => {
    const order: PaymentOrder = { ...orderOf('xpay-already-paid-but-no-route'), paymentId: 'g1' };
    const paid = rows('listsendpays-complete', { payment_hash: order.paymentHash, label: 'g1' });
    const { node, count } = await replayed({ xpay: 'xpay-already-paid-but-no-route', listsendpays: paid });
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    expect(count('xpay')).toBe(0);
  });

  it('a row that stays pending without an HTLC is pending, and the evidence proves that it cannot pay', async () => {
    const stuck = rows('listsendpays-stuck-pending-no-htlc', { label: 'kill_d' });
    const order = { ...orderOf('xpay-stuck-pending'), paymentId: 'kill_d' };
    const { replay, node, count } = await replayed({ listsendpays: stuck });
    expect(await node.pay(order)).toEqual(PENDING);
    expect(count('xpay')).toBe(0);
    const evidence = await node.collectEvidence?.(order);
    expect(evidence?.items.filter(({ holds }) => !holds)).toEqual([]);
    expect(evidence?.provesFailure).toBe(true);
    const htlc = { created_index: 1, direction: 'out', payment_hash: order.paymentHash };
    replay.change({ listhtlcs: { result: { htlcs: [{ ...htlc, state: 'SENT_ADD_ACK_REVOCATION' }] } } });
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
    replay.change({ listhtlcs: { result: { htlcs: [{ ...htlc, state: 'RCVD_REMOVE_ACK_REVOCATION' }] } } });
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
  });

  it('no evidence proves a failure while a channel is not reestablished, a part has succeeded, or the part is new', async () => {
    const order = { ...orderOf('xpay-stuck-pending'), paymentId: 'kill_d' };
    const stuck = rows('listsendpays-stuck-pending-no-htlc', { label: 'kill_d' });
    const { replay, node } = await replayed({ listsendpays: stuck });
    const channel = { state: 'CHANNELD_NORMAL', peer_connected: false, short_channel_id: '1x1x1', to_us_msat: 5 };
    replay.change({ listpeerchannels: { result: { channels: [channel] } } });
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
    replay.change({ listpeerchannels: 'listpeerchannels-with-htlc', listsendpays: 'listsendpays-failed-then-complete' });
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
    const young = rows('listsendpays-stuck-pending-no-htlc', { label: 'kill_d', created_at: Math.floor(Date.now() / 1000) });
    replay.change({ listsendpays: young });
    expect((await node.collectEvidence?.(order))?.provesFailure).toBe(false);
  });

  it('a duplicate of a payment in flight returns an error, which means pending', async () => {
    const pending = rows('listsendpays-pending', { label: 'pay_1' });
    const { node } = await replayed({ xpay: 'xpay-duplicate-in-flight', listsendpays: [NO_ROWS, pending] });
    expect(await node.pay(ORDER)).toEqual(PENDING);
  });

  it('-3 without a row yet is pending as well', async () => {
    const { node } = await replayed({ xpay: 'xpay-duplicate-in-flight' });
    expect(await node.pay(ORDER)).toEqual(PENDING);
  });

  it('retry_for does not limit the response, so the wait ends by itself and the payment goes on', async () => {
    const held = Promise.withResolvers<Answer>();
    const { replay, node, count } = await replayed({ xpay: () => held.promise }, { ...timing, waitMs: 50 });
    expect(await node.pay(ORDER)).toEqual(PENDING);
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
    replay.change({ listsendpays: 'listsendpays-complete' });
    held.resolve('xpay-held-then-success');
    expect(await node.pay(ORDER)).toEqual(SUCCESS);
    expect(count('xpay')).toBe(1);
  });

  it('lightningd pays its own invoices, so it is never sent one', async () => {
    const order = { ...orderOf('xpay-fail-self-payment'), paymentId: 'self' };
    const { decodeBolt11 } = await import('../../../src/core/lightning/bolt11/bolt11.ts');
    const { payee } = decodeBolt11(order.paymentRequest);
    const info = { ...(JSON.parse(recording('getinfo').response) as { result: object }).result, id: payee };
    const { node, count } = await replayed({ getinfo: { result: info } });
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(count('xpay')).toBe(0);
  });

  it('listpays returns failed while the rows are pending, so only the rows decide', async () => {
    const { node } = await replayed({ listpays: 'listpays-failed', listsendpays: rows('listsendpays-pending', { label: 'pay_1' }) });
    expect(await node.lookupPayment(ORDER)).toEqual(PENDING);
  });

  it('a failed part followed by a complete one of the same payment has succeeded', async () => {
    const both = rows('listsendpays-failed-then-complete', { label: 'pay_3' });
    const { node } = await replayed({ listsendpays: both });
    const order = orderOf('xpay-held-then-failed');
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded', feeMsat: 0 });
    expect(await node.lookupPayment({ ...order, paymentId: 'pay_3b' })).toBeUndefined();
  });

  it('xpay returns success with its first part, and the fee is final when no row is pending', async () => {
    const first = (JSON.parse(recording('listsendpays-complete').response) as { result: { payments: object[] } }).result.payments[0];
    const late = { ...first, partid: 2, amount_msat: 1000, amount_sent_msat: 1007 };
    const two = (status: string): Answer => ({
      result: { payments: [first, { ...late, status }].filter((row) => row !== undefined) as never },
    });
    const { node } = await replayed({ xpay: 'xpay-held-then-success', listsendpays: [NO_ROWS, two('pending'), two('complete')] });
    expect(await node.pay(ORDER)).toEqual({ ...SUCCESS, feeMsat: 7 });
  });
});
