import pg from 'pg';
import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode, onFakeNodeOf } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { type HoldInvoice, holdInvoice, TIMING } from './harness.ts';

const statusesOf = (holds: readonly HoldInvoice[]) => Promise.all(holds.map(async (hold) => (await hold.read()).status as string));
const count = (texts: readonly string[], wanted: string) => texts.filter((text) => text === wanted).length;

/** Creates hold invoices of a wallet. They are created before any is paid. */
async function holdInvoices(service: FakeNodeApp, wallet: TestWallet, number: number): Promise<HoldInvoice[]> {
  const holds: HoldInvoice[] = [];
  for (let index = 0; index < number; index++) holds.push(await holdInvoice(service, { num_satoshis: 5 }, wallet));
  return holds;
}

/** Pays hold invoices from outside, one after the other, and waits until the service has decided about each. */
async function payEach(holds: readonly HoldInvoice[]): Promise<void> {
  for (const hold of holds) {
    await hold.pay();
    await expect.poll(async () => (await hold.read()).status).not.toBe('open');
  }
}

const create = (service: FakeNodeApp, { id }: TestWallet, hold_hash: string) =>
  service.client.request('POST', `/v1/wallet/${id}/invoice`, { key: service.client.secretKey, json: { num_satoshis: 1, hold_hash } });

onFakeNode(
  'the payments that are held at once',
  (service) => {
    it('are limited per wallet: one more goes back to its payer, and no hold invoice is created', async () => {
      const wallet = await service.client.wallet();
      const holds = await holdInvoices(service, wallet, 5);
      await payEach(holds.slice(0, 2));
      expect((await create(service, wallet, 'a1'.repeat(32))).status).toBe(201);
      await payEach(holds.slice(2, 3));
      expect(await create(service, wallet, 'a2'.repeat(32))).toMatchObject({ status: 429, body: { type: 'too_many_holds' } });
      await payEach(holds.slice(3, 4));
      expect(await statusesOf(holds)).toEqual(['held', 'held', 'held', 'cancelled', 'open']);
      expect(await holds[3]?.read()).toMatchObject({ failure_reason: 'HOLD_EXPIRED' });
      expect(holds.map((hold) => hold.payer())).toEqual(['pending', 'pending', 'pending', 'failed', undefined]);
      // One that has ended makes room.
      expect((await holds[0]?.settle())?.status).toBe(200);
      await payEach(holds.slice(4));
      expect(await statusesOf(holds)).toEqual(['settled', 'held', 'held', 'cancelled', 'held']);
      for (const hold of holds) await hold.cancel();
      expect(await service.problems()).toEqual([]);
    });

    it('are limited per account, over its wallets', async () => {
      const wallets = [await service.client.wallet(), await service.client.wallet(), await service.client.wallet()];
      const holds: HoldInvoice[] = [];
      for (const wallet of wallets) holds.push(...(await holdInvoices(service, wallet, 2)));
      await payEach(holds);
      expect(await statusesOf(holds)).toEqual(['held', 'held', 'held', 'held', 'held', 'cancelled']);
      expect((await create(service, wallets[2] as TestWallet, 'a3'.repeat(32))).status).toBe(429);
      for (const hold of holds) await hold.cancel();
      expect(await service.problems()).toEqual([]);
    });
  },
  { MAX_HELD_PER_WALLET: '3', MAX_HELD_PER_ACCOUNT: '5' },
  TIMING,
);

onFakeNode(
  'the payments that a node holds at once',
  (service) => {
    it('are limited per active channel, which those between wallets do not use', async () => {
      const info = await service.net.connect().info();
      service.net.always('info', { instead: { ...info, channels: { active: 1, inactive: 3 } } });
      await service.client.get('/v1/node/default');
      const other = { ...service, client: service.neighbour } as FakeNodeApp;
      const [mine, theirs] = [await service.client.wallet(), await service.neighbour.wallet()];
      const [first, ...rest] = [...(await holdInvoices(service, mine, 3)), ...(await holdInvoices(other, theirs, 3))];
      const payer = await service.client.wallet(20);
      const json = { payment_request: first?.invoice.payment_request };
      await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: service.client.secretKey,
        json,
        headers: { prefer: 'respond-async' },
      });
      await first?.until('held');
      await payEach(rest);
      expect(await statusesOf(rest)).toEqual(['held', 'held', 'held', 'held', 'cancelled']);
      expect((await create(service, mine, 'a4'.repeat(32))).status).toBe(429);
      service.net.always('info', { instead: { ...info, channels: { active: 2, inactive: 2 } } });
      await service.client.get('/v1/node/default');
      const more = await holdInvoices(service, mine, 5);
      await payEach(more);
      expect(await statusesOf(more)).toEqual(['held', 'held', 'held', 'held', 'cancelled']);
      for (const hold of [first, ...rest, ...more]) await hold?.cancel();
      service.net.always('info', undefined);
      expect(await service.problems()).toEqual([]);
    });
  },
  { MAX_HELD_PER_CHANNEL: '4' },
  TIMING,
);

