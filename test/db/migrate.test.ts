import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, expect, it, vi } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { SchemaMismatch } from '../../src/core/db/errors.ts';
import { MIGRATIONS, migrate, readPending, requireMigrated } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { freshUrls, onBothDatabases, silentLog } from '../support/ledger.ts';

const SECOND = 'CREATE TABLE test_second (id INTEGER PRIMARY KEY, name TEXT NOT NULL) STRICT;\n';

const countAccounts = statement<{ n: number }>('test_count_accounts', 'SELECT count(*) AS n FROM ledger_account');
const listNames = statement<{ name: string }>('test_list_names', 'SELECT name FROM schema_migration ORDER BY version');
const writeSecond = statement('test_write_second', `INSERT INTO test_second (name) VALUES ('x')`);

const appliedNames = async (database: Database) => (await database.all(listNames)).map(({ name }) => name);
const schema = readdirSync(MIGRATIONS);

onBothDatabases('migrations', (open) => {
  it('are applied once', async () => {
    const database = await open();
    await migrate(database, MIGRATIONS);
    expect(await appliedNames(database)).toEqual(schema);
    expect(await database.first(countAccounts)).toEqual({ n: 5 });
    await requireMigrated(database, MIGRATIONS);
  });

  it('of a newer version are applied to an older database', async () => {
    const database = await open();
    const newer = folderWith({ '9001-second.sql': SECOND });
    await expect(requireMigrated(database, newer)).rejects.toThrow('the schema of an older Satchel');
    await migrate(database, newer);
    await requireMigrated(database, newer);
    expect(await appliedNames(database)).toEqual([...schema, '9001-second.sql']);
    expect(await database.transaction((tx) => tx.run(writeSecond))).toBe(1);
  });

  it('that fail leave nothing behind, and can be corrected', async () => {
    const database = await open();
    const failing = folderWith({ '9001-second.sql': SECOND, '9002-third.sql': 'INSERT INTO test_absent (id) VALUES (1);\n' });
    await expect(migrate(database, failing)).rejects.toThrow('test_absent');
    expect(await appliedNames(database)).toEqual(schema);
    await expect(database.transaction((tx) => tx.run(writeSecond))).rejects.toThrow('test_second');
    await migrate(database, folderWith({ '9001-second.sql': SECOND }));
    expect(await database.transaction((tx) => tx.run(writeSecond))).toBe(1);
  });

  it('are announced before they are applied, and whether the running release works with them', async () => {
    const database = await open();
    const newer = (line: string) => ({ '9001-second.sql': `${line}\n${SECOND}` });
    const pending = (line: string) => readPending(database, folderWith(newer(line)));
    const current = String(Number(schema.at(-1)?.slice(0, 4))).padStart(4, '0');
    const names = ['9001-second.sql'];
    expect(await readPending(database, MIGRATIONS)).toMatchObject({ names: [] });
    expect(await pending(`-- Releases from ${current} on run with it.`)).toEqual({ names, canRunBeside: true });
    expect(await pending('-- Releases from 9000 on run with it.')).toEqual({ names, canRunBeside: false });
    expect(await pending('-- A table.')).toEqual({ names, canRunBeside: false });
    const mixed = { ...newer(`-- Releases from ${current} on run with it.`), '9002-third.sql': '-- Breaks it.\nSELECT 1;\n' };
    expect(await readPending(database, folderWith(mixed))).toEqual({ names: ['9001-second.sql', '9002-third.sql'], canRunBeside: false });
    expect(await appliedNames(database)).toEqual(schema);
  });

  it('reject a database of a newer version', async () => {
    const database = await open();
    await migrate(database, folderWith({ '9001-second.sql': SECOND }));
    const older = expect(migrate(database, MIGRATIONS)).rejects;
    await older.toThrow(SchemaMismatch);
    await older.toThrow('newer version of Satchel');
    await expect(requireMigrated(database, MIGRATIONS)).rejects.toThrow('newer version of Satchel');
  });

  it('reject a database to which another text was applied', async () => {
    const database = await open();
    await migrate(database, folderWith({ '9001-second.sql': SECOND }));
    const edited = folderWith({ '9001-second.sql': `-- Edited.\n${SECOND}` });
    await expect(migrate(database, edited)).rejects.toThrow('migrations/9001-second.sql is not the text that was applied');
  });

  it('reject a database that an earlier version made, and change nothing in it', async () => {
    const database = await open();
    const older = [
      statement('test_other_first', `UPDATE schema_migration SET checksum = 'x'`),
      statement(
        'test_further',
        `INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES (9000, '9000-sending.sql', 'y', 1)`,
      ),
    ];
    await database.transaction(async (tx) => {
      for (const one of older) await tx.run(one);
    });
    const folder = folderWith({ '9001-second.sql': SECOND });
    for (const attempt of [() => migrate(database, folder), () => requireMigrated(database, MIGRATIONS)]) {
      const error = await attempt().catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(SchemaMismatch);
      expect(String(error)).toMatch(
        /made by an earlier version of Satchel and cannot be upgraded.*set DATABASE_URL, or DATA_DIR for SQLite, to a new database/,
      );
    }
    expect(await appliedNames(database)).toEqual([...schema, '9000-sending.sql']);
    await expect(database.transaction((tx) => tx.run(writeSecond))).rejects.toThrow('test_second');
  });
});

describe('migrations on PostgreSQL', () => {
  const urls = freshUrls('postgres');

  it('are applied once when two instances start at the same moment', async () => {
    const url = await urls();
    const [one, two] = await Promise.all([openDatabase(url, { log: silentLog }), openDatabase(url, { log: silentLog })]);
    await Promise.all([migrate(one, MIGRATIONS), migrate(two, MIGRATIONS)]);
    expect(await one.first(countAccounts)).toEqual({ n: 5 });
    await Promise.all([one.close(), two.close()]);
  });

  it('have no time limit, nor has the wait for another instance', async () => {
    const database = await openDatabase(await urls(), { log: silentLog });
    const query = vi.spyOn(pg.Client.prototype, 'query');
    await migrate(database, MIGRATIONS);
    const sent = query.mock.calls.map(([config]) => config as unknown as { name?: string; query_timeout?: number });
    query.mockRestore();
    const long = sent.filter(({ name }) => /^migration_(lock|[0-9])/.test(name ?? ''));
    expect(long.length).toBeGreaterThan(schema.length);
    expect(long.filter(({ query_timeout = 0 }) => query_timeout < 3_600_000)).toEqual([]);
    await database.close();
  });
});

const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Copies the folder of migrations and adds these files. */
function folderWith(files: Record<string, string>): string {
  const folder = mkdtempSync(join(tmpdir(), 'satchel-migrations-'));
  folders.push(folder);
  for (const name of schema) copyFileSync(join(MIGRATIONS, name), join(folder, name));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}
