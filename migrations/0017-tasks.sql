-- Background work that must not be lost (src/core/tasks/): one row per task, inserted in the transaction that causes it, and deleted when it has
-- ended. The queue, a declaration in the code, decides how it is run.
CREATE TABLE task (
  -- The order of insertion.
  position INTEGER PRIMARY KEY,
  queue TEXT NOT NULL,
  -- Tasks of a queue with the same key are run one at a time, in the order of their positions. NULL: in any order.
  ordering_key TEXT,
  -- Accounts take turns.
  account_id TEXT NOT NULL CHECK (account_id <> ''),
  -- What the queue needs to run it.
  payload TEXT NOT NULL,
  created_at_ms INTEGER NOT NULL,
  -- It is not run before. NULL: it waits for an earlier task of its key.
  due_at_ms INTEGER,
  -- Attempts that have failed, or were interrupted.
  attempts INTEGER NOT NULL DEFAULT 0,
  -- The instance that is running it.
  claimed_by TEXT,
  CHECK (due_at_ms IS NOT NULL OR (ordering_key IS NOT NULL AND claimed_by IS NULL))
) STRICT;
CREATE INDEX task_waiting ON task (queue, account_id, due_at_ms, position) WHERE claimed_by IS NULL AND due_at_ms IS NOT NULL;
CREATE INDEX task_of_key ON task (queue, ordering_key, position) WHERE ordering_key IS NOT NULL;
CREATE INDEX task_claimed ON task (queue, position) WHERE claimed_by IS NOT NULL;

-- One row per queue. An instance locks it while it claims and ends tasks, so that a task that waits for an earlier one of its key is not overlooked.
CREATE TABLE task_queue (
  name TEXT PRIMARY KEY
) STRICT;

-- The encryption of the last request of an app, in which it is notified. NULL: it has sent none.
ALTER TABLE nwc_connection ADD COLUMN scheme TEXT CHECK (scheme IN ('nip44_v2', 'nip04'));

-- Responses that wait become tasks. Notifications that wait are dropped: apps read the list.
INSERT INTO task (queue, account_id, payload, created_at_ms, due_at_ms, attempts)
  SELECT 'app responses', w.account_id, r.id, o.created_at_ms, o.due_at_ms, o.attempts
  FROM nwc_outbox o JOIN nwc_request r ON r.response = o.event
    JOIN nwc_connection c ON c.id = o.connection_id JOIN wallet w ON w.id = c.wallet_id
  ORDER BY o.position;
DROP TABLE nwc_outbox;
