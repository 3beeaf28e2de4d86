-- Operators settle or cancel payments that a node holds and the ledger does not know: subject is the payment hash, target the node. SQLite cannot
-- change a CHECK, so the table is made again. No other table refers to it.
-- begin postgres
ALTER TABLE operator_action DROP CONSTRAINT operator_action_kind_check;
ALTER TABLE operator_action ADD CONSTRAINT operator_action_kind_check
  CHECK (kind IN ('credit', 'return', 'resolve', 'drain', 'activate', 'move', 'settle_held', 'cancel_held'));
-- end postgres
-- begin sqlite
CREATE TABLE new_operator_action (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'return', 'resolve', 'drain', 'activate', 'move', 'settle_held', 'cancel_held')),
  state TEXT NOT NULL CHECK (state IN ('requested', 'funded', 'paying', 'done', 'refused')),
  subject TEXT NOT NULL,
  target TEXT NOT NULL,
  preimage TEXT,
  requested_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
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
INSERT INTO new_operator_action (id, kind, state, subject, target, preimage, requested_by, reason, requested_at, ended_at, answer, evidence,
    amount_msat, transfer_id, ledger_account, payment_id, back_msat, back_transfer_id)
  SELECT id, kind, state, subject, target, preimage, requested_by, reason, requested_at, ended_at, answer, evidence,
    amount_msat, transfer_id, ledger_account, payment_id, back_msat, back_transfer_id FROM operator_action;
DROP TABLE operator_action;
ALTER TABLE new_operator_action RENAME TO operator_action;
CREATE INDEX operator_action_open ON operator_action (id) WHERE ended_at IS NULL;
CREATE INDEX operator_action_subject ON operator_action (subject, id);
-- end sqlite
