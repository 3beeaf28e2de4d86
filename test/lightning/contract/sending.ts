import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { orderFor, paySuccessfully, payToEnd, received, type SharedSubject, waitUntilAfter } from './subject.ts';

export function sendingContract({ subject, reopened }: SharedSubject): void {
  describe('paying an invoice', () => {
    it('deducts the amount and the reported fee from the balance, exact to the millisatoshi', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control }, { at: 'carol', amountMsat: 777_777, feeLimitMsat: 5_000 });
      const before = await node.balance();
      const outcome = await paySuccessfully(node, order);
      expect(outcome.feeMsat).toBeGreaterThan(0);
      expect(before.localMsat - (await node.balance()).localMsat).toBe(777_777 + outcome.feeMsat);
      expect(await received(control, order.paymentHash)).toMatchObject({ state: 'succeeded', amountMsat: 777_777 });
    });

    it('never costs more than the fee limit, and a limit of 0 permits only free routes', async () => {
      const { node, control } = await subject();
      expect(await paySuccessfully(node, await orderFor({ control }, { at: 'alice', feeLimitMsat: 0 }))).toMatchObject({ feeMsat: 0 });
      const costly = await orderFor({ control }, { at: 'carol', feeLimitMsat: 0 });
      const before = await node.balance();
      const failed = { state: 'failed', reason: 'NO_ROUTE' };
      expect(await payToEnd(node, costly)).toEqual(failed);
      // The failure is final, even if the payment could succeed now.
      expect(await node.pay({ ...costly, feeLimitMsat: msat(99_999) })).toEqual(failed);
      const { node: again, control: outside } = await reopened();
      expect(await again.pay({ ...costly, feeLimitMsat: msat(99_999) })).toEqual(failed);
      expect(await again.balance()).toEqual(before);
      expect(await received(outside, costly.paymentHash)).toBeUndefined();
    });

    it('succeeds with a limit that equals the fee, and fails with 1 msat less', async () => {
      const { node, control } = await subject();
      const { feeMsat } = await paySuccessfully(node, await orderFor({ control }, { at: 'carol', feeLimitMsat: 50_000 }));
      const exact = await orderFor({ control }, { at: 'carol', feeLimitMsat: feeMsat });
      expect(await paySuccessfully(node, exact)).toMatchObject({ feeMsat });
      const less = await orderFor({ control }, { at: 'carol', feeLimitMsat: feeMsat - 1 });
      expect(await payToEnd(node, less)).toEqual({ state: 'failed', reason: 'NO_ROUTE' });
    });

    it('pays the amount of the order if the invoice has none, and rejects an order that differs from its invoice', async () => {
      const { node, control } = await subject();
      const open = await orderFor({ control }, { amountMsat: 4_321, amountless: true });
      await paySuccessfully(node, open);
      expect(await received(control, open.paymentHash)).toMatchObject({ amountMsat: 4_321 });
      const stated = await orderFor({ control });
      await expect(node.pay({ ...stated, amountMsat: msat(stated.amountMsat + 1) })).rejects.toThrow();
      await expect(node.pay({ ...stated, paymentHash: '22'.repeat(32) })).rejects.toThrow();
      expect(await node.lookupPayment(stated)).toBeUndefined();
    });

    it('fails when the balance is too small', async () => {
      const { node, control } = await subject();
      const before = await node.balance();
      const tooMuch = await orderFor({ control }, { amountMsat: before.localMsat + 1 });
      expect(await payToEnd(node, tooMuch)).toEqual({ state: 'failed', reason: 'INSUFFICIENT_BALANCE' });
      expect(await node.balance()).toEqual(before);
    });

    it('fails for text that is no invoice', async () => {
      const { node, control } = await subject();
      const before = await node.balance();
      const nonsense = { ...(await orderFor({ control })), paymentRequest: 'lnbcrt1nonsense' };
      expect(await node.pay(nonsense)).toEqual({ state: 'failed', reason: 'ERROR' });
      expect(await node.balance()).toEqual(before);
    });

    it('fails for an expired invoice', async () => {
      const { node, control } = await subject();
      const order = await orderFor({ control }, { expirySeconds: 0 });
      await waitUntilAfter(decodeBolt11(order.paymentRequest).expiresAt + 1);
      expect(await node.pay(order)).toEqual({ state: 'failed', reason: 'TIMEOUT' });
      expect(await received(control, order.paymentHash)).toBeUndefined();
    });
  });
}
