import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'a webhook whose signing secret cannot be decrypted',
  ({ client, dataDir, restart, openAlerts, rows, execute }) => {
    const receiver = startReceiver();
    const file = join(dataDir, 'secret-key');
    /** Starts the service with another key, as REPLACE_SECRET_KEY allows. */
    async function replaceKey(change: () => void): Promise<void> {
      await execute("DELETE FROM service_fact WHERE name = 'secret_key'");
      await restart(change);
    }
    const loseKey = () => replaceKey(() => rmSync(file));
    const alerts = async () => (await openAlerts()).map(({ kind }) => kind);
    /** The amounts in the order of their first delivery. A delivery is repeated when the short lease ends during it. */
    const acceptedAt = (path: string) => [
      ...new Map(receiver.accepted(path).map(({ id, data }: Json) => [id, data.wtx.num_satoshis])).values(),
    ];

    /** A webhook for incoming transfers, and a function that causes one. */
    async function webhookAt(path: string) {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const order = { url: receiver.url(path), event_types: ['wallet_transfer_in'], wallet_id: b.id };
      const { id, secret } = await client.post('/v1/webhooks', order);
      const transfer = (num_satoshis: number) => client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis });
      return { id, secret, transfer };
    }

    it('gets its events, in order, once the lost SECRET_KEY is restored; meanwhile an alert is open and other webhooks work', async () => {
      const { id, transfer } = await webhookAt('/restored');
      await transfer(1);
      await expect.poll(() => acceptedAt('/restored')).toEqual([1]);
      const key = readFileSync(file);
      await loseKey();
      await transfer(2);
      await transfer(3);
      await expect.poll(alerts).toEqual(['webhook_secrets_unreadable']);
      const other = await webhookAt('/other');
      await other.transfer(4);
      await expect.poll(() => acceptedAt('/other')).toEqual([4]);
      expect(acceptedAt('/restored')).toEqual([1]);
      expect(await client.get(`/v1/webhooks/${id}`)).toMatchObject({ status: 'active', waiting: 2 });
      await client.request('DELETE', `/v1/webhooks/${other.id}`, { key: client.secretKey });
      await replaceKey(() => writeFileSync(file, key));
      await expect.poll(() => acceptedAt('/restored')).toEqual([1, 2, 3]);
      await expect.poll(alerts).toEqual([]);
      await client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    });

    it('gets its events, in order, once its owner rotates the secret', async () => {
      const { id, transfer } = await webhookAt('/rotated');
      await loseKey();
      await transfer(1);
      await transfer(2);
      await expect.poll(alerts).toEqual(['webhook_secrets_unreadable']);
      const { secret } = await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 600 });
      await expect.poll(() => acceptedAt('/rotated')).toEqual([1, 2]);
      for (const { path, raw, headers } of receiver.received)
        if (path === '/rotated') new Webhook(secret).verify(raw, headers as Record<string, string>);
      await expect.poll(alerts).toEqual([]);
    });

    it('gets nothing unsigned if the stored secret was changed: deliveries fail with the reason until the secret is rotated', async () => {
      const { id, transfer } = await webhookAt('/changed');
      const [row] = await rows('SELECT secrets FROM webhook WHERE id = $1', id);
      const [stored] = JSON.parse(String(row?.secrets));
      const sealed = Buffer.from(stored.sealed, 'base64');
      sealed[20] = (sealed[20] ?? 0) ^ 1;
      await execute(
        'UPDATE webhook SET secrets = $2 WHERE id = $1',
        id,
        JSON.stringify([{ ...stored, sealed: sealed.toString('base64') }]),
      );
      await restart();
      await transfer(1);
      const delivery = async () => (await client.get(`/v1/webhooks/${id}/deliveries`))[0];
      await expect
        .poll(delivery)
        .toMatchObject({ status: 'retrying', log: [{ status_code: null, error: expect.stringContaining('Rotate it') }] });
      expect(acceptedAt('/changed')).toEqual([]);
      const { secret } = await client.post(`/v1/webhooks/${id}/rotate-secret`, { overlap_seconds: 600 });
      await client.post(`/v1/webhooks/${id}/deliveries/${(await delivery()).id}/redeliver`);
      await expect.poll(() => acceptedAt('/changed')).toContain(1);
      const { raw, headers } = receiver.received.find(({ path }) => path === '/changed') ?? { raw: '', headers: {} };
      new Webhook(secret).verify(raw, headers as Record<string, string>);
    });
  },
  LOCAL,
  FAST,
);
