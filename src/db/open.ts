import type { Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export interface OpenOptions {
  readonly log: Log;
  /** For tools that look at a running service's database: takes no lock and cannot write. */
  readonly readOnly?: boolean;
  /** For tools that ask a running service for something: writes beside it, without its lock. Never moves money, never migrates. */
  readonly beside?: boolean;
}

/**
 * Opens the database of a URL: `sqlite:<path>` or `postgres://…`. Its schema is brought up by `migrate`.
 * @throws DatabaseLocked when another process has the SQLite file open for writing.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  return url.startsWith('sqlite:') ? openSqlite(url.slice('sqlite:'.length), options) : openPostgres(url, options);
}
