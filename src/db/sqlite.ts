import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Database, Tx } from './database.ts';
import { DatabaseLocked } from './errors.ts';
import type { OpenOptions } from './open.ts';
import { SqliteConnection, sqliteTx } from './sqlite-connection.ts';

/** A SQLite file: one connection that writes, one transaction after the other, and others that read beside it (WAL). */
export function openSqlite(path: string, { readOnly = false }: Pick<OpenOptions, 'readOnly'> = {}): Database {
  if (readOnly && !existsSync(path)) throw new Error(`There is no database at ${path}.`);
  if (!readOnly) mkdirSync(dirname(path), { recursive: true });
  const lock = readOnly ? undefined : lockFile(path);
  const writer = readOnly ? undefined : new SqliteConnection(path, false);
  const reader = new SqliteConnection(path, true);
  const writes = new Turns();
  const idle: SqliteConnection[] = [];

  async function inTransaction<T>(connection: SqliteConnection, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
    connection.exec(begin);
    const tx = sqliteTx(connection);
    try {
      const result = await work(tx);
      tx.end();
      connection.exec('COMMIT');
      return result;
    } catch (error) {
      tx.end();
      rollBack(connection);
      throw error;
    }
  }

  return {
    dialect: 'sqlite',
    all: async (statement, ...parameters) => reader.all(statement, parameters),
    first: async (statement, ...parameters) => reader.first(statement, parameters),
    async transaction(work) {
      if (!writer) throw new Error('the database was opened for reading only');
      return writes.take(() => inTransaction(writer, 'BEGIN IMMEDIATE', work));
    },
    async snapshot(work) {
      const connection = idle.pop() ?? new SqliteConnection(path, true);
      try {
        return await inTransaction(connection, 'BEGIN', work);
      } finally {
        idle.push(connection);
      }
    },
    async close() {
      await writes.take(async () => undefined);
      for (const connection of [reader, ...idle, writer]) connection?.close();
      lock?.close();
    },
  };
}

/** A failed COMMIT (a full disk) may have rolled back already. */
function rollBack(connection: SqliteConnection): void {
  try {
    connection.exec('ROLLBACK');
  } catch {
    // Nothing was open any more, which is what is wanted.
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