onFakeNode(
  'the limit of held payments under concurrency',
  (service, dialect) => {
    it(`is not exceeded by payments that arrive at once${dialect === 'postgres' ? ' at two instances' : ''}`, async () => {
      const wallet = await service.client.wallet();
      const payer = await service.client.wallet(1000);
      const holds = await holdInvoices(service, wallet, 12);
      const doors = dialect === 'postgres' ? [service.client, await service.another()] : [service.client];
      await Promise.all(
        holds.map(({ invoice }, index) =>
          (doors[index % doors.length] ?? service.client).request('POST', `/v1/wallet/${payer.id}/withdraw`, {
            key: service.client.secretKey,
            json: { payment_request: invoice.payment_request },
            headers: { prefer: 'respond-async' },
          }),
        ),
      );
      const payments = async () =>
        (await service.rows('SELECT state FROM payment WHERE wallet_id = $1', payer.id)).map(({ state }) => String(state));
      await expect.poll(async () => count(await payments(), 'failed')).toBe(9);
      expect(count(await payments(), 'pending')).toBe(3);
      expect(count(await statusesOf(holds), 'held')).toBe(3);
      expect(await service.client.get(`/v1/wallet/${payer.id}`)).toMatchObject({ pending_msat: 15_000 });
      for (const hold of holds) await hold.cancel();
      expect(await service.problems()).toEqual([]);
    });
  },
  { MAX_HELD_PER_WALLET: '3' },
  TIMING,
);

/** A lock of the test, for which each posting waits that has just marked a payment as held. */
const PAUSE = 98_098;

onFakeNodeOf(
  { name: 'two postings that hold a payment', dialect: 'postgres', settings: { MAX_HELD_PER_WALLET: '1' }, jobTiming: TIMING },
  (service) => {
    it('count one after the other on two instances, so that they do not exceed the limit together', async () => {
      const other = await service.another();
      const wallet = await service.client.wallet();
      const holds = await holdInvoices(service, wallet, 2);
      const payers = [await service.client.wallet(100), await service.client.wallet(100)];
      await using database = await connected(service.databaseUrl);
      await database.query(
        `CREATE FUNCTION test_pause() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(${PAUSE}); RETURN NULL; END';
       CREATE TRIGGER test_pause AFTER UPDATE ON invoice FOR EACH ROW WHEN (NEW.state = 'held') EXECUTE FUNCTION test_pause();
       SELECT pg_advisory_lock(${PAUSE})`,
      );
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
      // One after the other, because an instance books two payments that it learns of at once in one transaction.
      for (const [index, door] of [service.client, other].entries()) {
        await door.request('POST', `/v1/wallet/${payers[index]?.id}/withdraw`, {
          key: service.client.secretKey,
          json: { payment_request: holds[index]?.invoice.payment_request },
          headers: { prefer: 'respond-async' },
        });
        await expect.poll(async () => (await database.query(waiting)).rows.length).toBe(index + 1);
      }
      await database.query(`SELECT pg_advisory_unlock(${PAUSE})`);
      const states = async () => (await service.rows('SELECT state FROM payment ORDER BY state')).map(({ state }) => state);
      await expect.poll(states).toEqual(['failed', 'pending']);
      expect(count(await statusesOf(holds), 'held')).toBe(1);
      for (const hold of holds) await hold.cancel();
      await database.query('DROP TRIGGER test_pause ON invoice; DROP FUNCTION test_pause()');
      expect(await service.problems()).toEqual([]);
    });
  },
);

async function connected(url: string): Promise<pg.Client & AsyncDisposable> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() });
}
