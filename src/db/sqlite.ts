import { closeSync, existsSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Tx } from './database.ts';
import { CommitUnknown, DatabaseLocked, DatabaseUnavailable, StatementFailed } from './errors.ts';
import type { OpenOptions } from './open.ts';
import { Running } from './running.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { SqliteReads } from './sqlite-reads.ts';
import { SqliteWriter } from './sqlite-writer.ts';
import { runInTx } from './tx.ts';

/** How many connections are kept for the next snapshots. */
const MAX_IDLE = 4;

/** The first read of a transaction fixes the state it sees; this makes it its beginning. */
const BEGIN_SNAPSHOT = 'BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1';

/** A SQLite file: one connection that writes, one transaction after the other, and others that read beside it (WAL). */
export function openSqlite(given: string, { readOnly = false, beside = false }: Pick<OpenOptions, 'readOnly' | 'beside'> = {}): Database {
  const isGuest = readOnly || beside;
  if (isGuest && !existsSync(given)) throw new DatabaseUnavailable(`There is no database at ${given}.`);
  if (!isGuest) createFile(given);
  const path = onlyName(given);
  const lock = isGuest ? undefined : lockFile(path);
  const writer = readOnly ? undefined : new SqliteWriter(path);
  // Where another process writes, nobody here knows when it commits: every read is on its own.
  const shared = writer && new SqliteReads(path);
  const reader = shared ?? new SqliteConnection(path, true, isGuest);
  /** The writer unless a transaction of it is open: only then are its pages not those that are committed. */
  const readerNow = (): SqliteConnection => {
    if (!writer || isGuest || !writer.mayRead) return reader;
    writer.beginReads();
    return writer;
  };
  const writes = new Turns();
  const running = new Running();
  const idle: SqliteConnection[] = [];

  async function snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const connection = idle.pop() ?? new SqliteConnection(path, true, isGuest);
    try {
      return await inTransaction(connection, BEGIN_SNAPSHOT, work);
    } finally {
      if (idle.length < MAX_IDLE) idle.push(connection);
      else connection.close();
    }
  }

  return {
    dialect: 'sqlite',
    identity: running,
    all: (statement, ...parameters) => readerNow().all(statement, ...parameters),
    first: (statement, ...parameters) => readerNow().first(statement, ...parameters),
    async transaction(work) {
      if (!writer) throw new Error('the database was opened for reading only');
      const write = () => {
        writer.endReads();
        return inTransaction(writer, 'BEGIN IMMEDIATE', work, () => shared?.endTurn());
      };
      return running.write(() => writes.take(write));
    },
    snapshot: (work) => running.read(() => snapshot(work)),
    async close() {
      if (!(await running.close())) return;
      for (const connection of [reader, ...idle, writer]) connection?.close();
      lock?.close();
    },
  };
}

async function inTransaction<T>(
  connection: SqliteConnection,
  begin: string,
  work: (tx: Tx) => Promise<T>,
  beforeCommit?: () => void,
): Promise<T> {
  try {
    connection.exec(begin);
    const result = await runInTx('sqlite', connection, work);
    beforeCommit?.();
    commit(connection);
    return result;
  } finally {
    rollBack(connection);
  }
}

/** Never throws: the caller needs the error that led here, such as that the outcome of a commit is unknown. */
function rollBack(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch {
    // The next BEGIN fails then.
  }
}

const SQLITE_IOERR = 10;

function commit(connection: SqliteConnection): void {
  try {
    connection.exec('COMMIT');
  } catch (error) {
    // After a failed fsync the pages may be on the disk or not; every other failure means that nothing was committed.
    if (error instanceof StatementFailed && Number(error.code) % 256 === SQLITE_IOERR) throw new CommitUnknown();
    throw error;
  }
}

/** Lets one task run at a time, in the order in which they came. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  take<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task, task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/** Creates an empty file, which SQLite takes for an empty database, so that its real path can be read. Follows symbolic links. */
function createFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  closeSync(openSync(path, 'a'));
}

/**
 * Returns the real path, which is the same for every spelling of it and every symbolic link, so that all of them take the same lock.
 * @throws DatabaseUnavailable for a file with hard links. Each name would have its own lock, and SQLite its own log beside each.
 */
function onlyName(given: string): string {
  const path = realpathSync.native(given);
  const { nlink } = statSync(path);
  if (nlink <= 1) return path;
  throw new DatabaseUnavailable(
    `The file ${path} has ${nlink} names (hard links). Remove the others: SQLite keeps a separate log for each name and would corrupt the file.`,
  );
}

/** Holds a lock beside the database for the life of the process; the operating system frees it, even after kill -9. */
function lockFile(path: string): DatabaseSync {
  const lock = new DatabaseSync(`${path}.lock`);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    throw new DatabaseLocked(`Another Satchel is using ${path}. Stop it, or choose another DATA_DIR; several instances need PostgreSQL.`);
  }
}
