-- Requests to people to authenticate with a Lightning wallet (LUD-04). Deleted some hours after they were created.
CREATE TABLE auth_challenge (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  k1_hash BLOB NOT NULL UNIQUE,
  action TEXT CHECK (action IN ('register', 'login', 'link', 'auth')),
  -- The public key that signed it, in hex.
  linking_key TEXT CHECK (length(linking_key) = 66),
  created_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL CHECK (expires_at > created_at),
  authenticated_at INTEGER,
  CHECK ((linking_key IS NULL) = (authenticated_at IS NULL))
) STRICT;
CREATE INDEX auth_challenge_account ON auth_challenge (account_id);
CREATE INDEX auth_challenge_created ON auth_challenge (created_at);
