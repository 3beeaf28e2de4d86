-- One text for both databases, in SQLite's words; src/db/dialect.ts says how PostgreSQL reads them.
-- Amounts are whole millisatoshis (…_msat), times are Unix seconds unless they end in _ms.

-- What this database belongs to: the network and node its ledger was made for, and where the node's events were read up to.
CREATE TABLE service_fact (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- Work that one of several instances does at a time: whoever keeps the beat moving (src/db/leases.ts).
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT,
  beat INTEGER NOT NULL
) STRICT;

-- The ledger. ----------------------------------------------------------------------------------------------------------

-- The running state of each ledger account: a cache of its last entry (its balance, number and hash), and what is held.
-- The entries are the truth. In SQLite the cache lags behind them (src/ledger/tail.ts); what is held never does.
CREATE TABLE ledger_account (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('node', 'routing_fees', 'service_fees', 'suspense', 'wallet')),
  balance_msat INTEGER NOT NULL DEFAULT 0 CHECK (balance_msat BETWEEN -9007199254740991 AND 9007199254740991),
  held_msat INTEGER NOT NULL DEFAULT 0 CHECK (held_msat >= 0),
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  head BLOB,
  -- sqlite: last_position INTEGER NOT NULL DEFAULT 0,
  CHECK (kind IN ('node', 'routing_fees') OR balance_msat >= held_msat)
) STRICT;

-- Every commit changes these rows in place; half-full pages let PostgreSQL do it without moving them.
-- postgres: ALTER TABLE ledger_account SET (fillfactor = 50);

-- The system's own accounts take the first four ids, in this order (src/ledger/accounts.ts).
INSERT INTO ledger_account (kind) VALUES ('node');
INSERT INTO ledger_account (kind) VALUES ('routing_fees');
INSERT INTO ledger_account (kind) VALUES ('service_fees');
INSERT INTO ledger_account (kind) VALUES ('suspense');

-- A transfer and its two entries: from −amount, to +amount. Append only. Each side numbers its account's entries without a gap,
-- keeps the balance after it, and commits to the entry before it; in SQLite it also says where that is. Only the node (its balance is minus what
-- it holds for us) and the routing costs that the operator bears may go below zero.
-- No foreign keys lead from here to the accounts: whoever writes a transfer or a hold holds their rows locked (src/ledger/commit.ts), and
-- checking row by row cost PostgreSQL a fifth of its speed. `verify` looks for strays.
-- PostgreSQL aligns integers to eight bytes: they stand first, so that no row has holes.
CREATE TABLE ledger_transfer (
  position INTEGER PRIMARY KEY,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  created_at_ms INTEGER NOT NULL,
  from_account INTEGER NOT NULL,
  from_entry INTEGER NOT NULL CHECK (from_entry > 0),
  from_balance_msat INTEGER NOT NULL CHECK (from_balance_msat >= 0 OR from_account IN (1, 2)),
  to_account INTEGER NOT NULL,
  to_entry INTEGER NOT NULL CHECK (to_entry > 0),
  to_balance_msat INTEGER NOT NULL CHECK (to_balance_msat >= 0 OR to_account IN (1, 2)),
  id TEXT NOT NULL UNIQUE,
  from_hash BLOB NOT NULL,
  to_hash BLOB NOT NULL,
  from_type TEXT,
  from_lntx TEXT,
  to_type TEXT,
  to_lntx TEXT,
  memo TEXT,
  pass_thru TEXT,
  -- sqlite: from_previous INTEGER NOT NULL,
  -- sqlite: to_previous INTEGER NOT NULL,
  CHECK (from_account <> to_account)
) STRICT;
-- postgres: CREATE UNIQUE INDEX ledger_transfer_from ON ledger_transfer (from_account, from_entry);
-- postgres: CREATE UNIQUE INDEX ledger_transfer_to ON ledger_transfer (to_account, to_entry);

-- SQLite finds an account's entries by walking back from one to the one before; every 64th can be found directly.
-- sqlite: CREATE TABLE ledger_milestone (
-- sqlite:   account INTEGER NOT NULL,
-- sqlite:   entry INTEGER NOT NULL,
-- sqlite:   position INTEGER NOT NULL,
-- sqlite:   PRIMARY KEY (account, entry)
-- sqlite: ) STRICT, WITHOUT ROWID;

-- One row: up to which position all accounts' rows are written back, the hashes of all accounts' last entries, XORed, and the last
-- batch that was committed.
-- sqlite: CREATE TABLE ledger_tail (
-- sqlite:   written INTEGER NOT NULL,
-- sqlite:   heads BLOB NOT NULL,
-- sqlite:   batch TEXT NOT NULL
-- sqlite: ) STRICT;
-- sqlite: INSERT INTO ledger_tail (written, heads, batch) VALUES (0, zeroblob(32), '');

-- Money reserved on an account until the hold is posted (spent) or voided (released).
CREATE TABLE ledger_hold (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  state TEXT NOT NULL CHECK (state IN ('open', 'posted', 'voided'))
) STRICT;
CREATE INDEX ledger_hold_open ON ledger_hold (account) WHERE state = 'open';

-- The batches that PostgreSQL committed lately: how a lost connection during a commit is resolved (src/ledger/group-commit.ts).
CREATE TABLE ledger_batch (
  id TEXT PRIMARY KEY,
  outcome TEXT NOT NULL CHECK (outcome IN ('committed', 'refuted'))
) STRICT;

