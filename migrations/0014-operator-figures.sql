-- Figures and facts that operators read (src/operator/).

-- What the ledger owes, sampled by reconciliation. One row per hour: the last sample replaces the earlier ones of the hour.
CREATE TABLE ledger_sample (
  -- Whole hours since the Unix epoch.
  hour INTEGER PRIMARY KEY,
  sampled_at INTEGER NOT NULL,
  -- All wallets, including what is held for pending payments.
  customers_msat INTEGER NOT NULL,
  suspense_msat INTEGER NOT NULL
) STRICT;

-- What a node has, sampled when it answered. One row per node and hour.
CREATE TABLE node_sample (
  hour INTEGER NOT NULL,
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  sampled_at INTEGER NOT NULL,
  -- The balance of its channels, and the part of it that it holds for the ledger.
  node_msat INTEGER NOT NULL,
  held_msat INTEGER NOT NULL,
  PRIMARY KEY (node_id, hour)
) STRICT, WITHOUT ROWID;

-- The node at which the money arrived, and whether it was a keysend; NULL for money of earlier versions.
ALTER TABLE stray_settlement ADD COLUMN node_id TEXT REFERENCES lightning_node (id);
ALTER TABLE stray_settlement ADD COLUMN is_keysend INTEGER;

-- One running instance of the service on PostgreSQL (src/core/db/instances.ts). It is deleted when the instance stops, or later if it crashed.
CREATE TABLE instance (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  -- Renewed every ten seconds, by the clock of the instance.
  seen_at INTEGER NOT NULL
) STRICT;

-- The instance that holds the lease, and when it last renewed it by its clock. Only for people: a lease is taken over by its counter.
ALTER TABLE lease ADD COLUMN instance_id TEXT;
ALTER TABLE lease ADD COLUMN renewed_at INTEGER;
