/** The playground's own file. Every table is written in the same transaction as LDK's state, once per slice of the pump. */
export const SCHEMA = `
CREATE TABLE IF NOT EXISTS ldk (
  node TEXT NOT NULL, space TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,
  PRIMARY KEY (node, space, key)
);
CREATE TABLE IF NOT EXISTS blocks (height INTEGER PRIMARY KEY, header BLOB NOT NULL, txs TEXT NOT NULL);

CREATE TABLE IF NOT EXISTS invoices (
  payment_hash TEXT PRIMARY KEY, expires_at INTEGER NOT NULL, cancelled INTEGER NOT NULL DEFAULT 0
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
