import { describe, expect, it } from 'vitest';
import { LND_TIMING } from '../../../src/core/lightning/lnd/context.ts';
import { LND_ERRORS } from '../../../src/core/lightning/lnd/errors.ts';
import { idRecords } from '../../../src/core/lightning/lnd/payment-record.ts';
import { NodeUnavailable, type PaymentOrder } from '../../../src/core/lightning/node.ts';
import {
  KEYSEND,
  keysendOf,
  NO_RECORD,
  NO_ROUTE,
  orderOf,
  PREIMAGE,
  payingRequests,
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

const opened = scriptedPayments();
const replaying = replayedOrders(opened);
const now = () => Date.now();

describe('the first request to send a payment', () => {
  const { firstRequestMs, graceMs } = LND_TIMING;
  const recent = () => orderOf(SUCCESS, { firstRequestAtMs: now() });

  it('is sent without reading the record, shortly after the payment was stored', async () => {
    const { order, lnd, node } = await replaying(SUCCESS, { firstRequestAtMs: now() });
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded', preimage: PREIMAGE });
    expect(payingRequests(lnd)).toEqual([SEND]);
  });

  it('is sent without reading the record for a keysend, too', async () => {
    const order = keysendOf(KEYSEND, { firstRequestAtMs: now() });
    const { lnd, node } = await opened(order);
    lnd.on(SEND, replayed(KEYSEND));
    expect(await node.keysend(order)).toMatchObject({ state: 'succeeded', preimage: order.preimage });
    expect(payingRequests(lnd)).toEqual([SEND]);
  });

  const others: [string, () => Partial<PaymentOrder>][] = [
    ['it is late', () => ({ firstRequestAtMs: now() - firstRequestMs })],
    ['the clock was set back', () => ({ firstRequestAtMs: now() + 60_000 })],
    ['an earlier one is unclear', () => ({ firstRequestAtMs: now(), unclearSinceMs: now() })],
    ['it is another one', () => ({})],
  ];
  it.each(others)('is sent after reading the record if %s', async (_, changes) => {
    const { order, lnd, node } = await replaying(SUCCESS, changes());
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    expect(payingRequests(lnd)).toEqual([trackOf(order), SEND]);
  });

  it('is not sent by a process that was frozen while another instance sent the payment, saw it fail and returned the money', async () => {
    const order = orderOf(NO_ROUTE, { firstRequestAtMs: now() - graceMs });
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, order.paymentId));
    lnd.on(SEND, replayed(NO_ROUTE));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    expect(sends(lnd)).toBe(0);
  });

  it('is not sent by a process that was frozen while it read whether LND can send', async () => {
    const order = orderOf(NO_ROUTE, { firstRequestAtMs: now() });
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, order.paymentId), { timing: { firstRequestMs: 200 } });
    const { response } = recording('11-balances', 'GetInfo');
    lnd.on('GET /v1/getinfo', () => new Promise((resolve) => setTimeout(resolve, 250, response)));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    expect(sends(lnd)).toBe(0);
  });

  it('may omit the record only for a small part of the time after which another instance books a failure', () => {
    expect(firstRequestMs * 50).toBeLessThanOrEqual(graceMs);
  });

  describe.each(LND_ERRORS.filter(([, meaning]) => meaning === 'payment_exists'))('reads the record after "%s"', (message) => {
    const exists = { status: 409, body: { error: { code: 6, message, details: [] } } };

    it.each([-1, 0])('and returns the outcome of the payment, which another instance has sent (state %i)', async (at) => {
      const order = recent();
      const lines = (SUCCESS.response.messages ?? []).slice(at).map((line) => recorded(line, idRecords(order.paymentId)));
      const { lnd, node } = await opened(order, { messages: lines });
      lnd.on(SEND, exists);
      expect(await node.pay(order)).toMatchObject({ state: 'succeeded', preimage: PREIMAGE });
      expect(new Set(payingRequests(lnd))).toEqual(new Set([SEND, trackOf(order)]));
      expect(sends(lnd)).toBe(1);
    });

    it.each([-1, 0])('and fails if another payment of the hash has paid it or is paying it (state %i)', async (at) => {
      const order = recent();
      const { lnd, node } = await opened(order, state(SUCCESS, at, 'another payment'));
      lnd.on(SEND, exists);
      expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'ERROR' });
      expect(sends(lnd)).toBe(1);
    });

    it.each([
      ['none', NO_RECORD],
      ['that of another payment, which has failed', state(NO_ROUTE, -1, 'another payment')],
    ])('and leaves the outcome unknown if there is %s', async (_, track) => {
      const order = recent();
      const { lnd, node } = await opened(order, track);
      lnd.on(SEND, exists);
      await expect(node.pay(order)).rejects.toThrow('LND contradicts itself');
    });
  });

  it('replaces the record of another payment of the hash that has failed', async () => {
    const order = recent();
    const { lnd, node } = await opened(order, state(NO_ROUTE, -1, 'another payment'));
    lnd.on(SEND, replayed(SUCCESS));
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    expect(payingRequests(lnd)).toEqual([SEND]);
  });

  it('is made once by two calls at the same time', async () => {
    const { order, lnd, node } = await replaying(SUCCESS, { firstRequestAtMs: now() });
    const [one, other] = await Promise.all([node.pay(order), node.pay(order)]);
    expect(one).toEqual(other);
    expect(payingRequests(lnd)).toEqual([SEND]);
  });

  it('is not made while LND cannot send', async () => {
    const order = recent();
    const { lnd, node } = await opened(order);
    lnd.on('GET /v1/state', { body: { state: 'RPC_ACTIVE' } });
    await expect(node.pay(order)).rejects.toThrow(NodeUnavailable);
    expect(payingRequests(lnd)).toEqual([]);
  });
});
