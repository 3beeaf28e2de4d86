-- The whole schema, for SQLite and PostgreSQL. It is written in SQLite's types; src/core/db/dialect.ts replaces them for PostgreSQL
-- (INTEGER becomes BIGINT, BLOB becomes BYTEA). A block between `-- begin sqlite` and `-- end sqlite`, or `-- begin postgres` and
-- `-- end postgres`, is for that database alone.
--
-- Conventions:
--   …_msat              whole millisatoshis
--   …_at, …_until       Unix seconds; …_ms is in milliseconds
--   id TEXT             a prefix and a random part that begins with the time, so ids sort by creation
--   …_hash              TEXT: 32 bytes in hex, as Lightning has them; BLOB: 32 bytes
--   is_… and other flags  0 or 1
--   state               the comment of the table lists the allowed changes; a settled, done or refused row never changes again
--   pass_thru           JSON text that the client stored with an object

-- Service --------------------------------------------------------------------------------------------------------------

-- One fact about this database, as JSON or text: the node and network that the ledger is bound to ('node'), the node's id in the API
-- ('node_id'), the position up to which the node's events are booked, progress of reconciliation.
CREATE TABLE service_fact (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- A background job that one instance at a time runs (src/core/db/leases.ts). The holder increments `beat` every two seconds. Another instance
-- takes over a lease whose beat stands still, or one without a holder.
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  holder TEXT,
  beat INTEGER NOT NULL
) STRICT;

-- The end of one retention round for one kind of rows: the newest position at that moment (src/core/db/retention.ts). A round is 15 minutes of
-- running time, so no clock decides when old rows are deleted.
CREATE TABLE retention_round (
  name TEXT NOT NULL,
  round INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (name, round)
) STRICT, WITHOUT ROWID;

-- The outcome of one request with an Idempotency-Key, written in the transaction that made the object. Kept for a limited running time.
CREATE TABLE idempotency_outcome (
  -- The order of insertion. Rows are deleted by it, not by `created_at`.
  position INTEGER PRIMARY KEY,
  -- A hash of the Idempotency-Key, the caller and the route.
  name TEXT NOT NULL UNIQUE,
  -- A hash of the request body: another body under the same name is rejected.
  fingerprint TEXT NOT NULL,
  -- The id of the object that the request made.
  made TEXT NOT NULL,
  -- A secret that only the sender of the request may read again. Its encryption key derives from the request and is not stored.
  sealed BLOB,
  created_at INTEGER NOT NULL
) STRICT;

-- One condition that an operator should act on (src/alerts/). Open until `cleared_at` is set. Announced: written to the log, once.
CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The object concerned, such as a payment's id. At most one alert of a kind is open for it.
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  announced_at INTEGER,
  cleared_at INTEGER
) STRICT;
CREATE UNIQUE INDEX alert_open ON alert (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alert_unannounced ON alert (id) WHERE announced_at IS NULL;

-- Ledger ---------------------------------------------------------------------------------------------------------------

-- One ledger account: the state after its last entry (balance, number of entries, hash of the last entry) and the sum of its open holds.
-- The entries in `ledger_transfer` are the truth; this row is a cache of them. In SQLite the row may lag behind the entries
-- (src/ledger/store-sqlite/), except while something is held on the account. A wallet's balance never falls below what is held.
CREATE TABLE ledger_account (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('node', 'routing_fees', 'service_fees', 'suspense', 'wallet')),
  balance_msat INTEGER NOT NULL DEFAULT 0 CHECK (balance_msat BETWEEN -9007199254740991 AND 9007199254740991),
  held_msat INTEGER NOT NULL DEFAULT 0 CHECK (held_msat >= 0),
  -- The number of entries, and the hash of the last one: NULL before the first entry.
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  head BLOB,
  -- begin sqlite
  -- The position of the account's last transfer, 0 before the first.
  last_position INTEGER NOT NULL DEFAULT 0,
  -- end sqlite
  CHECK (kind IN ('node', 'routing_fees') OR balance_msat >= held_msat)
) STRICT;
-- begin postgres
-- Each commit updates these rows. Free space in their pages lets PostgreSQL update them in place.
ALTER TABLE ledger_account SET (fillfactor = 50);
-- end postgres

