import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
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
      await vi.waitUntil(() => app.notifications().length > 0, { timeout: 150_000 });
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

    it('sends a keysend with the preimage that it has chosen, as a parameter, a record or both', async () => {
      const { nodes } = await client.get('/playground');
      const { pubkey } = nodes.find(({ name }: { name: string }) => name === 'alice');
      const order = (preimage: string | undefined, recorded: string | undefined, change: object = {}) => ({
        pubkey,
        amount: 2000,
        ...(preimage !== undefined && { preimage }),
        tlv_records: [{ type: 65_537, value: '00' }, ...(recorded === undefined ? [] : [{ type: 5_482_373_484, value: recorded }])],
        ...change,
      });
      const [both, parameter, record, other] = [1, 2, 3, 4].map(() => randomBytes(32).toString('hex'));
      for (const [preimage, params] of [
        [both, order(both?.toUpperCase(), both)],
        [parameter, order(parameter, undefined)],
        [record, order(undefined, record)],
      ] as const) {
        expect((await app.call('pay_keysend', params)).result).toMatchObject({ preimage, fees_paid: expect.any(Number) });
        const found = await app.call('lookup_invoice', { payment_hash: paymentHashOf(String(preimage)) });
        expect(found.result).toMatchObject({ type: 'outgoing', amount: 2000, preimage });
      }
      const { balance } = (await app.call('get_balance')).result;
      // The same keysend is paid once, as the same invoice is.
      expect((await app.call('pay_keysend', order(both, both))).result.preimage).toBe(both);
      for (const [params, message] of [
        [order(other, both), /^preimage must be the value of the record 5482373484/],
        [order(other, '0123456789abcdef'), /Its value must have 64 hexadecimal digits/],
        [order(undefined, other, { tlv_records: [other, both].map((value) => ({ type: 5_482_373_484, value })) }), /each type once/],
        [order('xy'.repeat(32), undefined), /preimage must have 64 hexadecimal digits/],
        [order(both, both, { amount: 3000 }), /another (amount|payment request text)/],
      ] as const) {
        const { error } = await app.call('pay_keysend', params);
        expect(error.message).toMatch(message);
      }
      expect((await app.call('get_balance')).result.balance).toBe(balance);
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
