-- Actions of operators on nodes: drain and activate a node, move a wallet to another node. SQLite can change the condition on `kind` only in a
-- new table.
-- begin postgres
ALTER TABLE operator_action DROP CONSTRAINT operator_action_kind_check;
ALTER TABLE operator_action ADD CONSTRAINT operator_action_kind
  CHECK (kind IN ('credit', 'return', 'resolve', 'drain', 'activate', 'move'));
-- end postgres
-- begin sqlite
CREATE TABLE operator_action_of_nodes (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'return', 'resolve', 'drain', 'activate', 'move')),
  state TEXT NOT NULL CHECK (state IN ('asked', 'funded', 'paying', 'done', 'refused')),
  -- For drain and activate a node's id; for move a wallet's, with the node's id as the target.
  subject TEXT NOT NULL,
  target TEXT NOT NULL,
  preimage TEXT,
  asked_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  taken_up INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER,
  answer TEXT NOT NULL DEFAULT '',
  evidence TEXT,
  amount_msat INTEGER CHECK (amount_msat > 0),
  transfer_id TEXT UNIQUE,
  ledger_account INTEGER REFERENCES ledger_account (id),
  payment_id TEXT UNIQUE REFERENCES payment (id),
  back_msat INTEGER CHECK (back_msat > 0 AND back_msat <= amount_msat),
  back_transfer_id TEXT UNIQUE,
  CHECK ((amount_msat IS NULL) = (transfer_id IS NULL) AND (transfer_id IS NULL) = (ledger_account IS NULL)),
  CHECK ((back_msat IS NULL) = (back_transfer_id IS NULL)),
  CHECK ((state IN ('done', 'refused')) = (ended_at IS NOT NULL))
) STRICT;
INSERT INTO operator_action_of_nodes SELECT * FROM operator_action;
DROP TABLE operator_action;
ALTER TABLE operator_action_of_nodes RENAME TO operator_action;
CREATE INDEX operator_action_open ON operator_action (id) WHERE ended_at IS NULL;
CREATE INDEX operator_action_subject ON operator_action (subject, id);
-- end sqlite
