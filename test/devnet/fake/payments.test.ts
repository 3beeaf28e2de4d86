import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { readScript } from '../../../devnet/fake/script.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../../src/core/lightning/payment-hash.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { type OrderOptions, orderFor, reportedOutcomes } from './support/orders.ts';

const NO_ROUTE = { state: 'failed', reason: 'NO_ROUTE' };

function steppedNetwork() {
  const time = new SteppedTime();
  const net = new FakeNetwork({ time });
  return { time, net, node: net.connect() };
}

describe('a payment', () => {
  it('fails for the scripted reason, and no money leaves', async () => {
    const { net, node } = steppedNetwork();
    const before = await node.balance();
    const order = orderFor(net, { script: { fail: 'TIMEOUT' } });
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'TIMEOUT' });
    expect(await node.balance()).toEqual(before);
    expect(net.outside.payments()).toEqual([]);
  });

  it.each([
    [{ script: { delayMs: 1_000 } }, 'succeeded'],
    [{ script: { delayMs: 1_000, fail: 'ERROR' } }, 'failed'],
  ] as [OrderOptions, string][])('is pending until a slow payment ends: %j', async (options, state) => {
    const { time, net, node } = steppedNetwork();
    const order = orderFor(net, options);
    expect(await node.pay(order)).toEqual({ state: 'pending' });
    time.advance(999);
    expect(reportedOutcomes(net)).toEqual([]);
    time.advance(1);
    expect(reportedOutcomes(net)).toEqual([state]);
    expect(await node.pay(order)).toMatchObject({ state });
  });

  it('S7: can succeed after a reported failure, when the money is gone and the receiver has it', async () => {
    const { time, net, node } = steppedNetwork();
    const before = await node.balance();
    const order = orderFor(net, { script: { lateSuccessMs: 1_000 } });
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'TIMEOUT' });
    expect(await node.balance()).toEqual(before);
    time.advance(1_000);
    expect(reportedOutcomes(net)).toEqual(['failed', 'succeeded']);
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded' });
    expect(before.localMsat - (await node.balance()).localMsat).toBe(10_000);
    expect(net.outside.payments()).toMatchObject([{ direction: 'received', state: 'succeeded' }]);
  });

  it('S3: reports an older attempt’s failure again under the old id when a new attempt begins', async () => {
    const { net, node } = steppedNetwork();
    net.nextPayment({ fail: 'NO_ROUTE' });
    const first = orderFor(net, { paymentId: 'old' });
    await node.pay(first);
    net.rates = { ...net.rates, stale: 1 };
    await node.pay({ ...first, paymentId: 'new' });
    expect(reportedOutcomes(net, 'old')).toEqual(['failed', 'failed']);
    expect(reportedOutcomes(net, 'new')).toEqual(['succeeded']);
  });

  it('is accepted once for a hash whose late success is pending, whichever attempt is first', async () => {
    const { time, net, node } = steppedNetwork();
    const first = orderFor(net, { script: { lateSuccessMs: 1_000 } });
    await node.pay(first);
    net.nextPayment({ delayMs: 2_000 });
    await node.pay({ ...first, paymentId: 'second' });
    time.advance(2_000);
    expect(await node.lookupPayment(first)).toMatchObject({ state: 'succeeded' });
    expect(await node.lookupPayment({ paymentId: 'second', paymentHash: '00'.repeat(32) })).toEqual({
      state: 'failed',
      reason: 'INCORRECT_PAYMENT_DETAILS',
    });
    expect(net.outside.payments()).toHaveLength(1);
  });

  it('is not sent under another id when its hash is pending, or was paid as a keysend', async () => {
    const { time, net, node } = steppedNetwork();
    const slow = orderFor(net, { script: { delayMs: 1_000 } });
    await node.pay(slow);
    expect(await node.pay({ ...slow, paymentId: 'impatient' })).toEqual({ state: 'failed', reason: 'ERROR' });
    time.advance(1_000);
    const { nodes } = await net.control.describe();
    const preimage = '11'.repeat(32);
    const order = { destination: nodes[1]?.pubkey as string, preimage, paymentHash: paymentHashOf(preimage), customRecords: {} };
    const amounts = { amountMsat: msat(500), marker: '00', feeLimitMsat: msat(0) };
    expect(await node.keysend({ paymentId: 'first', ...order, ...amounts })).toMatchObject({ state: 'succeeded' });
    const before = await node.balance();
    const again = { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' };
    expect(await node.keysend({ paymentId: 'again', ...order, ...amounts })).toEqual(again);
    // The same holds after the node was restored from an older and then a newer backup.
    const [newer, older] = [net.backup(), new FakeNetwork().backup()];
    net.restore(older);
    net.restore(newer);
    expect(await node.keysend({ paymentId: 'once more', ...order, ...amounts })).toEqual(again);
    expect(await node.balance()).toEqual(before);
  });

  it('S4: any payment can be held and resolved, a keysend too', async () => {
    const { net, node } = steppedNetwork();
    const order = orderFor(net, { at: 'carol', feeLimitMsat: 2_000 });
    net.nextPayment({ hold: true });
    expect(await node.pay(order)).toEqual({ state: 'pending' });
    net.outside.resolveHold(order.paymentHash, 'settle');
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded', feeMsat: 1_001 });
  });
});

