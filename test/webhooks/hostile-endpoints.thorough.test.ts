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
      await expect.poll(async () => (await rows('SELECT count(*) AS n FROM webhook'))[0]?.n).toBe(0);
      await new Promise((resolve) => setTimeout(resolve, 100));
      expect((await rows('SELECT count(*) AS n FROM webhook_delivery'))[0]?.n).toBe(0);
    });

    it('leaves free slots to the endpoints of other accounts, also when it has the older webhooks', async () => {
      receiver.respond = (received, response) => {
        if (received.path === '/slow') held.push(response);
        else accept(received, response);
      };
      const slow: string[] = [];
      for (let i = 0; i < 12; i += 1) slow.push((await client.post('/v1/webhooks', { url: receiver.url('/slow') })).id);
      await neighbour.post('/v1/webhooks', { url: receiver.url('/neighbour') });
      for (let i = 0; i < 20; i += 1) await client.wallet();
      await expect.poll(() => held.length).toBe(64);
      await neighbour.wallet();
      await new Promise((resolve) => setTimeout(resolve, 300));
      let ended = 0;
      for (; ended < 40 && receiver.accepted('/neighbour').length === 0; ended += 1) {
        held[ended]?.end();
        await expect.poll(() => held.length + receiver.accepted('/neighbour').length).toBeGreaterThan(64 + ended);
      }
      expect(ended).toBeLessThan(40);
      for (const id of slow) await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });

    it('costs no statement of its own while it waits, however many there are', async () => {
      const made: string[] = [];
      for (let i = 0; i < 20; i += 1) made.push((await client.post('/v1/webhooks', { url: receiver.url('/idle') })).id);
      // The first reads of the log.
      await new Promise((resolve) => setTimeout(resolve, 500));
      const statements: string[] = [];
      service.statements = statements;
      await expect.poll(() => statements.filter((name) => name === 'webhook_count_work').length).toBeGreaterThan(4);
      service.statements = undefined;
      const counts = [
        ...Map.groupBy(
          statements.filter((name) => name.startsWith('webhook_')),
          (name) => name,
        ).values(),
      ];
      expect(Math.max(...counts.map(({ length }) => length))).toBeLessThan(20);
      for (const id of made) await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });
  },
  LOCAL,
  { webhooks: { ...FAST.webhooks, timeoutMs: 60_000 } },
);
