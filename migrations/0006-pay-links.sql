-- Pay links and Lightning addresses (src/lnurl/pay/).

-- One text of metadata (LUD-06). Invoices commit to it, so rows are never changed or deleted.
CREATE TABLE pay_metadata (
  -- The SHA-256 of the text, in hex.
  hash TEXT PRIMARY KEY,
  text TEXT NOT NULL
) STRICT;

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
  -- The maximum length of a payer's comment, in characters; 0: none.
  comment_length INTEGER NOT NULL CHECK (comment_length BETWEEN 0 AND 500),
  -- JSON: which data of the payer the link accepts (LUD-18), and what the payer sees after paying (LUD-09, LUD-10).
  payer_data TEXT,
  success_action TEXT,
  pass_thru TEXT,
  -- The Lightning address (LUD-16).
  domain TEXT,
  name TEXT,
  metadata_hash TEXT NOT NULL REFERENCES pay_metadata (hash),
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  FOREIGN KEY (domain, name) REFERENCES pay_name (domain, name),
  CHECK ((domain IS NULL) = (name IS NULL)),
  CHECK (min_msat <= max_msat)
) STRICT;
CREATE UNIQUE INDEX pay_link_address ON pay_link (domain, name) WHERE state = 'active' AND name IS NOT NULL;
CREATE INDEX pay_link_wallet ON pay_link (wallet_id, id);
CREATE INDEX pay_link_account ON pay_link (account_id, id);

-- What an invoice of a pay link commits to: the SHA-256 of the metadata and the payer's data is its description hash.
CREATE TABLE pay_link_invoice (
  invoice_id TEXT PRIMARY KEY REFERENCES invoice (id),
  link_id TEXT NOT NULL REFERENCES pay_link (id),
  metadata_hash TEXT NOT NULL REFERENCES pay_metadata (hash),
  -- The payer's data exactly as received (LUD-18).
  payer_data TEXT,
  -- The SHA-256 of the token with which the payer can read whether the invoice is paid (LUD-21).
  verify_token_hash BLOB NOT NULL UNIQUE
) STRICT;

-- Anyone can request invoices of a pay link. They are counted separately, so that they cannot use up the open invoices of the wallet.
DROP INDEX invoice_open_until;
CREATE INDEX invoice_open_until ON invoice (ledger_account, wtx_type, expires_at) WHERE state = 'open';

-- The default pay link of each wallet; src/features/lnurl/pay/default-link.ts creates those of new wallets.
INSERT INTO pay_metadata (hash, text)
VALUES ('fb0241f7d5d792a2164fc4a86d6fa3f471bb3d4ddf7699b0d3ae37011a0257cb', '[["text/plain","Lightning payment"]]');
INSERT INTO pay_link (id, wallet_id, account_id, state, user_label, short_desc, min_msat, max_msat, comment_length, metadata_hash, created_at, updated_at)
SELECT 'lnurlp_' || substr(id, 5), id, account_id, 'active', '', 'Lightning payment', 1000, 100000000000, 255,
  'fb0241f7d5d792a2164fc4a86d6fa3f471bb3d4ddf7699b0d3ae37011a0257cb', created_at, created_at FROM wallet;
