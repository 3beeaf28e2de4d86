-- A receiver that the people of an account have stored.
CREATE TABLE contact (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  name TEXT NOT NULL CHECK (length(name) BETWEEN 1 AND 100),
  -- A Lightning address in lower case.
  ln_address TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX contact_account ON contact (account_id, id);
CREATE UNIQUE INDEX contact_address ON contact (account_id, ln_address);
