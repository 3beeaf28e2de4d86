-- A channel that sends alerts to operators (src/features/notifications/). Its settings are in the environment. Times are Unix seconds.
CREATE TABLE alert_channel (
  name TEXT PRIMARY KEY CHECK (name IN ('email', 'telegram')),
  -- Alerts that were resolved before are not sent.
  created_at INTEGER NOT NULL,
  last_sent_at INTEGER,
  -- Since when messages fail, and why; NULL after a success.
  failing_since INTEGER,
  failure TEXT,
  -- In a row.
  failures INTEGER NOT NULL DEFAULT 0,
  -- No message is sent before.
  next_at INTEGER NOT NULL DEFAULT 0
) STRICT;
-- What a channel has sent about an alert.
CREATE TABLE alert_notice (
  channel TEXT NOT NULL REFERENCES alert_channel (name),
  alert_id TEXT NOT NULL REFERENCES alert (id),
  -- The state of the alert in the last message about it.
  state TEXT NOT NULL CHECK (state IN ('raised', 'resolved')),
  sent_at INTEGER NOT NULL,
  PRIMARY KEY (channel, alert_id)
) STRICT;
CREATE INDEX alert_notice_sent ON alert_notice (channel, sent_at);
CREATE INDEX alert_resolved_time ON alert (cleared_at) WHERE cleared_at IS NOT NULL;
