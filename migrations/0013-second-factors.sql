-- The second factor of an account (RFC 6238): a login also needs a code of an authenticator app, or a recovery code.
CREATE TABLE totp (
  account_id TEXT PRIMARY KEY REFERENCES account (id),
  -- The seed, encrypted with SECRET_KEY.
  sealed BLOB NOT NULL,
  created_at INTEGER NOT NULL,
  -- NULL until the person has sent a first code. Before that, a login needs none.
  confirmed_at INTEGER,
  -- The time step of the last accepted code. A code is accepted once.
  last_step INTEGER NOT NULL DEFAULT 0
) STRICT;

-- One unused recovery code. It is deleted when it is used.
CREATE TABLE recovery_code (
  account_id TEXT NOT NULL REFERENCES account (id),
  code_hash BLOB NOT NULL,
  PRIMARY KEY (account_id, code_hash)
) STRICT;
