import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { appOfWallet, SETTINGS, type TestApp } from './app.ts';

onFakeNode(
  'an app that polls the invoices of its wallet',
  ({ client, net, another, problems }, dialect) => {
    const find = async (app: TestApp, hash: string): Promise<Json> =>
      (await app.get('/getuserinvoices')).body.find(({ payment_hash: listed }: Json) => listed === hash);

    it('gets a new and a paid invoice in the next response', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      for (let i = 0; i < 5; i++) {
        const { body } = await app.addInvoice({ amt: 1 + i });
        expect(await find(app, body.hash)).toMatchObject({ amt: 1 + i, ispaid: false });
        await net.outside.pay({ paymentRequest: body.payment_request });
        await expect.poll(async () => (await app.get(`/checkpayment/${body.hash}`)).body.paid).toBe(true);
        expect(await find(app, body.hash)).toMatchObject({ amt: 1 + i, ispaid: true });
      }
      const [first, second] = [await app.get('/getuserinvoices'), await app.get('/getuserinvoices')];
      expect([second.text, second.headers.get('etag')]).toEqual([first.text, first.headers.get('etag')]);
      expect(second.headers.get('content-type')).toBe('application/json; charset=utf-8');
      expect(await problems()).toEqual([]);
    });

    it('gets an older invoice until it is cancelled or expires', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      const [cancelled, expired] = [(await app.addInvoice({ amt: 1 })).body, (await app.addInvoice({ amt: 1, expiry: 2 })).body];
      for (let i = 0; i < 60; i++) await app.addInvoice({ amt: 1 });
      expect(await find(app, cancelled.hash)).toMatchObject({ ispaid: false });
      const { id } = await client.get(`/v1/lntx/${cancelled.hash}`);
      expect((await client.request('DELETE', `/v1/lntx/${id}`, { key: client.secretKey })).status).toBe(200);
      expect(await find(app, cancelled.hash)).toBeUndefined();
      await expect.poll(() => find(app, expired.hash)).toBeUndefined();
      expect(await problems()).toEqual([]);
    });

    it('gets what another instance has changed in the next response', async () => {
      const instances = dialect === 'postgres' ? [client, await another()] : [client];
      const [shop, payer] = [await client.wallet(), await client.wallet(10_000)];
      const at = (index: number, wallet: TestWallet) => appOfWallet(instances[index % instances.length] as Client, wallet);
      /** By payment hash, whether it is paid, as responses have confirmed it. */
      const confirmed = new Map<string, boolean>();
      let isSelling = true;
      const sell = async (seller: number) => {
        for (let i = 0; i < 15; i++) {
          const { body } = await at(seller, shop).addInvoice({ amt: 1 });
          confirmed.set(body.hash, false);
          expect((await at(seller + i, payer).pay(body.payment_request)).status).toBe(200);
          confirmed.set(body.hash, true);
        }
      };
      const poll = async (poller: number) => {
        for (let polls = 0; isSelling && polls < 40; polls++) {
          const before = new Map(confirmed);
          const { body } = await at(poller, shop).get('/getuserinvoices?limit=200');
          const listed = new Map<string, boolean>(body.map((invoice: Json) => [invoice.payment_hash, invoice.ispaid]));
          for (const [hash, isPaid] of before) {
            expect(listed.has(hash)).toBe(true);
            if (isPaid) expect(listed.get(hash)).toBe(true);
          }
        }
      };
      const selling = Promise.all([0, 1, 2, 3].map(sell)).finally(() => {
        isSelling = false;
      });
      await Promise.all([selling, ...[0, 1, 2, 3].map(poll)]);
      expect(confirmed.size).toBe(60);
      for (const poller of [0, 1]) expect((await at(poller, shop).get('/getuserinvoices?limit=200')).body).toHaveLength(60);
      expect(await problems()).toEqual([]);
    });
  },
  SETTINGS,
);
