import { existsSync } from 'node:fs';
import type { Database } from '../../core/db/database.ts';
import { statement } from '../../core/db/statement.ts';
import type { Log } from '../../core/kernel/log.ts';
import { copyPostgres } from './copy-postgres.ts';
import { copySqlite, sizeOfSqlite } from './copy-sqlite.ts';
import { BackupFailed } from './manifest.ts';
import type { BackupSource } from './take-backup.ts';

const readSize = statement<{ bytes: number }>('backup_database_size', {
  sqlite: 'SELECT 0 AS bytes',
  postgres: 'SELECT pg_database_size(current_database()) AS bytes',
});

/** Returns the source of a SQLite file. @throws BackupFailed when there is none */
export function sqliteSource(path: string): BackupSource {
  if (!existsSync(path)) throw new BackupFailed(`There is no database at ${path}. Set DATA_DIR or DATABASE_URL as the service has them.`);
  return { bytes: sizeOfSqlite(path), copy: (to, progress) => copySqlite(path, to, progress) };
}

/** Returns the source of a PostgreSQL database. */
export async function postgresSource(database: Database, log: Log): Promise<BackupSource> {
  const { bytes = 0 } = (await database.first(readSize)) ?? {};
  return { bytes, copy: (to, progress) => copyPostgres(database, to, log, progress) };
}
