-- A browser that shows a notification when a wallet of the account is paid (src/features/push/).
CREATE TABLE push_subscription (
  id TEXT PRIMARY KEY,
  account_id TEXT NOT NULL REFERENCES account (id),
  -- The session or the API key that made or renewed it last, and with which it ends.
  credential_id TEXT NOT NULL,
  -- The SHA-256 of the address at the push service.
  endpoint_hash BLOB NOT NULL UNIQUE,
  -- The address and the keys of the browser as JSON, sealed, and the fingerprint of the key that sealed them.
  sealed BLOB NOT NULL,
  key_id TEXT NOT NULL,
  -- The language of the notifications.
  language TEXT NOT NULL,
  user_agent TEXT NOT NULL,
  -- The newest event when it was made: payments before it are not reported.
  after_position INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  renewed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX push_subscription_account ON push_subscription (account_id, id);
CREATE INDEX push_subscription_after ON push_subscription (after_position);
