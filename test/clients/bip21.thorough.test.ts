import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { appOfWallet } from '../lndhub/app.ts';
import { METADATA_HASH, RemoteService, raw } from '../lnurl/payee.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp } from '../support/nwc.ts';
import prefixes from './cases/b-prefix.json' with { type: 'json' };
import cases from './cases/bip21.json' with { type: 'json' };

const INVOICE_MSAT = 100_000;

onFakeNode(
  'a text with an invoice or an address',
  ({ client, net, problems }) => {
    const payee = RemoteService.ofSuite();
    let wallet: TestWallet;

    beforeAll(async () => {
      wallet = await client.wallet(100_000);
    });

    const invoice = (amountMsat?: number) => net.outside.invoice(amountMsat === undefined ? {} : { amountMsat }).paymentRequest;
    const filled = (text: string, one = invoice(INVOICE_MSAT)) =>
      text
        .replaceAll('<invoice>', one)
        .replaceAll('<INVOICE>', one.toUpperCase())
        .replace('<other>', () => invoice(INVOICE_MSAT));
    const post = (path: string, json: object) =>
      client.request('POST', `/v1/wallet/${wallet.id}${path}`, {
        key: client.secretKey,
        json,
        headers: { 'idempotency-key': randomUUID() },
      });

    async function paidLine(destination: string, more: object = {}): Promise<Json> {
      const { body } = await post('/payouts', { lines: [{ destination, ...more }] });
      const line = async () => (await client.get(`/v1/wallet/${wallet.id}/payouts/${body.id}`)).lines[0];
      await expect.poll(async () => (await line()).status).toMatch(/paid|failed/);
      return line();
    }

    describe('that contains an invoice', () => {
      it.each(cases.payment_requests)('is paid and read by every route: %j', async (text) => {
        const one = invoice(INVOICE_MSAT);
        const query = encodeURIComponent(filled(text, one));
        expect(await client.get(`/v1/node/default/payments/decodeinvoice?payment_request=${query}`)).toMatchObject({ num_msat: '100000' });
        expect(await client.get(`/v1/wallet/${wallet.id}/quote?payment_request=${query}`)).toMatchObject({ amount_msat: INVOICE_MSAT });
        expect((await appOfWallet(client, wallet).get(`/decodeinvoice?invoice=${query}`)).body.num_msat).toBe('100000');
        const paid = await post('/withdraw', { payment_request: filled(text, one) });
        expect([paid.status, paid.body.num_msat, paid.body.lnTx?.payment_request]).toEqual([201, -INVOICE_MSAT, one]);
        expect((await appOfWallet(client, wallet).pay(filled(text))).body.num_msat).toBe(INVOICE_MSAT);
        expect(await paidLine(filled(text))).toMatchObject({ status: 'paid', num_msat: INVOICE_MSAT });
      });

      it('is paid by both methods of NWC', async () => {
        const app = await connectApp(client, wallet.id);
        for (const text of cases.payment_requests) {
          expect((await app.call('pay_invoice', { invoice: filled(text) })).result).toMatchObject({ preimage: expect.anything() });
          expect((await app.call('pay', { payment: filled(text) })).result).toMatchObject({ amount: INVOICE_MSAT, state: 'settled' });
        }
        app.close();
        expect(await problems()).toEqual([]);
      });

      it('is paid with the amount of its URI if the invoice has none, and refused with another one', async () => {
        const text = () => `bitcoin:?lightning=${invoice()}&amount=0.00000021`;
        expect((await post('/withdraw', { payment_request: text() })).body.num_msat).toBe(-21_000);
        expect((await appOfWallet(client, wallet).pay(text())).body.num_msat).toBe(21_000);
        expect(await paidLine(text())).toMatchObject({ status: 'paid', num_msat: 21_000 });
        expect((await post('/withdraw', { payment_request: text(), num_satoshis: 22 })).body.type).toBe('invoice_amount_fixed');
      });

      it.each(cases.refused)('is refused before anything is held: %j', async (text, reason) => {
        const before = await client.get(`/v1/wallet/${wallet.id}`);
        const message = expect.stringContaining(reason);
        expect((await post('/withdraw', { payment_request: filled(text) })).body).toMatchObject({ status: 400, message });
        expect((await post('/payouts', { lines: [{ destination: filled(text) }] })).body).toMatchObject({ status: 400, message });
        expect((await appOfWallet(client, wallet).pay(filled(text))).body).toMatchObject({ error: true, code: 4, message });
        expect(await client.get(`/v1/wallet/${wallet.id}`)).toEqual(before);
      });
    });

    describe('with an address after ₿', () => {
      it.each(prefixes.prefixes)('is paid as the address alone: %j', async (prefix) => {
        payee.parameters = () => payee.payParameters();
        payee.callback = (query) => ({
          pr: net.outside.invoice({ amountMsat: Number(query.get('amount')), descriptionHash: METADATA_HASH }).paymentRequest,
        });
        const text = `${prefix}${payee.address}`;
        expect(await client.get(`/v1/lnurlp/probe/${encodeURIComponent(text)}`)).toMatchObject({ ln_address: payee.address });
        for (const [path, json] of [
          ['/withdraw', { payment_request: text, num_satoshis: 5 }],
          ['/lnurlp/pay', { ln_address: text, num_satoshis: 5 }],
        ] as const)
          expect((await post(path, json)).body).toMatchObject({ num_msat: -5000, passThru: { ln_address: payee.address } });
        expect(await paidLine(text, { num_satoshis: 5 })).toMatchObject({ status: 'paid' });
        const name = prefix.replaceAll(/\W/g, '') || 'bob';
        const { body } = await client.request('POST', '/v1/contacts', {
          key: client.secretKey,
          json: { name, ln_address: `${prefix}${prefixes.prefixes.indexOf(prefix)}@example.com` },
        });
        expect(body).toMatchObject({ ln_address: `${prefixes.prefixes.indexOf(prefix)}@example.com` });
      });

      it('is refused with the reason if the domain has no LNURL service', async () => {
        payee.parameters = () => raw('not found', 404);
        const message = expect.stringContaining('BIP-353');
        const text = `₿${payee.address}`;
        expect((await post('/withdraw', { payment_request: text, num_satoshis: 5 })).body).toMatchObject({ status: 400, message });
        const { body } = await post('/lnurlp/pay', { ln_address: payee.address, num_satoshis: 5 });
        expect(body.message).not.toContain('BIP-353');
        payee.parameters = () => ({ status: 'ERROR', reason: 'no such user' });
        expect(await paidLine(text, { num_satoshis: 5 })).toMatchObject({ status: 'failed', failure_message: message });
      });
    });

    it('leaves the ledger correct', async () => {
      expect(await problems()).toEqual([]);
    });
  },
  { LNDHUB: 'true', OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '5' },
  { payouts: { pollMs: 10, retryMs: 20 }, nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
