import type { Database } from '../../src/core/db/database.ts';
import { openDatabase, sqlitePathOf } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { hashTable } from '../../src/features/move/copy.ts';
import { type Moved, moveDatabase } from '../../src/features/move/move.ts';
import { openPostgresSide } from '../../src/features/move/postgres-side.ts';
import { openSqliteSide } from '../../src/features/move/sqlite-side.ts';
import { listTables } from '../../src/features/move/tables.ts';
import { silentLog } from '../support/ledger.ts';

/** Returns a hash of the rows of each table that a move copies. */
export async function hashesOf(url: string): Promise<Record<string, string>> {
  const path = sqlitePathOf(url);
  const side = path === undefined ? await openPostgresSide(url, { mode: 'read' }) : openSqliteSide(path, { readOnly: true });
  const hashes: Record<string, string> = {};
  for (const table of await listTables()) hashes[table.name] = await hashTable(side, table);
  await side.close();
  return hashes;
}

export function move(from: string, to: string): Promise<Moved> {
  return moveDatabase({ from, to, clock: systemClock, log: silentLog, progress: () => {} });
}

/** Opens a database for reading, or for changes without its lock. */
export async function opened<T>(url: string, work: (database: Database) => Promise<T>, readOnly = true): Promise<T> {
  const database = await openDatabase(url, readOnly ? { readOnly, log: silentLog } : { withoutLock: true, log: silentLog });
  return work(database).finally(() => database.close());
}
