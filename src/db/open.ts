import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import { DatabaseLocked, DatabaseUnavailable } from './errors.ts';
import { openPostgres } from './postgres.ts';
import { openSqlite } from './sqlite.ts';

export interface OpenOptions {
  readonly log: Log;
  /** For tools that look at a running service's database: takes no lock and cannot write. */
  readonly readOnly?: boolean;
  /** For tools that ask a running service for something, or give it a key: writes beside it, without its lock. Never moves money, never migrates. */
  readonly beside?: boolean;
}

/**
 * Opens the database of a URL: `sqlite:<path>` or `postgres://…`. Its schema is brought up by `migrate`.
 * @throws DatabaseLocked when another process has the SQLite file open for writing; DatabaseUnavailable.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const isSqlite = url.startsWith('sqlite:');
  try {
    return isSqlite ? openSqlite(url.slice('sqlite:'.length), options) : await openPostgres(url, options);
  } catch (error) {
    if (error instanceof DatabaseLocked || error instanceof DatabaseUnavailable) throw error;
    const advice = isSqlite
      ? 'Choose a file that this user may write, in a folder that is one; without DATABASE_URL it is satchel.db in DATA_DIR.'
      : 'Start the server, or correct host, port, user, password and database there.';
    throw new DatabaseUnavailable(`the database of DATABASE_URL cannot be opened (${reasonOf(error)}). ${advice}`);
  }
}

/** Of a broken connection only the code: its message repeats what a mistyped URL takes for host and port, which may be a password's. */
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /^E[A-Z]+$/.test(code) ? code : errorMessage(error);
}
