import { expect, it } from 'vitest';
import { visit } from '../lnurl/strict-payer.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';

onFakeNode(
  'limits of keys',
  (service, dialect) => {
    const { client, net, problems, problemsAfter } = service;

    /** Creates an admin key of a wallet. */
    async function keyOf(walletId: string, limits: Json): Promise<{ id: string; key: string }> {
      const made = await client.request('POST', `/v1/wallet/${walletId}/keys`, {
        key: client.secretKey,
        json: { kind: 'wallet_admin', ...limits },
      });
      expect(made.status, made.text).toBe(201);
      return made.body;
    }

    const pay = (key: string, amountMsat: number, script = {}, at = client): Promise<HttpResponse> =>
      at.request('POST', `/v1/wallet/${key}/withdraw`, {
        key,
        json: { payment_request: net.outside.invoice({ amountMsat, script }).paymentRequest },
        headers: 'hold' in script && script.hold ? { prefer: 'respond-async' } : {},
      });
    const transfer = (key: string, to: string, num_satoshis: number) =>
      client.request('POST', `/v1/wallet/${key}/transfer`, { key, json: { dest_wallet_id: to, num_satoshis } });
    const read = async (walletId: string, id: string): Promise<Json> =>
      (await client.get(`/v1/wallet/${walletId}/keys?per-page=100`)).find((one: Json) => one.id === id);

    it('count payments and transfers of the day and the month, and say what is left', async () => {
      const [wallet, other] = [await client.wallet(2_000), await client.wallet()];
      const { id, key } = await keyOf(wallet.id, { max_out_day_msat: 400_000, max_out_month_msat: 1_000_000 });
      expect((await pay(key, 200_000, { hold: true })).status).toBe(202);
      expect((await transfer(key, other.id, 100)).status).toBe(201);
      const { body } = await pay(key, 100_001);
      expect(body).toMatchObject({
        type: 'spending_limit_exceeded',
        message: expect.stringMatching(/^The key may send 100 sat more until \d{4}-\d\d-\d\d \(UTC\), of 400 sat per day\.$/),
      });
      expect((await pay(key, 100_000, { fail: 'NO_ROUTE' })).body.type).toBe('payment_failed');
      expect(await read(wallet.id, id)).toMatchObject({
        max_out_day_msat: 400_000,
        max_out_month_msat: 1_000_000,
        max_pending: null,
        out_day_msat: 300_000,
        out_month_msat: 300_000,
        pending_payments: 1,
      });
      expect((await pay(key, 100_000)).status).toBe(201);
      // Other keys of the wallet are not limited.
      expect((await pay(wallet.admin, 300_000)).status).toBe(201);
      expect((await read(wallet.id, id)).out_day_msat).toBe(400_000);
      expect(await problems()).toEqual([]);
      expect(await problemsAfter('UPDATE spending_limit SET pending_msat = 0, pending_count = 0 WHERE owner_id = $1', id)).not.toEqual([]);
    });

    it('hold for all keys of a lineage together, and for its withdraw links', async () => {
      const wallet = await client.wallet(1_000);
      const { id, key } = await keyOf(wallet.id, { max_out_day_msat: 100_000 });
      expect((await pay(key, 60_000)).status).toBe(201);
      const rotated = await client.post(`/v1/wallet/${wallet.id}/keys/${id}/rotate`, { overlap_seconds: 600 });
      expect(rotated).toMatchObject({ max_out_day_msat: 100_000, out_day_msat: 60_000 });
      expect((await pay(rotated.key, 40_001)).body.type).toBe('spending_limit_exceeded');
      const link = await client.request('POST', `/v1/wallet/${rotated.key}/lnurl/withdraw`, {
        key: rotated.key,
        json: { num_satoshis: 41, fee_limit_msat: 0 },
      });
      const { callback, k1 } = await visit(link.body.url);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 41_000 });
      const claim = await visit(`${callback}&${new URLSearchParams({ k1, pr: paymentRequest })}`);
      expect(claim.status).toBe('ERROR');
      expect((await pay(key, 40_000)).status).toBe(201);
      expect((await pay(rotated.key, 1_000)).body.type).toBe('spending_limit_exceeded');
      expect(await problems()).toEqual([]);
    });

    it('allow so many pending payments, and so many payments per minute', async () => {
      const wallet = await client.wallet(1_000);
      const busy = await keyOf(wallet.id, { max_pending: 1 });
      const held = net.outside.invoice({ amountMsat: 1_000, script: { hold: true } });
      const json = { payment_request: held.paymentRequest };
      const headers = { prefer: 'respond-async' };
      expect((await client.request('POST', `/v1/wallet/${busy.key}/withdraw`, { key: busy.key, json, headers })).status).toBe(202);
      expect((await pay(busy.key, 1_000)).body.message).toMatch(/^The key may have 1 pending payments\./);
      await client.decideHold(held.paymentHash, 'cancel');
      await expect.poll(async () => (await read(wallet.id, busy.id)).pending_payments).toBe(0);
      expect((await pay(busy.key, 1_000)).status).toBe(201);

      const minute = () => Math.floor(Date.now() / 60_000);
      for (let started = -1; started !== minute(); ) {
        started = minute();
        const { key } = await keyOf(wallet.id, { max_payments_per_minute: 1 });
        const sent = [await pay(key, 1_000), await pay(key, 1_000)];
        if (started !== minute()) continue;
        expect(sent.map(({ status }) => status)).toEqual([201, 400]);
        expect(sent[1]?.body.message).toBe('The key may start 1 payments per minute. Wait for the next minute.');
      }
      expect(await problems()).toEqual([]);
    });

    it('hold for concurrent payments, on several instances', async () => {
      const instances = [client, ...(dialect === 'postgres' ? [await service.another()] : [])];
      const wallet = await client.wallet(1_000);
      const { id, key } = await keyOf(wallet.id, { max_out_day_msat: 50_000, max_pending: 100 });
      const sent = await Promise.all(
        Array.from({ length: 12 }, (_, n) => pay(key, 10_000, { hold: n % 2 === 0, fee: 0 }, instances[n % instances.length])),
      );
      const accepted = sent.filter(({ status }) => status < 300);
      for (const { status, body } of sent) if (status >= 300) expect(body.type).toBe('spending_limit_exceeded');
      expect(accepted).toHaveLength(5);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBeLessThanOrEqual(950_000);
      expect(await read(wallet.id, id)).toMatchObject({ out_day_msat: 50_000 });
      expect(await problems()).toEqual([]);
    });

    it('make a key one that manages nothing, and are refused for a key that spends nothing', async () => {
      const made = await client.post('/v1/keys', { max_pending: 5 });
      const { body } = await client.request('POST', '/v1/keys', { key: made.key, json: {} });
      expect(body.type).toBe('forbidden');
      const { id } = await client.wallet();
      const read = await client.request('POST', `/v1/wallet/${id}/keys`, {
        key: client.secretKey,
        json: { kind: 'wallet_read', max_pending: 5 },
      });
      expect(read.body).toMatchObject({ status: 400, message: expect.stringContaining('must be left out for a wallet_read key') });
      expect(await client.get('/v1/keys?per-page=100')).toContainEqual(expect.objectContaining({ id: made.id, max_pending: 5 }));
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
