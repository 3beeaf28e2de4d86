import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { startBalancer } from '../support/balancer.ts';
import { startPostgres } from '../support/global-postgres.ts';
import { MIGRATIONS, silentLog } from '../support/ledger.ts';
import { startCluster } from '../support/standby-postgres.ts';

const put = statement('test_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const get = statement<{ value: string }>('test_get', 'SELECT value FROM service_fact WHERE name = $1');
const wait = statement('test_wait', 'SELECT pg_sleep(0.2)');

/** Shorter than the time limits of statements, for which the service would wait. */
const BACK = { timeout: 150_000 };

describe('a pool whose balancer leads to a wrong server of PostgreSQL', () => {
  const servers: { url: string; port: number; stop: () => Promise<void>; run: (sql: string) => Promise<unknown> }[] = [];
  let balancer: Awaited<ReturnType<typeof startBalancer>>;
  let database: Database;

  beforeAll(async () => {
    for (let i = 0; i < 2; i++) {
      const server = await startPostgres();
      const run = async (sql: string) => {
        const client = new pg.Client({ connectionString: server.url });
        await client.connect();
        return client.query(sql).finally(() => client.end());
      };
      servers.push({ ...server, port: Number(new URL(server.url).port), run });
      const direct = await openDatabase(server.url, { log: silentLog });
      await migrate(direct, MIGRATIONS);
      await direct.close();
    }
  });
  afterAll(async () => {
    for (const server of servers) await server.stop();
  });

  /** The old primary, to which the pool has as many connections as it may, and the new one. */
  let [old, fresh] = servers;
  beforeEach(async () => {
    [old, fresh] = servers;
    if (!old) throw new Error('no server');
    balancer = await startBalancer(old.port);
    database = await openDatabase(old.url.replace(`:${old.port}/`, `:${balancer.port}/`), { log: silentLog });
    await Promise.all(Array.from({ length: 16 }, () => database.all(wait)));
    expect(balancer.connections(old.port)).toBe(16);
    return async () => {
      balancer.thaw(old?.port ?? 0);
      await database.close();
      balancer.close();
      for (const { run } of servers) {
        await run('ALTER SYSTEM RESET ALL');
        await run('SELECT pg_reload_conf()');
        await run('ALTER DATABASE postgres RESET search_path');
        await run('DELETE FROM service_fact');
        await run('DROP SCHEMA IF EXISTS standby CASCADE');
      }
    };
  });

  const write = (name: string) => database.transaction((tx) => tx.run(put, name, '1'));
  const failure = (task: Promise<unknown>) =>
    task.then(
      () => 'done',
      (error: unknown) => error,
    );

  it('leaves a frozen server when a new connection reaches a primary, also with statements that wait for it', async () => {
    balancer.freeze(old?.port ?? 0);
    const begun = Array.from({ length: 12 }, (_, i) => failure(write(`frozen ${i}`)));
    const reads = Array.from({ length: 8 }, () => failure(database.first(get, 'x')));
    balancer.leadTo(fresh?.port ?? 0);
    await expect.poll(() => failure(write('after')), BACK).toBe('done');
    // None of them waits for its time limit; those that began on the frozen server have failed.
    const outcomes = Promise.all([...begun, ...reads]);
    expect(await Promise.race([outcomes, new Promise((resolve) => setTimeout(resolve, BACK.timeout, 'waits'))])).not.toBe('waits');
    balancer.thaw(old?.port ?? 0);
    await expect.poll(() => balancer.connections(old?.port ?? 0), BACK).toBe(0);
    await write('later');
    expect(await database.first(get, 'later')).toEqual({ value: '1' });
  });

  it('waits for a new connection to a frozen server only a moment, not the time limit of a statement', async () => {
    // All connections are gone, and new ones reach the frozen server.
    balancer.freeze(old?.port ?? 0);
    balancer.dropAll();
    const begun = Array.from({ length: 16 }, (_, i) => failure(write(`connecting ${i}`)));
    for (const outcome of await Promise.all(begun)) expect(outcome).toMatchObject({ name: 'StatementFailed' });
    balancer.leadTo(fresh?.port ?? 0);
    await expect.poll(() => failure(write('after')), BACK).toBe('done');
  });

  it('ends all connections to an old primary that has become read-only when one of them rejects a write', async () => {
    await old?.run('ALTER SYSTEM SET default_transaction_read_only = on');
    await old?.run('SELECT pg_reload_conf()');
    balancer.leadTo(fresh?.port ?? 0);
    // The processes of the server read their settings when they are idle.
    await expect.poll(() => failure(write('rejected')), BACK).toMatchObject({ code: '25006' });
    await expect.poll(() => balancer.connections(old?.port ?? 0), BACK).toBe(0);
    for (let i = 0; i < 30; i++) await write(`written ${i}`);
  });

  it.each([
    ['is read-only and no standby', ['ALTER SYSTEM SET default_transaction_read_only = on', 'SELECT pg_reload_conf()']],
    [
      'is a standby',
      [
        `CREATE SCHEMA standby; CREATE FUNCTION standby.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT true'`,
        'ALTER DATABASE postgres SET search_path = standby, pg_catalog, public',
      ],
    ],
  ])('uses no new connection to a server that %s, neither to write nor to read', async (_name, changes) => {
    for (const sql of changes) await old?.run(sql);
    balancer.dropAll();
    await expect.poll(() => failure(database.first(get, 'x')), BACK).toMatchObject({ code: '25006' });
    await expect(write('a')).rejects.toMatchObject({ code: '25006' });
    balancer.leadTo(fresh?.port ?? 0);
    await write('a');
    expect(await database.first(get, 'a')).toEqual({ value: '1' });
  });
});

describe('a pool whose balancer leads every second connection to a standby', () => {
  const change = statement('test_change', 'UPDATE service_fact SET value = $2 WHERE name = $1');
  const ROUNDS = 20;
  const AT_ONCE = 16;

  it('gives the connections to the standby up, and reads nothing old from it', async () => {
    const cluster = await startCluster();
    const direct = await openDatabase(cluster.url, { log: silentLog });
    await migrate(direct, MIGRATIONS);
    await direct.transaction((tx) => tx.run(put, 'round', '0'));
    await direct.close();
    const { primary, standby } = cluster.ports();
    const balancer = await startBalancer(primary);
    const database = await openDatabase(cluster.url.replace(/:\d+\//, `:${balancer.port}/`), { log: silentLog });
    onTestFinished(async () => {
      await database.close();
      balancer.close();
      await cluster.stop();
    });
    // A commit waits until the standby has stored it, not until reads there see it.
    await cluster.standby().run('SELECT pg_wal_replay_pause()');
    balancer.leadTo(standby, primary);

    const seen = new Set<unknown>();
    const codeOf = (error: { code?: string }) => error.code;
    for (let round = 1; round <= ROUNDS; round++) {
      // An idle connection leads to the primary.
      await database.transaction((tx) => tx.run(change, 'round', String(round)));
      const read = () => database.snapshot((tx) => tx.first(get, 'round')).then((row) => row?.value, codeOf);
      const outcomes = new Set(await Promise.all(Array.from({ length: AT_ONCE }, read)));
      for (const outcome of outcomes) expect(['25006', String(round)]).toContain(outcome);
      for (const outcome of outcomes) seen.add(outcome);
      await expect.poll(() => balancer.connections(standby), BACK).toBe(0);
    }
    expect(seen).toContain('25006');
    expect(balancer.connections(primary)).toBeGreaterThan(1);
  });
});
