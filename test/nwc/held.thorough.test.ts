import { afterAll, beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

onFakeNode(
  'a payment of an app whose outcome is unknown',
  ({ client, net, restart, problems, rows }) => {
    let wallet: TestWallet;
    let app: NwcApp;
    const hold = () => net.outside.invoice({ amountMsat: 3000, hold: true });
    const lookup = async (payment_hash: string) => (await app.call('lookup_invoice', { payment_hash })).result;
    /** Resolves when the service has waited for the end of the payment and has given up waiting. */
    const waited = async (paymentHash: string) =>
      expect.poll(() => rows('SELECT id FROM payment WHERE payment_hash = $1 AND pending_reported = 1', paymentHash)).toHaveLength(1);

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id);
    });

    afterAll(() => app.close());

    for (const isRestarted of [false, true]) {
      const when = isRestarted ? ', also if the service restarts meanwhile' : '';

      it(`has no response while it is held, is pending in lookup_invoice, and then has one response with its preimage${when}`, async () => {
        const { paymentRequest, paymentHash } = hold();
        const event = app.request('pay_invoice', { invoice: paymentRequest });
        await app.send(event);
        await expect.poll(async () => (await lookup(paymentHash))?.state).toBe('pending');
        await waited(paymentHash);
        if (isRestarted) await restart();
        expect(await lookup(paymentHash)).toMatchObject({ state: 'pending', preimage: '', settled_at: null });
        expect(app.responsesTo(event)).toEqual([]);
        net.outside.resolveHold(paymentHash, 'settle');
        const { result } = await app.responseTo(event);
        expect(await lookup(paymentHash)).toMatchObject({ state: 'settled', preimage: result.preimage, settled_at: expect.any(Number) });
        expect(app.responsesTo(event)).toHaveLength(1);
        expect(await problems()).toEqual([]);
      });

      it(`has one error when it has failed${when}`, async () => {
        const { paymentRequest, paymentHash } = hold();
        const event = app.request('pay_invoice', { invoice: paymentRequest });
        await app.send(event);
        await expect.poll(async () => (await lookup(paymentHash))?.state).toBe('pending');
        await waited(paymentHash);
        if (isRestarted) await restart();
        net.outside.resolveHold(paymentHash, 'cancel');
        expect((await app.responseTo(event)).error.code).toBe('PAYMENT_FAILED');
        expect((await lookup(paymentHash)).state).toBe('failed');
        expect(app.responsesTo(event)).toHaveLength(1);
        expect(await problems()).toEqual([]);
      });
    }

    it('answers every request of the same invoice when it ends', async () => {
      const { paymentRequest, paymentHash } = hold();
      const events = [1, 2, 3].map(() => app.request('pay_invoice', { invoice: paymentRequest }));
      for (const event of events) await app.send(event);
      await expect.poll(async () => (await lookup(paymentHash))?.state).toBe('pending');
      expect(events.flatMap((event) => app.responsesTo(event))).toEqual([]);
      net.outside.resolveHold(paymentHash, 'settle');
      const preimages = await Promise.all(events.map(async (event) => (await app.responseTo(event)).result.preimage));
      expect(new Set(preimages).size).toBe(1);
      expect(await problems()).toEqual([]);
    });

    it('counts as used by the budget', async () => {
      const limited = await connectApp(client, wallet.id, { budget_msat: 10_000, budget_period: 'day' });
      const { paymentRequest, paymentHash } = hold();
      await limited.send(limited.request('pay_invoice', { invoice: paymentRequest }));
      await expect.poll(async () => (await limited.call('get_budget')).result.used_budget).toBeGreaterThanOrEqual(3000);
      net.outside.resolveHold(paymentHash, 'cancel');
      await expect.poll(async () => (await limited.call('get_budget')).result.used_budget).toBe(0);
      limited.close();
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  QUICK,
);
