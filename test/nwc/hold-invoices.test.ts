import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { connectRelay } from '../../src/core/nostr/relay.ts';
import { allowHolds, stopHolds } from '../../src/features/operator/hold-stops.ts';
import { TIMING } from '../hold-invoices/harness.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { silentLog } from '../support/ledger.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

onFakeNode(
  'hold invoices of apps',
  (service) => {
    const { client, net } = service;
    let wallet: TestWallet;
    let app: NwcApp;

    beforeAll(async () => {
      wallet = await client.wallet();
      app = await connectApp(client, wallet.id);
    });
    afterAll(() => app.close());

    async function make(params: Json = { amount: 5000 }) {
      const preimage = randomBytes(32).toString('hex');
      const payment_hash = paymentHashOf(preimage);
      const { result } = await app.call('make_hold_invoice', { ...params, payment_hash });
      const state = async () => (await app.call('lookup_invoice', { payment_hash })).result.state;
      return { preimage, payment_hash, result, state };
    }
    const notified = (paymentHash: string) =>
      app
        .notifications()
        .filter(({ notification }) => notification.payment_hash === paymentHash)
        .map(({ notification_type }) => notification_type);

    it('notify the app when a payment has arrived, and are settled with the preimage', async () => {
      const { preimage, payment_hash, result, state } = await make();
      expect(result).toMatchObject({ type: 'incoming', state: 'pending', amount: 5000, payment_hash, preimage: '' });
      expect(await codeOf(app, 'settle_hold_invoice', { preimage })).toBe('OTHER');
      await net.outside.pay({ paymentRequest: result.invoice });
      await expect.poll(() => notified(payment_hash)).toEqual(['hold_invoice_accepted']);
      expect(app.notifications().at(-1)?.notification).toMatchObject({ state: 'accepted', amount: 5000, preimage: '', settled_at: null });
      expect(await state()).toBe('accepted');
      expect(await codeOf(app, 'settle_hold_invoice', { preimage: '00'.repeat(32) })).toBe('NOT_FOUND');
      expect((await app.call('settle_hold_invoice', { preimage })).result).toEqual({});
      expect((await app.call('settle_hold_invoice', { preimage })).result).toEqual({});
      expect(await codeOf(app, 'cancel_hold_invoice', { payment_hash })).toBe('OTHER');
      expect(await state()).toBe('settled');
      await expect.poll(() => notified(payment_hash)).toEqual(['hold_invoice_accepted', 'payment_received']);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(5000);
    });

    it('return the payment when they are cancelled', async () => {
      const { preimage, payment_hash, result, state } = await make();
      await net.outside.pay({ paymentRequest: result.invoice });
      expect((await app.call('cancel_hold_invoice', { payment_hash })).result).toEqual({});
      expect(await state()).toBe('expired');
      expect(await codeOf(app, 'settle_hold_invoice', { preimage })).toBe('OTHER');
      expect(net.outside.payments().at(-1)).toMatchObject({ state: 'failed' });
    });

    it('are answered when the node confirms the settlement, and not with an error before', async () => {
      const { preimage, result } = await make();
      await net.outside.pay({ paymentRequest: result.invoice });
      net.always('settleHoldInvoice', { unavailable: true });
      const request = app.request('settle_hold_invoice', { preimage });
      await app.send(request);
      const decided = () => service.rows("SELECT id FROM invoice WHERE decision = 'settle' AND state = 'held'");
      await expect.poll(async () => (await decided()).length).toBe(1);
      expect(app.responsesTo(request)).toEqual([]);
      net.always('settleHoldInvoice', undefined);
      expect((await app.responseTo(request)).result).toEqual({});
    });

    it('are not offered to apps while the operator has stopped new ones, but can be settled and cancelled', async () => {
      const holdMethods = async () => (await app.call('get_info')).result.methods.filter((method: string) => method.includes('hold'));
      const life = new AbortController();
      const relay = connectRelay({ url: new URL(app.uri).searchParams.get('relay') ?? '', signal: life.signal, log: silentLog });
      const contents: string[] = [];
      relay.subscribe({
        filters: () => [{ kinds: [13_194], authors: [app.servicePubkey] }],
        onEvent: ({ content }) => contents.push(content),
      });
      const announced = () =>
        contents
          .at(-1)
          ?.split(' ')
          .filter((method) => method.includes('hold'));
      const all = ['make_hold_invoice', 'settle_hold_invoice', 'cancel_hold_invoice'];
      await expect.poll(announced, { timeout: 10_000 }).toEqual(all);
      const database = await openDatabase(service.databaseUrl, { withoutLock: true, log: silentLog });
      const requester = { requestedBy: 'a test', reason: 'An update.' };
      await stopHolds(database, systemClock, requester);
      expect(await holdMethods()).toEqual(['settle_hold_invoice', 'cancel_hold_invoice']);
      await expect.poll(announced, { timeout: 10_000 }).toEqual(['settle_hold_invoice', 'cancel_hold_invoice']);
      const refused = await app.call('make_hold_invoice', { amount: 1000, payment_hash: 'ab'.repeat(32) });
      expect(refused.error.message).toContain('“An update.”');
      await allowHolds(database, systemClock, requester);
      await database.close();
      expect(await holdMethods()).toEqual(all);
      await expect.poll(announced, { timeout: 10_000 }).toEqual(all);
      life.abort();
    });

    it('need a payment hash that is new, and the right permission', async () => {
      const { payment_hash } = await make();
      expect(await codeOf(app, 'make_hold_invoice', { amount: 1000, payment_hash })).toBe('BAD_REQUEST');
      expect(await codeOf(app, 'make_hold_invoice', { amount: 1000 })).toBe('BAD_REQUEST');
      expect(await codeOf(app, 'make_hold_invoice', { amount: 1000, payment_hash: 'ab' })).toBe('BAD_REQUEST');
      expect(await codeOf(app, 'make_hold_invoice', { payment_hash, min_cltv_expiry_delta: 5 })).toBe('BAD_REQUEST');
      const reader = await connectApp(client, wallet.id, { permissions: ['wallet_tx_read'] });
      expect(await codeOf(reader, 'cancel_hold_invoice', { payment_hash })).toBe('RESTRICTED');
      const other = await connectApp(client, (await client.wallet()).id);
      expect(await codeOf(other, 'cancel_hold_invoice', { payment_hash })).toBe('NOT_FOUND');
      reader.close();
      other.close();
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  { ...TIMING, ...QUICK },
);
