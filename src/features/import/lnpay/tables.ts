import { DatabaseSync } from 'node:sqlite';
import { detectColumns } from '../columns.ts';
import { UnusableSource } from '../source.ts';
import { type SourceDatabase, sqliteSource } from '../source-database.ts';
import { type DumpRow, readDump } from './dump.ts';

/** The tables that are read, and the columns by which their rows are looked up. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  user: ['id', 'org_id'],
  org: ['id'],
  wallet: ['id', 'external_hash'],
  wallet_transaction: ['wallet_id', 'ln_tx_id'],
  wallet_transaction_type: ['id'],
  ln_tx: ['id', 'r_hash_decoded'],
  user_access_key: ['wallet_id', 'user_id'],
  auth_assignment: ['user_id'],
  wallet_lnurlpay: ['wallet_id'],
  wallet_lnurlw: ['wallet_id'],
  custy_domain: ['id'],
  integration_webhook: ['user_id'],
  migration: ['version'],
};

/** The newest migration of the published program. */
const NEWEST_MIGRATION = 'm230109_155754_wtx_rollup';

/**
 * Copies the tables of a dump into a temporary SQLite database, which has no name and ends with the connection: SQL sorts and joins the rows without
 * keeping them in memory. @throws UnusableSource
 */
export async function loadDump(path: string): Promise<SourceDatabase> {
  const database = new DatabaseSync('');
  try {
    database.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN');
    const insert = inserter(database);
    for await (const row of readDump(path)) if (row.table in TABLES) insert(row);
    for (const [table, columns] of Object.entries(TABLES))
      for (const column of columns) {
        if (!hasColumn(database, table, column)) continue;
        database.exec(`CREATE INDEX "${table}_${column}" ON "${table}" ("${column}")`);
      }
    database.exec('COMMIT; ANALYZE; PRAGMA query_only = ON');
    return sqliteSource(database);
  } catch (error) {
    database.close();
    throw error;
  }
}

function hasColumn(database: DatabaseSync, table: string, column: string): boolean {
  return database.prepare('SELECT 1 FROM pragma_table_info(?) WHERE name = ?').get(table, column) !== undefined;
}

/** Columns have no type, so each value keeps that of the dump. */
function inserter(database: DatabaseSync): (row: DumpRow) => void {
  const statements = new Map<string, { readonly columns: readonly string[]; readonly run: (row: DumpRow) => void }>();
  return (row) => {
    const known = statements.get(row.table);
    if (known && known.columns.join() === row.columns.join()) return known.run(row);
    if (known) throw new UnusableSource(`The dump has rows of the table ${row.table} with different columns. Make a new one.`);
    const quoted = row.columns.map((name) => `"${name}"`);
    database.exec(`CREATE TABLE "${row.table}" (${quoted.join(', ')})`);
    const statement = database.prepare(`INSERT INTO "${row.table}" VALUES (${quoted.map(() => '?').join(', ')})`);
    const run = ({ values }: DumpRow) => {
      statement.run(...values);
    };
    statements.set(row.table, { columns: row.columns, run });
    run(row);
  };
}

/** Checks that the tables and columns that are read exist. Tables without rows are absent. @returns the version @throws UnusableSource */
export async function checkTables(database: SourceDatabase): Promise<string> {
  const required = (...names: [string, ...string[]][]) => Object.fromEntries(names.map((one) => [one[0], { names: one }]));
  const ID = ['id', 'external_hash'] as const;
  await detectColumns(database, 'user', required(['id'], ['username'], ['email'], ['password_hash'], ['status'], ['created_at']));
  await detectColumns(
    database,
    'wallet',
    required([ID[0]], [ID[1]], ['user_id'], ['user_label'], ['balance'], ['status_type_id'], ['created_at']),
  );
  if ((await database.columns('migration')).size === 0)
    throw new UnusableSource('The dump has no table migration. Make a dump of the whole database.');
  let version = '';
  for await (const row of database.rows('SELECT max(version) AS version FROM migration')) version = String(row.version);
  if (version > NEWEST_MIGRATION)
    throw new UnusableSource(
      `The source has the migration ${version}, which is newer than ${NEWEST_MIGRATION}. Use a version of Satchel that knows it.`,
    );
  return version;
}
