import { describe, expect, it } from 'vitest';
import { PlaygroundRefusal } from '../../../devnet/test-network.ts';
import { msat } from '../../../src/core/kernel/money.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { newInvoice, openTemp, payOutside } from './support/open.ts';

const playground = await openTemp();
const { node, control } = playground;

describe('the outside world', () => {
  it('describes itself: three nodes on regtest, the first of them ours', async () => {
    const { network, nodes } = await control.describe();
    expect(network).toBe('regtest');
    expect(nodes.map((each) => each.name)).toEqual(['hub', 'alice', 'carol']);
    expect(await node.info()).toMatchObject({ pubkey: nodes[0]?.pubkey, alias: 'hub', network: 'regtest', software: 'LDK playground' });
  });

  it('keeps the id of a payment when its state changes', async () => {
    const { order } = await payOutside(playground, 'alice', { hold: true });
    const [before] = (await control.payments(0, 100)).slice(-1);
    expect(before).toMatchObject({ paymentHash: order.paymentHash, state: 'pending' });
    await control.resolveHold(order.paymentHash, 'settle');
    const [after] = (await control.payments(0, 100)).slice(-1);
    expect(after).toEqual({ ...before, state: 'succeeded' });
    expect(await control.payments(before?.id ?? 0, 100)).toEqual([]);
  });

  it('settles or cancels a hold once, and returns the reason when it cannot', async () => {
    const { order } = await payOutside(playground, 'alice', { hold: true });
    await control.resolveHold(order.paymentHash, 'settle');
    await control.resolveHold(order.paymentHash, 'settle');
    await expect(control.resolveHold(order.paymentHash, 'cancel')).rejects.toThrow('the hold invoice is settled');
    await expect(control.resolveHold('00'.repeat(32), 'settle')).rejects.toThrow(PlaygroundRefusal);
    const unpaid = await control.createInvoice({ amountMsat: msat(1_000), memo: '', at: 'carol', expirySeconds: 60, hold: true });
    await expect(control.resolveHold(unpaid.paymentHash, 'settle')).rejects.toThrow('has not been paid yet');
  });

  it('does not take a payment of a hold invoice that was cancelled before', async () => {
    const unpaid = await control.createInvoice({ amountMsat: msat(1_000), memo: '', at: 'alice', expirySeconds: 60, hold: true });
    await control.resolveHold(unpaid.paymentHash, 'cancel');
    const order = { paymentId: crypto.randomUUID(), ...unpaid, amountMsat: msat(1_000), marker: '00', feeLimitMsat: msat(0) };
    expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
  });

  it('does not pay an expired invoice, as a careful wallet would not', async () => {
    const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(5), description: '', expirySeconds: 0 });
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await expect(control.payInvoice({ paymentRequest, from: 'alice' })).rejects.toThrow('expired');
  });

  it('rejects invalid requests with a clear error', async () => {
    node.guardIncoming(async () => 'claim');
    const { paymentRequest } = await newInvoice(node, msat(1_000));
    await expect(control.payInvoice({ paymentRequest: 'lnbcrt1', from: 'alice' })).rejects.toThrow(PlaygroundRefusal);
    await expect(control.payInvoice({ paymentRequest, from: 'bob' as 'alice' })).rejects.toThrow('alice or carol');
    await expect(control.payInvoice({ paymentRequest, from: 'alice', amountMsat: msat(999) })).rejects.toThrow('another amount');
    await control.payInvoice({ paymentRequest, from: 'alice' });
    await expect(control.payInvoice({ paymentRequest, from: 'alice' })).rejects.toThrow('has paid');
    const open = await nodeInvoice(node, { description: '', expirySeconds: 60 });
    await expect(control.payInvoice({ paymentRequest: open.paymentRequest, from: 'alice' })).rejects.toThrow('state one');
    await expect(control.payments(-1, 10)).rejects.toThrow(PlaygroundRefusal);
  });
});
