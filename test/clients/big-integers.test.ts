import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { jsonOrText } from '../../src/features/import/columns.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';

const BIG = ['12345678901234567890', '9007199254740993', '-9007199254740992', '1e400', '0.1000000000000000055'];
const NUMBER = BIG[0];
const FREE = `{"order":${NUMBER}}`;

onFakeNode(
  'a number that JSON readers change',
  ({ client, net, problems }) => {
    let wallet: TestWallet;
    let other: TestWallet;
    let app: NwcApp;

    beforeAll(async () => {
      [wallet, other] = [await client.wallet(1000), await client.wallet()];
      app = await connectApp(client, wallet.id);
    });

    afterAll(() => app.close());

    const state = async () => [
      await client.get(`/v1/wallet/${wallet.id}`),
      await client.get(`/v1/wallet/${wallet.id}/transactions?status=all`),
    ];

    async function send(path: string, body: string, headers: Record<string, string> = { 'x-api-key': client.secretKey }) {
      const response = await fetch(client.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID(), ...headers },
        body,
      });
      return { status: response.status, body: (await response.json()) as Json };
    }

    const bodies = (): [string, string, string][] => {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
      const key = `02${'ab'.repeat(32)}`;
      return [
        ['withdraw', `{"payment_request":"${paymentRequest}","passThru":${FREE}}`, 'passThru.order'],
        ['withdraw', `{"ln_address":"bob@example.com","num_satoshis":1,"passThru":${FREE}}`, 'passThru.order'],
        ['keysend', `{"dest_pubkey":"${key}","num_satoshis":1,"custom_records":{"70000":${FREE}}}`, 'custom_records[70000].order'],
        ['keysend', `{"dest_pubkey":"${key}","num_satoshis":1,"custom_records":{"70000":${NUMBER}}}`, 'custom_records[70000]'],
        ['lnurlp/pay', `{"ln_address":"bob@example.com","num_satoshis":1,"passThru":${FREE}}`, 'passThru.order'],
        ['transfer', `{"dest_wallet_id":"${other.id}","num_satoshis":1,"passThru":${FREE}}`, 'passThru.order'],
        ['transfer', `{"dest_wallet_id":"${other.id}","num_satoshis":1,"lnPayParams":{"passThru":${FREE}}}`, 'lnPayParams.passThru.order'],
        ['transfers', `{"lines":[{"dest_wallet_id":"${other.id}","num_satoshis":1,"passThru":${FREE}}]}`, 'lines[0].passThru.order'],
        ['payouts', `{"lines":[{"destination":"${other.id}","num_satoshis":1,"passThru":${FREE}}]}`, 'lines[0].passThru.order'],
        ['lnurl/withdraw', `{"num_satoshis":1,"passThru":${FREE}}`, 'passThru.order'],
      ];
    };

    it('is refused in each body of the API that has free JSON, with its field', async () => {
      const before = await state();
      for (const [path, body, field] of bodies()) {
        const response = await send(`/v1/wallet/${wallet.id}/${path}`, body);
        expect([path, response.status, response.body.message]).toEqual([
          path,
          400,
          expect.stringContaining(`\`${field}\` must be a number`),
        ]);
        expect(response.body.message).toContain('Send it as text');
      }
      expect(await state()).toEqual(before);
    });

    it('is refused in a query that creates a withdraw link, as JSON and as base64', async () => {
      const path = `/v1/wallet/${wallet.admin}/lnurl/withdraw-static?num_satoshis=1&passThru=`;
      for (const text of [FREE, Buffer.from(FREE).toString('base64')]) {
        const response = await fetch(client.url + path + encodeURIComponent(text), { headers: { 'x-api-key': client.secretKey } });
        expect([response.status, ((await response.json()) as Json).message]).toEqual([
          400,
          expect.stringContaining('`passThru.order` must be'),
        ]);
      }
    });

    it('is refused in the records of a keysend over LNDhub', async () => {
      const { body } = await send(
        '/lndhub/ext/keysend',
        `{"destination":"02${'ab'.repeat(32)}","amount":1,"customRecords":{"696969":${NUMBER}}}`,
        { authorization: `Bearer ${wallet.admin}` },
      );
      expect(body).toMatchObject({ error: true, message: expect.stringContaining('`customRecords[696969]` must be a number') });
    });

    it('is refused in the metadata of apps over NWC, which create and pay nothing', async () => {
      const before = await state();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
      // TypeScript does not know it yet.
      const { rawJSON } = JSON as unknown as { rawJSON(text: string): unknown };
      for (const order of BIG.map(rawJSON))
        for (const [method, params, field] of [
          ['make_invoice', { amount: 1000, metadata: { order } }, 'metadata.order'],
          ['pay_invoice', { invoice: paymentRequest, metadata: { a: [{ b: order }] } }, 'metadata.a[0].b'],
          ['pay_keysend', { pubkey: `02${'ab'.repeat(32)}`, amount: 1000, metadata: { order } }, 'metadata.order'],
          ['multi_pay_invoice', { invoices: [{ invoice: paymentRequest, metadata: { order } }] }, 'invoices[0].metadata.order'],
        ] as const) {
          const { error } = await app.call(method, params);
          expect([method, error]).toEqual([method, { code: 'BAD_REQUEST', message: expect.stringContaining(`${field} is a number`) }]);
          expect(error.message).toContain('Send it as text');
        }
      expect(await state()).toEqual(before);
      const kept = await app.call('make_invoice', { amount: 1000, metadata: { order: NUMBER, price: rawJSON('1.50') } });
      expect(kept.result.metadata).toEqual({ order: NUMBER, price: 1.5 });
      expect(await problems()).toEqual([]);
    });
  },
  { LNDHUB: 'true' },
);

it('stays text in the history of an imported program', () => {
  expect(jsonOrText(FREE)).toBe(FREE);
  expect(jsonOrText('{"order":17}')).toEqual({ order: 17 });
});
