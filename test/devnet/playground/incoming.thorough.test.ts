import { createHash } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import type { IncomingPayment } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { allEvents, findEvent, newInvoice, openTemp, outsideSays, until } from './support/open.ts';

const playground = await openTemp();
const { node, control } = playground;

type Decision = 'claim' | 'refuse';
const decisions: ((decision: Decision) => void)[] = [];
const guarded: IncomingPayment[] = [];

/** Sets a guard that decides on request. */
function leaveUndecided(): void {
  node.guardIncoming((incoming) => {
    guarded.push(incoming);
    return new Promise((resolve) => decisions.push(resolve));
  });
}

beforeEach(() => {
  guarded.length = 0;
  decisions.length = 0;
  node.guardIncoming(async () => 'claim');
});

async function settlementsOf(paymentHash: string) {
  return (await allEvents(playground)).filter((event) => event.type === 'settlement' && event.paymentHash === paymentHash);
}

describe('an invoice of ours', () => {
  it('is paid from outside and settles once, with all data that the service needs', async () => {
    const invoice = await newInvoice(node, msat(2_500));
    const before = await node.balance();
    const sent = await control.payInvoice({ paymentRequest: invoice.paymentRequest, from: 'carol' });
    expect(sent).toMatchObject({ node: 'carol', direction: 'sent', amountMsat: 2_500, feeMsat: 1_000, state: 'succeeded' });
    const [settlement, ...more] = await settlementsOf(invoice.paymentHash);
    expect(settlement).toMatchObject({ preimage: invoice.preimage, amountMsat: 2_500, keysend: false, customRecords: {} });
    expect(more).toEqual([]);
    // The marker of `allEvents` has cost one millisatoshi.
    expect((await node.balance()).localMsat - before.localMsat).toBe(2_499);
  });

  it('has the preimage of its hash from the start, and the network’s prefix', async () => {
    const invoice = await newInvoice(node);
    expect(invoice.paymentRequest).toMatch(/^lnbcrt/);
    expect(createHash('sha256').update(Buffer.from(invoice.preimage, 'hex')).digest('hex')).toBe(invoice.paymentHash);
  });

  it('may leave the amount open, and may carry the hash of its description', async () => {
    const invoice = await nodeInvoice(node, { description: '', descriptionHash: 'ab'.repeat(32), expirySeconds: 60 });
    expect(await control.payInvoice({ paymentRequest: invoice.paymentRequest, from: 'alice', amountMsat: msat(99) })).toMatchObject({
      state: 'succeeded',
    });
    expect(await settlementsOf(invoice.paymentHash)).toMatchObject([{ amountMsat: 99 }]);
  });

  it('is not paid a second time by another payer', async () => {
    const { paymentRequest, paymentHash } = await newInvoice(node);
    await control.payInvoice({ paymentRequest, from: 'alice' });
    expect(await control.payInvoice({ paymentRequest, from: 'carol' })).toMatchObject({ state: 'failed' });
    expect(await settlementsOf(paymentHash)).toHaveLength(1);
  });

  it.each([
    ['a description beyond 639 bytes', { description: 'é'.repeat(320) }, 'description'],
    ['an amount that is no whole number', { amountMsat: 0.5 as never }, 'amountMsat'],
    ['a hash that is too short', { descriptionHash: 'ab' }, 'descriptionHash'],
    ['a negative expiry', { expirySeconds: -1 }, 'expirySeconds'],
    ['an expiry beyond 32 bits', { expirySeconds: 2 ** 32 }, 'expirySeconds'],
  ])('is not made with %s', async (_what, changes, message) => {
    await expect(nodeInvoice(node, { description: '', expirySeconds: 60, ...changes })).rejects.toThrow(message);
  });
});

