import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, inject, it, vi } from 'vitest';
import { addMissingNodes, bindNode, ledgerNodes } from '../../src/core/connection/ledger-nodes.ts';
import type { Tx } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { risksOf } from '../../src/core/db/postgres-server.ts';
import { statement } from '../../src/core/db/statement.ts';
import { collectLog } from '../devnet/playground/support/open.ts';
import { freshUrls, MIGRATIONS, onBothDatabases, silentLog } from '../support/ledger.ts';

const put = statement('test_put', `INSERT INTO service_fact (name, value) VALUES ($1, $2)`);
const get = statement<{ value: string }>('test_get', 'SELECT value FROM service_fact WHERE name = $1');
const add = statement('test_add', `UPDATE service_fact SET value = CAST(CAST(value AS BIGINT) + 1 AS TEXT) WHERE name = $1`);

onBothDatabases('the database', (open, dialect) => {
  it('rolls back a transaction that throws', async () => {
    const database = await open();
    const failing = database.transaction(async (tx) => {
      await tx.run(put, 'a', '1');
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    expect(await database.first(get, 'a')).toBeUndefined();
  });

  it('invalidates a transaction handle when its callback returns, so that a forgotten await fails', async () => {
    const database = await open();
    let escaped: Tx | undefined;
    await database.transaction(async (tx) => {
      escaped = tx;
    });
    await expect(escaped?.run(put, 'late', '1')).rejects.toThrow('an await is missing');
    expect(await database.first(get, 'late')).toBeUndefined();
  });

  it('returns the result of a committed transaction although a listener for commits throws, and calls the other listeners', async () => {
    const database = await open();
    let calls = 0;
    const stops = [
      database.onCommit(() => {
        throw new Error('a listener failed');
      }),
      database.onCommit(() => {
        calls += 1;
      }),
    ];
    const result = await database.transaction(async (tx) => {
      await tx.run(put, 'heard', '1');
      return 'committed';
    });
    const failing = database.transaction(async () => {
      throw new Error('half way');
    });
    await expect(failing).rejects.toThrow('half way');
    for (const stop of stops) stop();
    expect([result, calls]).toEqual(['committed', 2]);
    expect(await database.first(get, 'heard')).toEqual({ value: '1' });
  });

  it('loses no update of a hundred concurrent transactions', async () => {
    const database = await open();
    await database.transaction((tx) => tx.run(put, 'counter', '0'));
    await Promise.all(Array.from({ length: 100 }, () => database.transaction((tx) => tx.run(add, 'counter'))));
    expect((await database.first(get, 'counter'))?.value).toBe('100');
  });

  it('reads one state in a snapshot while others write', async () => {
    const database = await open();
    await database.transaction((tx) => tx.run(put, 'x', 'before'));
    const seen = await database.snapshot(async (tx) => {
      const first = await tx.first(get, 'x');
      await database.transaction((other) =>
        other.run(statement('test_set', `UPDATE service_fact SET value = 'after' WHERE name = $1`), 'x'),
      );
      return [first?.value, (await tx.first(get, 'x'))?.value];
    });
    expect(seen).toEqual(['before', 'before']);
    expect((await database.first(get, 'x'))?.value).toBe('after');
  });

  it('rejects an integer beyond 2^53 − 1 instead of rounding it', async () => {
    const database = await open();
    const big = statement<{ n: number }>('test_big', 'SELECT CAST(9007199254740993 AS BIGINT) AS n');
    await expect(database.first(big)).rejects.toThrow();
    const largest = statement<{ n: number }>('test_largest', 'SELECT CAST(9007199254740991 AS BIGINT) AS n');
    expect(await database.first(largest)).toEqual({ n: 9007199254740991 });
  });

  it('sorts text by bytes, so that ids sort by time', async () => {
    const database = await open();
    await database.transaction(async (tx) => {
      for (const name of ['b', 'a', 'Z', '0', 'A', 'é']) await tx.run(put, `sort_${name}`, name);
    });
    const rows = await database.all(
      statement<{ value: string }>('test_sorted', `SELECT value FROM service_fact WHERE name LIKE 'sort!_%' ESCAPE '!' ORDER BY name`),
    );
    expect(rows.map(({ value }) => value)).toEqual(['0', 'A', 'Z', 'a', 'b', 'é']);
  });

  const urls = freshUrls(dialect);

  it('a ledger stays with the node and network it was made for', async () => {
    const database = await open();
    const [{ id }] = await ledgerNodes(database);
    expect(await ledgerNodes(database)).toMatchObject([{ id, ledgerAccount: 1, identity: undefined, state: 'active' }]);
    await bindNode(database, { network: 'regtest', pubkey: '02aa' }, 1);
    await bindNode(database, { network: 'regtest', pubkey: '02aa' }, 1);
    expect(await ledgerNodes(database)).toMatchObject([{ id, identity: { network: 'regtest', pubkey: '02aa' } }]);
    await expect(bindNode(database, { network: 'regtest', pubkey: '02bb' }, 1)).rejects.toThrow('Set LIGHTNING_URL to the node');
    await expect(bindNode(database, { network: 'bitcoin', pubkey: '02aa' }, 1)).rejects.toThrow('holds the ledger of node 02aa on regtest');
  });

  it('a ledger gets another node only while LIGHTNING_URL has more URLs than the ledger has nodes', async () => {
    const database = await open();
    const [{ id }] = await ledgerNodes(database);
    await bindNode(database, { network: 'regtest', pubkey: '02aa' }, 1);
    await addMissingNodes(database, 2, 1);
    await addMissingNodes(database, 2, 1);
    await expect(bindNode(database, { network: 'regtest', pubkey: '02bb' }, 1)).rejects.toThrow('holds the ledger of node 02aa');
    await expect(bindNode(database, { network: 'bitcoin', pubkey: '02bb' }, 2)).rejects.toThrow('on regtest');
    const added = await bindNode(database, { network: 'regtest', pubkey: '02bb' }, 2);
    expect(await bindNode(database, { network: 'regtest', pubkey: '02aa' }, 2)).toMatchObject({ id, ledgerAccount: 1 });
    expect(added).toMatchObject({ ledgerAccount: -1, state: 'active' });
    await addMissingNodes(database, 3, 1);
    expect((await ledgerNodes(database)).map(({ ledgerAccount }) => ledgerAccount)).toEqual([1, -1, -2]);
    await expect(bindNode(database, { network: 'regtest', pubkey: '02cc' }, 2)).rejects.toThrow('node 02aa, 02bb on regtest');
  });

  it('rejects writes on a read-only connection', async () => {
    const url = await urls();
    const writer = await openDatabase(url, { log: silentLog });
    await migrate(writer, MIGRATIONS);
    const reader = await openDatabase(url, { log: silentLog, readOnly: true });
    await expect(reader.transaction((tx) => tx.run(put, 'a', '1'))).rejects.toThrow(/read/);
    await Promise.all([reader.close(), writer.close()]);
  });
});

describe('PostgreSQL', () => {
  const urls = freshUrls('postgres');

  it('is checked at the start for settings with which a crash can undo a commit', async () => {
    const url = await urls();
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    const warnings = async (mode: string, options: object = {}): Promise<string> => {
      await server.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET synchronous_commit = ${mode}`);
      const log = collectLog();
      await (await openDatabase(url, { log, ...options })).close();
      return log.lines.map(({ level, message }) => `${level}: ${message}`).join('\n');
    };
    expect(await warnings('off')).toMatch(/^warn: MONEY AT RISK: .*synchronous_commit off, so a crash can undo/);
    expect(await warnings('on')).not.toContain('synchronous_commit');
    expect(await warnings('off', { readOnly: true })).toBe('');
    await server.end();
  });

  const ON = { fsync: 'on', fullPageWrites: 'on', synchronousCommit: 'on', synchronousStandbyNames: '', standbys: 0 };
  it.each([
    [{}, []],
    [{ fsync: 'off', fullPageWrites: 'off' }, ['fsync and full_page_writes off, so a crash']],
    [{ synchronousCommit: 'local' }, []],
    [{ synchronousStandbyNames: '*', synchronousCommit: 'remote_apply', standbys: 1 }, []],
    [{ synchronousStandbyNames: '*', synchronousCommit: 'local' }, ['synchronous_commit is local, so a failover']],
    [{ synchronousStandbyNames: '*', synchronousCommit: 'remote_write', standbys: 1 }, ['synchronous_commit is remote_write']],
    [{ synchronousStandbyNames: '*', synchronousCommit: 'off' }, ['synchronous_commit off, so a crash']],
    [{ standbys: 1 }, ['synchronous_standby_names is empty, so a failover']],
    // Neon: safekeepers have a commit before it is confirmed, and a read replica is attached.
    [{ fsync: 'off', fullPageWrites: 'off', synchronousStandbyNames: 'walproposer', standbys: 2 }, []],
    [{ fsync: 'off', synchronousStandbyNames: 'walproposer', synchronousCommit: 'off' }, ['synchronous_commit off, so a crash']],
    [{ fsync: 'off', synchronousStandbyNames: 'walproposer', synchronousCommit: 'local' }, ['synchronous_commit is local, so a failover']],
    [{ fsync: 'off', synchronousStandbyNames: 'my_walproposer_standby' }, ['fsync off, so a crash']],
  ])('knows the settings with which a commit can get lost: %j', (settings, expected) => {
    const risks = risksOf({ ...ON, ...settings });
    expect(risks).toHaveLength(expected.length);
    for (const [index, text] of expected.entries()) expect(risks[index]).toContain(text);
  });

  it.each([
    [{ standbys: 1 }, 0],
    [{ fsync: 'off', fullPageWrites: 'off', standbys: 1 }, 0],
    [{ synchronousCommit: 'off' }, 1],
    [{ synchronousStandbyNames: '*', synchronousCommit: 'remote_write' }, 1],
  ])('leaves files and standbys to the provider of a managed database, but not the settings of commits: %j', (settings, count) => {
    expect(risksOf({ ...ON, ...settings }, 'managed')).toHaveLength(count);
  });

  /** A database of which the test has one connection, and whose other connections it can end. */
  async function endable() {
    const url = await urls();
    const server = new pg.Client({ connectionString: url });
    await server.connect();
    const log = collectLog();
    const database = await openDatabase(url, { log });
    await migrate(database, MIGRATIONS);
    return {
      database,
      log,
      /** Changes a setting for connections that begin later. */
      set: (setting: string) => server.query(`ALTER DATABASE ${new URL(url).pathname.slice(1)} SET ${setting}`),
      run: (sql: string) => server.query(sql),
      async endConnections() {
        await server.query(
          'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
        );
        // A read may still get a connection that has ended.
        await expect
          .poll(() => database.first(get, 'x').catch((error) => error.code))
          .toSatisfy((code) => code === undefined || code === '25006');
      },
      async close() {
        await database.close();
        await server.end();
      },
    };
  }

  it('is checked again at each new connection', async () => {
    const { log, set, endConnections, close } = await endable();
    const risks = () => log.lines.filter(({ message }) => message.includes('synchronous_commit off')).length;
    expect(risks()).toBe(0);
    await set('synchronous_commit = off');
    await endConnections();
    expect(risks()).toBe(1);
    await endConnections();
    expect(risks()).toBe(1);
    await close();
  });

  it('gives up a connection that accepts no writes', async () => {
    const { database, set, endConnections, close } = await endable();
    await set('default_transaction_read_only = on');
    await endConnections();
    const write = () => database.transaction((tx) => tx.run(put, 'a', '1'));
    await expect(write()).rejects.toMatchObject({ code: '25006' });
    await set('default_transaction_read_only = off');
    await write();
    await close();
  });

  it('reads nothing from a standby, and uses no connection to one', async () => {
    const { database, set, run, endConnections, close } = await endable();
    await database.transaction((tx) => tx.run(put, 'a', '1'));
    await run(`CREATE SCHEMA standby; CREATE FUNCTION standby.pg_is_in_recovery() RETURNS bool LANGUAGE sql AS 'SELECT true'`);
    await set('search_path = standby, pg_catalog, public');
    await endConnections();
    const read = () => database.first(get, 'a');
    await expect(read()).rejects.toMatchObject({ code: '25006' });
    await expect(database.snapshot((tx) => tx.first(get, 'a'))).rejects.toMatchObject({ code: '25006' });
    await expect(database.transaction((tx) => tx.first(get, 'a'))).rejects.toMatchObject({ code: '25006' });
    await set('search_path = public');
    expect(await read()).toEqual({ value: '1' });
    await close();
  });

  it('limits how long a transaction may be idle: seconds for one that writes, longer for a snapshot', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    const show = statement<{ idle_in_transaction_session_timeout: string }>('test_idle', 'SHOW idle_in_transaction_session_timeout');
    const inside = (tx: Tx) => tx.first(show);
    expect(await database.transaction(inside)).toEqual({ idle_in_transaction_session_timeout: '4s' });
    expect(await database.snapshot(inside)).toEqual({ idle_in_transaction_session_timeout: '30s' });
    await database.close();
  });

  it('sets no time limit for the statements of a long snapshot, neither in the server nor in the client', async () => {
    const database = await openDatabase(await urls(), { log: silentLog, readOnly: true });
    const limit = statement<{ statement_timeout: string }>('test_statement_limit', 'SHOW statement_timeout');
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const inside = (tx: Tx) => tx.first(limit);
    expect(await database.snapshot(inside, { takesLong: true })).toEqual({ statement_timeout: '0' });
    // The next statement on the same connection has the usual limits.
    expect(await database.snapshot(inside)).toEqual({ statement_timeout: '30s' });
    const sent = query.mock.calls.map(([config]) => config as unknown as { name?: string; query_timeout?: number });
    query.mockRestore();
    const [long, short] = sent.filter(({ name }) => name === 'test_statement_limit');
    expect(long?.query_timeout).toBeGreaterThan(3_600_000);
    expect(short?.query_timeout).toBeUndefined();
    await database.close();
  });

  it('retries after a deadlock, and applies both transactions', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    await migrate(database, MIGRATIONS);
    await database.transaction(async (tx) => {
      await tx.run(put, 'x', '0');
      await tx.run(put, 'y', '0');
    });
    const both = (first: string, second: string) =>
      database.transaction(async (tx) => {
        await tx.run(add, first);
        await delay(50);
        await tx.run(add, second);
      });
    await Promise.all([both('x', 'y'), both('y', 'x')]);
    expect([(await database.first(get, 'x'))?.value, (await database.first(get, 'y'))?.value]).toEqual(['2', '2']);
    await database.close();
  });

  it('fails only the transaction whose connection is killed', async () => {
    const url = await urls();
    const database = await openDatabase(url, { log: silentLog });
    await migrate(database, MIGRATIONS);
    const pid = statement<{ pid: number }>('test_pid', 'SELECT pg_backend_pid() AS pid');
    const killed = database.transaction(async (tx) => {
      await tx.run(put, 'gone', '1');
      const row = await tx.first(pid);
      const other = new pg.Client({ connectionString: inject('postgresUrl') });
      await other.connect();
      await other.query('SELECT pg_terminate_backend($1)', [row?.pid]);
      await other.end();
      await tx.run(put, 'gone too', '1');
    });
    await expect(killed).rejects.toThrow();
    await database.transaction((tx) => tx.run(put, 'alive', '1'));
    expect(await database.first(get, 'gone')).toBeUndefined();
    expect(await database.first(get, 'alive')).toEqual({ value: '1' });
    await database.close();
  });
});
