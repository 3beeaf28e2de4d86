import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { startCommand } from '../devnet/playground/support/shared.ts';
import { QUICK } from '../nwc/timing.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';

/** The Python interpreter of an environment with the package `nostr-sdk==0.45.1`, if there is one. */
const { NWC_PYTHON: python } = process.env;

const SCRIPT = join(import.meta.dirname, 'nwc_client.py');
const PREIMAGE = /^[0-9a-f]{64}$/;

/** Calls a method of the client, or decrypts a text with the keys of the link. */
async function run(link: string, method: string, params: object | string = {}): Promise<Json> {
  const text = typeof params === 'string' ? params : JSON.stringify(params);
  const { stdout } = await promisify(execFile)(python ?? '', [SCRIPT, link, method, text]);
  return JSON.parse(stdout);
}

const relay = await startRelay();
afterAll(() => relay.stop());

describe.skipIf(!python)('nostr-sdk 0.45.1 for Python', () => {
  onFakeNode(
    'with the relay for development',
    ({ client, net, rows, problems }) => {
      let wallet: TestWallet;
      let connection: Json;
      const call = (method: string, params?: object) => run(connection.uri, method, params);
      const balanceOf = async ({ id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;

      beforeAll(async () => {
        wallet = await client.wallet(1000);
        connection = await client.post(`/v1/wallet/${wallet.id}/connections`, {
          user_label: 'python',
          budget_msat: 500_000,
          budget_period: 'month',
        });
      });

      it('reads facts about the wallet and its balance', async () => {
        const info = await call('get_info');
        expect(info).toMatchObject({ network: 'regtest', notifications: ['payment_received', 'payment_sent'] });
        const methods = [
          'PAY_INVOICE',
          'PAY_KEYSEND',
          'MAKE_INVOICE',
          'LOOKUP_INVOICE',
          'LIST_TRANSACTIONS',
          'GET_BALANCE',
          'GET_INFO',
        ].map((name) => `Method.${name}`);
        expect(info.methods).toEqual(expect.arrayContaining(methods));
        expect(await call('get_balance')).toEqual({ balance: 1_000_000 });
      });

      it('creates an invoice, and finds and lists its payment', async () => {
        const made = await call('make_invoice', { amount: 21_500, description: 'tea', expiry: 600 });
        expect(made).toMatchObject({ description: 'tea', amount: 21_500 });
        expect(made.expires_at - made.created_at).toBe(600);
        const pending = { transaction_type: 'INCOMING', state: 'PENDING', settled_at: null };
        expect(await call('lookup_invoice', { payment_hash: made.payment_hash })).toMatchObject(pending);
        await net.outside.pay({ paymentRequest: made.invoice });
        const settled = {
          transaction_type: 'INCOMING',
          state: 'SETTLED',
          invoice: made.invoice,
          payment_hash: made.payment_hash,
          amount: 21_500,
          preimage: expect.stringMatching(PREIMAGE),
          settled_at: expect.any(Number),
        };
        await expect.poll(() => call('lookup_invoice', { invoice: made.invoice })).toMatchObject(settled);
        expect(await call('list_transactions', { type: 'incoming', limit: 1 })).toMatchObject([settled]);
        expect(await problems()).toEqual([]);
      });

      it('pays invoices, with and without an amount, and a keysend', async () => {
        const before = await balanceOf(wallet);
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5000, memo: 'fee=7' });
        const paid = await call('pay_invoice', { invoice: paymentRequest });
        expect(paid).toEqual({ preimage: expect.stringMatching(PREIMAGE), fees_paid: 7 });
        const settled = { transaction_type: 'OUTGOING', state: 'SETTLED', amount: 5000, fees_paid: 7, preimage: paid.preimage };
        expect(await call('lookup_invoice', { payment_hash: paymentHash })).toMatchObject(settled);
        await call('pay_invoice', { invoice: net.outside.invoice({ memo: 'fee=0' }).paymentRequest, amount: 1500 });
        const alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
        const sent = await call('pay_keysend', { amount: 1000, pubkey: alice, tlv_records: [{ type: 65_537, value: 'ab' }] });
        expect(sent.preimage).toMatch(PREIMAGE);
        expect(await balanceOf(wallet)).toBe(before - 5007 - 1500 - 1000 - sent.fees_paid);
        const listed: Json[] = await call('list_transactions', { type: 'outgoing' });
        expect(listed.map(({ state }) => state)).toEqual(['SETTLED', 'SETTLED', 'SETTLED']);
        expect(await problems()).toEqual([]);
      });

      it('encrypts its requests with NIP-44', async () => {
        const schemes = await rows('SELECT DISTINCT scheme FROM nwc_request WHERE connection_id = $1', connection.id);
        expect(schemes).toEqual([{ scheme: 'nip44_v2' }]);
      });

      // The client has no function for notifications.
      it('decrypts notifications of both kinds', async () => {
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1000 });
        await call('pay_invoice', { invoice: paymentRequest });
        const service = new URL(connection.uri).host;
        for (const [kind, decrypt] of [
          [23_197, 'nip44_decrypt'],
          [23_196, 'nip04_decrypt'],
        ] as const) {
          const decrypted = async (): Promise<Json[]> => {
            const events = relay.events.filter((event) => event.kind === kind && event.pubkey === service);
            return Promise.all(events.map(({ content }) => run(connection.uri, decrypt, content)));
          };
          await expect
            .poll(async () => (await decrypted()).find(({ notification }) => notification.payment_hash === paymentHash))
            .toMatchObject({ notification_type: 'payment_sent', notification: { type: 'outgoing', state: 'settled', amount: 1000 } });
        }
      });

      it('gets the codes of errors, and nothing is paid', async () => {
        const before = await balanceOf(wallet);
        const pay = (amountMsat: number, memo = '') =>
          call('pay_invoice', { invoice: net.outside.invoice({ amountMsat, memo }).paymentRequest });
        await expect(pay(600_000)).rejects.toThrow(/QuotaExceeded/);
        await expect(pay(1000, 'fail=NO_ROUTE')).rejects.toThrow(/PaymentFailed/);
        await expect(call('lookup_invoice', { payment_hash: 'ab'.repeat(32) })).rejects.toThrow(/NotFound/);
        expect(await balanceOf(wallet)).toBe(before);
        expect(await problems()).toEqual([]);
      });
    },
    { NWC_RELAYS: relay.url },
    QUICK,
  );
});

