import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { eventsOf, isSettled } from './support/orders.ts';

function guardedNetwork() {
  const time = new SteppedTime();
  const net = new FakeNetwork({ time });
  const node = net.connect();
  node.guardIncoming(async () => 'claim');
  const invoice = (amountMsat?: number) =>
    nodeInvoice(node, { ...(amountMsat && { amountMsat: msat(amountMsat) }), description: '', expirySeconds: 600 });
  return { time, net, node, invoice };
}

describe('an outside payment', () => {
  it('I4: credits nothing when only a part arrives, and returns it after a minute', async () => {
    const { time, net, node, invoice } = guardedNetwork();
    const { paymentRequest, paymentHash } = await invoice(10_000);
    const before = await node.balance();
    const paying = net.outside.pay({ paymentRequest, partial: true });
    expect(await isSettled(paying)).toBe(false);
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
    time.advance(60_000);
    expect(await paying).toMatchObject({ state: 'failed' });
    expect(await node.balance()).toEqual(before);
    expect(eventsOf(net)).toEqual([]);
    expect(await net.outside.pay({ paymentRequest })).toMatchObject({ state: 'succeeded' });
  });

  it.each([
    [undefined, 1, 'succeeded'],
    [undefined, 999_999, 'succeeded'],
    [10_000, 9_999, 'failed'],
    [10_000, 20_000, 'succeeded'],
    [10_000, 20_001, 'failed'],
  ])('I4: to an invoice over %s msat of which %i msat arrive: %s', async (stated, arrivesMsat, state) => {
    const { net, node, invoice } = guardedNetwork();
    const { paymentRequest, paymentHash } = await invoice(stated);
    const before = await node.balance();
    const amount = stated === undefined ? { amountMsat: 10_000 } : {};
    expect(await net.outside.pay({ paymentRequest, ...amount, arrivesMsat })).toMatchObject({ state });
    const credited = (await node.balance()).localMsat - before.localMsat;
    expect(credited).toBe(state === 'succeeded' ? arrivesMsat : 0);
    expect(eventsOf(net).map((event) => event.type === 'settlement' && [event.paymentHash, event.amountMsat])).toEqual(
      state === 'succeeded' ? [[paymentHash, arrivesMsat]] : [],
    );
  });

  it('R4: is accepted while it is being claimed, and then settled, too late to cancel', async () => {
    const { time, net, node, invoice } = guardedNetwork();
    const { paymentRequest, paymentHash } = await invoice(10_000);
    const paying = net.outside.pay({ paymentRequest, claimDelayMs: 1_000 });
    expect(await isSettled(paying)).toBe(false);
    expect(await node.cancelInvoice(paymentHash)).toBe('accepted');
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'accepted' });
    time.advance(1_000);
    expect(await paying).toMatchObject({ state: 'succeeded' });
    expect(await node.cancelInvoice(paymentHash)).toBe('settled');
  });

  it.each([
    ['arrives=20000', 'settled'],
    ['arrives=1', 'open'],
    ['claim-delay=1', 'accepted'],
    ['partial', 'open'],
    ['arrives=much claim-delay=soon coffee', 'settled'],
  ])('follows the instructions in our own memo: %s', async (description, state) => {
    const { net, node } = guardedNetwork();
    const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(10_000), description, expirySeconds: 600 });
    await isSettled(net.outside.pay({ paymentRequest }));
    expect(await node.lookupInvoice(paymentHash)).toMatchObject({ state });
  });

  it('returns from an expired invoice, and a careful payer does not send it', async () => {
    const { time, net, invoice } = guardedNetwork();
    const { paymentRequest } = await invoice(10_000);
    time.advance(601_000);
    await expect(net.outside.pay({ paymentRequest })).rejects.toThrow('expired');
  });

  it('without a guard is returned as pending, and waits', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(5), description: '', expirySeconds: 60 });
    expect(await net.outside.pay({ paymentRequest })).toMatchObject({ state: 'pending' });
    node.guardIncoming(async () => 'claim');
    await isSettled(Promise.resolve());
    expect(net.outside.payments()).toMatchObject([{ state: 'succeeded' }]);
  });

  it('by a second payer fails because the invoice is taken', async () => {
    const { net, invoice } = guardedNetwork();
    const { paymentRequest } = await invoice(10_000);
    expect(await net.outside.pay({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    expect(await net.outside.pay({ paymentRequest, from: 'carol' })).toMatchObject({ state: 'failed' });
    expect(eventsOf(net)).toHaveLength(1);
  });
});
