import { copyFileSync, existsSync, rmSync } from 'node:fs';
import pg from 'pg';
import { inject } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { unixSeconds } from '../../src/core/kernel/clock.ts';
import { beginQuarantine } from '../../src/core/quarantine/quarantine.ts';
import type { App } from './app.ts';
import { silentLog } from './ledger.ts';

/** What brings the database of a service back to an earlier moment, as the restore of a backup does. */
export interface Rewind {
  /** Keeps the present state. Stops and starts the service. */
  save(): Promise<void>;
  /** Loses what happened since, and starts the service in quarantine. `meanwhile` runs before the start. */
  rewind(meanwhile?: () => void): Promise<void>;
}

export function rewindOf(app: App): Rewind {
  let savedAt = 0;
  const name = () => new URL(app.databaseUrl).pathname.slice(1);
  const file = () => app.databaseUrl.slice('sqlite:'.length);
  const isSqlite = () => app.databaseUrl.startsWith('sqlite:');

  async function save(): Promise<void> {
    await app.restart(async () => {
      savedAt = unixSeconds({ nowMs: Date.now });
      if (isSqlite()) copySqlite(file(), `${file()}.saved`);
      else await onServer(`DROP DATABASE IF EXISTS ${name()}_saved WITH (FORCE)`, `CREATE DATABASE ${name()}_saved TEMPLATE ${name()}`);
    });
  }

  async function rewind(meanwhile?: () => void): Promise<void> {
    await app.restart(async () => {
      meanwhile?.();
      if (isSqlite()) copySqlite(`${file()}.saved`, file());
      else await onServer(`DROP DATABASE ${name()} WITH (FORCE)`, `CREATE DATABASE ${name()} TEMPLATE ${name()}_saved`);
      const database = await openDatabase(app.databaseUrl, { log: silentLog });
      const restored = { backupCreatedAt: savedAt, restoredAt: unixSeconds({ nowMs: Date.now }) };
      await database.transaction((tx) => beginQuarantine(tx, restored)).finally(() => database.close());
    });
  }

  return { save, rewind };
}

function copySqlite(from: string, to: string): void {
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(to + suffix, { force: true });
    if (existsSync(from + suffix)) copyFileSync(from + suffix, to + suffix);
  }
}

async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    for (const sql of statements) await client.query(sql);
  } finally {
    await client.end();
  }
}
