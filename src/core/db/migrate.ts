import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, SqlReader, Tx } from './database.ts';
import { statementsOf } from './dialect.ts';
import { isUnknownTable, SchemaMismatch } from './errors.ts';
import { requireNotMoved } from './move-facts.ts';
import { statement } from './statement.ts';

/** The folder of this code's migrations. */
export const MIGRATIONS = join(import.meta.dirname, '..', '..', '..', 'migrations');

const createTable = statement(
  'migration_table',
  'CREATE TABLE IF NOT EXISTS schema_migration (version BIGINT PRIMARY KEY, name TEXT NOT NULL, checksum TEXT NOT NULL, applied_at BIGINT NOT NULL)',
);
/** Instances that start together migrate one after the other. */
const lockTable = {
  ...statement('migration_lock', { sqlite: 'SELECT 1 AS locked', postgres: 'LOCK TABLE schema_migration IN ACCESS EXCLUSIVE MODE' }),
  takesLong: true,
};
/** A migration, and the wait for another instance's migration, has no time limit. */
const liftTimeLimit = statement('migration_wait', {
  sqlite: 'SELECT 1 AS waits',
  postgres: "SELECT set_config('statement_timeout', '0', true) AS waits",
});
type AppliedRow = { version: number; name: string; checksum: string };
const listApplied = statement<AppliedRow>('migration_list', 'SELECT version, name, checksum FROM schema_migration ORDER BY version');
const insertApplied = statement(
  'migration_insert',
  'INSERT INTO schema_migration (version, name, checksum, applied_at) VALUES ($1, $2, $3, $4)',
);

type Migration = Awaited<ReturnType<typeof readMigrations>>[number];

/**
 * Brings a database to the schema of this code: applies the files `NNNN-name.sql` of a folder that it does not have yet, all of them or
 * none. There is no way back.
 * @throws SchemaMismatch when the database has other migrations than the folder; DatabaseMoved.
 */
export async function migrate(database: Database, folder: string): Promise<void> {
  // Two instances may create the table at the same moment; the second finds it on its second try.
  await database.transaction((tx) => tx.run(createTable)).catch(() => database.transaction((tx) => tx.run(createTable)));
  await database.transaction((tx) => migrateIn(tx, folder));
}

/** The same in a transaction, for a database that no other process uses yet. */
export async function migrateNew(tx: Tx, folder: string): Promise<void> {
  await tx.run(createTable);
  await migrateIn(tx, folder);
}

async function migrateIn(tx: Tx, folder: string): Promise<void> {
  const migrations = await readMigrations(folder);
  await tx.all(liftTimeLimit);
  await tx.all(lockTable);
  const applied = await tx.all(listApplied);
  checkHistory(applied, migrations);
  if (applied.length > 0) await requireNotMoved(tx);
  for (const migration of migrations.slice(applied.length)) await apply(tx, migration);
}

/**
 * Checks that a database has the schema of this code, and changes nothing. For tools that write while the service runs.
 * @throws SchemaMismatch
 */
export async function requireMigrated(database: SqlReader, folder: string): Promise<void> {
  const { names } = await readPending(database, folder);
  if (names.length > 0)
    throw new SchemaMismatch('The database has the schema of an older Satchel. Start this version on it first, or use that version.');
}

/** What an upgrade of a database will do. */
export interface Pending {
  /** The migrations that the database does not have, in order. */
  readonly names: readonly string[];
  /** Whether the release that uses the database works with all of them, so that it may run while this version starts. */
  readonly canRunBeside: boolean;
}

/** A line of a migration: the number of the first migration whose releases work with the schema after this one. Without it, none do. */
const WORKS_WITH = /^-- Releases from (\d{4}) on run with it\.$/m;

/**
 * Returns the migrations of a folder that a database lacks. Changes nothing.
 * @throws SchemaMismatch when the database has no schema, or other migrations than the folder
 */
export async function readPending(database: SqlReader, folder: string): Promise<Pending> {
  const migrations = await readMigrations(folder);
  const applied = await database.all(listApplied).catch((error) => {
    if (isUnknownTable(error)) return [];
    throw error;
  });
  if (applied.length === 0) throw new SchemaMismatch('The database has no schema. Start Satchel on it first.');
  checkHistory(applied, migrations);
  const pending = migrations.slice(applied.length);
  const current = applied.at(-1)?.version ?? 0;
  const canRunBeside = pending.every(({ text }) => Number(WORKS_WITH.exec(text)?.[1] ?? Number.POSITIVE_INFINITY) <= current);
  return { names: pending.map(({ name }) => name), canRunBeside };
}

export async function readMigrations(folder: string) {
  const files = (await readdir(folder)).filter((file) => /^\d{4}-.+\.sql$/.test(file)).sort();
  return Promise.all(
    files.map(async (name) => {
      const text = await readFile(join(folder, name), 'utf8');
      return { version: Number(name.slice(0, 4)), name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}

function checkHistory(applied: readonly AppliedRow[], migrations: readonly Migration[]): void {
  // The first migration may change until the first release. No data is converted until then.
  if (applied[0] && applied[0].checksum !== migrations[0]?.checksum)
    throw new SchemaMismatch(
      'The database was made by an earlier version of Satchel and cannot be upgraded. ' +
        'To keep using it, start the version that made it. Otherwise set DATABASE_URL, or DATA_DIR for SQLite, to a new database.',
    );
  for (const [index, { version, checksum }] of applied.entries()) {
    const migration = migrations[index];
    if (!migration)
      throw new SchemaMismatch(
        'The database was written by a newer version of Satchel. Start that version, or restore a backup made before the upgrade.',
      );
    if (migration.version !== version || migration.checksum !== checksum)
      throw new SchemaMismatch(
        `migrations/${migration.name} is not the text that was applied to this database. Restore the file, and put changes into a new one.`,
      );
  }
}

async function apply(tx: Tx, { version, name, text, checksum }: Migration): Promise<void> {
  for (const [index, sql] of statementsOf(text, tx.dialect).entries()) {
    await tx.run({ ...statement(`migration_${version}_${index}`, sql), takesLong: true });
  }
  await tx.run(insertApplied, version, name, checksum, Math.floor(Date.now() / 1000));
}