-- The system's accounts have the ids 1 to 4 (src/core/ledger/accounts.ts). `node` is minus the money that the Lightning node holds for
-- customers; `routing_fees` is what the operator pays for routing. Only these two may be negative.
INSERT INTO ledger_account (kind) VALUES ('node');
INSERT INTO ledger_account (kind) VALUES ('routing_fees');
INSERT INTO ledger_account (kind) VALUES ('service_fees');
INSERT INTO ledger_account (kind) VALUES ('suspense');

-- One transfer and its two entries: −amount on `from_account`, +amount on `to_account`. Rows are never changed or deleted.
-- An entry has its number on its account (from 1, without a gap), the balance after it, and a hash that commits to the account's entry
-- before it (src/core/ledger/chain.ts).
-- There are no foreign keys to the accounts: a writer holds their rows locked, and checking each row cost
-- PostgreSQL a fifth of its throughput. `npm run verify` finds transfers without an account.
-- The integers come first because PostgreSQL aligns them to eight bytes.
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
  -- The type of the wallet transaction on either side, such as 'ln_withdrawal', and its lightning transaction: the payment or the invoice.
  from_type TEXT,
  from_lntx TEXT,
  to_type TEXT,
  to_lntx TEXT,
  memo TEXT,
  pass_thru TEXT,
  -- begin sqlite
  -- The positions of the entries before, on either account; 0 for the first.
  from_previous INTEGER NOT NULL,
  to_previous INTEGER NOT NULL,
  -- end sqlite
  CHECK (from_account <> to_account)
) STRICT;
-- begin postgres
CREATE UNIQUE INDEX ledger_transfer_from ON ledger_transfer (from_account, from_entry);
CREATE UNIQUE INDEX ledger_transfer_to ON ledger_transfer (to_account, to_entry);
-- end postgres
-- Finds the credit of an invoice. Transfers between wallets are not in it.
CREATE INDEX ledger_transfer_to_lntx ON ledger_transfer (to_lntx) WHERE to_lntx IS NOT NULL;

-- begin sqlite
-- The position of every 64th entry of an account. SQLite has no index of an account's entries: it finds a page of them by walking back
-- from the nearest of these rows, from one entry to the one before.
CREATE TABLE ledger_milestone (
  account INTEGER NOT NULL,
  entry INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (account, entry)
) STRICT, WITHOUT ROWID;

-- One row: how far the rows of `ledger_account` are up to date (src/ledger/store-sqlite/).
CREATE TABLE ledger_tail (
  -- Rows lag behind transfers after this position only.
  written INTEGER NOT NULL,
  -- The XOR of the hashes of all accounts' last entries.
  heads BLOB NOT NULL,
  -- The id of the last batch that was committed.
  batch TEXT NOT NULL
) STRICT;
INSERT INTO ledger_tail (written, heads, batch) VALUES (0, zeroblob(32), '');
-- end sqlite

-- Money reserved on an account. open → posted (spent) or voided (released).
CREATE TABLE ledger_hold (
  id TEXT PRIMARY KEY,
  account INTEGER NOT NULL,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  state TEXT NOT NULL CHECK (state IN ('open', 'posted', 'voided'))
) STRICT;
CREATE INDEX ledger_hold_open ON ledger_hold (account) WHERE state = 'open';

-- One batch of postings in PostgreSQL. When a connection is lost during COMMIT, the row states whether the batch was committed: a batch
-- without a row is marked 'refuted', and then can no longer be committed (src/core/ledger/store-postgres.ts). Kept for a day of running time.
CREATE TABLE ledger_batch (
  id TEXT PRIMARY KEY,
  -- begin postgres
  -- The order of insertion.
  position BIGINT GENERATED BY DEFAULT AS IDENTITY,
  -- end postgres
  outcome TEXT NOT NULL CHECK (outcome IN ('committed', 'refuted'))
) STRICT;
-- begin postgres
CREATE UNIQUE INDEX ledger_batch_position ON ledger_batch (position);
-- end postgres

-- Accounts, wallets and keys -------------------------------------------------------------------------------------------

-- One login: the owner of wallets and keys.
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL
) STRICT;

-- One wallet of a customer. Its balance is that of its ledger account.
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

