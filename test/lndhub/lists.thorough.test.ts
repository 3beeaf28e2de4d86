import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import { claimAll } from '../lnurl/claiming-wallet.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { appOfWallet, BASE, SETTINGS } from './app.ts';

const hexOf = ({ data }: { data: number[] }) => Buffer.from(data).toString('hex');

onFakeNode(
  'the lists of wallet apps',
  ({ client, net, execute, problems }) => {
    it('have transfers between wallets, with the hash of their transaction', async () => {
      const [from, to] = [await client.wallet(1000), await client.wallet()];
      await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 40, memo: 'rent' });
      const [out] = (await appOfWallet(client, from).get('/gettxs')).body;
      const [sent] = await client.get(`/v1/wallet/${from.id}/transactions`);
      expect(out).toMatchObject({ type: 'paid_invoice', value: 40, fee: 0, memo: 'rent' });
      expect(hexOf(out.payment_hash)).toBe(createHash('sha256').update(sent.id).digest('hex'));
      const [received] = (await appOfWallet(client, to).get('/getuserinvoices')).body;
      expect(received).toMatchObject({ type: 'user_invoice', amt: 40, ispaid: true, description: 'rent' });
      expect(hexOf(received.r_hash)).toBe(received.payment_hash);
      expect(await problems()).toEqual([]);
    });

    it('have the newest invoices, with open ones and those that were just paid', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      const open = (await app.addInvoice({ amt: 1, memo: 'open' })).body;
      for (const memo of ['first', 'second']) {
        const { body } = await app.addInvoice({ amt: 2, memo });
        await net.outside.pay({ paymentRequest: body.payment_request });
        await expect.poll(async () => (await app.get(`/checkpayment/${body.hash}`)).body.paid).toBe(true);
      }
      const list: Json[] = (await app.get('/getuserinvoices')).body;
      expect(list.map(({ description, ispaid }) => [description, ispaid])).toEqual([
        ['second', true],
        ['first', true],
        ['open', false],
      ]);
      expect(list[2]).toMatchObject({ payment_hash: open.hash, expire_time: 86_400, add_index: '500' });
      expect((await app.get('/getuserinvoices?limit=1000')).body).toHaveLength(3);
      expect((await app.get('/getuserinvoices?limit=x')).body).toMatchObject({ error: true, code: 8 });
      const other = await client.wallet();
      expect((await appOfWallet(client, other).get('/getuserinvoices')).body).toEqual([]);
      expect((await appOfWallet(client, other).get(`/checkpayment/${open.hash}`)).status).toBe(404);
      expect(await problems()).toEqual([]);
    });

    it('have pages that contain each item once, and no more items than their limit', async () => {
      const [wallet, other] = [await client.wallet(1000), await client.wallet(1000)];
      const app = appOfWallet(client, wallet);
      const transfer = (from: string, to: string) => client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: 3 });
      for (let i = 0; i < 4; i++) {
        const { body } = await app.addInvoice({ amt: 2, memo: `open ${i}` });
        if (i < 2) await net.outside.pay({ paymentRequest: body.payment_request });
        await transfer(other.id, wallet.id);
        await transfer(wallet.id, other.id);
        await app.pay(net.outside.invoice({ amountMsat: 1_000 }).paymentRequest);
      }
      for (const list of ['getuserinvoices', 'gettxs']) {
        const hashesOf = async (query: string): Promise<string[]> =>
          (await app.get(`/${list}${query}`)).body.map(({ r_hash }: Json) => hexOf(r_hash));
        const all = await hashesOf('');
        expect([list, all.length]).toEqual([list, list === 'gettxs' ? 8 : 9]);
        for (const limit of [1, 2, 3, 5]) {
          const pages = await Promise.all(Array.from({ length: 10 }, (_, page) => hashesOf(`?limit=${limit}&offset=${page * limit}`)));
          expect(pages.every(({ length }) => length <= limit)).toBe(true);
          expect(pages.flat()).toEqual(all);
        }
      }
      expect(await problems()).toEqual([]);
    });

    it('have an invoice until ten minutes after its payment, however many newer ones there are', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      const { body: shown } = await app.addInvoice({ amt: 7, memo: 'shown' });
      for (let i = 0; i < 60; i++) await app.addInvoice({ amt: 1, memo: 'newer' });
      const found = async (query = '') =>
        (await app.get(`/getuserinvoices${query}`)).body.filter(({ payment_hash: hash }: Json) => hash === shown.hash);
      expect(await found()).toMatchObject([{ amt: 7, ispaid: false }]);
      await net.outside.pay({ paymentRequest: shown.payment_request });
      await expect.poll(async () => (await app.get(`/checkpayment/${shown.hash}`)).body.paid).toBe(true);
      expect(await found()).toMatchObject([{ amt: 7, ispaid: true }]);
      await execute('UPDATE wallet_transaction SET placed_at_ms = placed_at_ms - 700000 WHERE wallet_id = $1', wallet.id);
      expect(await found('?limit=51')).toEqual([]);
      expect(await found('?limit=51&offset=51')).toMatchObject([{ amt: 7, ispaid: true }]);
      await execute('UPDATE wallet_transaction SET placed_at_ms = placed_at_ms + 700000 WHERE wallet_id = $1', wallet.id);
      expect(await problems()).toEqual([]);
    });

    it('have pages of payments, and no failed ones', async () => {
      const wallet = await client.wallet(1000);
      const app = appOfWallet(client, wallet);
      for (const amountMsat of [1_000, 2_000, 3_000]) await app.pay(net.outside.invoice({ amountMsat }).paymentRequest);
      await app.pay(net.outside.invoice({ amountMsat: 4_000, script: { fail: 'TIMEOUT' } }).paymentRequest);
      const values = async (query: string) => (await app.get(`/gettxs${query}`)).body.map(({ value }: Json) => value);
      expect(await values('')).toEqual([3, 2, 1]);
      expect(await values('?limit=2&offset=0')).toEqual([3, 2]);
      expect(await values('?limit=2&offset=2')).toEqual([1]);
      expect(await problems()).toEqual([]);
    });

    it('have each payment in every response while payments end', async () => {
      const wallet = await client.wallet(1000);
      const app = appOfWallet(client, wallet);
      let isPaying = true;
      const payMany = async () => {
        for (let i = 0; i < 20; i++) await app.pay(net.outside.invoice({ amountMsat: 1_000 }).paymentRequest);
      };
      const paying = Promise.all(Array.from({ length: 4 }, payMany)).finally(() => {
        isPaying = false;
      });
      const read = async () => {
        const counts: number[] = [];
        // At most 100 lists of a key are not limited.
        while (isPaying && counts.length < 24) counts.push((await app.get('/gettxs?limit=200')).body.length);
        expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      };
      await Promise.all([paying, ...Array.from({ length: 4 }, read)]);
      expect(await problems()).toEqual([]);
    });

    it('have the claim of a withdraw link as a payment with its hash', async () => {
      const wallet = await client.wallet(1000);
      const { url } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 20 });
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 20_000 });
      await claimAll(url, paymentRequest);
      const app = appOfWallet(client, wallet);
      await expect.poll(async () => (await app.get('/gettxs')).body.length).toBe(1);
      expect(hexOf((await app.get('/gettxs')).body[0].payment_hash)).toBe(paymentHash);
      expect(await problems()).toEqual([]);
    });

    it('are not sent again to an app that has them', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      for (let i = 0; i < 4; i++) await app.addInvoice({ amt: 1, memo: `invoice ${i}` });
      const headers = { authorization: `Bearer ${wallet.admin}` };
      const etag = (await app.get('/getuserinvoices')).headers.get('etag') ?? '';
      const again = () => client.request('GET', `${BASE}/getuserinvoices`, { headers: { ...headers, 'if-none-match': etag } });
      expect((await again()).status).toBe(304);
      await app.addInvoice({ amt: 1, memo: 'another' });
      expect((await again()).status).toBe(200);
    });

    it('have a rate limit of their own', async () => {
      const wallet = await client.wallet();
      const app = appOfWallet(client, wallet);
      const lists = await Promise.all(Array.from({ length: 300 }, () => app.get('/gettxs')));
      expect(lists.filter(({ status, body }) => status === 429 && body.code === 6).length).toBeGreaterThan(0);
      expect((await app.get('/balance')).status).toBe(200);
    });
  },
  SETTINGS,
);
