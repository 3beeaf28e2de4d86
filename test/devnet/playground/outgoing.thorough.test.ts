import { createHash, randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import type { KeysendOrder } from '../../../src/core/lightning/node.ts';
import { findEvent, openTemp, outsideSays, payOutside } from './support/open.ts';

const playground = await openTemp();
const { node, control } = playground;
const { nodes, unreachablePubkey } = await control.describe();

function pubkeyOf(name: string): string {
  return nodes.find((each) => each.name === name)?.pubkey as string;
}

function keysendTo(destination: string, changes: Partial<KeysendOrder> = {}): KeysendOrder {
  const preimage = randomBytes(32);
  return {
    paymentId: crypto.randomUUID(),
    destination,
    amountMsat: msat(3_000),
    marker: '00',
    feeLimitMsat: msat(5_000),
    preimage: preimage.toString('hex'),
    paymentHash: createHash('sha256').update(preimage).digest('hex'),
    customRecords: {},
    ...changes,
  };
}

describe('paying an invoice', () => {
  it('costs nothing at a peer, and returns the preimage as proof', async () => {
    const { order, outcome } = await payOutside(playground, 'alice');
    if (outcome.state !== 'succeeded') throw new Error(outcome.state);
    expect(outcome.feeMsat).toBe(0);
    expect(createHash('sha256').update(Buffer.from(outcome.preimage, 'hex')).digest('hex')).toBe(order.paymentHash);
    expect(await outsideSays(playground, 'alice', 'received', order.paymentHash)).toMatchObject({
      state: 'succeeded',
      amountMsat: 1_000_000,
    });
  });

  it('costs exactly the fee of the peer behind a peer, with exactly that limit', async () => {
    const { outcome } = await payOutside(playground, 'carol', { feeLimitMsat: 1_100 });
    expect(outcome).toMatchObject({ state: 'succeeded', feeMsat: 1_100 });
  });

  it('finds no route when the limit is one millisatoshi too low, or zero', async () => {
    for (const feeLimitMsat of [1_099, 0]) {
      const { order, outcome } = await payOutside(playground, 'carol', { feeLimitMsat });
      expect(outcome).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
      expect(await outsideSays(playground, 'carol', 'received', order.paymentHash)).toBeUndefined();
    }
  });

  it('moves amount and fee out of our balance, to the millisatoshi', async () => {
    const before = await node.balance();
    await payOutside(playground, 'carol', { amountMsat: 777_777, feeLimitMsat: 5_000 });
    const after = await node.balance();
    expect(before.localMsat - after.localMsat).toBe(777_777 + 1_077);
  });

  it('pays the chosen amount where the invoice leaves it open', async () => {
    const invoice = await control.createInvoice({ memo: '', at: 'alice', expirySeconds: 600, hold: false });
    const outcome = await node.pay({
      paymentId: crypto.randomUUID(),
      ...invoice,
      amountMsat: msat(4_321),
      marker: '00',
      feeLimitMsat: msat(0),
    });
    expect(outcome.state).toBe('succeeded');
    expect(await outsideSays(playground, 'alice', 'received', invoice.paymentHash)).toMatchObject({ amountMsat: 4_321 });
  });

  it('never pays an expired invoice, although LDK would', async () => {
    const invoice = await control.createInvoice({ amountMsat: msat(1_000), memo: '', at: 'alice', expirySeconds: 0, hold: false });
    const order = { paymentId: crypto.randomUUID(), ...invoice, amountMsat: msat(1_000), marker: '00', feeLimitMsat: msat(0) };
    // An invoice of zero seconds expires a second later.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'TIMEOUT' });
    expect(await outsideSays(playground, 'alice', 'received', invoice.paymentHash)).toBeUndefined();
  });

  it('returns INSUFFICIENT_BALANCE, not NO_ROUTE, for more than the node has', async () => {
    const { localMsat } = await node.balance();
    const { outcome } = await payOutside(playground, 'alice', { amountMsat: localMsat });
    expect(outcome).toEqual({ state: 'failed', reason: 'INSUFFICIENT_BALANCE' });
  });

  it('fails definitively for an invoice that only LDK cannot read', async () => {
    const order = {
      paymentRequest: 'lnbcrt1nonsense',
      paymentHash: '11'.repeat(32),
      amountMsat: msat(1_000),
      marker: '00',
      feeLimitMsat: msat(0),
    };
    expect(await node.pay({ ...order, paymentId: crypto.randomUUID() })).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it('throws, and keeps running, when hash or amount do not match the invoice', async () => {
    const invoice = await control.createInvoice({ amountMsat: msat(1_000), memo: '', at: 'alice', expirySeconds: 60, hold: false });
    const order = { paymentId: crypto.randomUUID(), ...invoice, amountMsat: msat(1_000), marker: '00', feeLimitMsat: msat(0) };
    await expect(node.pay({ ...order, amountMsat: msat(1_001) })).rejects.toThrow('another amount');
    await expect(node.pay({ ...order, paymentHash: '22'.repeat(32) })).rejects.toThrow('another payment hash');
    await expect(node.pay({ ...order, paymentHash: '22' })).rejects.toThrow('32 bytes');
    await expect(node.pay({ ...order, amountMsat: 1.5 as typeof order.amountMsat })).rejects.toThrow('whole number');
    expect(await node.pay(order)).toMatchObject({ state: 'succeeded' });
  });
});

describe('paying once', () => {
  it('returns the same result for the same payment id, and pays once', async () => {
    const { order, outcome } = await payOutside(playground, 'alice');
    const before = await node.balance();
    expect(await node.pay(order)).toEqual(outcome);
    expect(await Promise.all([node.pay(order), node.pay(order)])).toEqual([outcome, outcome]);
    expect(await node.balance()).toEqual(before);
    expect(await node.lookupPayment(order)).toEqual(outcome);
  });

  it('keeps an id failed, even if it could succeed now', async () => {
    const { order } = await payOutside(playground, 'carol', { feeLimitMsat: 0 });
    expect(await node.pay({ ...order, marker: '00', feeLimitMsat: msat(9_999) })).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
  });

  it('does not pay a hash again under another id', async () => {
    const { order } = await payOutside(playground, 'alice');
    const before = await node.balance();
    expect(await node.pay({ ...order, paymentId: crypto.randomUUID() })).toEqual({ state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
    expect(await node.balance()).toEqual(before);
  });

  it('does not send a hash twice while it is in flight', async () => {
    const { order, outcome } = await payOutside(playground, 'alice', { hold: true });
    expect(outcome).toEqual({ state: 'pending' });
    expect(await node.pay({ ...order, paymentId: crypto.randomUUID() })).toEqual({ state: 'failed', reason: 'ERROR' });
    expect(await node.pay(order)).toEqual({ state: 'pending' });
    await control.resolveHold(order.paymentHash, 'cancel');
  });

  it('returns nothing for an unknown id', async () => {
    expect(await node.lookupPayment({ paymentId: 'never', paymentHash: '00'.repeat(32) })).toBeUndefined();
  });

  it('reports every end of a payment as an event, also of a payment that was never sent', async () => {
    for (const feeLimitMsat of [0, 5_000]) {
      const { order, outcome } = await payOutside(playground, 'carol', { feeLimitMsat });
      const event = await findEvent(node, (each) => each.type === 'payment' && each.paymentId === order.paymentId);
      expect(event).toMatchObject({ outcome });
    }
  });
});

describe('a held payment', () => {
  it('is pending until it is settled, and its money counts as ours until then', async () => {
    const before = await node.balance();
    const { order, outcome } = await payOutside(playground, 'carol', { hold: true, feeLimitMsat: 2_000 });
    expect(outcome).toEqual({ state: 'pending' });
    expect(await node.balance()).toEqual(before);
    expect(await outsideSays(playground, 'carol', 'received', order.paymentHash)).toMatchObject({ state: 'pending' });
    await control.resolveHold(order.paymentHash, 'settle');
    const event = await findEvent(node, (each) => each.type === 'payment' && each.paymentId === order.paymentId);
    expect(event).toMatchObject({ outcome: { state: 'succeeded', feeMsat: 1_100 } });
    expect(await node.lookupPayment(order)).toMatchObject({ state: 'succeeded' });
  });

  it('fails permanently when it is cancelled, and returns all of its money', async () => {
    const before = await node.balance();
    const { order } = await payOutside(playground, 'carol', { hold: true, feeLimitMsat: 2_000 });
    await control.resolveHold(order.paymentHash, 'cancel');
    const event = await findEvent(node, (each) => each.type === 'payment' && each.paymentId === order.paymentId);
    expect(event).toMatchObject({ outcome: { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' } });
    expect(await node.balance()).toEqual(before);
    expect(await outsideSays(playground, 'carol', 'received', order.paymentHash)).toMatchObject({ state: 'failed' });
  });
});

describe('keysend', () => {
  it('reaches a node with its records', async () => {
    const order = keysendTo(pubkeyOf('carol'), { customRecords: { '7629169': 'c0ffee', '34349334': '68656c6c6f' } });
    expect(await node.keysend(order)).toEqual({ state: 'succeeded', preimage: order.preimage, feeMsat: 1_000 });
    expect(await node.keysend(order)).toMatchObject({ state: 'succeeded' });
    expect(await outsideSays(playground, 'carol', 'received', order.paymentHash)).toMatchObject({ amountMsat: 3_000, state: 'succeeded' });
  });

  it('finds no route to an unknown key, nor to ourselves', async () => {
    for (const destination of [unreachablePubkey, pubkeyOf('hub')]) {
      expect(await node.keysend(keysendTo(destination))).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    }
  });

  it('fails when its records do not fit into the onion', async () => {
    const order = keysendTo(pubkeyOf('alice'), { customRecords: { '70000': 'ab'.repeat(1_300) } });
    expect(await node.keysend(order)).toEqual({ state: 'failed', reason: 'ERROR' });
  });

  it.each([
    ['a key that is no point', { destination: `02${'ff'.repeat(32)}` }, 'public key'],
    ['a short key', { destination: '02ab' }, 'public key'],
    ['a preimage of another hash', { preimage: '33'.repeat(32) }, 'preimage'],
    ['a record of the protocol', { customRecords: { '65535': 'ab' } }, 'custom record'],
    ['the record of the preimage', { customRecords: { '5482373484': 'ab' } }, 'keysend'],
    ['a record that is no hex', { customRecords: { '70000': 'xyz' } }, 'hex'],
    ['a record beyond 64 bits', { customRecords: { '18446744073709551616': 'ab' } }, 'custom record'],
    ['no amount', { amountMsat: msat(0) }, 'amountMsat'],
  ])('rejects %s before it reaches LDK', async (_what, changes, message) => {
    await expect(node.keysend(keysendTo(pubkeyOf('alice'), changes))).rejects.toThrow(message);
  });
});