-- One key: an API key of an account, or an access key of a wallet (src/core/accounts/keys.ts lists the kinds). A secret is stored only as its
-- SHA-256 hash, with its last four characters if enough others remain unknown. Public identifiers are stored as text.
-- A rotation inserts a new key in the same line and sets `replaced_by` of the old one.
CREATE TABLE access_key (
  id TEXT PRIMARY KEY,
  -- The first key of the line of rotations. A budget counts the spending of the whole line.
  line_id TEXT NOT NULL REFERENCES access_key (id),
  kind TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  public_text TEXT,
  last_four TEXT,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- NULL for API keys.
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

-- What one line of keys has spent in one period of its budget. Changed only by the postings that move the money (src/budgets/).
CREATE TABLE key_spending (
  line_id TEXT NOT NULL REFERENCES access_key (id),
  -- The beginning of the period, in Unix seconds; 0 for a budget without a period.
  period_start INTEGER NOT NULL,
  -- Spent, fees included; and reserved by pending payments, with the highest fee that each may cost.
  spent_msat INTEGER NOT NULL CHECK (spent_msat >= 0),
  pending_msat INTEGER NOT NULL CHECK (pending_msat >= 0),
  PRIMARY KEY (line_id, period_start)
) STRICT;

-- One transfer between wallets that counts against a budget.
CREATE TABLE key_transfer (
  transfer_id TEXT PRIMARY KEY,
  line_id TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  FOREIGN KEY (line_id, period_start) REFERENCES key_spending (line_id, period_start)
) STRICT;

-- Invoices: money in ---------------------------------------------------------------------------------------------------

-- One invoice of a wallet, or one keysend that it received.
-- open → settled; open → closing (a payment between wallets claims it) → settled or open; open → canceled. An expired invoice keeps its
-- state.
CREATE TABLE invoice (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  node_id TEXT NOT NULL,
  dest_pubkey TEXT NOT NULL,
  -- The type of the wallet transaction that credits it.
  wtx_type TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('open', 'closing', 'settled', 'canceled')),
  payment_hash TEXT NOT NULL UNIQUE,
  payment_request TEXT NOT NULL,
  -- NULL: the payer chooses the amount.
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
  -- The keysend's TLV records as JSON text.
  custom_records TEXT,
  pass_thru TEXT,
  -- 1 when the money arrived although the invoice was no longer open.
  late INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CHECK ((state = 'settled') = (received_msat IS NOT NULL))
) STRICT;
-- Lists of open invoices, of a wallet and of all. The additional columns let a list skip expired invoices without reading their rows.
CREATE INDEX invoice_list ON invoice (ledger_account, id, expires_at, state) WHERE state IN ('open', 'closing');
CREATE INDEX invoice_list_all ON invoice (id, ledger_account, expires_at, state) WHERE state IN ('open', 'closing');
-- Counts the open invoices of a wallet that have not expired, for the limit on them.
CREATE INDEX invoice_open_until ON invoice (ledger_account, expires_at) WHERE state = 'open';

