import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { ConnectionLost } from '../../../devnet/fake/fake-node.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { eventsOf, isSettled, orderFor, reportedOutcomes, watchSome } from './support/orders.ts';

describe('events', () => {
  it('can be repeated, each time with its own position', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    net.nextEvent('duplicate');
    await node.pay(orderFor(net));
    await node.pay(orderFor(net));
    const [first, again, other] = eventsOf(net);
    expect(again).toEqual({ ...first, position: '2-2' });
    expect(other).toMatchObject({ position: '3-3' });
    expect(other).not.toMatchObject({ paymentId: (first as { paymentId: string }).paymentId });
  });

  it('can arrive after the next one, or late when none follows', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ time });
    const node = net.connect();
    const order = (paymentId: string) => node.pay(orderFor(net, { paymentId }));
    const ids = () => eventsOf(net).map((event) => event.type === 'payment' && event.paymentId);
    net.nextEvent('overtaken');
    await order('a');
    expect(ids()).toEqual([]);
    await order('b');
    expect(ids()).toEqual(['b', 'a']);
    net.nextEvent('overtaken');
    await order('c');
    time.advance(1_000);
    expect(ids()).toEqual(['b', 'a', 'c']);
  });

  it('S9: can be repeated a hundred times', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    await node.pay(orderFor(net));
    const [{ position: _, ...event }] = eventsOf(net) as [ReturnType<typeof eventsOf>[number]];
    for (let i = 0; i < 99; i++) net.tell(event as Parameters<typeof net.tell>[0]);
    expect((await watchSome(node, 100)).at(-1)).toEqual({ ...event, position: '100-100' });
  });

  it('arrive twice and out of order at random, but none is lost', async () => {
    const net = new FakeNetwork({ seed: 'events', rates: { duplicate: 0.3, reorder: 0.3 } });
    const node = net.connect();
    const ids = Array.from({ length: 50 }, (_, i) => `p${i}`);
    for (const paymentId of ids) await node.pay(orderFor(net, { paymentId }));
    await isSettled(Promise.resolve());
    const seen = eventsOf(net).map((event) => (event.type === 'payment' ? event.paymentId : ''));
    expect(new Set(seen)).toEqual(new Set(ids));
    expect(seen.length).toBeGreaterThan(ids.length);
    expect(ids.map((id) => seen.indexOf(id))).not.toEqual(ids.map((id) => seen.indexOf(id)).sort((a, b) => a - b));
  });
});

describe('the node', () => {
  it('S10: is unavailable until a slow start is complete', async () => {
    const net = new FakeNetwork();
    net.down();
    const node = net.connect();
    await expect(node.info()).rejects.toThrow(NodeUnavailable);
    net.up();
    expect(await node.info()).toMatchObject({ network: 'regtest' });
  });

  it('ends every watch when it restarts, and each watch resumes from its position', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    await node.pay(orderFor(net));
    const watching = watchSome(node, 2).catch((error) => error);
    await isSettled(watching);
    net.restart();
    expect(await watching).toBeInstanceOf(ConnectionLost);
    await node.pay(orderFor(net));
    expect(await watchSome(node, 1, '1-1')).toMatchObject([{ position: '2-2' }]);
  });

  it('ends watches at random, and none of them skips an event', async () => {
    const net = new FakeNetwork({ rates: { breakWatch: 0.5 } });
    const node = net.connect();
    for (let i = 0; i < 20; i++) await node.pay(orderFor(net));
    let [seen, breaks] = [0, 0];
    let position: string | undefined;
    while (seen < 20) {
      try {
        for await (const event of node.watch(position, AbortSignal.timeout(30_000))) {
          seen += 1;
          expect(event.position).toBe(`${seen}-${seen}`);
          position = event.position;
          if (seen === 20) break;
        }
      } catch (error) {
        expect(error).toBeInstanceOf(ConnectionLost);
        breaks++;
      }
    }
    expect(breaks).toBeGreaterThan(3);
  });

  it('loses later payments when it is restored from an older backup, while the outside nodes keep them', async () => {
    const net = new FakeNetwork();
    const node = net.connect();
    await node.pay(orderFor(net));
    const backup = net.backup();
    const later = orderFor(net);
    await node.pay(later);
    const before = await node.balance();
    net.restore(backup);
    expect(eventsOf(net)).toHaveLength(1);
    expect(await node.knowsPosition('1-1')).toBe(true);
    expect(await node.knowsPosition('2-2')).toBe(false);
    net.tell({ type: 'payment', paymentId: 'another', outcome: { state: 'failed', reason: 'NO_ROUTE' } });
    expect(eventsOf(net).at(-1)?.position).toBe('2-3');
    net.restore(backup);
    expect(await node.lookupPayment(later)).toBeUndefined();
    expect(await node.balance()).toEqual(before);
    // The receiver already has the money, so it cannot leave twice. The node now reports a failure.
    expect(await node.pay(later)).toEqual({ state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
    expect(net.outside.payments()).toHaveLength(2);
    expect(await node.balance()).toEqual(before);
  });
});

describe('a service', () => {
  it('receives and decides nothing after it is killed, and leaves the node unchanged', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ time });
    const dead = net.connect();
    const decision = Promise.withResolvers<'claim'>();
    dead.guardIncoming(() => decision.promise);
    const { paymentRequest, paymentHash } = await nodeInvoice(dead, { amountMsat: msat(5_000), description: '', expirySeconds: 600 });
    const incoming = net.outside.pay({ paymentRequest });
    const order = orderFor(net);
    net.next('pay', { hang: true });
    const paying = dead.pay(order);
    const watching = watchSome(dead, 2);
    await isSettled(watching);
    dead.kill();
    decision.resolve('claim');
    expect(await incoming).toMatchObject({ state: 'pending' });
    await isSettled(decision.promise);
    expect(await net.connect().lookupInvoice(paymentHash)).toEqual({ state: 'open' });
    net.restart();
    expect(await isSettled(Promise.race([paying, watching, dead.info()]))).toBe(false);

    const next = net.connect();
    expect(await next.pay(order)).toMatchObject({ state: 'succeeded' });
    next.guardIncoming(async () => 'claim');
    expect(await watchSome(next, 2)).toMatchObject([{ type: 'payment' }, { type: 'settlement' }]);
  });

  it('shares the node with others: one payment per id, every event for all, and the first decision of a guard counts', async () => {
    const net = new FakeNetwork();
    const [one, other] = [net.connect(), net.connect()];
    const order = orderFor(net);
    const outcomes = await Promise.all([one.pay(order), other.pay(order)]);
    expect(outcomes[0]).toEqual(outcomes[1]);
    expect(reportedOutcomes(net)).toEqual(['succeeded']);
    expect(await watchSome(one, 1)).toEqual(await watchSome(other, 1));

    const slow = Promise.withResolvers<'refuse'>();
    one.guardIncoming(() => slow.promise);
    other.guardIncoming(async () => 'claim');
    const { paymentRequest, paymentHash } = await nodeInvoice(one, { amountMsat: msat(5_000), description: '', expirySeconds: 600 });
    expect(await net.outside.pay({ paymentRequest })).toMatchObject({ state: 'succeeded' });
    slow.resolve('refuse');
    await isSettled(slow.promise);
    expect(net.outside.payments().at(-1)).toMatchObject({ state: 'succeeded' });
    expect(await one.lookupInvoice(paymentHash)).toMatchObject({ state: 'settled' });
  });
});
