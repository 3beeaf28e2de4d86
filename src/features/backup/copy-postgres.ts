import type { Database } from '../../core/db/database.ts';
import { MIGRATIONS, requireMigrated } from '../../core/db/migrate.ts';
import { deleteMoveTarget } from '../../core/db/move-facts.ts';
import { openDatabase } from '../../core/db/open.ts';
import { statement } from '../../core/db/statement.ts';
import type { Log } from '../../core/kernel/log.ts';
import { copyTables } from '../move/copy.ts';
import { openPostgresSide } from '../move/postgres-side.ts';
import type { CopySide } from '../move/side.ts';
import { openSqliteSide } from '../move/sqlite-side.ts';
import { listTables } from '../move/tables.ts';
import { completeSchema, createTarget } from '../move/target-schema.ts';
import { readSlowly } from './background.ts';

const estimateRows = statement<{ n: number }>('copy_rows', {
  sqlite: 'SELECT 0 AS n',
  postgres:
    "SELECT coalesce(sum(greatest(reltuples, 0)), 0)::bigint AS n FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace",
});

export interface SourceOptions {
  readonly database: Database;
  readonly log: Log;
  /** Spares the server. */
  readonly isBackground: boolean;
}

/**
 * Copies a PostgreSQL database that is in use into a new SQLite file: all rows of one moment. The schema is the same on both, so the copy is a
 * complete database of the service, and can be checked without a server.
 * @throws SchemaMismatch when the database does not have the schema of this version
 */
export async function copyPostgres(
  url: string,
  to: string,
  { database, log, isBackground }: SourceOptions,
  progress: (done: number, total: number) => void,
): Promise<void> {
  await requireMigrated(database, MIGRATIONS);
  const total = (await database.first(estimateRows))?.n ?? 0;
  const tables = await listTables();
  const target = await openDatabase(`sqlite:${to}`, { log });
  const sides: CopySide[] = [];
  try {
    const nothing = { moveId: '', command: 'satchel move', origin: '', sourceState: '', state: 'copying', pending: [] } as const;
    await createTarget(target, tables, nothing);
    const [from, file] = [await openPostgresSide(url, { mode: 'snapshot' }), openSqliteSide(to, { readOnly: false })];
    sides.push(from, file);
    const source = isBackground ? readSlowly(from) : from;
    const contents = { totals: new Map(), rows: total, hashes: new Map() };
    await copyTables({ source, target: file, tables }, contents, (done) => progress(Math.min(done, total), total));
    await completeSchema(target, () => {});
    await file.finish(tables);
    await target.transaction(deleteMoveTarget);
  } finally {
    for (const side of sides) await side.close();
    await target.close();
  }
}
