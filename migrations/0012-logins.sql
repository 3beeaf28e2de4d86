-- Roles, limits and logins of accounts (src/accounts/). The first account is the operator's.
ALTER TABLE account ADD COLUMN role TEXT NOT NULL DEFAULT 'member' CHECK (role IN ('operator', 'member'));
UPDATE account SET role = 'operator' WHERE id = (SELECT id FROM account ORDER BY id LIMIT 1);
-- From a frozen account no money leaves. It still receives, and pending payments continue.
ALTER TABLE account ADD COLUMN status TEXT NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'frozen'));
-- The most wallets that it may have; 0: no limit.
ALTER TABLE account ADD COLUMN max_wallets INTEGER NOT NULL DEFAULT 0 CHECK (max_wallets >= 0);
-- In lower case. With a password it is the login.
ALTER TABLE account ADD COLUMN email TEXT;
-- scrypt with its parameters and salt (src/features/logins/passwords.ts); NULL: nobody can log in with a password.
ALTER TABLE account ADD COLUMN password_hash TEXT;
-- Partial, so that PostgreSQL does not take a change of the e-mail for a change of the row's key, which would block inserts of wallets.
CREATE UNIQUE INDEX account_email ON account (email) WHERE email IS NOT NULL;

-- One change of an account by an operator. Rows are never changed or deleted.
CREATE TABLE account_change (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- The key or session that requested it, and its account.
  made_by TEXT NOT NULL,
  made_by_account TEXT NOT NULL REFERENCES account (id),
  -- JSON: the fields that were set.
  changes TEXT NOT NULL,
  reason TEXT NOT NULL,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX account_change_account ON account_change (account_id, id);

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