-- Who may do what. -----------------------------------------------------------------------------------------------------

CREATE TABLE account (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE wallet (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  ledger_account INTEGER NOT NULL UNIQUE REFERENCES ledger_account (id),
  user_label TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_account ON wallet (account_id, id);

-- API keys and wallet access keys. A secret is only here as a hash, with its last four characters where enough others remain; the two
-- public kinds and pak_ are kept as text. Keys are never changed into other keys: a rotation makes a new one in the same line.
CREATE TABLE access_key (
  id TEXT PRIMARY KEY,
  -- The first key of a line of rotations. What the line spends is counted together.
  line_id TEXT NOT NULL REFERENCES access_key (id),
  kind TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  public_text TEXT,
  last_four TEXT,
  account_id TEXT NOT NULL REFERENCES account (id),
  wallet_id TEXT REFERENCES wallet (id),
  label TEXT NOT NULL,
  budget_msat INTEGER CHECK (budget_msat > 0),
  budget_period TEXT CHECK (budget_period IN ('day', 'week', 'month', 'ever')),
  max_payment_msat INTEGER CHECK (max_payment_msat > 0),
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  revoked_at INTEGER,
  replaced_by TEXT REFERENCES access_key (id),
  UNIQUE (kind, secret_hash),
  CHECK ((budget_msat IS NULL) = (budget_period IS NULL))
) STRICT;
CREATE INDEX access_key_wallet ON access_key (wallet_id, kind);
CREATE INDEX access_key_account ON access_key (account_id, kind);
CREATE INDEX access_key_line ON access_key (line_id);

-- Money in. ------------------------------------------------------------------------------------------------------------

-- open → settled; open → closing (a payment inside takes it) → settled or open; open → canceled. Expiry is a matter of the clock.
CREATE TABLE invoice (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  node_id TEXT NOT NULL,
  dest_pubkey TEXT NOT NULL,
  wtx_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closing', 'settled', 'canceled')),
  payment_hash TEXT NOT NULL UNIQUE,
  payment_request TEXT NOT NULL,
  amount_msat INTEGER CHECK (amount_msat > 0),
  received_msat INTEGER CHECK (received_msat > 0),
  memo TEXT NOT NULL,
  description_hash TEXT,
  expiry_seconds INTEGER NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  preimage TEXT,
  is_keysend INTEGER NOT NULL DEFAULT 0,
  custom_records TEXT,
  pass_thru TEXT,
  late INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CHECK ((state = 'settled') = (received_msat IS NOT NULL))
) STRICT;
CREATE INDEX invoice_wallet ON invoice (wallet_id, id);

-- Money that arrived for no wallet; it waits in the suspense account.
CREATE TABLE stray_settlement (
  payment_hash TEXT PRIMARY KEY,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  settled_at INTEGER NOT NULL
) STRICT;

-- Money out. -----------------------------------------------------------------------------------------------------------

-- A payment is one attempt: its id is what the node gets, and its hold has the same id.
CREATE TABLE payment (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  node_id TEXT NOT NULL,
  transfer_id TEXT NOT NULL UNIQUE,
  wtx_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  failure_reason TEXT,
  payment_hash TEXT NOT NULL,
  payment_request TEXT NOT NULL,
  dest_pubkey TEXT NOT NULL,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  fee_msat INTEGER CHECK (fee_msat >= 0),
  user_label TEXT NOT NULL,
  memo TEXT NOT NULL,
  description_hash TEXT,
  expiry_seconds INTEGER NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  preimage TEXT,
  is_keysend INTEGER NOT NULL,
  custom_records TEXT,
  pass_thru TEXT,
  invoice_id TEXT REFERENCES invoice (id),
  link_id TEXT,
  -- It had been booked as failed and went through after all: the wallet was charged then, or the operator bore it.
  correction TEXT CHECK (correction IN ('charged', 'borne')),
  CHECK ((state = 'succeeded') = (settled_at IS NOT NULL)),
  CHECK ((state = 'failed') = (failure_reason IS NOT NULL))
) STRICT;
-- One live payment per payment hash: what makes paying the same invoice twice impossible.
CREATE UNIQUE INDEX payment_live ON payment (payment_hash) WHERE state <> 'failed' AND correction IS NULL;
CREATE INDEX payment_hash ON payment (payment_hash);
CREATE INDEX payment_pending ON payment (id) WHERE state = 'pending';
CREATE INDEX payment_pending_wallet ON payment (wallet_id, id) WHERE state = 'pending';
CREATE INDEX payment_link ON payment (link_id) WHERE link_id IS NOT NULL;
CREATE INDEX payment_wallet ON payment (wallet_id, id);

-- LNURL withdraw links (LUD-03). A link holds no money; its tokens are only here as hashes. ------------------------------

CREATE TABLE withdraw_link (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  token_hash BLOB NOT NULL UNIQUE,
  balance_token_hash BLOB NOT NULL UNIQUE,
  max_msat INTEGER NOT NULL CHECK (max_msat > 0),
  uses INTEGER NOT NULL CHECK (uses > 0),
  uses_left INTEGER NOT NULL CHECK (uses_left BETWEEN 0 AND uses),
  memo TEXT NOT NULL,
  pass_thru TEXT,
  expires_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX withdraw_link_wallet ON withdraw_link (wallet_id, id);
