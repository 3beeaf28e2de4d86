-- Logins with a Lightning wallet (LUD-04) and with passkeys (WebAuthn), in addition to a password (0012-logins.sql).

-- One key of a Lightning wallet that logs in to an account. The wallet derives it from the host of PUBLIC_URL.
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

-- One request of a browser to log in with a Lightning wallet, or to link its key to an account. It is deleted when it is used, or some time
-- after it expired.
CREATE TABLE wallet_login (
  id TEXT PRIMARY KEY,
  k1_hash BLOB NOT NULL UNIQUE,
  -- To log in: the hash of a token that only the browser has.
  token_hash BLOB,
  -- To link: the account, the requesting key or session, and the name of the new linked key.
  account_id TEXT REFERENCES account (id),
  made_by TEXT,
  name TEXT,
  -- The key that signed it.
  linking_key TEXT CHECK (length(linking_key) = 66),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  CHECK ((token_hash IS NULL) <> (account_id IS NULL)),
  CHECK ((account_id IS NULL) = (made_by IS NULL) AND (account_id IS NULL) = (name IS NULL))
) STRICT;
CREATE INDEX wallet_login_expires ON wallet_login (expires_at);
CREATE INDEX wallet_login_account ON wallet_login (account_id);

-- One passkey that logs in to an account.
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
