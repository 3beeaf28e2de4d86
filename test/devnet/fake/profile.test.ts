import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { parseFakeUrl } from '../../../devnet/fake/fake-url.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { orderFor } from './support/orders.ts';

describe.each(['lnd', 'cln'] as const)('a fake node that behaves like %s', (behaves) => {
  it('reports what it supports', async () => {
    const { software, capabilities } = await new FakeNetwork({ behaves }).connect().info();
    expect(software).toContain(behaves === 'lnd' ? 'LND' : 'Core Lightning');
    expect(capabilities.guards).toBe(behaves === 'lnd' ? 'keysends' : 'none');
  });

  it('hints at the end of a payment instead of reporting it', async () => {
    const net = new FakeNetwork({ behaves });
    const node = net.connect();
    const abort = new AbortController();
    const hashes: string[] = [];
    const watching = (async () => {
      for await (const hash of node.watchPayments?.(abort.signal) ?? []) hashes.push(hash);
    })();
    const order = orderFor(net);
    await node.pay(order);
    await expect.poll(() => hashes).toEqual([order.paymentHash]);
    expect(Object.values(net.state().events)).toEqual([]);
    abort.abort();
    await watching;
  });

  it('claims a payment of an invoice without the guard', async () => {
    const net = new FakeNetwork({ behaves });
    const node = net.connect();
    node.guardIncoming(async () => 'refuse');
    const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(5_000), description: '', expirySeconds: 60 });
    expect(await net.outside.pay({ paymentRequest })).toMatchObject({ state: 'succeeded' });
  });

  it('reports no failure for some time after an unclear request', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ behaves, time });
    const node = net.connect();
    const order = { ...orderFor(net), unclearSinceMs: time.nowMs() };
    net.nextPayment({ fail: 'NO_ROUTE' });
    expect(await node.pay(order)).toEqual({ state: 'pending' });
    expect(await node.lookupPayment(order)).toEqual({ state: 'pending' });
    time.advance(60_000);
    expect(await node.lookupPayment(order)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
  });

  it(`${behaves === 'lnd' ? 'forgets' : 'keeps'} the record of a failed payment when its hash is paid again`, async () => {
    const net = new FakeNetwork({ behaves });
    const node = net.connect();
    const first = { ...orderFor(net), paymentId: 'first' };
    net.nextPayment({ fail: 'NO_ROUTE' });
    await node.pay(first);
    expect(await node.pay({ ...first, paymentId: 'second' })).toMatchObject({ state: 'succeeded' });
    const record = await node.lookupPayment(first);
    expect(record?.state).toBe(behaves === 'lnd' ? undefined : 'failed');
  });

  it('is selected by the URL of the node', () => {
    expect(parseFakeUrl(`fake:?behaves=${behaves}`)).toMatchObject({ behaves });
  });
});

it('executes a request later whose response was lost', async () => {
  const time = new SteppedTime();
  const net = new FakeNetwork({ time });
  const node = net.connect();
  const order = orderFor(net);
  net.next('pay', { executeAfterMs: 5_000 });
  await expect(node.pay(order)).rejects.toThrow('broke');
  expect(await node.lookupPayment(order)).toBeUndefined();
  time.advance(5_000);
  expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded' });
});

it('rejects a URL with an unknown program', () => {
  expect(() => parseFakeUrl('fake:?behaves=eclair')).toThrow('ideal, lnd, cln');
});
