import { existsSync } from 'node:fs';
import { readConfig } from '../config.ts';
import type { Database } from '../core/db/database.ts';
import { DatabaseUnavailable } from '../core/db/errors.ts';
import { MIGRATIONS, requireMigrated } from '../core/db/migrate.ts';
import { openDatabase, sqlitePathOf } from '../core/db/open.ts';
import type { Log } from '../core/kernel/log.ts';

export interface CommandDatabase {
  readonly readOnly?: boolean;
  readonly withoutLock?: boolean;
  /** A SQLite file that does not exist is created. */
  readonly mayCreate?: boolean;
  /** The schema may be that of another version. */
  readonly hasAnySchema?: boolean;
}

/**
 * Opens the database of DATABASE_URL for a command, and closes it after the work. The service may run at the same time.
 * @throws DatabaseUnavailable, or SchemaMismatch for a database of another version
 */
export async function withDatabase<T>(
  { mayCreate = false, hasAnySchema = false, ...options }: CommandDatabase,
  work: (database: Database) => Promise<T>,
): Promise<T> {
  // SQLite creates files next to the database; only their owner may read them.
  process.umask(0o077);
  const { databaseUrl, databaseDurability: durability } = readConfig(process.env);
  const file = sqlitePathOf(databaseUrl);
  if (file !== undefined && !mayCreate && !existsSync(file)) throw new DatabaseUnavailable(`There is no database at ${file}.`);
  const database = await openDatabase(databaseUrl, { ...options, durability, log: stderrLog });
  try {
    if (!hasAnySchema) await requireMigrated(database, MIGRATIONS);
    return await work(database);
  } finally {
    await database.close();
  }
}

/** The log of a command: warnings and errors, written to standard error. */
export const stderrLog: Log = { info() {}, warn: write, error: write };

function write(fields: object, message: string): void {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`);
}
