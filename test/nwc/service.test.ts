import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';

onFakeNode(
  'an app that is connected over Nostr',
  ({ client, net, problems }) => {
    let wallet: TestWallet;
    let app: NwcApp;

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id, { user_label: 'phone' });
    });

    afterAll(() => app.close());

    it('reads the balance in millisatoshis', async () => {
      expect(await app.call('get_balance')).toEqual({ result_type: 'get_balance', result: { balance: 1_000_000 } });
    });

    it('creates an invoice, and is notified when it is paid', async () => {
      const made = await app.call('make_invoice', { amount: 21_500, description: 'tea', metadata: { comment: 'hi' } });
      expect(made.result).toMatchObject({
        type: 'incoming',
        state: 'pending',
        amount: 21_500,
        description: 'tea',
        preimage: '',
        metadata: { comment: 'hi' },
      });
      await net.outside.pay({ paymentRequest: made.result.invoice });
      await vi.waitUntil(() => app.notifications().length > 0, { timeout: 10_000 });
      expect(app.notifications()[0]).toMatchObject({
        notification_type: 'payment_received',
        notification: { payment_hash: made.result.payment_hash, state: 'settled', amount: 21_500 },
      });
      const found = await app.call('lookup_invoice', { payment_hash: made.result.payment_hash });
      expect(found.result).toMatchObject({
        state: 'settled',
        preimage: expect.stringMatching(/^[0-9a-f]{64}$/),
        settled_at: expect.any(Number),
      });
    });

    it('pays an invoice and gets the preimage', async () => {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000 });
      const paid = await app.call('pay_invoice', { invoice: paymentRequest });
      expect(paid).toEqual({
        result_type: 'pay_invoice',
        result: { preimage: expect.stringMatching(/^[0-9a-f]{64}$/), fees_paid: expect.any(Number) },
      });
      const found = await app.call('lookup_invoice', { payment_hash: paymentHash });
      expect(found.result).toMatchObject({ type: 'outgoing', state: 'settled', amount: 5_000, preimage: paid.result.preimage });
      expect(await problems()).toEqual([]);
    });

    it('gets an error when nothing was paid', async () => {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 50_000_000 });
      expect(await app.call('pay_invoice', { invoice: paymentRequest })).toEqual({
        result_type: 'pay_invoice',
        error: { code: 'INSUFFICIENT_BALANCE', message: expect.stringContaining('spendable balance') },
      });
    });
  },
  {},
  { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
