import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { prepareSchema } from './schema.ts';

/** A killed process releases its lock at once, so a longer wait would only delay the error. */
const LOCK_WAIT_MS = 200;

/** A row as SQLite returns it. */
export type Row = Record<string, unknown>;

/** Another process has the playground's file open. */
export class StoreLocked extends Error {
  override readonly name = 'StoreLocked';
}

/** The playground's SQLite file: one connection, one transaction per batch of commands, statements prepared once. */
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

  /** Closes the file, rolls back an open transaction and releases the lock. */
  close(): void {
    if (this.#db.isOpen) this.#db.close();
  }

  /** Runs a statement that writes. Returns the number of changed rows. */
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

/** Opens or creates `playground.db` in the directory, and locks it until it is closed or the process ends. @throws StoreLocked */
export function openStore(dataDir: string): Store {
  mkdirSync(dataDir, { recursive: true });
  const path = join(dataDir, 'playground.db');
  const db = new DatabaseSync(path, { timeout: LOCK_WAIT_MS });
  try {
    // Exclusive mode is set before WAL, so the first access locks the file until it is closed, and no shared-memory file is needed.
    db.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; BEGIN IMMEDIATE;');
    prepareSchema(db);
    db.exec('COMMIT');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new StoreLocked(`${path} is in use by another process; stop that process or use another data directory`);
  }
  return new Store(db);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 261);
}
