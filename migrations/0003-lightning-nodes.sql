-- Several Lightning nodes behind one ledger (src/connection/).

-- One Lightning node of the ledger. The first one exists from the beginning; its id is also the id of the ledger, which nodes store to
-- recognize their owner. Rows are never deleted.
CREATE TABLE lightning_node (
  id TEXT PRIMARY KEY,
  -- Minus the money that this node holds for customers. 1 for the first node, then -1, -2, …
  ledger_account INTEGER NOT NULL UNIQUE REFERENCES ledger_account (id),
  -- The node's public key in hex, and its network; NULL until it was first reached. They never change afterwards.
  pubkey TEXT UNIQUE,
  network TEXT,
  -- The position up to which the node's events are booked; NULL: from the first event on.
  event_position TEXT,
  -- draining: it gets no new wallets.
  state TEXT NOT NULL CHECK (state IN ('active', 'draining')),
  created_at INTEGER NOT NULL,
  CHECK ((pubkey IS NULL) = (network IS NULL))
) STRICT;

-- The facts of the one node that earlier versions had. An unused database gets a new id.
INSERT INTO lightning_node (id, ledger_account, pubkey, network, event_position, state, created_at)
-- begin sqlite
SELECT COALESCE((SELECT value FROM service_fact WHERE name = 'node_id'), 'lnd_' || substr(hex(randomblob(11)), 1, 22)), 1,
  (SELECT value ->> 'pubkey' FROM service_fact WHERE name = 'node'),
  (SELECT value ->> 'network' FROM service_fact WHERE name = 'node'),
-- end sqlite
-- begin postgres
SELECT COALESCE((SELECT value FROM service_fact WHERE name = 'node_id'), 'lnd_' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 22))), 1,
  (SELECT value::json ->> 'pubkey' FROM service_fact WHERE name = 'node'),
  (SELECT value::json ->> 'network' FROM service_fact WHERE name = 'node'),
-- end postgres
  (SELECT value FROM service_fact WHERE name = 'node_event_position'), 'active', (SELECT min(applied_at) FROM schema_migration);
DELETE FROM service_fact WHERE name IN ('node', 'node_id', 'node_event_position');

-- The node that creates the wallet's invoices and sends its payments. Every wallet has one; SQLite cannot add a column that is NOT NULL.
ALTER TABLE wallet ADD COLUMN node_id TEXT REFERENCES lightning_node (id);
UPDATE wallet SET node_id = (SELECT id FROM lightning_node);
CREATE INDEX wallet_node ON wallet (node_id);

-- The node that reported the event.
ALTER TABLE unbooked_event ADD COLUMN node_id TEXT REFERENCES lightning_node (id);
UPDATE unbooked_event SET node_id = (SELECT id FROM lightning_node);

-- The node whose own money was measured.
ALTER TABLE node_baseline ADD COLUMN node_id TEXT REFERENCES lightning_node (id);
UPDATE node_baseline SET node_id = (SELECT id FROM lightning_node);

-- The facts of reconciliation end with the id of the node.
UPDATE service_fact SET name = name || ' ' || (SELECT id FROM lightning_node) WHERE name IN ('node_remainder', 'reconcile_payments_seen',
  'reconcile_payments_window', 'reconcile_invoices_window', 'reconcile_unsettled_due', 'reconcile_unsettled_place');
-- Earlier reports are of one node.
DELETE FROM reconciliation WHERE state IN ('done', 'failed');

-- Alerts about a node have its id as their subject.
UPDATE alert SET subject = (SELECT id FROM lightning_node) WHERE subject = 'node' AND cleared_at IS NULL;

-- The balances of all nodes may be below zero: accounts up to 1. SQLite can change the condition only in a new table.
-- begin postgres
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_check;
ALTER TABLE ledger_transfer DROP CONSTRAINT ledger_transfer_check1;
ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_from_balance CHECK (from_balance_msat >= 0 OR from_account <= 2);
ALTER TABLE ledger_transfer ADD CONSTRAINT ledger_transfer_to_balance CHECK (to_balance_msat >= 0 OR to_account <= 2);
-- end postgres
-- begin sqlite
CREATE TABLE ledger_transfer_of_nodes (
  position INTEGER PRIMARY KEY,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  created_at_ms INTEGER NOT NULL,
  from_account INTEGER NOT NULL,
  from_entry INTEGER NOT NULL CHECK (from_entry > 0),
  from_balance_msat INTEGER NOT NULL CHECK (from_balance_msat >= 0 OR from_account <= 2),
  to_account INTEGER NOT NULL,
  to_entry INTEGER NOT NULL CHECK (to_entry > 0),
  to_balance_msat INTEGER NOT NULL CHECK (to_balance_msat >= 0 OR to_account <= 2),
  id TEXT NOT NULL UNIQUE,
  from_hash BLOB NOT NULL,
  to_hash BLOB NOT NULL,
  from_type TEXT,
  from_lntx TEXT,
  to_type TEXT,
  to_lntx TEXT,
  memo TEXT,
  pass_thru TEXT,
  from_previous INTEGER NOT NULL,
  to_previous INTEGER NOT NULL,
  CHECK (from_account <> to_account)
) STRICT;
INSERT INTO ledger_transfer_of_nodes SELECT * FROM ledger_transfer ORDER BY position;
DROP TABLE ledger_transfer;
ALTER TABLE ledger_transfer_of_nodes RENAME TO ledger_transfer;
CREATE INDEX ledger_transfer_to_lntx ON ledger_transfer (to_lntx) WHERE to_lntx IS NOT NULL;
-- end sqlite
