-- Proof of liabilities: docs/proof-of-liabilities.md says what it is. ------------------------------------------------------

-- A Merkle-sum tree over all wallets' balances. It is kept for the last few epochs, so that proofs can be served out of it; the
-- seed, from which salts and order come, goes with it. building → complete → dropped (while its rows are being deleted).
CREATE TABLE proof_tree (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('building', 'complete', 'dropped')),
  seed BLOB NOT NULL
) STRICT;

-- What was published, for ever. Each root commits to the one before it.
CREATE TABLE proof_epoch (
  epoch INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  leaves INTEGER NOT NULL CHECK (leaves >= 0),
  total_msat INTEGER NOT NULL CHECK (total_msat >= 0),
  tree_hash BLOB NOT NULL,
  previous_root BLOB NOT NULL,
  root BLOB NOT NULL,
  tree INTEGER NOT NULL UNIQUE,
  CHECK (epoch > 0)
) STRICT;

-- In the order of the tree. A place is the wallet's window (its ledger account's number, in thousands) and a keyed hash of its id.
CREATE TABLE proof_leaf (
  tree INTEGER NOT NULL REFERENCES proof_tree (id),
  place BLOB NOT NULL,
  wallet_id TEXT NOT NULL,
  balance_msat INTEGER NOT NULL CHECK (balance_msat >= 0),
  head BLOB NOT NULL,
  PRIMARY KEY (tree, place)
) STRICT, WITHOUT ROWID;

-- The upper part of the tree. Its lowest level says with which leaf each of its nodes begins; what is below is computed again.
CREATE TABLE proof_node (
  tree INTEGER NOT NULL REFERENCES proof_tree (id),
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  sum_msat INTEGER NOT NULL CHECK (sum_msat >= 0),
  hash BLOB NOT NULL,
  first_place BLOB,
  PRIMARY KEY (tree, level, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX proof_node_block ON proof_node (tree, first_place) WHERE first_place IS NOT NULL;