-- One payment hash whose money from the network was credited, to a wallet or to suspense. The primary key is what prevents a second credit.
CREATE TABLE settlement (
  payment_hash TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- Money that arrived for no wallet and was credited to suspense.
CREATE TABLE stray_settlement (
  payment_hash TEXT PRIMARY KEY,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  settled_at INTEGER NOT NULL
) STRICT;

-- One event of the node that could not be booked (src/payments/set-aside.ts). It is tried again while later events are booked.
CREATE TABLE unbooked_event (
  id TEXT PRIMARY KEY,
  -- JSON.
  event TEXT NOT NULL,
  reason TEXT NOT NULL,
  set_aside_at INTEGER NOT NULL
) STRICT;

-- Payments: money out --------------------------------------------------------------------------------------------------

-- One payment of a wallet: a single attempt. Its id is the node's id for the payment and the id of its hold.
-- pending → succeeded or failed; failed → succeeded only as a correction.
CREATE TABLE payment (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  node_id TEXT NOT NULL,
  -- The transfer that spends the hold; chosen when the payment is made.
  transfer_id TEXT NOT NULL UNIQUE,
  -- The type of the wallet transaction.
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
  -- The invoice that it pays, when that is of a wallet here: such a payment never reaches the network.
  invoice_id TEXT REFERENCES invoice (id),
  -- The withdraw link whose claim it is.
  link_id TEXT,
  -- The node reported success after the payment had been booked as failed. Either the wallet was charged then, or the operator bore it.
  correction TEXT CHECK (correction IN ('charged', 'borne')),
  -- The budget that the payment counts against, and how much of it the payment reserves while it is pending.
  charged_line TEXT REFERENCES access_key (id),
  charged_period INTEGER,
  charged_msat INTEGER CHECK (charged_msat > 0),
  -- 1 once the node is known to have the payment. From then on it is looked up and never sent again: a node that was restored from an
  -- older backup may have forgotten a payment whose money has left.
  at_node INTEGER NOT NULL DEFAULT 0,
  CHECK ((state = 'succeeded') = (settled_at IS NOT NULL)),
  CHECK ((state = 'failed') = (failure_reason IS NOT NULL))
) STRICT;
-- At most one payment of a payment hash is pending or paid. This prevents that an invoice is paid twice.
CREATE UNIQUE INDEX payment_live ON payment (payment_hash) WHERE state <> 'failed' AND correction IS NULL;
CREATE INDEX payment_hash ON payment (payment_hash);
-- Lists of payments of all wallets, of one wallet, and of one withdraw link.
CREATE INDEX payment_pending ON payment (id) WHERE state = 'pending';
CREATE INDEX payment_pending_wallet ON payment (wallet_id, id) WHERE state = 'pending';
CREATE INDEX payment_link ON payment (link_id) WHERE link_id IS NOT NULL;
CREATE INDEX payment_wallet ON payment (wallet_id, id);
CREATE INDEX payment_failed ON payment (id) WHERE state = 'failed';
CREATE INDEX payment_failed_wallet ON payment (wallet_id, id) WHERE state = 'failed';

-- LNURL ----------------------------------------------------------------------------------------------------------------

-- One withdraw link (LUD-03). It holds no money. Its tokens, and the `k1` that derives from each, are stored only as hashes.
-- Invariant: uses − uses_left + overused is the number of its claims that are pending or paid.
CREATE TABLE withdraw_link (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  token_hash BLOB NOT NULL UNIQUE,
  balance_token_hash BLOB NOT NULL UNIQUE,
  k1_hash BLOB,
  balance_k1_hash BLOB,
  max_msat INTEGER NOT NULL CHECK (max_msat > 0),
  -- The most that the routing of one claim may cost.
  fee_limit_msat INTEGER NOT NULL DEFAULT 1000 CHECK (fee_limit_msat >= 0),
  uses INTEGER NOT NULL CHECK (uses > 0),
  uses_left INTEGER NOT NULL CHECK (uses_left BETWEEN 0 AND uses),
  -- Claims that were paid beyond `uses`: a payment was booked as failed, which released its use, and later turned out to have succeeded.
  overused INTEGER NOT NULL DEFAULT 0 CHECK (overused >= 0),
  memo TEXT NOT NULL,
  pass_thru TEXT,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  -- The key that created it. Claims count against this key's budget.
  made_by TEXT REFERENCES access_key (id)
) STRICT;
CREATE INDEX withdraw_link_wallet ON withdraw_link (wallet_id, id);
CREATE UNIQUE INDEX withdraw_link_k1 ON withdraw_link (k1_hash);
CREATE UNIQUE INDEX withdraw_link_balance_k1 ON withdraw_link (balance_k1_hash);

-- Reconciliation -------------------------------------------------------------------------------------------------------

-- One comparison of the ledger with the node (src/reconcile/). asked → running → done or failed. The newest ones are kept.
CREATE TABLE reconciliation (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('asked', 'running', 'done', 'failed')),
  scope TEXT NOT NULL CHECK (scope IN ('periodic', 'full', 'new_baseline')),
  -- Who requested it and why; both are empty when the service started it.
  asked_by TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  asked_at INTEGER NOT NULL,
  -- Progress, or the reason for a failure.
  progress TEXT NOT NULL,
  -- JSON.
  report TEXT,
  CHECK ((state = 'done') = (report IS NOT NULL))
) STRICT;
CREATE INDEX reconciliation_asked ON reconciliation (id) WHERE state = 'asked';

-- One payment that was pending when reconciliation saw it. It is compared again after it has ended.
CREATE TABLE reconciliation_pending (
  payment_id TEXT PRIMARY KEY REFERENCES payment (id)
) STRICT;

