import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json, TestWallet } from '../support/client.ts';
import { eventsOf, eventsOfWallet, nameOf } from '../support/events.ts';

const idsOf = (events: readonly Json[]): string[] => events.map(({ id }) => id);

/** Reads the events of the account after an event, as a client that polls does, until `isDone` and nothing is left. */
async function follow(client: Client, first: string, isDone: () => boolean): Promise<Json[]> {
  const seen: Json[] = [];
  for (let after = first; ; ) {
    const wasDone = isDone();
    const response = await client.request('GET', `/v1/events?per-page=20&after=${after}`, { key: client.secretKey });
    expect(response.status, response.text).toBe(200);
    seen.push(...response.body);
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    if (next === undefined && wasDone) return seen;
    // A client may follow the link, or continue after the last event.
    after = (next && new URLSearchParams(next.slice(next.indexOf('?'))).get('after')) ?? response.body.at(-1)?.id ?? after;
  }
}

onFakeNode(
  'events of two instances',
  (app, dialect) => {
    // SQLite has one instance.
    if (dialect === 'sqlite') return it.skip('are written by one instance');
    const connections: pg.Client[] = [];

    async function connectToDatabase(): Promise<pg.Client> {
      const connection = new pg.Client({ connectionString: app.databaseUrl });
      await connection.connect();
      connections.push(connection);
      return connection;
    }
    afterAll(async () => {
      for (const connection of connections) await connection.end();
    });

    /** Stores an event of a wallet in a transaction that stays open. */
    async function insertEvent(connection: pg.Client, wallet: TestWallet): Promise<void> {
      await connection.query('BEGIN');
      await connection.query(
        `INSERT INTO event (created_at_ms, type, account_id, wallet_id, subject)
         SELECT $2, 'wallet_updated', account_id, id, id FROM wallet WHERE id = $1`,
        [wallet.id, Date.now()],
      );
    }

    it('are each seen once, in the order of each wallet, by a reader on one of them', async () => {
      const [one, two] = [app.client, await app.another()];
      const wallets = [await one.wallet(1000), await one.wallet(1000), await one.wallet(1000)] as const;
      const [{ id: first }] = (await eventsOf(one)).slice(-1) as [Json];
      const counts = { invoices: 0, transfers: 0, held: 0 };
      let isDone = false;
      const reading = [one, two].map((client) => follow(client, first, () => isDone));

      const write = async (client: Client, start: number) => {
        for (let i = start; i < start + 25; i++) {
          const [from, to] = [wallets[i % 3], wallets[(i + 1) % 3]] as [TestWallet, TestWallet];
          await Promise.all([
            client.post(`/v1/wallet/${from.id}/invoice`, { num_satoshis: 1 }),
            client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 }),
          ]);
          counts.invoices += 1;
          counts.transfers += 1;
        }
      };
      const hold = async (start: number) => {
        const connection = await connectToDatabase();
        for (let i = start; i < start + 12; i++) {
          await insertEvent(connection, wallets[i % 3] as TestWallet);
          await delay((i * 37) % 90);
          await connection.query(i % 3 === 0 ? 'ROLLBACK' : 'COMMIT');
          if (i % 3 !== 0) counts.held += 1;
        }
      };
      await Promise.all([write(one, 0), write(two, 1), write(one, 2), hold(0), hold(1)]);
      isDone = true;

      const all = await eventsOf(one, `/v1/events?after=${first}`);
      for (const seen of await Promise.all(reading)) expect(idsOf(seen)).toEqual(idsOf(all));
      expect(idsOf(all)).toEqual([...new Set(idsOf(all))].toSorted());
      const counted = (name: string) => all.filter((event) => nameOf(event) === name).length;
      expect(counted('invoice_created')).toBe(counts.invoices);
      expect([counted('wallet_transfer_in'), counted('wallet_transfer_out')]).toEqual([counts.transfers, counts.transfers]);
      expect(counted('wallet_updated')).toBe(counts.held);
      for (const wallet of wallets) {
        const own = new Set(idsOf(await eventsOfWallet(two, wallet)));
        const order = all.filter(({ id }) => own.has(id));
        // The order of bookings is that of the wallet's history.
        const history: Json[] = await one.list(`/v1/wallet/${wallet.id}/transactions?per-page=100`);
        const booked = order.flatMap(({ data }) => (data.wtx ? [data.wtx.id] : []));
        expect(booked).toEqual(
          history
            .map(({ id }) => id)
            .toReversed()
            .slice(-booked.length),
        );
      }
      expect(await app.problems()).toEqual([]);
    });

    it.each(['COMMIT', 'ROLLBACK'])('of later transactions wait for one that is open, and follow after its %s', (end) => waitForOpen(end));

    async function waitForOpen(end: string): Promise<void> {
      const two = await app.another();
      const [wallet, other] = [await app.client.wallet(100), await app.client.wallet()];
      // An instance that has not read these events would not show them either while the transaction is open.
      await eventsOf(app.client);
      const [{ id: first }] = (await eventsOf(two)).slice(-1) as [Json];
      const connection = await connectToDatabase();
      await insertEvent(connection, wallet);
      // Positions have the order of commits, so these requests wait for the open transaction.
      const later = [
        app.client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 1 }),
        app.client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 1 }),
      ];
      for (const client of [app.client, two]) {
        const [all, own] = await Promise.all([eventsOf(client, `/v1/events?after=${first}`), eventsOfWallet(client, wallet)]);
        expect(all).toEqual([]);
        expect(own.at(-1).data.wtx?.num_satoshis).toBe(100);
      }
      await connection.query(end);
      await Promise.all(later);
      const expected = [...(end === 'COMMIT' ? ['wallet_updated'] : []), 'invoice_created', 'wallet_transfer_in', 'wallet_transfer_out'];
      for (const client of [app.client, two]) {
        const names = (await eventsOf(client, `/v1/events?after=${first}`)).map(nameOf);
        expect(names.toSorted()).toEqual(expected.toSorted());
        if (end === 'COMMIT') expect(names[0]).toBe('wallet_updated');
      }
      expect((await app.client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(99);
    }

    it('have cursors that an instance accepts which has just started while a transaction is open', async () => {
      const wallet = await app.client.wallet(100);
      const response = await app.client.request('GET', '/v1/events?per-page=2', { key: app.client.secretKey });
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1] ?? '';
      const connection = await connectToDatabase();
      await insertEvent(connection, wallet);
      const late = await app.another();
      const path = `/v1/events${next.slice(next.indexOf('?'))}`;
      expect((await late.request('GET', path, { key: late.secretKey })).status).toBe(200);
      await connection.query('ROLLBACK');
      expect((await eventsOf(late)).length).toBeGreaterThan(2);
    });
  },
  { PAYMENT_WAIT_SECONDS: '2' },
);
