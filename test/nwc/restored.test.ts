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

    /** Forgets the requests of apps, as a restore of a backup does that was made before them. */
    async function restore(restoredAt: number): Promise<void> {
      const accepted = { backupCreatedAt: restoredAt - 60, restoredAt, lastPosition: 0, acceptedAt: restoredAt, reason: 'a test' };
      await service.execute('DELETE FROM task');
      await service.execute('DELETE FROM nwc_request');
      await service.execute("DELETE FROM service_fact WHERE name = 'restored_accepted'");
      await service.execute("INSERT INTO service_fact (name, value) VALUES ('restored_accepted', $1)", JSON.stringify(accepted));
      await service.restart();
    }

    it('does not pay again what an app has requested before', async () => {
      const { nodes } = await client.get('/playground');
      const params = { amount: 5_000, pubkey: nodes.find(({ name }: Json) => name === 'alice').pubkey };
      const event = app.request('pay_keysend', params);
      await app.send(event);
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      const before = await client.get(`/v1/wallet/${wallet.id}?fields=balance_msat`);

      // The backup is older than the request.
      await restore(Math.floor(Date.now() / 1000));
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

    it('does not execute a request whose time may be before the restore by a clock that is 60 seconds ahead', async () => {
      const restoredAt = Math.floor(Date.now() / 1000);
      await restore(restoredAt);
      // An app's clock may be a minute ahead, so the first request may have been executed before the restore.
      const [early, late] = [60, 61].map((ahead) => app.request('make_invoice', { amount: 1000 }, { createdAt: restoredAt + ahead }));
      if (!early || !late) throw new Error('two requests were made');
      await expect.poll(() => Math.floor(Date.now() / 1000)).toBeGreaterThan(restoredAt);
      await app.send(early);
      await app.send(late);
      expect((await app.responseTo(late)).result.amount).toBe(1000);
      expect(app.responsesTo(early)).toEqual([]);
      expect(await service.rows('SELECT id FROM nwc_request WHERE id IN ($1, $2)', early.id, late.id)).toEqual([{ id: late.id }]);
    });
  },
  {},
  { nwc: { pollMs: 50, relay: { minBackoffMs: 20, maxBackoffMs: 200 } } },
);
