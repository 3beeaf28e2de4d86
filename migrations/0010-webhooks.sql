-- One endpoint to which the events of an account are delivered (src/webhooks). Times are Unix seconds, or milliseconds where the name says so.
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
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- JSON: the sealed signing secrets, newest first (src/features/webhooks/secrets.ts).
  secrets TEXT NOT NULL,
  -- The fingerprint of the key that sealed the newest secret.
  key_id TEXT NOT NULL,
  -- The place in the event log up to which each event was delivered or has a row in webhook_delivery.
  position INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  last_success_at INTEGER,
  -- The first failed attempt after the last success.
  failing_since INTEGER,
  -- Failed attempts after the last success.
  failures INTEGER NOT NULL DEFAULT 0,
  -- The instance that delivers, and until when it may, by the clock of the database.
  lease_holder TEXT,
  lease_until_ms INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX webhook_account ON webhook (account_id, id);

-- An instance that delivers. Instances share the webhooks evenly.
CREATE TABLE webhook_instance (
  holder TEXT PRIMARY KEY,
  key_id TEXT NOT NULL,
  alive_until_ms INTEGER NOT NULL
) STRICT;

-- The delivery of one event to one endpoint.
CREATE TABLE webhook_delivery (
  position INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  webhook_id TEXT NOT NULL,
  event_id TEXT NOT NULL,
  event_type TEXT NOT NULL,
  wallet_id TEXT,
  -- Deliveries of one lane are sent one after the other, in the order of their events: the wallet, '' for events without one, the replay and
  -- the wallet, or the delivery itself (a test, a redelivery).
  lane TEXT NOT NULL,
  state TEXT NOT NULL CHECK (state IN ('queued', 'retrying', 'delivered', 'dead', 'cancelled')),
  created_at_ms INTEGER NOT NULL,
  -- The next attempt; null for a delivery that waits for an earlier one of its lane.
  due_at_ms INTEGER,
  -- The first attempt, from which the time of retries counts.
  first_attempt_ms INTEGER,
  ended_at_ms INTEGER,
  attempts INTEGER NOT NULL,
  -- JSON: the last attempts, oldest first.
  log TEXT,
  CHECK ((ended_at_ms IS NULL) = (state IN ('queued', 'retrying')))
) STRICT;
CREATE UNIQUE INDEX webhook_delivery_event ON webhook_delivery (webhook_id, event_id, lane);
CREATE INDEX webhook_delivery_list ON webhook_delivery (webhook_id, position);
CREATE INDEX webhook_delivery_state ON webhook_delivery (webhook_id, state, position);
CREATE INDEX webhook_delivery_waiting ON webhook_delivery (webhook_id, lane, event_id) WHERE ended_at_ms IS NULL;
CREATE INDEX webhook_delivery_oldest ON webhook_delivery (position) WHERE ended_at_ms IS NULL;

-- A range of events that is delivered again to one endpoint.
CREATE TABLE webhook_replay (
  id TEXT PRIMARY KEY,
  webhook_id TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- Events after this place were not read yet.
  position INTEGER NOT NULL,
  rank INTEGER NOT NULL,
  -- The last place of the range.
  until_position INTEGER NOT NULL,
  until_rank INTEGER NOT NULL
) STRICT;
CREATE INDEX webhook_replay_webhook ON webhook_replay (webhook_id, id);
