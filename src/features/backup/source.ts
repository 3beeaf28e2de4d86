import { sqlitePathOf } from '../../core/db/open.ts';
import { statement } from '../../core/db/statement.ts';
import { copyPostgres, type SourceOptions } from './copy-postgres.ts';
import { copySqlite, sizeOfSqlite } from './copy-sqlite.ts';
import type { BackupSource } from './take-backup.ts';

const readSize = statement<{ bytes: number }>('backup_database_size', {
  sqlite: 'SELECT 0 AS bytes',
  postgres: 'SELECT pg_database_size(current_database()) AS bytes',
});

/** Returns the source of an open database. */
export async function sourceOf(url: string, options: SourceOptions): Promise<BackupSource> {
  const path = sqlitePathOf(url);
  if (path !== undefined) return { bytes: sizeOfSqlite(path), copy: (to, progress) => copySqlite(path, to, progress) };
  const { bytes = 0 } = (await options.database.first(readSize)) ?? {};
  return { bytes, copy: (to, progress) => copyPostgres(url, to, options, progress) };
}
