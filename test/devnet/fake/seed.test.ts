import { describe, expect, it } from 'vitest';
import { FakeNetwork } from '../../../devnet/fake/fake.ts';
import { faultsAt } from '../../../devnet/fake/faults.ts';
import { SteppedTime } from '../../../devnet/fake/time.ts';
import { isSettled, orderFor } from './support/orders.ts';

/** Runs the same operations on a network and returns all visible results. */
async function history(seed: string): Promise<string[]> {
  const time = new SteppedTime(1_700_000_000_000);
  const net = new FakeNetwork({ seed, time, rates: { ...faultsAt(0.2), lateSuccess: 0.1 } });
  const node = net.connect();
  node.guardIncoming(async () => 'claim');
  const seen: string[] = [];
  const see = async (what: Promise<unknown>): Promise<void> => {
    const text = what.then(JSON.stringify, String);
    for (let tries = 0; tries < 3 && !(await isSettled(text)); tries++) time.advance(1_000);
    seen.push((await isSettled(text)) ? await text : 'nothing');
  };
  for (let i = 0; i < 40; i++) {
    await see(node.pay(orderFor(net, { paymentId: `p${i}`, at: i % 2 ? 'alice' : 'carol', feeLimitMsat: 2_000 })));
    const preimage = i.toString(16).padStart(64, '0');
    await see(node.createInvoice({ preimage, description: `${i}`, expirySeconds: 600 }));
    await see(net.outside.keysend({ amountMsat: 1_000 + i }));
    await see(node.lookupPayment({ paymentId: `p${i}`, paymentHash: '00'.repeat(32) }));
  }
  time.advance(60_000);
  return [...seen, JSON.stringify(net.state())];
}

describe('the seed', () => {
  it('determines the history: the same seed repeats it, and another one changes it', async () => {
    const [first, again, other] = [await history('7'), await history('7'), await history('8')];
    expect(again).toEqual(first);
    expect(other).not.toEqual(first);
    // The histories are worth comparing: they contain responses, losses, rejections and late ends.
    const all = first.join('\n');
    for (const word of ['succeeded', 'NO_ROUTE', 'ConnectionLost', 'NodeUnavailable', 'pending', 'lnbcrt']) expect(all).toContain(word);
  });

  it('gives every network its own keys', async () => {
    const keys = await Promise.all(['1', '2'].map((seed) => new FakeNetwork({ seed }).connect().info()));
    expect(keys[0]?.pubkey).not.toBe(keys[1]?.pubkey);
    expect(await new FakeNetwork({ seed: 1 }).connect().info()).toEqual(keys[0]);
  });
});

describe('the state', () => {
  it('is plain data from which another network continues', async () => {
    const time = new SteppedTime();
    const net = new FakeNetwork({ seed: 's', time });
    const order = orderFor(net, { script: { delayMs: 5_000 } });
    await net.connect().pay(order);
    time.advance(2_000);
    const laterTime = new SteppedTime(time.nowMs());
    const later = new FakeNetwork({ seed: 's', time: laterTime, state: JSON.parse(JSON.stringify(net.state())) });
    const node = later.connect();
    expect(await node.lookupPayment(order)).toEqual({ state: 'pending' });
    laterTime.advance(3_000);
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded' });
    // Counters continue as well, so no preimage is ever made twice.
    expect(later.outside.invoice().paymentHash).not.toBe(order.paymentHash);
  });
});
