import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { ConnectionLost } from '../../../devnet/fake/fake-node.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { isSettled, orderFor, reportedOutcomes } from './support/orders.ts';

const succeeded = { state: 'succeeded' };

describe('a call', () => {
  it('takes effect when its response is lost, and not when the call itself is lost, with the same error for both', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    const [done, undone] = [orderFor(net), orderFor(net)];
    net.next('pay', { lose: 'answer' });
    net.next('pay', { lose: 'call' });
    const errors = [await node.pay(done).catch((error) => error), await node.pay(undone).catch((error) => error)];
    expect(errors[0]).toBeInstanceOf(ConnectionLost);
    expect(errors[0]).not.toBeInstanceOf(NodeUnavailable);
    expect(errors[1]).toEqual(errors[0]);
    expect(await node.lookupPayment(done)).toMatchObject(succeeded);
    expect(await node.lookupPayment(undone)).toBeUndefined();
    expect(net.outside.payments()).toHaveLength(1);
    expect(await node.pay(undone)).toMatchObject(succeeded);
  });

  it('to an unavailable node does nothing, and throws NodeUnavailable', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    const order = orderFor(net);
    net.next('pay', { unavailable: true });
    await expect(node.pay(order)).rejects.toThrow(NodeUnavailable);
    expect(await node.lookupPayment(order)).toBeUndefined();
  });

  it('with a delay reaches the node only after it', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ time });
    const node = net.connect();
    const order = orderFor(net);
    net.next('pay', { delayMs: 500 });
    const paying = node.pay(order);
    time.advance(499);
    expect(await isSettled(paying)).toBe(false);
    expect(await node.lookupPayment(order)).toBeUndefined();
    time.advance(1);
    expect(await paying).toMatchObject(succeeded);
  });

  it('has an unknown outcome when the node stops before it ends', async () => {
    const net = new FakeNetwork({ time: new SteppedTime() });
    const node = net.connect();
    const [late, hanging] = [orderFor(net), orderFor(net)];
    net.next('pay', { delayMs: 500 });
    net.next('pay', { hang: true });
    const errors = [late, hanging].map((order) => node.pay(order).catch((error) => error));
    net.restart();
    for (const error of await Promise.all(errors)) expect(error).toBeInstanceOf(ConnectionLost);
    expect(await node.lookupPayment(late)).toBeUndefined();
    expect(await node.lookupPayment(hanging)).toMatchObject(succeeded);
  });

  it('can return a false result, which changes nothing', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    const truth = await node.balance();
    net.next('balance', { instead: { localMsat: msat(0) } });
    expect(await node.balance()).toEqual({ localMsat: 0 });
    expect(await node.balance()).toEqual(truth);
  });

  it('fails on every attempt until a permanent fault is removed', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    net.always('createInvoice', { unavailable: true });
    const wanted = { description: '', expirySeconds: 60 };
    for (let i = 0; i < 3; i++) await expect(nodeInvoice(node, wanted)).rejects.toThrow(NodeUnavailable);
    net.always('createInvoice', undefined);
    expect((await nodeInvoice(node, wanted)).paymentRequest).toMatch(/^lnbcrt1/);
  });
});

describe('random faults', () => {
  it.each([
    ['loseAnswer', ConnectionLost, ['succeeded']],
    ['loseCall', ConnectionLost, []],
    ['unavailable', NodeUnavailable, []],
  ] as const)('%s at rate 1 happens every time, and at rate 0 never', async (rate, error, expected) => {
    const net = new FakeNetwork({ rates: { [rate]: 1 } });
    const node = net.connect();
    await expect(node.pay(orderFor(net))).rejects.toThrow(error);
    expect(reportedOutcomes(net)).toEqual(expected);
    net.rates = { ...net.rates, [rate]: 0 };
    expect(await node.pay(orderFor(net))).toMatchObject(succeeded);
  });

  it('delay calls, slow down or fail payments, and return false results', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ time, rates: { delay: 1 } });
    const node = net.connect();
    const late = node.pay(orderFor(net));
    expect(await isSettled(late)).toBe(false);
    time.advance(500);
    expect(await late).toMatchObject(succeeded);

    net.rates = { ...net.rates, delay: 0, slow: 1 };
    const slow = orderFor(net);
    expect(await node.pay(slow)).toEqual({ state: 'pending' });
    time.advance(10_000);
    expect(await node.lookupPayment(slow)).toMatchObject(succeeded);

    net.rates = { ...net.rates, slow: 0, fail: 1 };
    expect(await node.pay(orderFor(net))).toEqual({ state: 'failed', reason: 'NO_ROUTE' });

    net.rates = { ...net.rates, fail: 0, lateSuccess: 1 };
    const lie = orderFor(net);
    expect(await node.pay(lie)).toMatchObject({ state: 'failed' });
    time.advance(5_000);
    expect(reportedOutcomes(net, lie.paymentId)).toEqual(['failed', 'succeeded']);
  });

  it('use no random number for a call without faults, so scripts do not change the results of the seed', async () => {
    const net = new FakeNetwork();
    await net.connect().pay(orderFor(net));
    expect(Object.keys(net.state().counters)).toEqual(['preimages', 'events written']);
  });
});
