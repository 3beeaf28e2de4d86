import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, describe, inject } from 'vitest';
import type { Database, Dialect } from '../../src/db/database.ts';
import { MIGRATIONS, migrate } from '../../src/db/migrate.ts';
import { openDatabase } from '../../src/db/open.ts';

export { MIGRATIONS };

export const silentLog = { info() {}, warn() {}, error() {} };

/** Runs a suite on SQLite and on PostgreSQL. `open` gives a fresh, migrated database, closed and removed after the suite. */
export function onBothDatabases(name: string, suite: (open: () => Promise<Database>, dialect: Dialect) => void): void {
  for (const dialect of ['sqlite', 'postgres'] as const) {
    describe(`${name} (${dialect})`, () => {
      const urls = freshUrls(dialect);
      const opened: Database[] = [];
      afterAll(async () => {
        await Promise.all(opened.map((database) => database.close()));
      });
      suite(async () => {
        const database = await openDatabase(await urls(), { log: silentLog });
        opened.push(database);
        await migrate(database, MIGRATIONS);
        return database;
      }, dialect);
    });
  }
}

/** Makes URLs of new, empty databases, removed after the suite; for tests that start processes of their own. */
export function freshUrls(dialect: Dialect): () => Promise<string> {
  const cleanups: (() => Promise<void>)[] = [];
  afterAll(async () => {
    for (const cleanup of cleanups) await cleanup();
  });
  return async () => {
    if (dialect === 'sqlite') {
      const folder = mkdtempSync(join(tmpdir(), 'satchel-test-'));
      cleanups.push(async () => rmSync(folder, { recursive: true, force: true }));
      return `sqlite:${join(folder, 'satchel.db')}`;
    }
    const name = `test_${randomBytes(8).toString('hex')}`;
    await onServer(`CREATE DATABASE ${name}`);
    cleanups.push(() => onServer(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    const url = new URL(inject('postgresUrl'));
    url.pathname = `/${name}`;
    return url.href;
  };
}

async function onServer(sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