const port = python ? await freePort() : 0;

describe.skipIf(!python)('nostr-sdk 0.45.1 for Python', () => {
  const local = python ? startCommand(python, [SCRIPT, 'relay', String(port)]) : undefined;
  beforeAll(() => local?.line(/^ws:/));

  onFakeNode(
    'with its own relay',
    ({ client, net, problems }) => {
      it('pays and receives', async () => {
        const wallet = await client.wallet(1000);
        const { uri } = await client.post(`/v1/wallet/${wallet.id}/connections`, {});
        const made = await run(uri, 'make_invoice', { amount: 2000 });
        await net.outside.pay({ paymentRequest: made.invoice });
        await expect.poll(() => run(uri, 'get_balance')).toEqual({ balance: 1_002_000 });
        const paid = await run(uri, 'pay_invoice', { invoice: net.outside.invoice({ amountMsat: 5000, memo: 'fee=7' }).paymentRequest });
        expect(paid).toEqual({ preimage: expect.stringMatching(PREIMAGE), fees_paid: 7 });
        expect(await run(uri, 'get_balance')).toEqual({ balance: 996_993 });
        expect(await problems()).toEqual([]);
      });
    },
    { NWC_RELAYS: `ws://127.0.0.1:${port}` },
    QUICK,
  );
});
