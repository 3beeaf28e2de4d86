-- Permanent withdraw links, a limit per day, labels, revocation, and the counters of each day.

-- `uses` and `max_msat` may be null. SQLite can drop a NOT NULL only in a new table.
-- begin postgres
ALTER TABLE withdraw_link ALTER COLUMN max_msat DROP NOT NULL;
ALTER TABLE withdraw_link ALTER COLUMN fee_limit_msat DROP NOT NULL;
ALTER TABLE withdraw_link ALTER COLUMN uses DROP NOT NULL;
ALTER TABLE withdraw_link ALTER COLUMN uses_left DROP NOT NULL;
ALTER TABLE withdraw_link ADD COLUMN daily_limit_msat BIGINT CHECK (daily_limit_msat > 0);
ALTER TABLE withdraw_link ADD COLUMN user_label TEXT NOT NULL DEFAULT '';
ALTER TABLE withdraw_link ADD COLUMN revoked_at BIGINT;
ALTER TABLE withdraw_link ADD CONSTRAINT withdraw_link_uses_both CHECK ((uses IS NULL) = (uses_left IS NULL));
ALTER TABLE withdraw_link ADD CONSTRAINT withdraw_link_permanent CHECK (uses IS NOT NULL OR overused = 0);
-- end postgres
-- begin sqlite
-- One withdraw link (LUD-03). It holds no money. Its tokens, and the `k1` that derives from each, are stored only as hashes.
-- Invariant: uses − uses_left + overused is the number of its claims that are pending or paid.
CREATE TABLE withdraw_link_of_days (
  id TEXT PRIMARY KEY,
  wallet_id TEXT NOT NULL REFERENCES wallet (id),
  -- The wallet's.
  ledger_account INTEGER NOT NULL REFERENCES ledger_account (id),
  token_hash BLOB NOT NULL UNIQUE,
  balance_token_hash BLOB NOT NULL UNIQUE,
  k1_hash BLOB,
  balance_k1_hash BLOB,
  -- The most that one claim can withdraw; null: the balance.
  max_msat INTEGER CHECK (max_msat > 0),
  -- The most that the routing of one claim may cost; null: 1 % of its amount, at least 1 sat.
  fee_limit_msat INTEGER DEFAULT 1000 CHECK (fee_limit_msat >= 0),
  -- Null for a permanent link.
  uses INTEGER CHECK (uses > 0),
  uses_left INTEGER CHECK (uses_left BETWEEN 0 AND uses),
  -- Claims that were paid beyond `uses`: a payment was booked as failed, which released its use, and later turned out to have succeeded.
  overused INTEGER NOT NULL DEFAULT 0 CHECK (overused >= 0),
  memo TEXT NOT NULL,
  pass_thru TEXT,
  expires_at INTEGER,
  created_at INTEGER NOT NULL,
  -- The key that created it. Claims count against this key's budget.
  made_by TEXT REFERENCES access_key (id),
  -- The most that the claims of one day (UTC) may cost, with routing fees.
  daily_limit_msat INTEGER CHECK (daily_limit_msat > 0),
  -- For the owner; `memo` is for the claimers.
  user_label TEXT NOT NULL DEFAULT '',
  revoked_at INTEGER,
  CHECK ((uses IS NULL) = (uses_left IS NULL)),
  CHECK (uses IS NOT NULL OR overused = 0)
) STRICT;
INSERT INTO withdraw_link_of_days SELECT id, wallet_id, ledger_account, token_hash, balance_token_hash, k1_hash, balance_k1_hash, max_msat,
  fee_limit_msat, uses, uses_left, overused, memo, pass_thru, expires_at, created_at, made_by, NULL, '', NULL FROM withdraw_link;
DROP TABLE withdraw_link;
ALTER TABLE withdraw_link_of_days RENAME TO withdraw_link;
CREATE INDEX withdraw_link_wallet ON withdraw_link (wallet_id, id);
CREATE UNIQUE INDEX withdraw_link_k1 ON withdraw_link (k1_hash);
CREATE UNIQUE INDEX withdraw_link_balance_k1 ON withdraw_link (balance_k1_hash);
-- end sqlite

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

INSERT INTO withdraw_link_day (link_id, day_start, claims, pending_msat, spent_msat, claimed_msat)
SELECT p.link_id, p.created_at - p.created_at % 86400,
  sum(CASE WHEN p.state <> 'failed' OR p.correction IS NOT NULL THEN 1 ELSE 0 END),
  sum(CASE WHEN p.state <> 'pending' THEN 0 WHEN p.invoice_id IS NULL THEN p.amount_msat + l.fee_limit_msat ELSE p.amount_msat END),
  sum(CASE WHEN p.state = 'succeeded' THEN p.amount_msat + p.fee_msat ELSE 0 END),
  sum(CASE WHEN p.state = 'succeeded' OR p.correction IS NOT NULL THEN p.amount_msat ELSE 0 END)
FROM payment p JOIN withdraw_link l ON l.id = p.link_id
GROUP BY p.link_id, p.created_at - p.created_at % 86400;
INSERT INTO withdraw_claim (payment_id, link_id, day_start, reserved_msat)
SELECT p.id, p.link_id, p.created_at - p.created_at % 86400,
  CASE WHEN p.invoice_id IS NULL THEN p.amount_msat + l.fee_limit_msat ELSE p.amount_msat END
FROM payment p JOIN withdraw_link l ON l.id = p.link_id;

-- An address that a claimer asked to be called when more can be withdrawn (LUD-15). Only the newest ones of a link are kept.
CREATE TABLE withdraw_notice (
  id TEXT PRIMARY KEY,
  link_id TEXT NOT NULL REFERENCES withdraw_link (id),
  url TEXT NOT NULL,
  -- What could be withdrawn when the link was last read.
  seen_msat INTEGER NOT NULL CHECK (seen_msat >= 0),
  -- When the next call is due; null if none is.
  due_at INTEGER,
  -- Failed calls in a row.
  failures INTEGER NOT NULL DEFAULT 0,
  UNIQUE (link_id, url)
) STRICT;
CREATE INDEX withdraw_notice_due ON withdraw_notice (due_at) WHERE due_at IS NOT NULL;
