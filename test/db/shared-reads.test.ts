import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { MIGRATIONS, onBothDatabases, silentLog } from '../support/ledger.ts';

const put = statement('test_put', 'INSERT INTO service_fact (name, value) VALUES ($1, $2)');
const get = statement<{ value: string }>('test_get', 'SELECT value FROM service_fact WHERE name = $1');

onBothDatabases('a read', (open) => {
  it('sees every commit that was confirmed before it, during many concurrent reads and writes', async () => {
    const database = await open();
    const writeThenRead = async (name: string) => {
      // Reads of the same turn before the commit must not determine the state that a later read sees.
      expect(await database.first(get, name)).toBeUndefined();
      await database.transaction((tx) => tx.run(put, name, 'written'));
      return (await database.first(get, name))?.value;
    };
    const seen = await Promise.all(Array.from({ length: 300 }, (_, i) => writeThenRead(`name ${i}`)));
    expect(new Set(seen)).toEqual(new Set(['written']));
  });
});

describe('reads of SQLite', () => {
  let folder: string;
  let path: string;
  let database: Database;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'satchel-reads-'));
    path = join(folder, 'satchel.db');
    database = await openDatabase(`sqlite:${path}`, { log: silentLog });
    await migrate(database, MIGRATIONS);
  });

  afterEach(async () => {
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Moves the write-ahead log into the file. Returns 1 if a reader of an older state prevented it. */
  function checkpoint(): unknown {
    const other = new DatabaseSync(path, { timeout: 0 });
    try {
      return other.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy;
    } finally {
      other.close();
    }
  }

  it('share one transaction per turn of the event loop', async () => {
    await database.transaction((tx) => tx.run(put, 'a', '1'));
    const [first, second] = [database.first(get, 'a'), database.first(get, 'a')];
    expect(checkpoint()).toBe(1);
    await Promise.all([first, second]);
    await nextTurn();
    expect(checkpoint()).toBe(0);
  });

  it('end at a commit, so that they do not delay its checkpoint', async () => {
    await database.transaction((tx) => tx.run(put, 'a', '1'));
    await database.transaction(async (tx) => {
      await tx.run(put, 'b', '1');
      await database.first(get, 'a');
    });
    expect(checkpoint()).toBe(0);
  });

  it('see only committed rows while a transaction is open', async () => {
    await database.transaction(async (tx) => {
      await tx.run(put, 'a', '1');
      expect(await database.first(get, 'a')).toBeUndefined();
      await nextTurn();
      expect(await database.first(get, 'a')).toBeUndefined();
      expect(await tx.first(get, 'a')).toEqual({ value: '1' });
    });
    expect(await database.first(get, 'a')).toEqual({ value: '1' });
  });

  it('do not delay the start of a transaction, and do not see one that was rolled back', async () => {
    const reading = database.first(get, 'a');
    const failing = database.transaction(async (tx) => {
      await tx.run(put, 'a', '1');
      throw new Error('no');
    });
    await expect(failing).rejects.toThrow('no');
    expect([await reading, await database.first(get, 'a')]).toEqual([undefined, undefined]);
  });

  it('do not share a transaction where another process writes', async () => {
    const other = await openDatabase(`sqlite:${path}`, { log: silentLog, readOnly: true });
    expect(await other.first(get, 'a')).toBeUndefined();
    await database.transaction((tx) => tx.run(put, 'a', '1'));
    expect(await other.first(get, 'a')).toEqual({ value: '1' });
    await other.close();
  });

  it('may be running when the database closes', async () => {
    const reading = database.first(get, 'a');
    await database.close();
    await nextTurn();
    expect(await reading).toBeUndefined();
  });
});
