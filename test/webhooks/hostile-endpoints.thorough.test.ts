import type { ServerResponse } from 'node:http';
import { afterEach, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { accept, startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'an endpoint that delays its responses',
  (service) => {
    const { client, neighbour, rows } = service;
    const receiver = startReceiver();
    const held: ServerResponse[] = [];
    afterEach(() => {
      receiver.respond = accept;
      for (const response of held.splice(0)) response.end();
    });

    it('leaves no delivery when its webhook is deleted meanwhile', async () => {
      receiver.respond = (_received, response) => {
        held.push(response);
      };
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/held'), event_types: ['wallet_created'] });
      await client.wallet();
      await expect.poll(() => held.length).toBe(1);
      await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
      await new Promise((resolve) => setTimeout(resolve, 300));
      for (const response of held.splice(0)) response.writeHead(500).end();
      // The newest delivery of all stays until there is a newer one.
      const other = await client.post('/v1/webhooks', { url: receiver.url('/other'), event_types: ['wallet_updated'] });
      await client.post(`/v1/webhooks/${other.id}/test`);
      await expect.poll(async () => (await rows('SELECT count(*) AS n FROM webhook WHERE id = $1', id))[0]?.n).toBe(0);
      expect((await rows('SELECT count(*) AS n FROM webhook_delivery WHERE webhook_id = $1', id))[0]?.n).toBe(0);
      await client.request('DELETE', `/v1/webhooks/${other.id}`, { key: client.secretKey });
    });

    it('takes at most a quarter of the slots with all endpoints of its account, so that those of others do not wait', async () => {
      receiver.respond = (received, response) => {
        if (received.path === '/slow') held.push(response);
        else accept(received, response);
      };
      const slow: string[] = [];
      for (let i = 0; i < 12; i += 1) slow.push((await client.post('/v1/webhooks', { url: receiver.url('/slow') })).id);
      const { id } = await neighbour.post('/v1/webhooks', { url: receiver.url('/neighbour') });
      for (let i = 0; i < 20; i += 1) await client.wallet();
      await expect.poll(() => held.length).toBe(16);
      for (let i = 1; i <= 5; i += 1) {
        await neighbour.wallet();
        await expect.poll(() => receiver.accepted('/neighbour').length).toBe(i);
      }
      expect(held.length).toBe(16);
      for (const one of slow) await client.request('DELETE', `/v1/webhooks/${one}`, { key: client.secretKey });
      await neighbour.request('DELETE', `/v1/webhooks/${id}`, { key: neighbour.secretKey });
    });

    it('costs no statement of its own while it waits, however many there are', async () => {
      const made: string[] = [];
      for (let i = 0; i < 20; i += 1) made.push((await client.post('/v1/webhooks', { url: receiver.url('/idle') })).id);
      // The first reads of the log.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const statements: string[] = [];
      service.statements = statements;
      await expect.poll(() => statements.filter((name) => name === 'webhook_find_any').length).toBeGreaterThan(4);
      service.statements = undefined;
      const names = new Set(statements.filter((name) => name.startsWith('webhook_')));
      for (const perWebhook of ['webhook_lock_active', 'webhook_delivery_queued', 'webhook_delivery_due'])
        expect(names).not.toContain(perWebhook);
      for (const id of made) await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });
  },
  LOCAL,
  { webhooks: { ...FAST.webhooks, timeoutMs: 60_000 } },
);
