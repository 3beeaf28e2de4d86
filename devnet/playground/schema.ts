import type { DatabaseSync } from 'node:sqlite';
import { DEFAULT_NODE } from './node-name.ts';

/** All tables are written in the same transaction as LDK's state. `node` is the name of a node. */
const SCHEMA = `
CREATE TABLE IF NOT EXISTS ldk (
  node TEXT NOT NULL, space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (node, space, key)
);
CREATE TABLE IF NOT EXISTS blocks (height INTEGER PRIMARY KEY, header BLOB NOT NULL, txs TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS invoices (
  node TEXT NOT NULL, payment_hash TEXT NOT NULL, expires_at INTEGER NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0,
  preimage TEXT, payment_request TEXT,
  PRIMARY KEY (node, payment_hash)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS receipts (
  ask_id INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, payment_hash TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('asked', 'claiming', 'settled')),
  preimage TEXT NOT NULL, amount_msat INTEGER NOT NULL, keysend INTEGER NOT NULL, custom_records TEXT NOT NULL,
  UNIQUE (node, payment_hash)
);
CREATE INDEX IF NOT EXISTS receipts_asked ON receipts (node, ask_id) WHERE state = 'asked';
CREATE TABLE IF NOT EXISTS outgoing (
  node TEXT NOT NULL, payment_id TEXT NOT NULL, ldk_id TEXT NOT NULL, payment_hash TEXT NOT NULL, amount_msat INTEGER NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  preimage TEXT, fee_msat INTEGER, reason TEXT, marker TEXT, payment_request TEXT, created_at INTEGER NOT NULL DEFAULT 0, ended_at INTEGER,
  PRIMARY KEY (node, payment_id), UNIQUE (node, ldk_id)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS outgoing_by_hash ON outgoing (node, payment_hash);
CREATE TABLE IF NOT EXISTS ledger (node TEXT PRIMARY KEY, id TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS outbox (position INTEGER PRIMARY KEY AUTOINCREMENT, node TEXT NOT NULL, event TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS outbox_by_node ON outbox (node, position);

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

/** Creates the tables, or migrates those of an earlier version, in the open transaction. */
export function prepareSchema(db: DatabaseSync): void {
  const isOfOneNode = columnsOf(db, 'outbox').length > 0 && !columnsOf(db, 'outbox').includes('node');
  if (isOfOneNode) setTablesAside(db);
  db.exec(SCHEMA);
  if (isOfOneNode) copyTables(db);
  if (!columnsOf(db, 'outgoing').includes('marker')) for (const column of NEW_COLUMNS) db.exec(`ALTER TABLE outgoing ADD COLUMN ${column}`);
}

/** The columns of `outgoing` that an earlier version does not have. */
const NEW_COLUMNS = ['marker TEXT', 'payment_request TEXT', 'created_at INTEGER NOT NULL DEFAULT 0', 'ended_at INTEGER'];

/** The columns of the tables that had no node, because an earlier version had one service node. */
const COLUMNS_OF_ONE_NODE = {
  invoices: 'payment_hash, expires_at, cancelled, preimage, payment_request',
  receipts: 'ask_id, payment_hash, state, preimage, amount_msat, keysend, custom_records',
  outgoing: 'payment_id, ldk_id, payment_hash, amount_msat, state, preimage, fee_msat, reason',
  ledger: 'id',
  outbox: 'position, event',
};

function setTablesAside(db: DatabaseSync): void {
  // A still earlier version has invoices whose preimage only LDK knows.
  const invoices = columnsOf(db, 'invoices');
  for (const name of ['preimage', 'payment_request']) if (!invoices.includes(name)) db.exec(`ALTER TABLE invoices ADD COLUMN ${name} TEXT`);
  for (const name of ['receipts_asked', 'outgoing_by_hash']) db.exec(`DROP INDEX IF EXISTS ${name}`);
  for (const table of Object.keys(COLUMNS_OF_ONE_NODE)) db.exec(`ALTER TABLE ${table} RENAME TO old_${table}`);
}

function copyTables(db: DatabaseSync): void {
  for (const [table, columns] of Object.entries(COLUMNS_OF_ONE_NODE)) {
    db.exec(`INSERT INTO ${table} (node, ${columns}) SELECT '${DEFAULT_NODE}', ${columns} FROM old_${table}`);
    // Keeps the largest number that was ever used: the id of a deleted receipt must not be used again.
    db.exec(`DELETE FROM sqlite_sequence WHERE name = '${table}'`);
    db.exec(`UPDATE sqlite_sequence SET name = '${table}' WHERE name = 'old_${table}'`);
    db.exec(`DROP TABLE old_${table}`);
  }
}

function columnsOf(db: DatabaseSync, table: string): unknown[] {
  return db
    .prepare(`PRAGMA table_info(${table})`)
    .all()
    .map(({ name }) => name);
}
