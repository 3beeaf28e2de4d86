import { connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import type { Tx } from '../../src/core/db/database.ts';
import { CommitUnknown, isCheckViolation, isUniqueViolation, StatementFailed } from '../../src/core/db/errors.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { freshUrls, MIGRATIONS, onBothDatabases, silentLog } from '../support/ledger.ts';

const put = statement('test_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const get = statement<{ value: string }>('test_get', 'SELECT value FROM service_fact WHERE name = $1');

onBothDatabases('a database transaction', (open) => {
  it('is not committed when the error of a statement was caught and ignored', async () => {
    const database = await open();
    const swallowing = database.transaction(async (tx) => {
      await tx.run(put, 'a', '1');
      await tx.run(put, 'a', '2').catch(() => undefined);
      return 'applied';
    });
    await expect(swallowing).rejects.toThrow(/unique/i);
    expect(await database.first(get, 'a')).toBeUndefined();
  });

  it('rejects a transaction inside it, which would wait for itself', async () => {
    const database = await open();
    const nested = database.transaction(async (tx) => {
      await tx.run(put, 'outer', '1');
      await database.transaction((inner) => inner.run(put, 'inner', '1'));
    });
    await expect(nested).rejects.toThrow('inside a transaction');
    await database.transaction((tx) => tx.run(put, 'outer', '2'));
    expect(await database.first(get, 'outer')).toEqual({ value: '2' });
  });

  it('may be started by work that began inside another one and outlives it', async () => {
    const database = await open();
    const over = Promise.withResolvers<void>();
    let later: Promise<unknown> = Promise.resolve();
    await database.transaction(async () => {
      later = over.promise.then(() => database.transaction((tx) => tx.run(put, 'later', '1')));
    });
    over.resolve();
    await later;
    expect(await database.first(get, 'later')).toEqual({ value: '1' });
  });

  it('rejects numbers that are not safe integers, and missing parameters', async () => {
    const database = await open();
    const count = statement<{ n: number }>('test_count', 'SELECT count(*) AS n FROM ledger_account WHERE id < $1');
    for (const number of [0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53]) {
      await expect(database.first(count, number)).rejects.toThrow('not a safe integer');
      const list = statement('test_list', { sqlite: 'SELECT 1 AS n FROM json_each($1)', postgres: 'SELECT unnest($1::bigint[]) AS n' });
      await expect(database.all(list, [1, number])).rejects.toThrow('not a safe integer');
    }
    await expect(database.first(count)).rejects.toThrow();
    await expect(database.first(count, 1, 2)).rejects.toThrow();
  });

  it('divides integers as integers', async () => {
    const database = await open();
    const half = statement<{ n: number }>('test_half', 'SELECT id / $1 AS n FROM ledger_account WHERE id = 3');
    expect(await database.first(half, 2)).toEqual({ n: 1 });
  });

  it('stores integers exactly, in every kind of statement', async () => {
    const database = await open();
    const put = statement(
      'test_put_heartbeat',
      `INSERT INTO instance (id, host, pid, started_at, seen_at, heartbeat) VALUES ($1, 'h', 1, 1, 1, $2)`,
    );
    const change = statement('test_change_heartbeat', 'UPDATE instance SET heartbeat = $1');
    const half = statement<{ heartbeat: number; half: number }>(
      'test_half_heartbeat',
      'SELECT heartbeat, heartbeat / 2 AS half FROM instance',
    );
    for (const heartbeat of [3, -3, 0, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER, 2 ** 31, 2 ** 32 + 1]) {
      const none = statement('test_no_heartbeat', 'DELETE FROM instance');
      await database.transaction(async (tx) => {
        await tx.run(none);
        await tx.run(put, 'x', heartbeat);
      });
      expect(await database.first(half)).toEqual({ heartbeat, half: Math.trunc(heartbeat / 2) + 0 });
      await database.transaction((tx) => tx.run(change, -heartbeat + 0));
      expect(await database.first(half)).toEqual({ heartbeat: -heartbeat + 0, half: Math.trunc(-heartbeat / 2) + 0 });
    }
  });

  it('returns sums as numbers', async () => {
    const database = await open();
    const sum = statement<{ n: number }>('test_sum', 'SELECT sum(id) AS n FROM ledger_account');
    expect(await database.first(sum)).toEqual({ n: 15 });
  });

  it('names the violated constraint, and repeats no parameter', async () => {
    const database = await open();
    const twice = () => database.transaction((tx) => tx.run(put, 'hunter2', 'x'));
    await twice();
    const unique = await caught(twice());
    const checked = statement('test_checked', 'UPDATE ledger_account SET held_msat = $1 WHERE id = 1');
    const check = await caught(database.transaction((tx) => tx.run(checked, -123456)));
    const fit = statement('test_fit', 'INSERT INTO account (id, created_at) VALUES ($1, $2)');
    const misfit = await caught(database.transaction((tx) => tx.run(fit, 'hunter2', 'hunter2')));
    expect([unique, check, misfit].map((error) => isUniqueViolation(error))).toEqual([true, false, false]);
    expect([isUniqueViolation(unique, 'service_fact'), isUniqueViolation(unique, 'fact')]).toEqual([true, false]);
    expect([unique, check, misfit].map((error) => isCheckViolation(error))).toEqual([false, true, false]);
    for (const error of [unique, check, misfit]) {
      expect(error).toBeInstanceOf(StatementFailed);
      expect(inspect(error, { showHidden: true, depth: 9 })).not.toMatch(/hunter2|123456/);
    }
  });

  it('returns bytes unchanged, also from lists in PostgreSQL', async () => {
    const database = await open();
    const echo = statement<{ b: Uint8Array }>('test_echo', { sqlite: 'SELECT $1 AS b', postgres: 'SELECT $1::bytea AS b' });
    const bytes = Uint8Array.from([0, 1, 127, 128, 255]);
    expect(Uint8Array.from((await database.first(echo, bytes))?.b ?? [])).toEqual(bytes);
    const insert = statement('test_key', {
      sqlite: 'SELECT 1',
      postgres: `SELECT b FROM unnest($1::bytea[]) AS t (b)`,
    });
    if (database.dialect === 'postgres')
      expect(Uint8Array.from((await database.all(insert, [bytes, null]))[0]?.b as Uint8Array)).toEqual(bytes);
  });

  it('returns lists of any texts unchanged', async () => {
    const database = await open();
    const echo = statement<{ value: string | null }>('test_echo_list', {
      sqlite: 'SELECT value FROM json_each($1)',
      postgres: 'SELECT value FROM unnest($1::text[]) AS t (value)',
    });
    const texts = ['', 'NULL', 'null', '"', '\\', '\\"', '{a,b}', ' x ', 'a\nb', "it's", '\\x41', 'zażółć ⚡', null];
    expect((await database.all(echo, texts)).map(({ value }) => value)).toEqual(texts);
  });

  it('fails on a closed database; closing waits for running transactions', async () => {
    const database = await open();
    const closing = Promise.withResolvers<void>();
    const seen = Promise.withResolvers<void>();
    const running = database.transaction(async (tx) => {
      await seen.promise;
      await closing.promise;
      await tx.run(put, 'slow', '1');
      return 'done';
    });
    const reading = database.snapshot(async (tx) => {
      const row = await tx.first(get, 'slow');
      seen.resolve();
      await closing.promise;
      return row;
    });
    const closed = database.close();
    closing.resolve();
    await closed;
    await expect(database.transaction((tx) => tx.run(put, 'late', '1'))).rejects.toThrow('the database is closed');
    await Promise.all([expect(running).resolves.toBe('done'), expect(reading).resolves.toBeUndefined()]);
  });
});

async function forgotten(tx: Tx): Promise<void> {
  await tx.run(put, 'late', '1');
  await tx.run(put, 'later', '1');
}

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

describe('PostgreSQL', () => {
  const urls = freshUrls('postgres');

  // SQLite runs a statement synchronously: one that was not awaited has already run, and the next one finds the handle invalid.
  it('fails a transaction whose callback returns before its statements end, and writes nothing', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, MIGRATIONS);
    const forgetting = database.transaction(async (tx) => {
      await tx.run(put, 'first', '1');
      void forgotten(tx).catch(() => undefined);
    });
    await expect(forgetting).rejects.toThrow('an await is missing');
    expect(await database.first(get, 'first')).toBeUndefined();
    expect(await database.first(get, 'late')).toBeUndefined();
    await database.close();
  });

  it.each(['the server is stopped', 'the network fails'])(
    'a commit is unknown, and not tried again, when %s in the middle of it',
    async (how) => {
      const url = await urls();
      const network = await networkTo(url);
      const database = await openDatabase(network.url, { log: silentLog });
      await migrate(database, MIGRATIONS);
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      // A deferred trigger makes COMMIT wait for a lock of the test, so that it can be interrupted there.
      await admin.query('SELECT pg_advisory_lock(1)');
      await admin.query(`CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
      CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON service_fact DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION slow()`);
      let runs = 0;
      const committing = caught(
        database.transaction(async (tx) => {
          runs++;
          await tx.run(put, 'x', '1');
        }),
      );
      await untilCommitting(admin);
      if (how === 'the network fails') network.fail();
      else
        await admin.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query = 'COMMIT' AND datname = current_database()");
      expect(await committing).toBeInstanceOf(CommitUnknown);
      expect(runs).toBe(1);
      await admin.query('SELECT pg_advisory_unlock(1)');
      // The pool recovers. The state of the transaction shows why it was not retried.
      await admin.query('DROP TRIGGER slow ON service_fact');
      expect(await database.first(get, 'x')).toEqual(how === 'the network fails' ? { value: '1' } : undefined);
      await database.close();
      await admin.end();
      network.close();
    },
  );

  it('fails the transaction, with the reason, when a write that was only sent fails', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, MIGRATIONS);
    await database.transaction((tx) => tx.run(put, 'taken', '1'));
    // The last statement, which is followed by COMMIT, and one that is followed by another statement, whose error names no cause.
    const last = database.transaction(async (tx) => {
      await tx.run(put, 'before', '1');
      await tx.send(put, 'taken', '2');
    });
    expect(isUniqueViolation(await caught(last), 'service_fact')).toBe(true);
    const followed = database.transaction(async (tx) => {
      await tx.send(put, 'taken', '2');
      await tx.run(put, 'before', '1');
    });
    expect(isUniqueViolation(await caught(followed), 'service_fact')).toBe(true);
    const misfit = database.transaction(async (tx) => {
      await tx.run(put, 'before', '1');
      await tx.send(put, 'misfit', 0.5);
    });
    await expect(misfit).rejects.toBeInstanceOf(RangeError);
    expect(await database.first(get, 'before')).toBeUndefined();
    expect(await database.first(get, 'taken')).toEqual({ value: '1' });
    await database.transaction((tx) => tx.send(put, 'after', '1'));
    expect(await database.first(get, 'after')).toEqual({ value: '1' });
    await database.close();
  });

  it('retries after a deadlock of writes that were only sent, and commits both transactions', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, MIGRATIONS);
    await database.transaction((tx) => tx.run(put, 'a', '').then(() => tx.run(put, 'b', '')));
    const append = statement('test_append', 'UPDATE service_fact SET value = value || $2 WHERE name = $1');
    const { promise: both, resolve } = Promise.withResolvers<void>();
    let runs = 0;
    const across = (first: string, second: string, mark: string) =>
      database.transaction(async (tx) => {
        await tx.run(append, first, mark);
        runs += 1;
        if (runs === 2) resolve();
        await both;
        await tx.send(append, second, mark);
      });
    await Promise.all([across('a', 'b', 'x'), across('b', 'a', 'y')]);
    expect(runs).toBeGreaterThan(2);
    const values = await Promise.all(['a', 'b'].map(async (name) => (await database.first(get, name))?.value));
    expect(values.map((value) => [...(value ?? '')].sort().join(''))).toEqual(['xy', 'xy']);
    await database.close();
  });

  it.each(['the server is stopped', 'the network fails'])(
    'a commit is unknown when %s before a write that was sent together with it has been answered',
    async (how) => {
      const url = await urls();
      const network = await networkTo(url);
      const database = await openDatabase(network.url, { log: silentLog });
      await migrate(database, MIGRATIONS);
      await database.transaction((tx) => tx.run(put, 'held', '1'));
      const admin = new pg.Client({ connectionString: url });
      await admin.connect();
      await admin.query("BEGIN; UPDATE service_fact SET value = '2' WHERE name = 'held'");
      const change = statement('test_change', 'UPDATE service_fact SET value = $2 WHERE name = $1');
      let runs = 0;
      const committing = caught(
        database.transaction(async (tx) => {
          runs++;
          await tx.send(change, 'held', '3');
        }),
      );
      const waiting = "SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()";
      while ((await admin.query(waiting)).rowCount === 0) await delay(10);
      if (how === 'the network fails') network.fail();
      else await admin.query(`SELECT pg_terminate_backend(pid) FROM (${waiting}) AS w`);
      expect(await committing).toBeInstanceOf(CommitUnknown);
      expect(runs).toBe(1);
      await admin.query('ROLLBACK');
      await database.close();
      await admin.end();
      network.close();
    },
  );
});

async function untilCommitting(admin: pg.Client): Promise<void> {
  const query = "SELECT 1 FROM pg_stat_activity WHERE query = 'COMMIT' AND state = 'active' AND datname = current_database()";
  while ((await admin.query(query)).rowCount === 0) await delay(10);
}

/** A network in front of a PostgreSQL server that can fail: every connection through it ends. */
async function networkTo(url: string): Promise<{ url: string; fail(): void; close(): void }> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname);
    for (const socket of [near, far]) socket.on('error', () => undefined);
    sockets.add(near);
    near.pipe(far).pipe(near);
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: Object.assign(new URL(url), { port: String(port) }).href,
    fail: () => {
      for (const socket of sockets) socket.destroy();
    },
    close: () => server.close(),
  };
}