describe('the fee', () => {
  it.each([
    ['a route that costs as much as the amount (F2)', { script: { fee: 'double' }, feeLimitMsat: 9_999 }, NO_ROUTE],
    ['one above the limit', { script: { fee: 501 }, feeLimitMsat: 500 }, NO_ROUTE],
    ['exactly the limit', { script: { fee: 'limit' }, feeLimitMsat: 500 }, { state: 'succeeded', feeMsat: 500 }],
    ['below the limit', { script: { fee: 1 }, feeLimitMsat: 500 }, { state: 'succeeded', feeMsat: 1 }],
    ['carol with a limit of zero (F3)', { at: 'carol', feeLimitMsat: 0 }, NO_ROUTE],
    ['a node that ignores the limit', { script: { fee: 501, ignoresFeeLimit: true }, feeLimitMsat: 500 }, { feeMsat: 501 }],
  ] as [string, OrderOptions, object][])('%s', async (_, options, expected) => {
    const { net, node } = steppedNetwork();
    const before = await node.balance();
    const outcome = await node.pay(orderFor(net, options));
    expect(outcome).toMatchObject(expected);
    const cost = outcome.state === 'succeeded' ? 10_000 + outcome.feeMsat : 0;
    expect(before.localMsat - (await node.balance()).localMsat).toBe(cost);
  });
});

describe('the instructions in a memo', () => {
  it.each([
    ['two cups of tea', {}],
    ['fail=TIMEOUT', { fail: 'TIMEOUT' }],
    ['fail', { fail: 'NO_ROUTE' }],
    ['fail=nonsense', { fail: 'NO_ROUTE' }],
    ['tea delay=1.5 fee=1500', { delayMs: 1_500, fee: 1_500 }],
    ['delay=soon', { delayMs: 0 }],
    ['hold', { hold: true }],
    ['hang', { hold: true, call: { hang: true } }],
    ['fee=double', { fee: 'double' }],
    ['fee=limit', { fee: 'limit' }],
    ['fee=above', { fee: 'double', ignoresFeeLimit: true }],
    ['fee=-1', {}],
    ['late-success', { lateSuccessMs: 5_000 }],
    ['late-success=1', { lateSuccessMs: 1_000 }],
    ['lose-answer', { call: { lose: 'answer' } }],
    ['lose-call', { call: { lose: 'call' } }],
    ['unavailable', { call: { unavailable: true } }],
  ])('%s', (memo, script) => {
    expect(readScript(memo)).toEqual(script);
  });

  it('decide only the first call, so that a second one finds the real outcome', async () => {
    const { net, node } = steppedNetwork();
    for (const memo of ['lose-answer', 'lose-call', 'unavailable']) {
      const order = orderFor(net, { memo });
      await expect(node.pay(order)).rejects.toThrow();
      expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
    }
  });
});

it('finds no route for an invoice of an unknown node, or of our own', async () => {
  const { net, node } = steppedNetwork();
  const stranger = new FakeNetwork({ seed: 'elsewhere' });
  const order = { ...orderFor(stranger), paymentId: 'to a stranger' };
  expect(await node.pay(order)).toEqual(NO_ROUTE);
  const own = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
  expect(await node.pay({ paymentId: 'to ourselves', ...own, amountMsat: msat(5_000), marker: '00', feeLimitMsat: msat(0) })).toEqual(
    NO_ROUTE,
  );
  expect(net.outside.payments()).toEqual([]);
});
