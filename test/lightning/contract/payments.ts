import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { endOf, keysendFor, orderFor, paySuccessfully, payToEnd, received, type SharedSubject, sha256 } from './subject.ts';

export function paymentContract({ subject, reopened }: SharedSubject): void {
  describe('a payment', () => {
    it('returns a preimage that proves it, and the same outcome for every repetition', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control });
      const outcome = await paySuccessfully(node, order);
      expect(sha256(outcome.preimage)).toBe(order.paymentHash);
      const before = await node.balance();
      expect(await Promise.all([node.pay(order), node.pay(order)])).toEqual([outcome, outcome]);
      expect(await node.pay({ ...order, firstRequestAtMs: Date.now() })).toEqual(outcome);
      expect(await node.lookupPayment(order)).toEqual(outcome);
      const { node: again } = await reopened();
      expect(await again.pay(order)).toEqual(outcome);
      expect(await again.lookupPayment(order)).toEqual(outcome);
      expect(await again.balance()).toEqual(before);
    });

    it('is sent once by two calls at the same time', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control });
      const before = await node.balance();
      const [one, other] = await Promise.all([node.pay(order), node.pay(order)]);
      expect(await endOf(node, order, other)).toEqual(await endOf(node, order, one));
      expect(before.localMsat - (await node.balance()).localMsat).toBe(order.amountMsat);
    });

    it('is refused if another payment has paid the same hash, or is paying it', async () => {
      const { node, control } = await subject();
      const paid = await orderFor({ control });
      await payToEnd(node, paid);
      const held = await orderFor({ control }, { hold: true });
      await node.pay(held);
      const before = await node.balance();
      for (const order of [paid, held]) {
        for (const firstRequestAtMs of [undefined, Date.now()]) {
          const again = { ...order, paymentId: crypto.randomUUID(), firstRequestAtMs };
          expect(await payToEnd(node, again)).toMatchObject({ state: 'failed' });
        }
      }
      expect(await node.balance()).toEqual(before);
      expect(await node.lookupPayment(held)).toEqual({ state: 'pending' });
      await control.resolveHold(held.paymentHash, 'cancel');
      expect(await endOf(node, held)).toMatchObject({ state: 'failed' });
    });

    it('is sent if another payment of the same hash has failed', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control }, { at: 'carol', feeLimitMsat: 0 });
      expect(await payToEnd(node, order)).toMatchObject({ state: 'failed' });
      const second = { ...order, paymentId: crypto.randomUUID(), feeLimitMsat: msat(50_000), firstRequestAtMs: Date.now() };
      await paySuccessfully(node, second);
      // A node may have replaced the record of the first, but must not return that of the second.
      expect((await node.lookupPayment(order))?.state ?? 'failed').toBe('failed');
    });

    it('that was never sent has no record', async () => {
      const { node } = await subject();
      expect(await node.lookupPayment({ paymentId: crypto.randomUUID(), paymentHash: '00'.repeat(32) })).toBeUndefined();
    });

    it('that the receiver holds stays pending over a restart, and counts to the balance until it succeeds', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control }, { at: 'carol', hold: true, feeLimitMsat: 50_000 });
      const before = await node.balance();
      expect(await node.pay(order)).toEqual({ state: 'pending' });
      const { node: again, control: outside } = await reopened();
      expect(await again.balance()).toEqual(before);
      expect(await again.pay(order)).toEqual({ state: 'pending' });
      expect(await again.pay({ ...order, firstRequestAtMs: Date.now() })).toEqual({ state: 'pending' });
      await outside.resolveHold(order.paymentHash, 'settle');
      const outcome = await endOf(again, order);
      if (outcome?.state !== 'succeeded') throw new Error(`it did not succeed: ${outcome?.state}`);
      expect(before.localMsat - (await again.balance()).localMsat).toBe(order.amountMsat + outcome.feeMsat);
    });

    it('that the receiver cancels returns the whole amount', async () => {
      const { node, control } = await subject();
      const before = await node.balance();
      const order = await orderFor({ control }, { hold: true });
      await node.pay(order);
      await control.resolveHold(order.paymentHash, 'cancel');
      expect(await endOf(node, order)).toEqual({ state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
      expect(await node.balance()).toEqual(before);
    });

    it('has evidence that does not prove a failure while the receiver holds it', async ({ skip }) => {
      const { node, control } = await subject();
      if (!node.collectEvidence) return skip('this node cannot prove that a payment failed');
      const order = await orderFor({ control }, { hold: true });
      await node.pay(order);
      const { items, provesFailure } = await node.collectEvidence(order);
      expect(provesFailure).toBe(false);
      expect(items.length).toBeGreaterThan(0);
      await control.resolveHold(order.paymentHash, 'cancel');
      expect(await endOf(node, order)).toMatchObject({ state: 'failed' });
    });
  });

  describe('an outgoing keysend', () => {
    it('arrives once for each id', async ({ skip }) => {
      const { node, control } = await subject();
      if (!(await node.info()).capabilities.sendsKeysend) return skip('this node does not send keysends');
      const order = await keysendFor({ control }, 'alice');
      const outcome = await endOf(node, order, await node.keysend(order));
      expect(outcome).toEqual({ state: 'succeeded', preimage: order.preimage, feeMsat: 0 });
      const before = await node.balance();
      expect(await node.keysend(order)).toEqual(outcome);
      expect(await node.keysend({ ...order, firstRequestAtMs: Date.now() })).toEqual(outcome);
      expect(await node.balance()).toEqual(before);
      expect(await received(control, order.paymentHash)).toMatchObject({ state: 'succeeded', amountMsat: order.amountMsat });
    });

    it('finds no route to an unknown node, and is rejected with the preimage of another hash', async ({ skip }) => {
      const { node, control } = await subject();
      if (!(await node.info()).capabilities.sendsKeysend) return skip('this node does not send keysends');
      const { unreachablePubkey } = await control.describe();
      const order = { ...(await keysendFor({ control }, 'alice')), destination: unreachablePubkey };
      expect(await endOf(node, order, await node.keysend(order))).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
      const wrong = { ...(await keysendFor({ control }, 'alice')), preimage: '33'.repeat(32) };
      await expect(node.keysend(wrong)).rejects.toThrow();
    });
  });
}
