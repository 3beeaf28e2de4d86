import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { eventsOf, nameOf } from '../support/events.ts';

/** The rounds of EVENT_RETENTION_DAYS = 1, and the one in progress. */
const DAY = 97;

onFakeNode(
  'events after EVENT_RETENTION_DAYS',
  (app) => {
    const { client } = app;
    const stored = async () => Number((await app.rows('SELECT count(*) AS n FROM event'))[0]?.n);
    const read = (path: string, after: string) => client.request('GET', `${path}?after=${after}`, { key: client.secretKey });

    it('have expired: their rows are deleted, and their cursors are a 410 that names the oldest event', async () => {
      const [a, b] = [await client.wallet(100), await client.wallet()];
      const invoice = (): Promise<Json> => client.post(`/v1/wallet/${a.id}/invoice`, { num_satoshis: 1 });
      const transfer = () => client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 1 });
      await invoice();
      const old = await eventsOf(client);
      await transfer();
      await app.endEventRounds(2);
      await invoice();
      await transfer();
      const before = await eventsOf(client);
      await app.endEventRounds(DAY - 2);
      expect(await eventsOf(client)).toEqual(before);
      await app.endEventRounds(1);
      const left = await eventsOf(client);
      expect(left.length).toBeLessThan(before.length);
      expect(before.slice(-left.length)).toEqual(left);
      expect(left.map(nameOf)).toEqual(expect.arrayContaining(['invoice_created', 'wallet_transfer_out', 'wallet_transfer_in']));
      expect(await stored()).toBe(left.length);
      for (const path of ['/v1/events', `/v1/wallet/${a.id}/events`]) {
        for (const { id } of old) {
          const { status, body } = await read(path, id);
          expect({ status, type: body.type }).toEqual({ status: 410, type: 'cursor_expired' });
          const [oldest] = await client.get(`${path}?per-page=1`);
          expect(body.message).toContain(oldest.id);
        }
        expect((await read(path, left[0].id)).status).toBe(200);
      }
      expect((await read('/v1/events', left[0].id)).body).toEqual(left.slice(1));
    });

    it('leave the newest event, and new events follow it', async () => {
      const wallet = await client.wallet();
      await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 });
      const [newest] = (await eventsOf(client)).slice(-1);
      await app.endEventRounds(3 * DAY);
      expect((await eventsOf(client)).at(-1)).toEqual(newest);
      expect(await stored()).toBeGreaterThan(0);
      await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 2 });
      const following = (await read('/v1/events', newest.id)).body;
      expect(following.map(nameOf)).toEqual(['invoice_created']);
      expect(following[0].id > newest.id).toBe(true);
      expect(await app.problems()).toEqual([]);
    });
  },
  { EVENT_RETENTION_DAYS: '1' },
);
