-- What an operator should know and do something about (src/alerts/). Announced: written to the log, once.
CREATE TABLE alert (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  message TEXT NOT NULL,
  raised_at INTEGER NOT NULL,
  last_seen_at INTEGER NOT NULL,
  announced_at INTEGER,
  cleared_at INTEGER
) STRICT;
-- At most one open alert for one thing.
CREATE UNIQUE INDEX alert_open ON alert (kind, subject) WHERE cleared_at IS NULL;
CREATE INDEX alert_unannounced ON alert (id) WHERE announced_at IS NULL;

-- Comparisons of the ledger with the node (src/reconcile/): what was asked for, what is running, and the last reports.
CREATE TABLE reconciliation (
  id TEXT PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('asked', 'running', 'done', 'failed')),
  scope TEXT NOT NULL CHECK (scope IN ('periodic', 'full', 'new_baseline')),
  asked_at INTEGER NOT NULL,
  progress TEXT NOT NULL,
  report TEXT,
  CHECK ((state = 'done') = (report IS NOT NULL))
) STRICT;
CREATE INDEX reconciliation_asked ON reconciliation (id) WHERE state = 'asked';

-- Payments that were pending when reconciliation saw them: compared once more when they have ended.
CREATE TABLE reconciliation_pending (
  payment_id TEXT PRIMARY KEY REFERENCES payment (id)
) STRICT;