-- The node's own funds, beyond what it holds for customers, when they were first measured or when an operator accepted them
-- (src/features/reconcile/remainder.ts).
CREATE TABLE node_baseline (
  -- The reconciliation that measured it.
  id TEXT PRIMARY KEY,
  accepted_at INTEGER NOT NULL,
  accepted_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- The node's whole balance, and the part of it that is its own.
  node_msat INTEGER NOT NULL,
  baseline_msat INTEGER NOT NULL CHECK (baseline_msat >= 0),
  -- The unexplained increases and decreases since the previous baseline, which this one accepted.
  rose_msat INTEGER NOT NULL CHECK (rose_msat >= 0),
  fell_msat INTEGER NOT NULL CHECK (fell_msat >= 0)
) STRICT;

-- Operator -------------------------------------------------------------------------------------------------------------

-- One action that an operator requested, and its result (src/operator/). Rows are an audit trail and are never deleted once a service has
-- begun with them.
-- credit, resolve: asked → done or refused.
-- return: asked → funded (the money is on the wallet for returns) → paying → done or refused.
CREATE TABLE operator_action (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'return', 'resolve')),
  state TEXT NOT NULL CHECK (state IN ('asked', 'funded', 'paying', 'done', 'refused')),
  -- The payment hash of money in suspense (credit, return), or a payment's id (resolve).
  subject TEXT NOT NULL,
  -- The wallet to credit, the payment request to pay, or the payment's outcome ('settled', 'failed').
  target TEXT NOT NULL,
  preimage TEXT,
  asked_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  -- 1 once a service has begun with it. Until then the command may withdraw it.
  taken_up INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER,
  -- The message for the operator, and what the node reported.
  answer TEXT NOT NULL DEFAULT '',
  evidence TEXT,
  -- The amount that left suspense, by which transfer, to which ledger account.
  amount_msat INTEGER CHECK (amount_msat > 0),
  transfer_id TEXT UNIQUE,
  ledger_account INTEGER REFERENCES ledger_account (id),
  payment_id TEXT UNIQUE REFERENCES payment (id),
  -- The part of it that came back to suspense, and by which transfer.
  back_msat INTEGER CHECK (back_msat > 0 AND back_msat <= amount_msat),
  back_transfer_id TEXT UNIQUE,
  CHECK ((amount_msat IS NULL) = (transfer_id IS NULL) AND (transfer_id IS NULL) = (ledger_account IS NULL)),
  CHECK ((back_msat IS NULL) = (back_transfer_id IS NULL)),
  CHECK ((state IN ('done', 'refused')) = (ended_at IS NOT NULL))
) STRICT;
CREATE INDEX operator_action_open ON operator_action (id) WHERE ended_at IS NULL;
CREATE INDEX operator_action_subject ON operator_action (subject, id);

-- Proof of liabilities -------------------------------------------------------------------------------------------------

-- One Merkle-sum tree over the balances of all wallets (docs/proof-of-liabilities.md). Only the trees of the last epochs are kept, to serve
-- proofs. building → complete → dropped (its rows are being deleted).
CREATE TABLE proof_tree (
  id INTEGER PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('building', 'complete', 'dropped')),
  -- The salts and the order of the leaves derive from it.
  seed BLOB NOT NULL
) STRICT;

-- One published epoch. Rows are never changed or deleted. Each root commits to the previous one.
CREATE TABLE proof_epoch (
  epoch INTEGER PRIMARY KEY,
  created_at INTEGER NOT NULL,
  leaves INTEGER NOT NULL CHECK (leaves >= 0),
  total_msat INTEGER NOT NULL CHECK (total_msat >= 0),
  tree_hash BLOB NOT NULL,
  previous_root BLOB NOT NULL,
  root BLOB NOT NULL,
  -- The tree's id; the tree itself may have been deleted.
  tree INTEGER NOT NULL UNIQUE,
  CHECK (epoch > 0)
) STRICT;

-- One wallet in a tree. `place` orders the leaves: the wallet's window (its ledger account's number, in thousands), then a keyed hash of
-- its id. `head` is the hash of the ledger account's last entry.
CREATE TABLE proof_leaf (
  tree INTEGER NOT NULL REFERENCES proof_tree (id),
  place BLOB NOT NULL,
  wallet_id TEXT NOT NULL,
  balance_msat INTEGER NOT NULL CHECK (balance_msat >= 0),
  head BLOB NOT NULL,
  PRIMARY KEY (tree, place)
) STRICT, WITHOUT ROWID;

-- One upper node of a tree; the nodes below are computed from the leaves. A node of the lowest stored level has the place of its first
-- leaf.
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
