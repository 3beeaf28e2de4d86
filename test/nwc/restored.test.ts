import { afterAll, beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';

onFakeNode(
  'a service whose database was restored',
  (service) => {
    const { client } = service;
    let wallet: TestWallet;
    let app: NwcApp;

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id);
    });

    afterAll(() => app.close());

    it('does not pay again what an app has requested before', async () => {
      const { nodes } = await client.get('/playground');
      const params = { amount: 5_000, pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey };
      const event = app.request('pay_keysend', params);
      await app.send(event);
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      const before = await client.get(`/v1/wallet/${wallet.id}?fields=balance_msat`);

      // The backup is older than the request.
      const restoredAt = Math.floor(Date.now() / 1000);
      const accepted = { backupCreatedAt: restoredAt - 60, restoredAt, lastPosition: 0, acceptedAt: restoredAt, reason: 'a test' };
      await service.execute('DELETE FROM nwc_outbox');
      await service.execute('DELETE FROM nwc_request');
      await service.execute("INSERT INTO service_fact (name, value) VALUES ('restored_accepted', $1)", JSON.stringify(accepted));
      await service.restart();
      await app.send(event);
      // Requests are read in their order, so the first one was read when this is answered.
      const later = app.request('get_balance');
      await app.send(later);
      expect((await app.responseTo(later)).result.balance).toBe(before.balance_msat);
      expect(app.responsesTo(event)).toHaveLength(1);
      const metrics = await fetch(`${client.url}/metrics`).then((response) => response.text());
      // The relay may send the stored event to the new subscription, too.
      expect(metrics).toMatch(/satchel_app_events_ignored_total\{reason="before_restore"\} [1-9]/);
      expect(await service.problems()).toEqual([]);
    });
  },
  {},
  { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
