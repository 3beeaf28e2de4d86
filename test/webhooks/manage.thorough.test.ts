import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { type Received, startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'the owner of webhooks',
  ({ client, neighbour, rows, restart }) => {
    const receiver = startReceiver();
    const send = (method: string, path: string, json?: object, headers = {}, key = client.secretKey) =>
      client.request(method, path, { key, ...(json && { json }), headers });
    const transfer = (from: string, to: string) => client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: 1 });
    const last = () => receiver.received.at(-1) as Received;
    const verifies = (secret: string) => {
      const { raw, headers } = last();
      try {
        new Webhook(secret).verify(raw, headers as Record<string, string>);
        return true;
      } catch {
        return false;
      }
    };
    const test = async (id: string) => {
      const before = receiver.received.length;
      await client.post(`/v1/webhooks/${id}/test`);
      await expect.poll(() => receiver.received.length).toBe(before + 1);
    };

    it('W4: rotates a secret; both sign during the overlap, and only the new one without', async () => {
      const { id, secret: first } = await client.post('/v1/webhooks', { url: receiver.url() });
      await test(id);
      expect(verifies(first)).toBe(true);
      const { secret: second } = await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 600 });
      await test(id);
      expect([first, second].map(verifies)).toEqual([true, true]);
      expect(last().headers['x-lnpay-signature']).toBe(createHmac('sha256', second).update(last().raw).digest('hex'));
      const { secret: third } = await client.post(`/v1/webhooks/${id}/rotate-secret`);
      await test(id);
      expect([first, second, third].map(verifies)).toEqual([false, false, true]);
      expect(first).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
      expect(receiver.received.at(-1)?.event).toMatchObject({ event: { type: 'webhook', name: 'webhook_test' }, data: { webhook_id: id } });
    });

    it('gets the secret again only by a replay of the same request', async () => {
      const headers = { 'idempotency-key': 'once' };
      const made = await send('POST', '/v1/webhooks', { url: receiver.url() }, headers);
      const again = await send('POST', '/v1/webhooks', { url: receiver.url() }, headers);
      expect(again.body).toEqual(made.body);
      expect(again.headers.get('idempotency-replayed')).toBe('true');
      expect(made.headers.get('cache-control')).toBe('no-store');
      const { secret, id } = made.body;
      for (const path of [`/v1/webhooks/${id}`, '/v1/webhooks']) expect((await send('GET', path)).text).not.toContain(secret);
      const stored = JSON.stringify(await rows('SELECT secrets FROM webhook'));
      expect(stored).toContain('sealed');
      expect(stored).not.toContain(secret.slice(6, 20));
    });

    it('selects events by wallet and by name, also with a form', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const body = `url=${encodeURIComponent(receiver.url('/form'))}&event_types=wallet_transfer_in,wallet_send&wallet_id=${b.id}`;
      const made = await client.request('POST', '/v1/webhooks', { key: client.secretKey, form: body });
      expect(made.body).toMatchObject({ event_types: ['wallet_transfer_in', 'wallet_send'], wallet_id: b.id });
      await transfer(a.id, b.id);
      await transfer(b.id, a.id);
      await transfer(a.id, b.id);
      await expect.poll(() => receiver.accepted('/form').length).toBe(2);
      expect(receiver.accepted('/form').map(({ data }: Json) => data.wtx.wal.id)).toEqual([b.id, b.id]);
      await send('PATCH', `/v1/webhooks/${made.body.id}`, { event_types: [], url: receiver.url('/changed') });
      await transfer(b.id, a.id);
      await expect.poll(() => receiver.accepted('/changed').length).toBe(1);
      const unknown = await send('POST', '/v1/webhooks', { url: receiver.url(), event_types: ['wallet_recieve'] });
      expect(unknown).toMatchObject({ status: 400, body: { message: expect.stringContaining('wallet_receive') } });
    });

    it('has only webhooks of the own account', async () => {
      const { id } = await client.post('/v1/webhooks', { url: receiver.url() });
      const wallet = await client.wallet();
      expect(await neighbour.get('/v1/webhooks')).toEqual([]);
      const own = await neighbour.request('POST', '/v1/webhooks', {
        key: neighbour.secretKey,
        json: { url: receiver.url(), wallet_id: wallet.id },
      });
      expect(own.status).toBe(404);
      const delivery = await client.post(`/v1/webhooks/${id}/test`);
      const paths = ['', '/deliveries', `/deliveries/${delivery.id}`].map((path) => ['GET', path] as const);
      const posts = ['/test', '/rotate-secret', '/replay', `/deliveries/${delivery.id}/redeliver`].map((path) => ['POST', path] as const);
      for (const [method, path] of [...paths, ...posts, ['DELETE', ''], ['PATCH', '']] as const) {
        const json = method === 'GET' || method === 'DELETE' ? undefined : path === '/replay' ? { from: 1, to: 2 } : {};
        const { status } = await send(method, `/v1/webhooks/${id}${path}`, json, {}, neighbour.secretKey);
        expect([method, path, status]).toEqual([method, path, 404]);
      }
      for (const key of [client.publicKey, wallet.admin]) expect((await send('GET', '/v1/webhooks', undefined, {}, key)).status).toBe(403);
    });

    it('delivers events again, one or a range, with the same ids', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const from = (await client.get(`/v1/wallet/${a.id}/events`)).at(-1).id;
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/again'), wallet_id: a.id });
      for (let i = 0; i < 3; i++) await transfer(a.id, b.id);
      await expect.poll(() => receiver.accepted('/again').length).toBe(3);
      const ids = () => receiver.accepted('/again').map((event: Json) => event.id);
      const first = ids();
      await expect.poll(async () => (await client.get(`/v1/webhooks/${id}/deliveries`)).length).toBe(3);
      const [newest] = await client.get(`/v1/webhooks/${id}/deliveries?per-page=1`);
      const redelivered = await client.post(`/v1/webhooks/${id}/deliveries/${newest.id}/redeliver`);
      expect(redelivered).toMatchObject({ event_id: first[2], status: 'queued' });
      await expect.poll(ids).toEqual([...first, first[2]]);
      await client.post(`/v1/webhooks/${id}/replay`, { after: from });
      await expect.poll(ids).toEqual([...first, first[2], ...first]);
      const now = Math.floor(Date.now() / 1000);
      await client.post(`/v1/webhooks/${id}/replay`, { from: now - 3600, to: now + 60 });
      await expect.poll(() => ids().slice(7)).toEqual(expect.arrayContaining(first));
      for (const json of [{}, { after: from, from: 1, to: 2 }, { from: 2, to: 1 }, { from: 1 }])
        expect((await send('POST', `/v1/webhooks/${id}/replay`, json)).status).toBe(400);
      expect(await send('POST', `/v1/webhooks/${id}/replay`, { after: 'evt_1' })).toMatchObject({ status: 410 });
      const pages: string[] = [];
      for (let after = ''; ; ) {
        const page: Json[] = await client.get(`/v1/webhooks/${id}/deliveries?per-page=2${after && `&after=${after}`}`);
        if (page.length === 0) break;
        pages.push(...page.map((one) => one.id));
        after = pages.at(-1) ?? '';
      }
      expect(pages).toEqual((await client.get(`/v1/webhooks/${id}/deliveries`)).map((one: Json) => one.id));
    });

    it('deletes a webhook with its deliveries, and has at most 20', async () => {
      for (const { id } of await client.get('/v1/webhooks?per-page=100')) await send('DELETE', `/v1/webhooks/${id}`);
      for (let i = 0; i < 20; i++) await client.post('/v1/webhooks', { url: receiver.url('/many') });
      const refused = await send('POST', '/v1/webhooks', { url: receiver.url('/many') });
      expect(refused).toMatchObject({ status: 409, body: { type: 'too_many_webhooks' } });
      const [{ id }] = await client.get('/v1/webhooks');
      await test(id);
      expect((await send('DELETE', `/v1/webhooks/${id}`)).status).toBe(200);
      expect((await send('GET', `/v1/webhooks/${id}`)).status).toBe(404);
      await client.post('/v1/webhooks', { url: receiver.url('/many') });
      // The newest delivery of all stays until there is a newer one.
      await test((await client.get('/v1/webhooks'))[0].id);
      await expect.poll(async () => (await rows('SELECT count(*) AS n FROM webhook_delivery WHERE webhook_id = $1', id))[0]?.n).toBe(0);
      await expect.poll(async () => (await rows("SELECT count(*) AS n FROM webhook WHERE status = 'deleted'"))[0]?.n).toBe(0);
      await restart();
      const list = await send('GET', '/v1/webhooks?per-page=10&count=1');
      expect(list.headers.get('x-pagination-total-count')).toBe('20');
      expect(list.body).toHaveLength(10);
      const next = await send('GET', `/v1/webhooks?per-page=10&after=${list.body.at(-1).id}`);
      expect(next.body).toHaveLength(10);
      expect(new Set([...list.body, ...next.body].map((one: Json) => one.id)).size).toBe(20);
    });
  },
  LOCAL,
  FAST,
);
