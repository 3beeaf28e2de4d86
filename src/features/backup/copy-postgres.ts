import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import type { Database, Row, SqlValue, Tx } from '../../core/db/database.ts';
import { MIGRATIONS, migrate, requireMigrated } from '../../core/db/migrate.ts';
import { openDatabase } from '../../core/db/open.ts';
import { type Statement, statement } from '../../core/db/statement.ts';
import type { Log } from '../../core/kernel/log.ts';
import { toggleHead } from '../../core/ledger/store-sqlite/balance-cache.ts';
import { BackupFailed } from './manifest.ts';

/** Rows that are read and written at a time. */
const PAGE = 2000;

/** Rows about running processes, which a copy does not have, and the state of SQLite's balance cache, which PostgreSQL does not have. */
const NOT_COPIED: ReadonlySet<string> = new Set(['instance', 'lease', 'ledger_checkpoint']);

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** The columns of the primary key. */
  readonly key: readonly string[];
}

const estimateRows = statement<{ n: number }>('copy_rows', {
  sqlite: 'SELECT 0 AS n',
  postgres:
    "SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
});

/**
 * Copies a PostgreSQL database that is in use into a new SQLite file: all rows of one moment. The schema is the same on both, so the copy is a
 * complete database of the service, and can be checked without a server.
 * @throws SchemaMismatch when the database does not have the schema of this version
 */
export async function copyPostgres(source: Database, to: string, log: Log, progress: (done: number, total: number) => void): Promise<void> {
  const created = await openDatabase(`sqlite:${to}`, { log });
  await migrate(created, MIGRATIONS).finally(() => created.close());
  const target = new DatabaseSync(to);
  try {
    // The file has its final name only when it is complete and checked.
    target.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA foreign_keys = OFF');
    const triggers = target.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all() as { name: string; sql: string }[];
    for (const { name } of triggers) target.exec(`DROP TRIGGER ${name}`);
    await source.snapshot((tx) => copyTables(tx, target, progress), { takesLong: true });
    for (const { sql } of triggers) target.exec(sql);
    writeCheckpoint(target);
    const [broken] = target.prepare('PRAGMA foreign_key_check').all();
    if (broken) throw new BackupFailed(`The copy has a row in ${broken.table} that refers to a missing row of ${broken.parent}.`);
  } finally {
    target.close();
  }
}

async function copyTables(tx: Tx, target: DatabaseSync, progress: (done: number, total: number) => void): Promise<void> {
  await requireMigrated(tx, MIGRATIONS);
  const total = (await tx.first(estimateRows))?.n ?? 0;
  let done = 0;
  for (const table of listTables(target)) {
    target.exec(`DELETE FROM ${table.name}`);
    const insert = target.prepare(
      `INSERT INTO ${table.name} (${table.columns.join(', ')}) VALUES (${table.columns.map(() => '?').join(', ')})`,
    );
    for await (const rows of readTable(tx, table)) {
      target.exec('BEGIN');
      for (const row of rows) insert.run(...table.columns.map((column) => bound(row[column] as SqlValue)));
      target.exec('COMMIT');
      done += rows.length;
      progress(Math.min(done, total), total);
    }
  }
}

/** Node would bind a number as a REAL. */
function bound(value: SqlValue): SQLInputValue {
  return typeof value === 'number' ? BigInt(value) : value;
}

function listTables(target: DatabaseSync): Table[] {
  const names = target.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'").all();
  return names.flatMap(({ name }) => {
    if (NOT_COPIED.has(String(name))) return [];
    const columns = target.prepare(`PRAGMA table_info(${name})`).all() as { name: string; pk: number }[];
    const key = columns.filter(({ pk }) => pk > 0).sort((a, b) => a.pk - b.pk);
    if (key.length === 0) throw new Error(`the table ${name} has no primary key`);
    return [{ name: String(name), columns: columns.map((one) => one.name), key: key.map((one) => one.name) }];
  });
}

/** Reads a table in the order of its primary key, a page at a time. */
async function* readTable(tx: Tx, { name, columns, key }: Table): AsyncGenerator<Row[]> {
  const select = `SELECT ${columns.join(', ')} FROM ${name}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  const after = `WHERE (${key.join(', ')}) > (${key.map((_, index) => `$${index + 1}`).join(', ')})`;
  const first = long(`copy_${name}`, `${select} ${order}`);
  const next = long(`copy_${name}_after`, `${select} ${after} ${order}`);
  for (let last: Row | undefined; ; ) {
    const rows: Row[] = last ? await tx.all(next, ...key.map((column) => (last as Row)[column] as SqlValue)) : await tx.all(first);
    if (rows.length > 0) yield rows;
    if (rows.length < PAGE) return;
    last = rows.at(-1);
  }
}

function long(name: string, text: string): Statement {
  return { ...statement(name, text), takesLong: true };
}

/** On PostgreSQL the rows of the ledger accounts are always up to date. */
function writeCheckpoint(target: DatabaseSync): void {
  const heads = new Uint8Array(32);
  for (const { head } of target.prepare('SELECT head FROM ledger_account WHERE head IS NOT NULL').all())
    toggleHead(heads, head as Uint8Array);
  target
    .prepare("UPDATE ledger_checkpoint SET position = (SELECT coalesce(max(position), 0) FROM ledger_transfer), heads = ?, batch_id = ''")
    .run(heads);
}
