import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'a key that was revoked a moment ago',
  ({ client, execute, rows }) => {
    const receiver = startReceiver();

    it('A3: changes no webhook, although keys are cached for a second', async () => {
      const { id } = await client.post('/v1/webhooks', { url: receiver.url() });
      const delivery = await client.post(`/v1/webhooks/${id}/test`);
      await expect.poll(async () => (await client.get(`/v1/webhooks/${id}/deliveries/${delivery.id}`)).status).toBe('delivered');
      const state = async () => [
        await rows('SELECT id, url, status, secrets FROM webhook ORDER BY id'),
        await rows('SELECT position FROM webhook_delivery ORDER BY position'),
        await rows('SELECT id FROM webhook_replay'),
      ];
      const routes = [
        ['POST', '', { url: receiver.url() }],
        ['PATCH', `/${id}`, { url: receiver.url('/stolen') }],
        ['POST', `/${id}/rotate-secret`, {}],
        ['POST', `/${id}/test`, {}],
        ['POST', `/${id}/replay`, { from: 1, to: 2_000_000_000 }],
        ['POST', `/${id}/deliveries/${delivery.id}/redeliver`, {}],
        ['DELETE', `/${id}`, undefined],
      ] as const;
      for (const [method, path, json] of routes) {
        const { id: keyId, key } = await client.post('/v1/keys', { kind: 'secret_api' });
        expect((await client.request('GET', '/v1/webhooks', { key })).status).toBe(200);
        const before = await state();
        await execute('UPDATE access_key SET revoked_at = 1 WHERE id = $1', keyId);
        const response = await client.request(method, `/v1/webhooks${path}`, { key, ...(json && { json }) });
        expect([method, path, response.status, response.body.type]).toEqual([method, path, 401, 'unauthorized']);
        expect(await state()).toEqual(before);
      }
    });
  },
  LOCAL,
  FAST,
);
