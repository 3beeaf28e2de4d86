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

-- One fact about this database, as JSON or text: progress of reconciliation, the state of the proof of liabilities.
CREATE TABLE service_fact (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT;

-- One instance of the service on PostgreSQL (src/core/db/instances.ts). It is deleted when the instance stops, or some time after a crash.
CREATE TABLE instance (
  id TEXT PRIMARY KEY,
  host TEXT NOT NULL,
  pid INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  -- Incremented every second. An instance whose heartbeat stands still is dead.
  heartbeat INTEGER NOT NULL,
  -- The time of the last heartbeat by the clock of the instance, for people.
  seen_at INTEGER NOT NULL,
  -- Set by another instance that took this one for dead. NULL: it is running.
  ended_at INTEGER
) STRICT;

-- The right to run some background jobs, which one instance at a time has (src/core/db/instances.ts).
CREATE TABLE lease (
  name TEXT PRIMARY KEY,
  -- A running instance. NULL: no instance holds it.
  instance_id TEXT
) STRICT;

-- The end of one retention period for one kind of rows: the newest position at that moment (src/core/db/retention.ts). A period is 15 minutes
-- of running time, so no clock decides when old rows are deleted.
CREATE TABLE retention_period (
  name TEXT NOT NULL,
  period INTEGER NOT NULL,
  position INTEGER NOT NULL,
  PRIMARY KEY (name, period)
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

-- One condition that an operator should act on (src/core/alerts/). Open until `cleared_at` is set. Announced: written to the log, once.
CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- The object concerned, such as a payment's id. At most one alert of a kind is open for it.
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  announced_at INTEGER,
  cleared_at INTEGER,
  -- Who closed it through the API, and why; NULL if the service closed it because its cause was gone.
  closed_by TEXT,
  close_reason TEXT
) STRICT;
CREATE UNIQUE INDEX alert_open ON alert (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alert_open_order ON alert (id) WHERE cleared_at IS NULL;
CREATE INDEX alert_resolved_order ON alert (id) WHERE cleared_at IS NOT NULL;
CREATE INDEX alert_unannounced ON alert (id) WHERE announced_at IS NULL;
CREATE INDEX alert_accepted ON alert (kind, subject, last_seen_at) WHERE closed_by IS NOT NULL;

-- Ledger ---------------------------------------------------------------------------------------------------------------

-- One ledger account: the state after its last entry (balance, number of entries, hash of the last entry) and the sum of its open holds.
-- The entries in `ledger_transfer` are the truth; this row is a cache of them. In SQLite the row may lag behind the entries
-- (src/core/ledger/store-sqlite/), except while something is held on the account. A wallet's balance never falls below what is held.
CREATE TABLE ledger_account (
  id INTEGER PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('node', 'routing_fees', 'service_fees', 'suspense', 'restore_difference', 'wallet')),
  balance_msat INTEGER NOT NULL DEFAULT 0 CHECK (balance_msat BETWEEN -9007199254740991 AND 9007199254740991),
  held_msat INTEGER NOT NULL DEFAULT 0 CHECK (held_msat >= 0),
  -- The number of entries, and the hash of the last one: NULL before the first entry.
  entries INTEGER NOT NULL DEFAULT 0 CHECK (entries >= 0),
  head BLOB,
  CHECK (kind IN ('node', 'routing_fees', 'restore_difference') OR balance_msat >= held_msat)
) STRICT;
-- begin postgres
-- Each commit updates these rows. Free space in their pages lets PostgreSQL update them in place.
ALTER TABLE ledger_account SET (fillfactor = 50);
-- end postgres

-- The system's accounts have the ids 1 to 5 (src/core/ledger/accounts.ts). `node` is minus the money that the first Lightning node holds for
-- customers; the accounts of further nodes have the ids -1, -2, … `routing_fees` is what the operator pays for routing, `restore_difference` minus
-- what wallets had spent and lacked after a restore (src/core/payments/read-back.ts). Only these may be negative.
INSERT INTO ledger_account (kind) VALUES ('node');
INSERT INTO ledger_account (kind) VALUES ('routing_fees');
INSERT INTO ledger_account (kind) VALUES ('service_fees');
INSERT INTO ledger_account (kind) VALUES ('suspense');
INSERT INTO ledger_account (kind) VALUES ('restore_difference');

-- One transfer and its two entries: −amount on `from_account`, +amount on `to_account`. Rows are never changed or deleted.
-- An entry has its number on its account (from 1, without a gap), the balance after it, and a hash that commits to the account's entry
-- before it (src/core/ledger/chain.ts).
-- There are no foreign keys to the accounts: a writer holds their rows locked, and checking each row cost
-- PostgreSQL a fifth of its throughput. `satchel verify` finds transfers without an account.
-- The integers come first because PostgreSQL aligns them to eight bytes.
CREATE TABLE ledger_transfer (
  position INTEGER PRIMARY KEY,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  created_at_ms INTEGER NOT NULL,
  from_account INTEGER NOT NULL,
  from_entry INTEGER NOT NULL CHECK (from_entry > 0),
  -- The balances of nodes, of `routing_fees` and of `restore_difference` may be negative.
  from_balance_msat INTEGER NOT NULL CHECK (from_balance_msat >= 0 OR from_account <= 2 OR from_account = 5),
  to_account INTEGER NOT NULL,
  to_entry INTEGER NOT NULL CHECK (to_entry > 0),
  to_balance_msat INTEGER NOT NULL CHECK (to_balance_msat >= 0 OR to_account <= 2 OR to_account = 5),
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
  CHECK (from_account <> to_account)
) STRICT;
-- The transfers to and from Lightning nodes. The entries of a wallet are listed from `wallet_transaction`; an index of all entries would cost
-- PostgreSQL a tenth of its throughput. That an account has one entry of each number is checked when its row is updated
-- (src/core/ledger/store-postgres.sql.ts), and by `satchel verify`.
CREATE INDEX ledger_transfer_from_node ON ledger_transfer (from_account, position) WHERE from_account <= 1;
CREATE INDEX ledger_transfer_to_node ON ledger_transfer (to_account, position) WHERE to_account <= 1;

-- begin sqlite
-- One row: how far the rows of `ledger_account` are up to date (src/core/ledger/store-sqlite/).
CREATE TABLE ledger_checkpoint (
  -- Rows lag behind transfers after this position only.
  position INTEGER NOT NULL,
  -- The XOR of the hashes of all accounts' last entries.
  heads BLOB NOT NULL,
  -- The id of the last batch that was committed.
  batch_id TEXT NOT NULL
) STRICT;
INSERT INTO ledger_checkpoint (position, heads, batch_id) VALUES (0, zeroblob(32), '');
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

-- Lightning nodes ------------------------------------------------------------------------------------------------------

-- One Lightning node of the ledger (src/core/connection/). The first one exists from the beginning; its id is also the id of the ledger, which
-- nodes store to recognize their owner. Rows are never deleted.
CREATE TABLE lightning_node (
  id TEXT PRIMARY KEY,
  -- Minus the money that this node holds for customers. 1 for the first node, then -1, -2, …
  ledger_account INTEGER NOT NULL UNIQUE REFERENCES ledger_account (id),
  -- The node's public key in hex, and its network; NULL until it was first reached. They never change afterwards.
  pubkey TEXT UNIQUE,
  network TEXT,
  -- The position up to which the node's events are booked; NULL: from the first event on.
  event_position TEXT,
  -- The node's newest settlement when the node was added. Settlements up to it are not for this ledger. NULL: all settlements are.
  start_position TEXT,
  -- When it was settled, by the clock of the node. If the node was restored to before it, start_position is NULL, and settlements up to this time are
  -- skipped.
  start_settled_at INTEGER,
  -- draining: it gets no new wallets.
  state TEXT NOT NULL CHECK (state IN ('active', 'draining')),
  created_at INTEGER NOT NULL,
  CHECK ((pubkey IS NULL) = (network IS NULL)),
  CHECK (start_position IS NULL OR start_settled_at IS NOT NULL)
) STRICT;
INSERT INTO lightning_node (id, ledger_account, state, created_at)
-- begin sqlite
VALUES ('lnd_' || substr(hex(randomblob(11)), 1, 22), 1, 'active', unixepoch());
-- end sqlite
-- begin postgres
VALUES ('lnd_' || upper(substr(replace(gen_random_uuid()::text, '-', ''), 1, 22)), 1, 'active', floor(extract(epoch FROM now())));
-- end postgres

-- One event of a node that could not be booked (src/core/connection/unbooked-events.ts). It is tried again while later events are booked.
CREATE TABLE unbooked_event (
  id TEXT PRIMARY KEY,
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  -- JSON.
  event TEXT NOT NULL,
  reason TEXT NOT NULL,
  set_aside_at INTEGER NOT NULL
) STRICT;

-- Accounts, wallets and keys -------------------------------------------------------------------------------------------

-- One login: the owner of wallets and keys (src/core/accounts/). The first account is the operator's.
CREATE TABLE account (
  id TEXT PRIMARY KEY,
  created_at INTEGER NOT NULL,
  role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('operator', 'member')),
  -- What it may do (src/core/accounts/account-states.ts). Pending payments continue, and what nodes have received is credited, in every state.
  status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'receive_only', 'frozen', 'closing', 'closed')),
  -- The most wallets that it may have; 0: no limit.
  max_wallets INTEGER NOT NULL DEFAULT 0 CHECK (max_wallets >= 0),
  -- Of a sub-account: the accounts above it, the nearest first, separated by spaces. It never changes.
  ancestors TEXT NOT NULL DEFAULT '',
  -- Of a sub-account: the share of the service's fees of its wallets that goes to a wallet of an account above it (src/core/fees/).
  share_millionths INTEGER NOT NULL DEFAULT 0 CHECK (share_millionths BETWEEN 0 AND 1000000),
  revenue_wallet_id TEXT,
  -- In lower case. With a password it is the login.
  email TEXT,
  -- The ISO 4217 code of the currency in which its owner sees amounts; NULL: none.
  currency TEXT CHECK (length(currency) = 3),
  -- scrypt with its parameters and salt (src/features/logins/passwords.ts), or an imported hash of bcrypt, which the first login replaces. NULL: a
  -- login with a password is not possible.
  password_hash TEXT,
  CHECK (share_millionths = 0 OR revenue_wallet_id IS NOT NULL)
) STRICT;
-- Partial, so that PostgreSQL does not take a change of the e-mail for a change of the row's key, which would block inserts of wallets.
CREATE UNIQUE INDEX account_email ON account (email) WHERE email IS NOT NULL;