describe('the guard', () => {
  it('is called before any claim, and its rejection returns the money', async () => {
    leaveUndecided();
    const { paymentRequest, paymentHash } = await newInvoice(node);
    const paying = control.payInvoice({ paymentRequest, from: 'alice' });
    await until(async () => guarded[0]);
    expect(guarded).toEqual([{ paymentHash, amountMsat: 2_000, keysend: false, customRecords: {} }]);
    decisions[0]?.('refuse');
    expect(await paying).toMatchObject({ state: 'failed' });
    expect(await settlementsOf(paymentHash)).toEqual([]);
    // The invoice is still open, so its payer may try again.
    node.guardIncoming(async () => 'claim');
    expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
  });

  it('is called again after it fails, and nothing is claimed in between', async () => {
    let calls = 0;
    node.guardIncoming(async () => {
      if (calls++ === 0) throw new Error('the database is away');
      return 'claim';
    });
    const { paymentRequest } = await newInvoice(node);
    expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
    expect(calls).toBe(2);
  });
});

describe('cancelling an invoice', () => {
  it('keeps an unpaid invoice unpaid permanently', async () => {
    const { paymentRequest, paymentHash } = await newInvoice(node);
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
    expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
    expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'failed' });
    expect(await outsideSays(playground, 'alice', 'sent', paymentHash)).toMatchObject({ state: 'failed' });
  });

  it('wins over a pending decision of the guard, which then changes nothing', async () => {
    leaveUndecided();
    const { paymentRequest, paymentHash } = await newInvoice(node);
    const paying = control.payInvoice({ paymentRequest, from: 'carol' });
    await until(async () => decisions[0]);
    expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    decisions[0]?.('claim');
    expect(await paying).toMatchObject({ state: 'failed' });
    expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    expect(await settlementsOf(paymentHash)).toEqual([]);
  });

  it('never both cancels and claims, whichever is first', async () => {
    leaveUndecided();
    const { paymentRequest, paymentHash } = await newInvoice(node);
    const paying = control.payInvoice({ paymentRequest, from: 'alice' });
    await until(async () => decisions[0]);
    decisions[0]?.('claim');
    // The decision of the guard is on its way at this point.
    await Promise.resolve();
    const outcome = await node.cancelInvoice(paymentHash);
    const claimed = (await paying).state === 'succeeded';
    expect(['cancelled', 'accepted', 'settled']).toContain(outcome);
    expect(claimed).toBe(outcome !== 'cancelled');
  });

  it('returns an error for an invoice that is settled or not ours', async () => {
    const { paymentRequest, paymentHash } = await newInvoice(node);
    await control.payInvoice({ paymentRequest, from: 'alice' });
    expect(await node.cancelInvoice(paymentHash)).toBe('settled');
    expect(await node.lookupInvoice(paymentHash)).toMatchObject({ state: 'settled', amountMsat: expect.any(Number) });
    expect(await node.cancelInvoice('00'.repeat(32))).toBe('unknown');
    expect(await node.lookupInvoice('00'.repeat(32))).toBeUndefined();
    await expect(node.cancelInvoice('00')).rejects.toThrow('32 bytes');
  });
});

describe('an incoming keysend', () => {
  it('settles with its preimage and its records', async () => {
    const customRecords = { '696969': '77616c6c6574', '7629169': 'ff' };
    const sent = await control.keysend({ from: 'carol', amountMsat: msat(12_345), customRecords });
    expect(sent).toMatchObject({ state: 'succeeded', amountMsat: 12_345 });
    const event = await findEvent(node, (each) => each.type === 'settlement' && each.paymentHash === sent.paymentHash);
    if (event.type !== 'settlement') throw new Error('a payment');
    expect(event).toMatchObject({ keysend: true, amountMsat: 12_345, customRecords });
    expect(createHash('sha256').update(Buffer.from(event.preimage, 'hex')).digest('hex')).toBe(sent.paymentHash);
  });

  it('returns to its sender when the guard rejects it', async () => {
    node.guardIncoming(async (incoming) => (incoming.keysend ? 'refuse' : 'claim'));
    expect(await control.keysend({ from: 'alice', amountMsat: msat(1_000), customRecords: {} })).toMatchObject({ state: 'failed' });
  });
});
