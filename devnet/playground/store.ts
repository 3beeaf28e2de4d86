import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { eventNumber, eventPosition } from '../../src/lightning/event-position.ts';
import type { NodeEvent, PaymentUpdate, Position, Settlement } from '../../src/lightning/node.ts';

/** A killed process releases its lock at once, so a longer wait would only delay the error. */
const LOCK_WAIT_MS = 200;

/** All tables are written in the same transaction as LDK's state. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS ldk (
  node TEXT NOT NULL, space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (node, space, key)
);
CREATE TABLE IF NOT EXISTS blocks (height INTEGER PRIMARY KEY, header BLOB NOT NULL, txs TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS invoices (
  payment_hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0,
  preimage TEXT, payment_request TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS receipts (
  ask_id INTEGER PRIMARY KEY AUTOINCREMENT, payment_hash TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL CHECK (state IN ('asked', 'claiming', 'settled')),
  preimage TEXT NOT NULL, amount_msat INTEGER NOT NULL, keysend INTEGER NOT NULL, custom_records TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS receipts_asked ON receipts (ask_id) WHERE state = 'asked';
CREATE TABLE IF NOT EXISTS outgoing (
  payment_id TEXT PRIMARY KEY, ldk_id TEXT NOT NULL UNIQUE, payment_hash TEXT NOT NULL, amount_msat INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  preimage TEXT, fee_msat INTEGER, reason TEXT
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS outgoing_by_hash ON outgoing (payment_hash);
CREATE TABLE IF NOT EXISTS ledger (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS outbox (position INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS outside_invoices (
  payment_hash TEXT PRIMARY KEY, node TEXT NOT NULL, expires_at INTEGER NOT NULL, preimage TEXT,
  state TEXT NOT NULL CHECK (state IN ('open', 'held', 'settled', 'cancelled'))
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outside_payments (
  id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, direction TEXT NOT NULL, payment_hash TEXT NOT NULL,
  ldk_id TEXT UNIQUE, amount_msat INTEGER NOT NULL, fee_msat INTEGER NOT NULL DEFAULT 0,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  UNIQUE (node, direction, payment_hash)
);
`;

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
    db.exec(SCHEMA);
    addInvoiceColumns(db);
    db.exec('COMMIT');
  } catch (error) {
    db.close();
    if (!isBusy(error)) throw error;
    throw new StoreLocked(`${path} is in use by another process; stop that process or use another data directory`);
  }
  return new Store(db);
}

/** A file of an earlier version has invoices whose preimage only LDK knows. */
function addInvoiceColumns(db: DatabaseSync): void {
  const names = db
    .prepare('PRAGMA table_info(invoices)')
    .all()
    .map(({ name }) => name);
  for (const name of ['preimage', 'payment_request']) if (!names.includes(name)) db.exec(`ALTER TABLE invoices ADD COLUMN ${name} TEXT`);
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (error.errcode === 5 || error.errcode === 261);
}

/** An event without its position. */
export type NewEvent = Omit<Settlement, 'position'> | Omit<PaymentUpdate, 'position'>;

/** An event as it is stored. Events that an earlier version wrote have no proof. */
type StoredEvent = NewEvent & { readonly proof?: string };

/**
 * The hub's events in order. Each is written in the transaction of its change. Events are never deleted, so a service that was restored from a
 * backup can read again from its last position. A row is small compared with LDK's own record of a payment.
 */
export class Outbox {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add(event: NewEvent): void {
    const stored: StoredEvent = { ...event, proof: randomBytes(8).toString('hex') };
    this.#store.run('INSERT INTO outbox (event) VALUES (?)', JSON.stringify(stored));
  }

  /** Returns the events after a position, or from the beginning (null). Returns null when there is no event at the position. */
  after(position: Position | null, limit: number): NodeEvent[] | null {
    const number = eventNumber(position ?? undefined);
    const rows = this.#store.all('SELECT position, event FROM outbox WHERE position >= ? ORDER BY position LIMIT ?', number, limit + 1);
    const events = rows.map(toEvent);
    if (position === null) return events.slice(0, limit);
    return events[0]?.position === position ? events.slice(1) : null;
  }
}

function toEvent(row: Row): NodeEvent {
  const { proof, ...event } = JSON.parse(row.event as string) as StoredEvent;
  return { ...event, position: eventPosition(row.position as number, proof) } as NodeEvent;
}
