import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { SCHEMA } from './store.sql.ts';

/** A process that was killed frees its lock at once; waiting longer would only delay the bad news. */
const LOCK_WAIT_MS = 200;

/** A value of a column as SQLite gives it. */
export type Row = Record<string, unknown>;

/** Another process has the playground's file open. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked';
}

/** The playground's SQLite file: one connection, one transaction per slice, statements prepared once. */
export class Store {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  begin(): void {
    this.#db.exec('BEGIN');
  }

  /** Durable when it returns. */
  commit(): void {
    this.#db.exec('COMMIT');
  }

  /** Closes the file; what was not committed is gone, and the lock is free. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  /** Runs a statement that writes; returns how many rows it changed. */
  run(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#prepare(sql).run(...values).changes);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#prepare(sql).get(...values);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#prepare(sql).all(...values);
  }

  #prepare(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}

/**
 * Opens `playground.db` in the directory, which is created when missing, and keeps it locked until it is closed or the process dies.
 * @throws StoreLocked
 */
export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'playground.db');
  const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // Exclusive before WAL: the lock is then taken by the first access and never given back, and no shared-memory file is needed.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE;');
    db.exec(SCHEMA);
    db.exec('COMMIT');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new StoreLocked(`${path} is in use by another process: stop that one, or give this one another data directory`);
  }
  return new Store(db);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 261);
}
