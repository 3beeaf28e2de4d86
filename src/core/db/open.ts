import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import { DatabaseLocked, DatabaseUnavailable } from './errors.ts';
import { openPostgres } from './postgres.ts';
import type { Durability } from './postgres-server.ts';
import { openSqlite } from './sqlite.ts';

export interface OpenOptions {
  readonly log: Log;
  /** For tools that read the database of a running service: takes no lock and cannot write. */
  readonly readOnly?: boolean;
  /** Takes no lock. For tools that write small rows while the service runs; they must not post or migrate. */
  readonly withoutLock?: boolean;
  /** How long a COMMIT on PostgreSQL may take before no other transaction begins. Tests shorten it. */
  readonly stalledMs?: number;
  /** What keeps confirmed commits on PostgreSQL; the server by default. */
  readonly durability?: Durability;
}

/** Returns the file of a URL `sqlite:<path>`; undefined for PostgreSQL. */
export function sqlitePathOf(url: string): string | undefined {
  return url.startsWith(SQLITE) ? url.slice(SQLITE.length) : undefined;
}

const SQLITE = 'sqlite:';

/**
 * Opens the database of a URL: `sqlite:<path>` or `postgres://…`. `migrate` creates or updates its schema.
 * @throws DatabaseLocked when another process has the SQLite file open for writing; DatabaseUnavailable.
 */
export async function openDatabase(url: string, options: OpenOptions): Promise<Database> {
  const path = sqlitePathOf(url);
  try {
    return path === undefined ? await openPostgres(url, options) : openSqlite(path, options);
  } catch (error) {
    if (error instanceof DatabaseLocked || error instanceof DatabaseUnavailable) throw error;
    const advice =
      path === undefined
        ? 'Start the server, or correct host, port, user, password and database there.'
        : 'Choose a file that this user may write, in a folder that is one; without DATABASE_URL it is satchel.db in DATA_DIR.';
    throw new DatabaseUnavailable(`the database of DATABASE_URL cannot be opened (${reasonOf(error)}). ${advice}`);
  }
}

/** For a lost connection only the code: the message contains host and port, which in a mistyped URL may be parts of the password. */
function reasonOf(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  return /^E[A-Z]+$/.test(code) ? code : errorMessage(error);
}