-- The audit log of operators (src/core/accounts/operator-records.ts): one change that an operator made or requested. Rows are never changed or
-- deleted. What is executed later, such as the return of money in suspense, has a row with the same id in `operator_action`.
CREATE TABLE operator_record (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  -- What was changed, and to what: ids, or the fields of an action.
  subject TEXT NOT NULL,
  target TEXT NOT NULL,
  -- The account that is concerned.
  account_id TEXT REFERENCES account (id),
  -- The key or session that requested it, with its account; that account; and the IP address. NULL if unknown.
  requested_by TEXT NOT NULL,
  actor TEXT,
  origin TEXT,
  -- JSON: the fields that were set, with the values before and after.
  changes TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX operator_record_account ON operator_record (account_id, id) WHERE account_id IS NOT NULL;
CREATE INDEX operator_record_actor ON operator_record (actor, id) WHERE actor IS NOT NULL;
CREATE INDEX operator_record_kind ON operator_record (kind, id);
-- begin sqlite
CREATE TRIGGER operator_record_changed BEFORE UPDATE ON operator_record BEGIN
  SELECT RAISE(ABORT, 'rows of operator_record are never changed');
END;
CREATE TRIGGER operator_record_deleted BEFORE DELETE ON operator_record BEGIN
  SELECT RAISE(ABORT, 'rows of operator_record are never deleted');
END;
-- end sqlite
-- begin postgres
CREATE FUNCTION keep_operator_record() RETURNS trigger LANGUAGE plpgsql AS
  'BEGIN RAISE EXCEPTION ''rows of operator_record are never changed or deleted''; END';
CREATE TRIGGER operator_record_kept BEFORE UPDATE OR DELETE ON operator_record FOR EACH STATEMENT EXECUTE FUNCTION keep_operator_record();
-- end postgres

-- A note of an operator about an account. The owner of the account never sees it.
CREATE TABLE account_note (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  note TEXT NOT NULL CHECK (length(note) BETWEEN 1 AND 2000),
  -- The account of the operator.
  author TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX account_note_account ON account_note (account_id, id);

-- One wallet of a customer. Its balance is that of its ledger account.
CREATE TABLE wallet (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  ledger_account INTEGER NOT NULL UNIQUE REFERENCES ledger_account (id),
  -- The node that creates the wallet's invoices and sends its payments.
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  user_label TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('active', 'inactive')),
  -- The owners whose limits count its payments, separated by spaces: the wallet, its account, the accounts above. Only these have rows in
  -- `spending_limit`.
  limit_owners TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX wallet_account ON wallet (account_id, id);
CREATE INDEX wallet_node ON wallet (node_id);

-- One key: an API key of an account, or an access key of a wallet (src/core/accounts/keys.ts lists the kinds). A secret is stored only as its
-- SHA-256 hash, with its last four characters if enough others remain unknown. Public identifiers are stored as text.
-- A rotation inserts a new key in the same lineage and sets `replaced_by` of the old one.
CREATE TABLE access_key (
  id TEXT PRIMARY KEY,
  -- The first key of the lineage. A budget counts the spending of the whole lineage.
  lineage_id TEXT NOT NULL REFERENCES access_key (id),
  kind TEXT NOT NULL,
  secret_hash BLOB NOT NULL,
  public_text TEXT,
  last_four TEXT,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- NULL for API keys.
  wallet_id TEXT REFERENCES wallet (id),
  user_label TEXT NOT NULL,
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
CREATE INDEX access_key_lineage ON access_key (lineage_id);

-- When a key was last used, at most once a minute per instance (src/core/accounts/key-uses.ts). A key without a row was not used. This is no
-- column of access_key, because in PostgreSQL a posting locks the row of its key, so updates of that row and postings would wait for each
-- other.
CREATE TABLE key_use (
  key_id TEXT PRIMARY KEY REFERENCES access_key (id),
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What one lineage of keys has spent in one period of its budget. Changed only by the postings that move the money (src/core/budgets/).
CREATE TABLE key_spending (
  lineage_id TEXT NOT NULL REFERENCES access_key (id),
  -- The beginning of the period, in Unix seconds; 0 for a budget without a period.
  period_start INTEGER NOT NULL,
  -- Spent, fees included; and reserved by pending payments, with the highest fee that each may cost.
  spent_msat INTEGER NOT NULL CHECK (spent_msat >= 0),
  pending_msat INTEGER NOT NULL CHECK (pending_msat >= 0),
  PRIMARY KEY (lineage_id, period_start)
) STRICT;

-- One transfer between wallets that counts against a budget.
CREATE TABLE key_transfer (
  transfer_id TEXT PRIMARY KEY,
  lineage_id TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  -- The amount and the fee of the service.
  cost_msat INTEGER NOT NULL CHECK (cost_msat > 0),
  FOREIGN KEY (lineage_id, period_start) REFERENCES key_spending (lineage_id, period_start)
) STRICT;

-- Fees of this service (src/core/fees/) -----------------------------------------------------------------------------------

-- One version of the fees of an account or a wallet. The one with the highest number applies. Rows are never changed or deleted.
CREATE TABLE fee_schedule (
  id TEXT PRIMARY KEY,
  -- An account, or a wallet, whose schedule replaces that of its account.
  owner_id TEXT NOT NULL,
  version INTEGER NOT NULL CHECK (version > 0),
  -- 1: the owner has no schedule of its own from this version on.
  is_removed INTEGER NOT NULL CHECK (is_removed IN (0, 1)),
  -- The key or session that requested it.
  made_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (owner_id, version)
) STRICT;

-- The fee of one direction. A direction without a row is free.
CREATE TABLE fee_rule (
  schedule_id TEXT NOT NULL REFERENCES fee_schedule (id),
  direction TEXT NOT NULL CHECK (direction IN ('ln_out', 'ln_in', 'internal', 'link')),
  flat_msat INTEGER NOT NULL CHECK (flat_msat >= 0),
  proportional_millionths INTEGER NOT NULL CHECK (proportional_millionths BETWEEN 0 AND 1000000),
  min_msat INTEGER NOT NULL CHECK (min_msat >= 0),
  max_msat INTEGER CHECK (max_msat >= min_msat),
  free_below_msat INTEGER NOT NULL CHECK (free_below_msat >= 0),
  PRIMARY KEY (schedule_id, direction)
) STRICT, WITHOUT ROWID;

-- One fee that was charged, by a transfer from a wallet to `service_fees`. It is part of the posting of that transfer.
CREATE TABLE service_fee (
  transfer_id TEXT PRIMARY KEY,
  schedule_id TEXT NOT NULL REFERENCES fee_schedule (id),
  direction TEXT NOT NULL CHECK (direction IN ('ln_out', 'ln_in', 'internal', 'link')),
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The payment or the invoice; NULL for a transfer.
  lntx TEXT,
  -- The part that went from `service_fees` to a wallet of an account above, and its transfer.
  share_msat INTEGER NOT NULL CHECK (share_msat BETWEEN 0 AND amount_msat),
  share_transfer_id TEXT UNIQUE,
  CHECK ((share_msat = 0) = (share_transfer_id IS NULL))
) STRICT;
-- A payment or an invoice is charged once.
CREATE UNIQUE INDEX service_fee_lntx ON service_fee (lntx) WHERE lntx IS NOT NULL;
CREATE INDEX service_fee_wallet ON service_fee (wallet_id, transfer_id);

-- Limits of accounts and wallets (src/core/limits/) ------------------------------------------------------------------------

-- The limits of one account or wallet, and what counts against them: amounts without fees. NULL: no limit. Each posting that spends from a wallet
-- changes the rows of its owners (wallet.limit_owners), which makes the check and the count one step. Rows are never deleted.
CREATE TABLE spending_limit (
  owner_id TEXT PRIMARY KEY,
  max_balance_msat INTEGER CHECK (max_balance_msat >= 0),
  max_payment_msat INTEGER CHECK (max_payment_msat >= 0),
  max_receive_msat INTEGER CHECK (max_receive_msat >= 0),
  max_out_day_msat INTEGER CHECK (max_out_day_msat >= 0),
  max_out_month_msat INTEGER CHECK (max_out_month_msat >= 0),
  max_payments_per_minute INTEGER CHECK (max_payments_per_minute >= 0),
  max_pending INTEGER CHECK (max_pending >= 0),
  -- Payments that are pending and were started under these limits.
  pending_msat INTEGER NOT NULL CHECK (pending_msat >= 0),
  pending_count INTEGER NOT NULL CHECK (pending_count >= 0),
  -- What was spent in the period that began at `…_start`; in a later period it counts as 0.
  day_start INTEGER NOT NULL,
  day_msat INTEGER NOT NULL CHECK (day_msat >= 0),
  month_start INTEGER NOT NULL,
  month_msat INTEGER NOT NULL CHECK (month_msat >= 0),
  minute_start INTEGER NOT NULL,
  minute_count INTEGER NOT NULL CHECK (minute_count >= 0)
) STRICT;

-- One login of a wallet app with a name and a password that another program had issued (src/features/lndhub/logins.ts). It has the rights of its
-- key, whose secret is not known to any client, and ends when the key is revoked.
CREATE TABLE lndhub_login (
  login TEXT PRIMARY KEY CHECK (length(login) BETWEEN 1 AND 128),
  key_id TEXT NOT NULL UNIQUE REFERENCES access_key (id),
  -- As in `account`: an imported hash of bcrypt until the first login.
  password_hash TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;

-- Nostr Wallet Connect -----------------------------------------------------------------------------------------------------

-- One app that uses a wallet over Nostr (NIP-47, src/features/nwc/). Its label, budget, expiry and revocation are those of its access key.
CREATE TABLE nwc_connection (
  id TEXT PRIMARY KEY,
  key_id TEXT NOT NULL UNIQUE REFERENCES access_key (id),
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- What the app may do: permissions of src/core/accounts/keys.ts, separated by spaces.
  permissions TEXT NOT NULL,
  -- The public key with which the app signs, and that of the service for this app only: x-only keys (BIP-340) in hex.
  client_pubkey TEXT NOT NULL CHECK (length(client_pubkey) = 64),
  service_pubkey TEXT NOT NULL UNIQUE CHECK (length(service_pubkey) = 64),
  -- The URLs of its relays, separated by spaces, the best one first.
  relays TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX nwc_connection_wallet ON nwc_connection (wallet_id, id);

-- One request of an app that has created something or was refused. It is inserted in the transaction that holds the money or stores the invoice, so
-- that a repeated event has no second effect. Kept for a limited running time.
CREATE TABLE nwc_request (
  -- The order of insertion.
  position INTEGER PRIMARY KEY,
  -- The id of the request's event in hex; for one of several items also the number of the item.
  id TEXT NOT NULL UNIQUE,
  connection_id TEXT NOT NULL REFERENCES nwc_connection (id),
  method TEXT NOT NULL,
  -- The encryption of the request, which is also that of the response.
  scheme TEXT NOT NULL CHECK (scheme IN ('nip44_v2', 'nip04')),
  -- The id that the app gave an item. NULL for requests without items.
  item TEXT,
  -- The payment or the invoice. NULL: the request was refused.
  made TEXT,
  -- The event of the response as JSON. NULL: the outcome is not known yet.
  response TEXT,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX nwc_request_unanswered ON nwc_request (position) WHERE response IS NULL;

-- One event that no relay of the connection has accepted yet. It is deleted when one has, or when it has become too old.
CREATE TABLE nwc_outbox (
  position INTEGER PRIMARY KEY,
  connection_id TEXT NOT NULL REFERENCES nwc_connection (id),
  -- JSON.
  event TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  due_at_ms INTEGER NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX nwc_outbox_due ON nwc_outbox (due_at_ms);

-- Logins ---------------------------------------------------------------------------------------------------------------

-- One session of a person in a browser: a credential with the rights of a secret API key. The secret is in a cookie, and here as its hash.
CREATE TABLE session (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  secret_hash BLOB NOT NULL UNIQUE,
  -- How the person logged in.
  method TEXT NOT NULL CHECK (method IN ('password', 'setup_link', 'lnurl_auth', 'passkey')),
  user_agent TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL,
  -- Each use moves it into the future, up to `latest_expires_at`.
  expires_at INTEGER NOT NULL,
  latest_expires_at INTEGER NOT NULL CHECK (latest_expires_at >= expires_at),
  revoked_at INTEGER
) STRICT;
CREATE INDEX session_account ON session (account_id, id);

-- One link with which a person sets the e-mail and the password of an account. It is deleted when it is used or replaced.
CREATE TABLE setup_link (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  token_hash BLOB NOT NULL UNIQUE,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at)
) STRICT;

-- The second factor of an account (RFC 6238): a login also needs a code of an authenticator app, or a recovery code.
CREATE TABLE totp (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  -- The seed, encrypted with SECRET_KEY.
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- NULL until the person has sent a first code. Before that, a login needs none.
  confirmed_at INTEGER,
  -- The time step of the last accepted code. A code is accepted once.
  last_step INTEGER NOT NULL DEFAULT 0,
  -- Wrong codes since the last accepted one or the last pause.
  wrong_codes INTEGER NOT NULL DEFAULT 0,
  -- No code of the app is accepted before this time.
  paused_until INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One unused recovery code. It is deleted when it is used.
CREATE TABLE recovery_code (
  account_id TEXT NOT NULL REFERENCES account (id),
  code_hash BLOB NOT NULL,
  PRIMARY KEY (account_id, code_hash)
) STRICT;

-- One key of a Lightning wallet that logs in to an account (LUD-04). The wallet derives it from the host of PUBLIC_URL.
CREATE TABLE linked_key (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- Compressed, in hex.
  linking_key TEXT NOT NULL UNIQUE CHECK (length(linking_key) = 66),
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX linked_key_account ON linked_key (account_id, id);

-- One challenge that a person signs with a Lightning wallet (LUD-04): to log in to this service, to link the wallet to an account, or to log in to
-- an application. The first two are deleted when they are used, and all some time after they expired.
CREATE TABLE wallet_challenge (
  id TEXT PRIMARY KEY,
  purpose TEXT NOT NULL CHECK (purpose IN ('login', 'link', 'application')),
  k1_hash BLOB NOT NULL UNIQUE,
  -- What the wallet shows to the person.
  action TEXT CHECK (action IN ('register', 'login', 'link', 'auth')),
  -- To log in: the hash of a token that only the browser has.
  token_hash BLOB CHECK ((token_hash IS NOT NULL) = (purpose = 'login')),
  -- The account that gets the link, or that of the application.
  account_id TEXT REFERENCES account (id) CHECK ((account_id IS NULL) = (purpose = 'login')),
  -- To link: the requesting key or session, and the name of the new linked key.
  made_by TEXT CHECK ((made_by IS NOT NULL) = (purpose = 'link')),
  name TEXT CHECK ((name IS NOT NULL) = (purpose = 'link')),
  -- The public key that signed it, in hex.
  linking_key TEXT CHECK (length(linking_key) = 66),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  kept_until INTEGER NOT NULL CHECK (kept_until >= expires_at),
  authenticated_at INTEGER CHECK ((authenticated_at IS NULL) = (linking_key IS NULL))
) STRICT;
CREATE INDEX wallet_challenge_kept ON wallet_challenge (kept_until);
CREATE INDEX wallet_challenge_owner ON wallet_challenge (purpose, coalesce(account_id, ''), kept_until);

-- One passkey that logs in to an account (WebAuthn).
CREATE TABLE passkey (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- In base64url.
  credential_id TEXT NOT NULL UNIQUE,
  -- In the form of COSE (RFC 9052).
  public_key BLOB NOT NULL,
  -- The number of signatures that the authenticator reported last; 0 for one that does not count.
  counter INTEGER NOT NULL CHECK (counter >= 0),
  -- JSON: how browsers reach the authenticator.
  transports TEXT NOT NULL,
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER
) STRICT;
CREATE INDEX passkey_account ON passkey (account_id, id);

-- One challenge for a passkey. It is deleted when it is used, or some time after it expired.
CREATE TABLE passkey_challenge (
  challenge_hash BLOB NOT NULL PRIMARY KEY,
  -- To add a passkey: the account and the requesting key or session. NULL to log in.
  account_id TEXT REFERENCES account (id),
  made_by TEXT,
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  CHECK ((account_id IS NULL) = (made_by IS NULL))
) STRICT;
CREATE INDEX passkey_challenge_expires ON passkey_challenge (expires_at);
CREATE INDEX passkey_challenge_account ON passkey_challenge (account_id);

-- Invoices: money in ---------------------------------------------------------------------------------------------------

-- One invoice of a wallet, or one keysend that it received.
-- open → settled; open → closing (a payment between wallets claims it) → settled or open; open → canceled. An expired invoice keeps its
-- state. A hold invoice also: open or closing → held → settled or canceled.
CREATE TABLE invoice (
  id TEXT PRIMARY KEY,
  -- The wallet's.
  account_id TEXT NOT NULL,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  node_id TEXT NOT NULL,
  dest_pubkey TEXT NOT NULL,
  -- The type of the wallet transaction that credits it.
  wtx_type TEXT NOT NULL,
  payment_hash TEXT NOT NULL UNIQUE,
  payment_request TEXT NOT NULL,
  -- NULL: the payer chooses the amount.
  amount_msat INTEGER CHECK (amount_msat > 0),
  memo TEXT NOT NULL,
  description_hash TEXT,
  expiry_seconds INTEGER NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  is_keysend INTEGER NOT NULL DEFAULT 0,
  -- The keysend's TLV records as JSON text.
  custom_records TEXT,
  pass_thru TEXT,
  -- 1: the wallet chose the payment hash, and settles or cancels the payment after it has arrived (src/core/hold-invoices/).
  is_hold INTEGER NOT NULL DEFAULT 0,
  -- The key of the public status token of a hold invoice. The preimage, which is the key of all others, is unknown until it is settled.
  status_key TEXT,
  -- JSON: the amount in a currency that the invoice was requested with, and its rate (`amount`, `currency`, `rate`, `rate_at`, `rate_source`).
  fiat TEXT CHECK (fiat IS NULL OR amount_msat IS NOT NULL),
  -- What changes comes last and in pages with free space: PostgreSQL then writes only these bytes to its WAL.
  -- held: a payment of a hold invoice has arrived and waits for the wallet's decision. arriving: the node has reported a payment that is not
  -- final yet. failed: it never arrived.
  state TEXT NOT NULL CHECK (state IN ('open', 'closing', 'held', 'arriving', 'settled', 'failed', 'canceled')),
  -- What arrived, or, until it is settled, what the node has reported.
  received_msat INTEGER CHECK (received_msat > 0),
  settled_at INTEGER,
  preimage TEXT,
  -- 1 when the money arrived although the invoice was no longer open.
  late INTEGER NOT NULL DEFAULT 0,
  -- 1: the event `invoice_expired` is stored.
  expiry_reported INTEGER NOT NULL DEFAULT 0,
  -- Of a payment that is or was held: its amount, when it was first seen, and when the service cancels it.
  held_msat INTEGER CHECK (held_msat > 0),
  held_at INTEGER,
  held_until INTEGER,
  -- The payment of another wallet whose money is held. NULL: the payer is outside, and the node holds the payment.
  held_payment_id TEXT,
  -- What is to become of the hold invoice. It is stored before the node is called, and never changes. expire: canceled by the service.
  decision TEXT CHECK (decision IN ('settle', 'cancel', 'expire')),
  CHECK (is_hold = 0 OR status_key IS NOT NULL),
  CHECK (is_hold = 1 OR (held_at IS NULL AND decision IS NULL)),
  CHECK (state <> 'held' OR held_at IS NOT NULL),
  CHECK ((held_at IS NULL) = (held_until IS NULL) AND (held_at IS NULL) = (held_msat IS NULL)),
  -- An invoice that is not paid can only be canceled.
  CHECK (held_at IS NOT NULL OR (coalesce(decision, 'cancel') = 'cancel' AND held_payment_id IS NULL)),
  CHECK (decision IS NULL OR decision <> 'settle' OR preimage IS NOT NULL),
  CHECK ((state = 'settled') = (settled_at IS NOT NULL)),
  CHECK ((state IN ('arriving', 'settled', 'failed')) = (received_msat IS NOT NULL))
) STRICT;
-- begin postgres
ALTER TABLE invoice SET (fillfactor = 50);
-- end postgres
-- Lists of open invoices, of a wallet and of an account.
CREATE INDEX invoice_open_wallet ON invoice (ledger_account, id) WHERE state IN ('open', 'closing', 'held') AND expiry_reported = 0;
CREATE INDEX invoice_open_account ON invoice (account_id, id) WHERE state IN ('open', 'closing', 'held') AND expiry_reported = 0;
-- The newest invoices of a wallet, open or not.
CREATE INDEX invoice_wallet ON invoice (ledger_account, id);
-- Counts the open invoices of a wallet that have not expired, for the limits on them. Anyone can request invoices of a pay link. They are
-- counted separately, so that they cannot use up the open invoices of the wallet.
CREATE INDEX invoice_open_until ON invoice (ledger_account, wtx_type, expires_at) WHERE state = 'open';
-- Finds the open invoices that have expired since they were last looked for.
CREATE INDEX invoice_expiring ON invoice (expires_at) WHERE state = 'open' AND expiry_reported = 0;
-- Hold invoices that may be paid, and those whose payment waits for a decision.
CREATE INDEX invoice_hold_open ON invoice (node_id, expires_at) WHERE state = 'open' AND is_hold = 1;
CREATE INDEX invoice_held ON invoice (node_id, id) WHERE state = 'held';

-- One payment hash whose money from the network was credited, to a wallet or to suspense. The primary key is what prevents a second credit.
CREATE TABLE settlement (
  payment_hash TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- One payment that a node has reported as received and that is not known to be final (src/core/invoices/arriving.ts). The row is deleted in
-- the posting that credits it.
CREATE TABLE arriving_payment (
  payment_hash TEXT PRIMARY KEY,
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  -- arriving → deleted, or failed: it never arrived.
  state TEXT NOT NULL CHECK (state IN ('arriving', 'failed')),
  -- NULL: for no wallet.
  invoice_id TEXT UNIQUE,
  -- The transfer that will credit it. The id of the wallet transaction derives from it.
  transfer_id TEXT NOT NULL UNIQUE,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  -- 1: it was credited at the report (CREDIT_BEFORE_FINAL_MSAT).
  is_credited INTEGER NOT NULL,
  -- JSON: the settlement as the node reported it.
  settlement TEXT NOT NULL,
  reported_at INTEGER NOT NULL,
  -- When the node is asked about it again. NULL: never, because the node has reported that it never arrived. A payment that an operator has ended
  -- as failed is still looked up.
  next_check_at INTEGER,
  -- Why the node could not tell, when it was last asked.
  node_reason TEXT
) STRICT;
CREATE INDEX arriving_payment_open ON arriving_payment (node_id, is_credited, reported_at, payment_hash) WHERE state = 'arriving';
CREATE INDEX arriving_payment_list ON arriving_payment (reported_at, payment_hash) WHERE state = 'arriving';
CREATE INDEX arriving_payment_due ON arriving_payment (node_id, next_check_at, payment_hash) WHERE next_check_at IS NOT NULL;

-- Money that arrived for no wallet and was credited to suspense.
CREATE TABLE unmatched_settlement (
  payment_hash TEXT PRIMARY KEY,
  -- The node at which it arrived.
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  is_keysend INTEGER NOT NULL,
  settled_at INTEGER NOT NULL,
  -- What operators have neither credited nor returned.
  left_msat INTEGER NOT NULL CHECK (left_msat BETWEEN 0 AND amount_msat)
) STRICT;
CREATE INDEX unmatched_settlement_order ON unmatched_settlement (settled_at, payment_hash);
CREATE INDEX unmatched_settlement_open ON unmatched_settlement (settled_at, payment_hash) WHERE left_msat > 0;

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
  payment_hash TEXT NOT NULL,
  payment_request TEXT NOT NULL,
  dest_pubkey TEXT NOT NULL,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  user_label TEXT NOT NULL,
  memo TEXT NOT NULL,
  description_hash TEXT,
  expiry_seconds INTEGER NOT NULL,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  is_keysend INTEGER NOT NULL,
  custom_records TEXT,
  pass_thru TEXT,
  -- JSON: the amount in a currency that the payment was requested with, and its rate.
  fiat TEXT,
  -- The invoice that it pays, when that is of a wallet here: such a payment never reaches the network.
  invoice_id TEXT REFERENCES invoice (id),
  -- The withdraw link whose claim it is.
  link_id TEXT,
  -- What the payee of an LNURL shows after a payment (LUD-09), as JSON. It is written with the payment and shown once that is settled.
  success_action TEXT,
  -- The budget that the payment counts against, and how much of it the payment reserves while it is pending.
  budget_lineage_id TEXT REFERENCES access_key (id),
  budget_period_start INTEGER,
  budget_reserved_msat INTEGER CHECK (budget_reserved_msat > 0),
  -- What the service charges when the payment succeeds, by which schedule; both are NULL if nothing.
  service_fee_msat INTEGER CHECK (service_fee_msat > 0),
  fee_schedule_id TEXT REFERENCES fee_schedule (id),
  -- The owners in whose limits it counts, separated by spaces; NULL: none.
  limit_owners TEXT,
  -- What changes comes last and in pages with free space: PostgreSQL then writes only these bytes to its WAL.
  state TEXT NOT NULL CHECK (state IN ('pending', 'succeeded', 'failed')),
  failure_reason TEXT,
  fee_msat INTEGER CHECK (fee_msat >= 0),
  settled_at INTEGER,
  preimage TEXT,
  -- The node reported success after the payment had been booked as failed. Either the wallet was charged then, or the operator bore it.
  correction TEXT CHECK (correction IN ('charged', 'borne')),
  -- 1 once the node is known to have the payment. From then on it is looked up and never sent again: a node that was restored from an
  -- older backup may have forgotten a payment whose money has left.
  at_node INTEGER NOT NULL DEFAULT 0,
  -- When the last request to the node began; written before it. NULL: the node never received one.
  sending_since_ms INTEGER,
  -- When the outcome of a request became unclear: its response was lost, or the service stopped before it arrived.
  unclear_since_ms INTEGER,
  -- 1: the event `payment_pending` is stored. A payment whose request ends with its outcome never has it.
  pending_reported INTEGER NOT NULL DEFAULT 0,
  -- 1: another program sent it before its wallet was imported, so the node has it under its payment hash alone.
  is_imported INTEGER NOT NULL DEFAULT 0 CHECK (is_imported IN (0, 1)),
  -- Of a payment that was read back from the node after a restore: what its wallet lacked and `restore_difference` bears. NULL: all others.
  shortfall_msat INTEGER CHECK (shortfall_msat >= 0),
  CHECK ((state = 'succeeded') = (settled_at IS NOT NULL)),
  CHECK ((state = 'failed') = (failure_reason IS NOT NULL)),
  CHECK ((service_fee_msat IS NULL) = (fee_schedule_id IS NULL)),
  CHECK (is_imported = 0 OR at_node = 1)
) STRICT;
-- begin postgres
ALTER TABLE payment SET (fillfactor = 50);
-- end postgres
-- At most one payment of a payment hash is pending or paid. This prevents that an invoice is paid twice.
CREATE UNIQUE INDEX payment_live ON payment (payment_hash) WHERE state <> 'failed' AND correction IS NULL;
CREATE INDEX payment_hash ON payment (payment_hash);
-- Payments that were read back after a restore.
CREATE INDEX payment_read_back ON payment (id) WHERE shortfall_msat IS NOT NULL;
-- Pending payments, of all wallets and of one; payments of one withdraw link.
CREATE INDEX payment_pending ON payment (id) WHERE state = 'pending';
CREATE INDEX payment_pending_wallet ON payment (wallet_id) WHERE state = 'pending';
CREATE INDEX payment_link ON payment (link_id) WHERE link_id IS NOT NULL;
-- The newest paid payments of a wallet.
CREATE INDEX payment_paid_wallet ON payment (wallet_id, id) WHERE state = 'succeeded';

-- Journal: what happened (src/core/journal/) ----------------------------------------------------------------------------

-- One event. Rows are never changed, and deleted after EVENT_RETENTION_DAYS. Positions have the order of commits: SQLite has one writer; in
-- PostgreSQL a transaction locks the row of `event_order` before its first event and keeps it until it ends.
CREATE TABLE event (
  position INTEGER PRIMARY KEY,
  created_at_ms INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- The account that it concerns; for an event about the service, the operator's.
  account_id TEXT NOT NULL,
  wallet_id TEXT,
  -- The id of the object that changed; for a booking, of its wallet transaction.
  subject TEXT NOT NULL,
  -- The invoice or payment.
  lntx TEXT,
  -- JSON: what the object's row does not keep.
  data TEXT
) STRICT;
CREATE INDEX event_account ON event (account_id, position);
CREATE INDEX event_wallet ON event (wallet_id, position) WHERE wallet_id IS NOT NULL;
-- The trace of the request that created a payment, an invoice or a transfer, for the webhooks of its events. Most requests have none.
CREATE TABLE event_trace (
  position INTEGER PRIMARY KEY,
  -- The id of the payment, invoice or transfer.
  subject TEXT NOT NULL UNIQUE,
  -- The account of the request. No other one gets the trace.
  account_id TEXT NOT NULL,
  -- W3C Trace Context.
  traceparent TEXT NOT NULL
) STRICT;
-- begin postgres
CREATE TABLE event_order (
  id BIGINT PRIMARY KEY
);
INSERT INTO event_order (id) VALUES (1);
CREATE FUNCTION lock_event_order() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM 1 FROM event_order FOR UPDATE; RETURN NULL; END';
CREATE TRIGGER event_order BEFORE INSERT ON event FOR EACH STATEMENT EXECUTE FUNCTION lock_event_order();
-- end postgres

-- One wallet transaction: one side of a booking, or a payment that is pending, arriving or failed. Open invoices are listed from `invoice`.
CREATE TABLE wallet_transaction (
  -- The order of lists: a row gets the next position when it is inserted, and again when its payment is booked.
  position INTEGER PRIMARY KEY,
  -- Derives from the ledger transfer and the side (src/core/journal/wallet-transaction-id.ts).
  id TEXT NOT NULL UNIQUE,
  wallet_id TEXT NOT NULL,
  -- The wallet's.
  ledger_account INTEGER NOT NULL,
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('settled', 'pending', 'failed')),
  -- Negative for money that leaves.
  amount_msat INTEGER NOT NULL CHECK (amount_msat <> 0),
  -- The number of the wallet's entry, and its balance after it; NULL until it is booked.
  entry INTEGER,
  balance_msat INTEGER,
  -- When the row got its position: the time of the booking, or the start of the payment.
  placed_at_ms INTEGER NOT NULL,
  -- The payment or invoice.
  lntx TEXT,
  label TEXT NOT NULL,
  -- The ledger account on the other side of a booking.
  other_account INTEGER,
  CHECK ((status = 'settled') = (entry IS NOT NULL) AND (entry IS NULL) = (balance_msat IS NULL))
) STRICT;
-- Lists of settled transactions; numbered pages skip in the index alone.
CREATE INDEX wallet_transaction_wallet ON wallet_transaction (ledger_account, position) WHERE status = 'settled';
CREATE INDEX wallet_transaction_account ON wallet_transaction (account_id, position) WHERE status = 'settled';
CREATE INDEX wallet_transaction_wallet_unsettled ON wallet_transaction (ledger_account, status, position) WHERE status <> 'settled';
CREATE INDEX wallet_transaction_account_unsettled ON wallet_transaction (account_id, status, position) WHERE status <> 'settled';

-- Finds the credit of an invoice.
CREATE INDEX wallet_transaction_credit ON wallet_transaction (lntx) WHERE amount_msat > 0 AND lntx IS NOT NULL;

-- The words of labels and memos, in lower case, with the ids of the objects that have them (src/core/journal/search-words.ts). `type` is the
-- prefix of the id.
CREATE TABLE search_word (
  account_id TEXT NOT NULL,
  type TEXT NOT NULL,
  word TEXT NOT NULL,
  id TEXT NOT NULL,
  PRIMARY KEY (account_id, type, word, id)
) STRICT, WITHOUT ROWID;
-- Words of all accounts, for operators.
CREATE INDEX search_word_service ON search_word (type, word, id);

-- The sums of a wallet's bookings in one hour, in whole hours since the Unix epoch. Fees are part of neither `in` nor `out`.
CREATE TABLE wallet_hour (
  ledger_account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  in_msat INTEGER NOT NULL,
  in_count INTEGER NOT NULL,
  out_msat INTEGER NOT NULL,
  out_count INTEGER NOT NULL,
  fees_msat INTEGER NOT NULL,
  fees_count INTEGER NOT NULL,
  PRIMARY KEY (ledger_account, hour)
) STRICT, WITHOUT ROWID;

-- The same of all wallets of an account. The row of hour -1 has the sums of all hours.
CREATE TABLE account_hour (
  account_id TEXT NOT NULL,
  hour INTEGER NOT NULL,
  in_msat INTEGER NOT NULL,
  in_count INTEGER NOT NULL,
  out_msat INTEGER NOT NULL,
  out_count INTEGER NOT NULL,
  fees_msat INTEGER NOT NULL,
  fees_count INTEGER NOT NULL,
  PRIMARY KEY (account_id, hour)
) STRICT, WITHOUT ROWID;

-- Webhooks -------------------------------------------------------------------------------------------------------------

-- One endpoint to which the events of an account are delivered (src/features/webhooks). Times are Unix seconds, or milliseconds where the name
-- says so.
CREATE TABLE webhook (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- Only events of this wallet; null: all of the account.
  wallet_id TEXT REFERENCES wallet (id),
  url TEXT NOT NULL,
  -- Names of events with spaces between; null: all.
  event_types TEXT,
  user_label TEXT NOT NULL,
  -- 'deleted': a row whose deliveries are being deleted.
  status TEXT NOT NULL CHECK (status IN ('active', 'paused', 'disabled', 'deleted')),
  -- Why the service disabled it: 'failing' or 'gone'.
  disabled_reason TEXT CHECK ((disabled_reason IS NOT NULL) = (status = 'disabled')),
  -- The position of the newest event when it was disabled: later events get no delivery until it is resumed, which replays them.
  missed_after INTEGER CHECK ((missed_after IS NOT NULL) = (status = 'disabled')),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When it was created or last resumed. Retries last three days from then on.
  active_since INTEGER NOT NULL,
  -- JSON: the sealed signing secrets, newest first (src/features/webhooks/secrets.ts).
  secrets TEXT NOT NULL,
  -- The fingerprint of the key that sealed the newest secret.
  key_id TEXT NOT NULL,
  last_success_at INTEGER,
  -- The first failed attempt after the last success.
  failing_since INTEGER,
  -- Failed attempts after the last success.
  failures INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_account ON webhook (account_id, id);

-- The delivery of one event to one endpoint. A trigger inserts it with the event.
CREATE TABLE webhook_delivery (
  -- Ascends with the positions of the events within an ordering key.
  position INTEGER PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  -- The event; 0: a test, which is not in the log.
  event_position INTEGER NOT NULL,
  event_created_at_ms INTEGER NOT NULL,
  event_type TEXT NOT NULL,
  wallet_id TEXT,
  -- The payment or invoice of the event.
  lntx TEXT,
  -- Deliveries with the same key are sent one after the other: the wallet, '' for events without one, the replay and the wallet, or a key of
  -- its own (a test, a redelivery).
  ordering_key TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- 'queued': not looked at. 'held': waits for an earlier one of its key. 'claimed': an instance sends it. 'retrying': failed, and waits for
  -- `due_at_ms`. The others are ends.
  state TEXT NOT NULL DEFAULT 'queued',
  -- The instance that sends it.
  claimed_by TEXT,
  due_at_ms INTEGER,
  -- The first attempt, from which the time of retries counts.
  first_attempt_ms INTEGER,
  ended_at_ms INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- JSON: the last attempts, oldest first.
  log TEXT,
  -- One CASE, because it is evaluated for each event.
  CHECK (CASE state
    WHEN 'queued' THEN claimed_by IS NULL AND due_at_ms IS NULL AND ended_at_ms IS NULL
    WHEN 'held' THEN claimed_by IS NULL AND due_at_ms IS NULL AND ended_at_ms IS NULL
    WHEN 'claimed' THEN claimed_by IS NOT NULL AND due_at_ms IS NULL AND ended_at_ms IS NULL
    WHEN 'retrying' THEN claimed_by IS NULL AND due_at_ms IS NOT NULL AND ended_at_ms IS NULL
    ELSE state IN ('delivered', 'dead', 'cancelled') AND claimed_by IS NULL AND due_at_ms IS NULL AND ended_at_ms IS NOT NULL END)
) STRICT;
-- An event costs its row and an entry here; the other indexes have few rows.
CREATE INDEX webhook_delivery_state ON webhook_delivery (state, webhook_id, position);
CREATE INDEX webhook_delivery_key ON webhook_delivery (webhook_id, ordering_key, position) WHERE state IN ('held', 'claimed', 'retrying');
CREATE INDEX webhook_delivery_due ON webhook_delivery (webhook_id, due_at_ms) WHERE state = 'retrying';
CREATE INDEX webhook_delivery_lightning ON webhook_delivery (lntx, position) WHERE lntx IS NOT NULL;

-- A paused webhook gets its deliveries, too: they wait until it is resumed.
-- begin sqlite
CREATE TRIGGER webhook_delivery_of_event AFTER INSERT ON event BEGIN
  INSERT INTO webhook_delivery (webhook_id, event_position, event_created_at_ms, event_type, wallet_id, lntx, ordering_key, created_at_ms)
  SELECT w.id, NEW.position, NEW.created_at_ms, NEW.type, NEW.wallet_id, NEW.lntx, coalesce(NEW.wallet_id, ''), NEW.created_at_ms
  FROM webhook w WHERE w.account_id = NEW.account_id AND w.status IN ('active', 'paused') AND (w.wallet_id IS NULL OR w.wallet_id = NEW.wallet_id)
    AND (w.event_types IS NULL OR ' ' || w.event_types || ' ' LIKE '% ' || NEW.type || ' %');
END;
-- end sqlite
-- begin postgres
CREATE FUNCTION insert_webhook_deliveries() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  INSERT INTO webhook_delivery (webhook_id, event_position, event_created_at_ms, event_type, wallet_id, lntx, ordering_key, created_at_ms)
  SELECT w.id, e.position, e.created_at_ms, e.type, e.wallet_id, e.lntx, coalesce(e.wallet_id, ''), e.created_at_ms
  FROM inserted e JOIN webhook w ON w.account_id = e.account_id
  WHERE w.status IN ('active', 'paused') AND (w.wallet_id IS NULL OR w.wallet_id = e.wallet_id)
    AND (w.event_types IS NULL OR ' ' || w.event_types || ' ' LIKE '% ' || e.type || ' %')
  ORDER BY e.position;
  RETURN NULL;
END $$;
CREATE TRIGGER webhook_delivery_of_event AFTER INSERT ON event REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION insert_webhook_deliveries();
-- end postgres

-- A range of events that is delivered again to one endpoint.
CREATE TABLE webhook_replay (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- The deliveries of the events up to this position were inserted.
  position INTEGER NOT NULL,
  -- The last position of the range.
  until_position INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_replay_webhook ON webhook_replay (webhook_id, id);

-- LNURL: withdraw links ------------------------------------------------------------------------------------------------

-- One withdraw link (LUD-03). It holds no money. Its tokens, and the `k1` that derives from the first, are stored only as hashes.
-- Invariant: uses − uses_left + overused is the number of its claims that are pending or paid.
CREATE TABLE withdraw_link (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  -- The SHA-256 of the link's `k1`, which is derived from its token.
  k1_hash BLOB NOT NULL UNIQUE,
  -- The most that one claim can withdraw; null: the balance.
  max_msat INTEGER CHECK (max_msat > 0),
  -- JSON: the amount in a currency from which max_msat was computed, and its rate, as an invoice has it.
  fiat TEXT CHECK (fiat IS NULL OR max_msat IS NOT NULL),
  -- The most that the routing of one claim may cost; null: 1 % of its amount, at least 1 sat.
  fee_limit_msat INTEGER CHECK (fee_limit_msat >= 0),
  -- Null for a permanent link.
  uses INTEGER CHECK (uses > 0),
  uses_left INTEGER CHECK (uses_left BETWEEN 0 AND uses),
  -- Claims that were paid beyond `uses`: a payment was booked as failed, which released its use, and later turned out to have succeeded.
  overused INTEGER NOT NULL DEFAULT 0 CHECK (overused >= 0),
  -- The most that the claims of one day (UTC) may cost, with routing fees.
  daily_limit_msat INTEGER CHECK (daily_limit_msat > 0),
  memo TEXT NOT NULL,
  -- For the owner; `memo` is for the claimers.
  user_label TEXT NOT NULL,
  pass_thru TEXT,
  created_at INTEGER NOT NULL,
  -- The key that created it. Claims count against this key's budget.
  made_by TEXT REFERENCES access_key (id),
  expires_at INTEGER,
  revoked_at INTEGER,
  CHECK ((uses IS NULL) = (uses_left IS NULL)),
  CHECK (uses IS NOT NULL OR overused = 0)
) STRICT;
CREATE INDEX withdraw_link_wallet ON withdraw_link (wallet_id, id);

-- What the claims of a link cost on one day. A claim counts on the day (UTC) on which its payment was created.
CREATE TABLE withdraw_link_day (
  link_id TEXT NOT NULL REFERENCES withdraw_link (id),
  day_start INTEGER NOT NULL,
  -- Claims that are pending or were paid.
  claims INTEGER NOT NULL CHECK (claims >= 0),
  -- Reserved by pending claims, with the highest fee that each may cost; and charged to the wallet, fees included.
  pending_msat INTEGER NOT NULL CHECK (pending_msat >= 0),
  spent_msat INTEGER NOT NULL CHECK (spent_msat >= 0),
  -- Paid to claimers, without fees.
  claimed_msat INTEGER NOT NULL CHECK (claimed_msat >= 0),
  PRIMARY KEY (link_id, day_start)
) STRICT;

-- One claim: its day, and what it reserves while its payment is pending.
CREATE TABLE withdraw_claim (
  payment_id TEXT PRIMARY KEY REFERENCES payment (id),
  link_id TEXT NOT NULL,
  day_start INTEGER NOT NULL,
  reserved_msat INTEGER NOT NULL CHECK (reserved_msat > 0),
  FOREIGN KEY (link_id, day_start) REFERENCES withdraw_link_day (link_id, day_start)
) STRICT;

-- An address that a claimer asked to be called when more can be withdrawn (LUD-15). Only the newest ones of a link are kept.
CREATE TABLE withdraw_notice (
  id TEXT PRIMARY KEY,
  link_id TEXT NOT NULL REFERENCES withdraw_link (id),
  url TEXT NOT NULL,
  -- What could be withdrawn at the last call, or less if that has fallen since.
  seen_msat INTEGER NOT NULL CHECK (seen_msat >= 0),
  -- After a failed call: not to be called before.
  due_at INTEGER,
  -- Failed calls in a row.
  failures INTEGER NOT NULL DEFAULT 0,
  UNIQUE (link_id, url)
) STRICT;

-- LNURL: pay links and Lightning addresses -----------------------------------------------------------------------------

-- One text of metadata (LUD-06). Invoices commit to it, so rows are never changed or deleted.
CREATE TABLE pay_metadata (
  -- The SHA-256 of the text, in hex.
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;
-- The metadata of the default pay link that each wallet has (src/features/lnurl/pay/pay-links.ts).
INSERT INTO pay_metadata (hash, text)
VALUES ('fb0241f7d5d792a2164fc4a86d6fa3f471bb3d4ddf7699b0d3ae37011a0257cb', '[["text/plain","Lightning payment"]]');

-- One name at a domain that an account has taken. It stays reserved for the account, so rows are never deleted.
CREATE TABLE pay_name (
  domain TEXT NOT NULL CHECK (domain = lower(domain)),
  name TEXT NOT NULL CHECK (name = lower(name) AND length(name) BETWEEN 1 AND 64),
  account_id TEXT NOT NULL REFERENCES account (id),
  created_at INTEGER NOT NULL,
  PRIMARY KEY (domain, name)
) STRICT, WITHOUT ROWID;

-- One pay link (LUD-06). Its payments are credited to its wallet. state: active ↔ inactive. Rows are never deleted.
CREATE TABLE pay_link (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  account_id TEXT NOT NULL REFERENCES account (id),
  state TEXT NOT NULL CHECK (state IN ('active', 'inactive')),
  user_label TEXT NOT NULL,
  short_desc TEXT NOT NULL,
  long_desc TEXT,
  -- The smallest and the largest payment.
  min_msat INTEGER NOT NULL CHECK (min_msat >= 1000),
  max_msat INTEGER NOT NULL CHECK (max_msat <= 9007199254740991),
  -- The limits in a currency as decimal texts, which are converted when the payer asks. NULL: the limits in millisatoshis apply.
  currency TEXT CHECK (length(currency) = 3),
  min_amount TEXT,
  max_amount TEXT,
  -- The maximum length of a payer's comment, in characters; 0: none.
  comment_length INTEGER NOT NULL CHECK (comment_length BETWEEN 0 AND 500),
  -- JSON: which data of the payer the link accepts (LUD-18), and what the payer sees after paying (LUD-09, LUD-10).
  payer_data TEXT,
  success_action TEXT,
  pass_thru TEXT,
  -- The Lightning address (LUD-16), and the Nostr public key of its owner (NIP-05), in hex.
  domain TEXT,
  name TEXT,
  nostr_pubkey TEXT CHECK (length(nostr_pubkey) = 64),
  metadata_hash TEXT NOT NULL REFERENCES pay_metadata (hash),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  FOREIGN KEY (domain, name) REFERENCES pay_name (domain, name),
  CHECK ((domain IS NULL) = (name IS NULL)),
  CHECK (min_msat <= max_msat),
  CHECK ((currency IS NULL) = (min_amount IS NULL) AND (currency IS NULL) = (max_amount IS NULL))
) STRICT;
CREATE UNIQUE INDEX pay_link_address ON pay_link (domain, name) WHERE state = 'active' AND name IS NOT NULL;
CREATE INDEX pay_link_wallet ON pay_link (wallet_id, id);
CREATE INDEX pay_link_account ON pay_link (account_id, id);

-- What an invoice of a pay link commits to: the SHA-256 of the metadata and the payer's data is its description hash, unless it is for a zap.
CREATE TABLE pay_link_invoice (
  invoice_id TEXT PRIMARY KEY REFERENCES invoice (id),
  link_id TEXT NOT NULL REFERENCES pay_link (id),
  metadata_hash TEXT NOT NULL REFERENCES pay_metadata (hash),
  -- The payer's data exactly as received (LUD-18).
  payer_data TEXT,
  -- The SHA-256 of the token with which the payer can read whether the invoice is paid (LUD-21).
  verify_token_hash BLOB NOT NULL UNIQUE,
  -- Keyed hashes of the networks of the payer, the largest first, separated by spaces. When a wallet has too many open invoices, the oldest one of
  -- the network that requested most is cancelled.
  payer_networks TEXT NOT NULL
) STRICT;

-- A zap (NIP-57): the event with which a payer requested an invoice. When the invoice is paid, a receipt is published to the relays that it names.
CREATE TABLE zap (
  invoice_id TEXT PRIMARY KEY REFERENCES invoice (id),
  -- JSON exactly as received. Its SHA-256 is the description hash of the invoice.
  request TEXT NOT NULL,
  -- When the receipt is published next, Unix seconds. NULL: the invoice is not paid, or all attempts are made.
  due_at INTEGER,
  attempts INTEGER NOT NULL DEFAULT 0,
  -- Bit n: relay n of the request needs no further attempt.
  done_relays INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX zap_due ON zap (due_at) WHERE due_at IS NOT NULL;

-- begin sqlite
CREATE TRIGGER zap_of_paid_invoice AFTER UPDATE OF state ON invoice WHEN NEW.state = 'settled' AND OLD.state <> 'settled' BEGIN
  UPDATE zap SET due_at = 0 WHERE invoice_id = NEW.id;
END;
-- end sqlite
-- begin postgres
CREATE FUNCTION plan_zap_receipt() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE zap SET due_at = 0 WHERE invoice_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER zap_of_paid_invoice AFTER UPDATE OF state ON invoice
  FOR EACH ROW WHEN (NEW.state = 'settled' AND OLD.state <> 'settled') EXECUTE FUNCTION plan_zap_receipt();
-- end postgres

-- Payouts: lists of payments -------------------------------------------------------------------------------------------

-- One list of payments that a client has ordered (src/features/payouts/). A background job makes them with the rights of the key.
CREATE TABLE payout (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  user_label TEXT NOT NULL,
  -- The access key that ordered it, or the session.
  key_id TEXT NOT NULL,
  is_session INTEGER NOT NULL CHECK (is_session IN (0, 1)),
  num_lines INTEGER NOT NULL CHECK (num_lines BETWEEN 1 AND 1000),
  -- The sum of the lines.
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  created_at INTEGER NOT NULL,
  -- When the client cancelled the lines that had not started.
  cancelled_at INTEGER,
  -- When the last line had ended. NULL: it is running.
  finished_at INTEGER
) STRICT;
CREATE INDEX payout_wallet ON payout (wallet_id, id);
CREATE INDEX payout_running ON payout (id) WHERE finished_at IS NULL;

-- One line of a payout. pending → sending → paid or failed, for a payment; pending → paid or failed, for a transfer to a wallet. `sending` and the
-- payment are written in the posting that holds the money, `paid` and the transfer in the posting that moves it, so that no line is paid twice.
-- failed → paid only as a correction of the payment.
CREATE TABLE payout_line (
  payout_id TEXT NOT NULL REFERENCES payout (id),
  -- From 0, in the order of the request.
  line INTEGER NOT NULL CHECK (line BETWEEN 0 AND 999),
  -- `link`: a Lightning address or an LNURL.
  kind TEXT NOT NULL CHECK (kind IN ('wallet', 'invoice', 'link')),
  -- The id of the wallet, the invoice, or the address or LNURL.
  destination TEXT NOT NULL,
  amount_msat INTEGER NOT NULL CHECK (amount_msat > 0),
  memo TEXT,
  -- The text for the payee of a link.
  message TEXT,
  fee_limit_msat INTEGER CHECK (fee_limit_msat >= 0),
  pass_thru TEXT,
  -- JSON: the amount in a currency from which amount_msat was computed when the payout was ordered, and its rate.
  fiat TEXT,
  state TEXT NOT NULL CHECK (state IN ('pending', 'sending', 'paid', 'failed')),
  -- Of a link: the invoice of the payee, stored before it is paid, and what the payee states with it.
  payment_request TEXT,
  payee_text TEXT,
  success_action TEXT,
  -- Failed requests to the service of a link.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- A pending line is not tried before.
  due_at_ms INTEGER NOT NULL DEFAULT 0,
  -- The type of a refusal, or why the node could not pay.
  failure_reason TEXT,
  failure_message TEXT,
  payment_id TEXT REFERENCES payment (id),
  transfer_id TEXT,
  PRIMARY KEY (payout_id, line),
  CHECK ((state = 'failed') = (failure_reason IS NOT NULL)),
  CHECK ((transfer_id IS NOT NULL) = (kind = 'wallet' AND state = 'paid')),
  CHECK (payment_id IS NULL OR (kind <> 'wallet' AND state <> 'pending')),
  CHECK (payment_id IS NOT NULL OR kind = 'wallet' OR state IN ('pending', 'failed')),
  CHECK (payment_request IS NULL OR kind = 'link')
) STRICT, WITHOUT ROWID;
-- Counts and sums of the lines of a payout.
CREATE INDEX payout_line_state ON payout_line (payout_id, state, amount_msat);
-- Two lines never have one payment, so that neither counts as paid by the payment of the other.
CREATE UNIQUE INDEX payout_line_payment ON payout_line (payment_id) WHERE payment_id IS NOT NULL;

-- A payment that succeeded after it was booked as failed has reached its payee. Corrections are rare, and other updates run no trigger.
-- begin sqlite
CREATE TRIGGER payout_line_of_corrected_payment AFTER UPDATE OF correction ON payment WHEN NEW.correction IS NOT NULL BEGIN
  UPDATE payout_line SET state = 'paid', failure_reason = NULL, failure_message = NULL WHERE payment_id = NEW.id AND state = 'failed';
END;
-- end sqlite
-- begin postgres
CREATE FUNCTION correct_payout_line() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE payout_line SET state = 'paid', failure_reason = NULL, failure_message = NULL WHERE payment_id = NEW.id AND state = 'failed';
  RETURN NULL;
END $$;
CREATE TRIGGER payout_line_of_corrected_payment AFTER UPDATE OF correction ON payment
  FOR EACH ROW WHEN (NEW.correction IS NOT NULL) EXECUTE FUNCTION correct_payout_line();
-- end postgres

-- Imports from other programs (src/features/import/) ---------------------------------------------------------------------

-- One import. writing → done. While one is writing, the service does not start.
CREATE TABLE import_run (
  id TEXT PRIMARY KEY,
  -- The program: 'lnbits'.
  source TEXT NOT NULL,
  -- The hash of what was to be imported.
  plan TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('writing', 'done')),
  -- The node that has the money.
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
  -- What the plan credits.
  wallets INTEGER NOT NULL CHECK (wallets >= 0),
  opening_msat INTEGER NOT NULL CHECK (opening_msat >= 0),
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- Why an operator ended it although the node had less than the ledger owed.
  accepted_shortfall TEXT,
  CHECK ((state = 'done') = (ended_at IS NOT NULL))
) STRICT;
CREATE UNIQUE INDEX import_run_writing ON import_run (state) WHERE state = 'writing';

-- One account or wallet of a source, and what was made of it. reserved → done. The primary key is what prevents a second import.
CREATE TABLE import_item (
  source TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('account', 'wallet')),
  source_id TEXT NOT NULL,
  run_id TEXT NOT NULL REFERENCES import_run (id),
  state TEXT NOT NULL CHECK (state IN ('reserved', 'done')),
  -- The id of the account or wallet. A reserved wallet does not exist yet.
  made TEXT NOT NULL UNIQUE,
  -- Of a wallet: its ledger account, its opening balance, and the transfer that credited it (NULL if it is 0).
  ledger_account INTEGER UNIQUE REFERENCES ledger_account (id),
  opening_msat INTEGER CHECK (opening_msat >= 0),
  transfer_id TEXT UNIQUE,
  -- What a negative balance lacked, and the operator bears.
  shortfall_msat INTEGER CHECK (shortfall_msat >= 0),
  -- The transfer from the fees of the service that paid the shortfall; NULL if nothing was booked for it.
  forgiven_transfer_id TEXT UNIQUE,
  PRIMARY KEY (source, kind, source_id),
  CHECK ((kind = 'wallet') = (ledger_account IS NOT NULL)),
  CHECK ((kind = 'wallet' AND state = 'done') = (opening_msat IS NOT NULL)),
  CHECK ((opening_msat IS NULL) = (shortfall_msat IS NULL)),
  CHECK ((transfer_id IS NOT NULL) = (coalesce(opening_msat, 0) > 0)),
  CHECK (forgiven_transfer_id IS NULL OR shortfall_msat > 0)
) STRICT, WITHOUT ROWID;

-- One row of the history that an imported wallet had in the source. It is shown and counts nowhere: the opening balance is its sum.
CREATE TABLE imported_transaction (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL,
  source TEXT NOT NULL,
  source_id TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('settled', 'pending', 'open', 'failed')),
  kind TEXT NOT NULL CHECK (kind IN ('lightning', 'internal', 'other')),
  -- Negative for money that left the wallet.
  amount_msat INTEGER NOT NULL,
  fee_msat INTEGER NOT NULL CHECK (fee_msat >= 0),
  memo TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  settled_at INTEGER,
  payment_hash TEXT CHECK (length(payment_hash) = 64),
  preimage TEXT CHECK (length(preimage) = 64),
  payment_request TEXT,
  -- JSON: further fields of the source.
  data TEXT,
  UNIQUE (source, source_id)
) STRICT;
CREATE INDEX imported_transaction_wallet ON imported_transaction (wallet_id, id);
CREATE INDEX imported_transaction_hash ON imported_transaction (payment_hash) WHERE payment_hash IS NOT NULL;

-- A path under which the source published a pay link, as LNURLs on paper have it.
CREATE TABLE imported_path (
  path TEXT PRIMARY KEY,
  link_id TEXT NOT NULL REFERENCES pay_link (id)
) STRICT, WITHOUT ROWID;

-- Reconciliation -------------------------------------------------------------------------------------------------------

-- One comparison of the ledger with the node (src/features/reconcile/). requested → running → done or failed. The newest ones are kept.
CREATE TABLE reconciliation (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('requested', 'running', 'done', 'failed')),
  scope TEXT NOT NULL CHECK (scope IN ('periodic', 'full', 'new_baseline')),
  -- Who requested it and why; both are empty when the service started it.
  requested_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  -- Progress, or the reason for a failure.
  progress TEXT NOT NULL,
  -- JSON.
  report TEXT,
  CHECK ((state = 'done') = (report IS NOT NULL))
) STRICT;
CREATE INDEX reconciliation_requested ON reconciliation (id) WHERE state = 'requested';

-- One payment that was pending when reconciliation saw it. It is compared again after it has ended.
CREATE TABLE reconciliation_pending (
  payment_id TEXT PRIMARY KEY REFERENCES payment (id)
) STRICT;

-- A node's own funds, beyond what it holds for customers, when they were first measured or when an operator accepted them
-- (src/features/reconcile/remainder.ts).
CREATE TABLE node_baseline (
  -- The reconciliation that measured it.
  id TEXT PRIMARY KEY,
  node_id TEXT NOT NULL REFERENCES lightning_node (id),
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
  -- The balance of its channels.
  node_msat INTEGER NOT NULL,
  PRIMARY KEY (node_id, hour)
) STRICT, WITHOUT ROWID;

-- Operator -------------------------------------------------------------------------------------------------------------

-- One action that an operator requested, and its result (src/features/operator/). Rows are an audit trail and are never deleted.
-- credit, resolve, drain, activate, move: requested → done or refused.
-- return: requested → funded (the money is on the wallet for returns) → paying → done or refused.
CREATE TABLE operator_action (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'return', 'resolve', 'drain', 'activate', 'move')),
  state TEXT NOT NULL CHECK (state IN ('requested', 'funded', 'paying', 'done', 'refused')),
  -- The payment hash of money in suspense (credit, return), a payment's id (resolve), a node's id (drain, activate), or a wallet's (move).
  subject TEXT NOT NULL,
  -- The wallet to credit, the payment request to pay, the payment's outcome ('settled', 'failed'), or the node that the wallet moves to.
  target TEXT NOT NULL,
  preimage TEXT,
  requested_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
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

-- The fiat rate that operators set, for display only (src/features/operator/fiat-rate.ts). Each change is a row: the one with the highest
-- number is the rate, and all of them are the record of who set it when.
CREATE TABLE fiat_rate (
  number INTEGER PRIMARY KEY,
  -- The id of the change among the actions of operators.
  id TEXT NOT NULL UNIQUE,
  -- An ISO 4217 code, and the price of one bitcoin as decimal text. Both are NULL if the operator removed the rate.
  currency TEXT CHECK (length(currency) = 3),
  per_btc TEXT CHECK (length(per_btc) BETWEEN 1 AND 24),
  set_at INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  CHECK ((currency IS NULL) = (per_btc IS NULL))
) STRICT;

-- The price of one bitcoin in one currency, from the providers of FIAT_RATES (src/core/rates/). Rates are decimal texts. The instance with the
-- lease writes them, and amounts in the currency are converted with them.
CREATE TABLE market_rate (
  -- An ISO 4217 code.
  currency TEXT PRIMARY KEY CHECK (length(currency) = 3),
  -- The last accepted rate, when its request began, and the hosts of the providers that agreed on it. NULL: there was none yet.
  rate TEXT CHECK (length(rate) BETWEEN 1 AND 24),
  rate_at INTEGER,
  rate_source TEXT,
  -- The accepted rate before it: a payer may still use an amount that was computed with it.
  earlier_rate TEXT CHECK (length(earlier_rate) BETWEEN 1 AND 24),
  earlier_at INTEGER,
  earlier_source TEXT,
  -- A rate that waits for confirmation, because it has jumped: since when, and how many refreshes in a row have returned it.
  candidate_rate TEXT CHECK (length(candidate_rate) BETWEEN 1 AND 24),
  candidate_since INTEGER,
  confirmations INTEGER NOT NULL DEFAULT 0 CHECK (confirmations >= 0),
  CHECK ((rate IS NULL) = (rate_at IS NULL) AND (rate IS NULL) = (rate_source IS NULL)),
  CHECK ((earlier_rate IS NULL) = (earlier_at IS NULL) AND (earlier_rate IS NULL) = (earlier_source IS NULL)),
  CHECK ((candidate_rate IS NULL) = (candidate_since IS NULL) AND (candidate_rate IS NULL) = (confirmations = 0))
) STRICT;

-- The amount in a currency that a transfer between wallets was requested with, and its rate.
CREATE TABLE transfer_fiat (
  transfer_id TEXT PRIMARY KEY,
  -- JSON: `amount`, `currency`, `rate`, `rate_at`, `rate_source`.
  fiat TEXT NOT NULL
) STRICT;

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

-- One wallet in a tree. The leaves are ordered by `sort_key`: the wallet's window (its ledger account's number, in thousands), then a keyed
-- hash of its id. `head` is the hash of the ledger account's last entry.
CREATE TABLE proof_leaf (
  tree INTEGER NOT NULL REFERENCES proof_tree (id),
  sort_key BLOB NOT NULL,
  wallet_id TEXT NOT NULL,
  balance_msat INTEGER NOT NULL CHECK (balance_msat >= 0),
  head BLOB NOT NULL,
  PRIMARY KEY (tree, sort_key)
) STRICT, WITHOUT ROWID;

-- One upper node of a tree; the nodes below are computed from the leaves. A node of the lowest stored level has the sort key of its first
-- leaf.
CREATE TABLE proof_node (
  tree INTEGER NOT NULL REFERENCES proof_tree (id),
  level INTEGER NOT NULL,
  position INTEGER NOT NULL,
  sum_msat INTEGER NOT NULL CHECK (sum_msat >= 0),
  hash BLOB NOT NULL,
  first_sort_key BLOB,
  PRIMARY KEY (tree, level, position)
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX proof_node_block ON proof_node (tree, first_sort_key) WHERE first_sort_key IS NOT NULL;
