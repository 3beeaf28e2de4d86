import { closeSync, existsSync, lstatSync, mkdirSync, openSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Database, Tx } from './database.ts';
import { CommitUnknown, DatabaseLocked, DatabaseUnavailable, StatementFailed } from './errors.ts';
import { lockFile } from './file-lock.ts';
import type { OpenOptions } from './open.ts';
import { Running } from './running.ts';
import { SqliteConnection } from './sqlite-connection.ts';
import { runInTx } from './tx.ts';

/** How many idle connections are kept for snapshots. */
const MAX_IDLE = 4;

/** The first read of a transaction determines the state that it sees, so the transaction begins with a read. */
const BEGIN_SNAPSHOT = 'BEGIN; SELECT 1 FROM sqlite_schema LIMIT 1';

/** Opens a SQLite file: one connection writes, one transaction after the other; others read at the same time (WAL). */
export function openSqlite(given: string, { log, readOnly = false, withoutLock = false }: OpenOptions): Database {
  const isGuest = readOnly || withoutLock;
  if (isGuest && !existsSync(given)) throw new DatabaseUnavailable(`There is no database at ${given}.`);
  const path = pathOf(given);
  const lock = isGuest ? undefined : lockDatabase(path);
  if (lock) createFile(path, lock);
  const writer = readOnly ? undefined : new SqliteConnection(path, false);
  const reader = new SqliteConnection(path, true, isGuest);
  /**
   * Returns the connection for a read: the writer, unless it writes. SQLite drops the page cache of a connection whenever another one has
   * committed, so a connection that only reads has an empty cache after every commit. Reading through the writer makes an invoice payment a
   * quarter faster.
   */
  const readerNow = (): SqliteConnection => {
    const connection = !writer || isGuest || writer.isWriting ? reader : writer;
    // A process that only reads does not notice the commits of another one, so its reads do not share a transaction.
    if (writer) connection.beginReads();
    return connection;
  };
  const writes = new Turns();
  const running = new Running(log);
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
    onCommit: running.onWrite,
    all: async (statement, ...parameters) => readerNow().all(statement, ...parameters),
    first: async (statement, ...parameters) => readerNow().first(statement, ...parameters),
    async transaction(work) {
      if (!writer) throw new Error('the database was opened for reading only');
      const write = () => {
        writer.endReads();
        return inTransaction(writer, 'BEGIN IMMEDIATE', work, () => reader.endReads());
      };
      return running.write(() => writes.runTask(write));
    },
    // Readers see a transaction after it was synced to the disk.
    ensureDurable: async () => undefined,
    // A commit blocks this process.
    isStalled: () => false,
    onStall: () => undefined,
    onOtherServer: () => undefined,
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

/** Does not throw: the caller needs the original error, such as an unknown outcome of a commit. */
function rollBack(connection: SqliteConnection): void {
  try {
    if (connection.inTransaction) connection.exec('ROLLBACK');
  } catch {
    // Then the next BEGIN fails.
  }
}

const SQLITE_IOERR = 10;

function commit(connection: SqliteConnection): void {
  try {
    connection.exec('COMMIT');
  } catch (error) {
    // After a failed fsync the pages may be on the disk or not. After any other failure nothing was committed.
    if (error instanceof StatementFailed && Number(error.code) % 256 === SQLITE_IOERR) throw new CommitUnknown();
    throw error;
  }
}

/** Runs one task at a time, in the order of their arrival. */
class Turns {
  #last: Promise<unknown> = Promise.resolve();

  runTask<T>(task: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(task, task);
    this.#last = turn.catch(() => undefined);
    return turn;
  }
}

/**
 * Creates an empty file unless it exists. SQLite treats it as an empty database. The lock is held, because a restore holds it until it gives its
 * file this name.
 * @throws DatabaseUnavailable after an interrupted restore
 */
function createFile(path: string, lock: { close(): void }): void {
  if (existsSync(path)) return;
  if (existsSync(`${path}.restore`)) {
    lock.close();
    throw new DatabaseUnavailable(
      `A restore of ${path} was interrupted. Run it again, or delete ${path}.restore to begin with an empty database.`,
    );
  }
  closeSync(openSync(path, 'a'));
}

/** Returns the real path of a file that may not exist yet. The folder is created. */
function pathOf(given: string): string {
  // The real path of a symbolic link can only be read when its target exists.
  if (lstatSync(given, { throwIfNoEntry: false })?.isSymbolicLink()) closeSync(openSync(given, 'a'));
  if (existsSync(given)) return realPathOf(given);
  mkdirSync(dirname(given), { recursive: true });
  return join(realpathSync.native(dirname(given)), basename(given));
}

/**
 * Returns the real path, so that all spellings and symbolic links take the same lock.
 * @throws DatabaseUnavailable for a file with hard links: each name would have its own lock and its own log.
 */
function realPathOf(given: string): string {
  const path = realpathSync.native(given);
  const file = statSync(path);
  // The link count of a folder is the number of its subfolders; SQLite itself rejects a folder.
  if (!file.isFile() || file.nlink <= 1) return path;
  throw new DatabaseUnavailable(
    `The file ${path} has ${file.nlink} names (hard links). Remove the others: SQLite keeps a separate log for each name and would corrupt the file.`,
  );
}

/** Locks a file next to the database until the process ends. @throws DatabaseLocked */
function lockDatabase(path: string): { close(): void } {
  const lock = lockFile(`${path}.lock`);
  if (lock) return lock;
  throw new DatabaseLocked(`Another Satchel is using ${path}. Stop it, or choose another DATA_DIR; several instances need PostgreSQL.`);
}
