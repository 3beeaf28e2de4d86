-- What operators asked for and what became of it (src/operator/). Rows are never deleted.
CREATE TABLE operator_action (
  id TEXT PRIMARY KEY,
  kind TEXT NOT NULL CHECK (kind IN ('credit', 'return', 'resolve')),
  -- asked → done or refused. A return: asked → funded (its money is on the wallet for returns) → paying → done or refused.
  state TEXT NOT NULL CHECK (state IN ('asked', 'funded', 'paying', 'done', 'refused')),
  -- The payment hash of money in suspense, or the id of a payment.
  subject TEXT NOT NULL,
  -- The wallet to credit, the payment request to pay, or the outcome of a payment (settled, failed).
  target TEXT NOT NULL,
  preimage TEXT,
  asked_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  -- 1 once a service has begun with it. Before that, the command may take it back.
  taken_up INTEGER NOT NULL DEFAULT 0,
  ended_at INTEGER,
  -- What the operator is told, and what the node said.
  answer TEXT NOT NULL DEFAULT '',
  evidence TEXT,
  -- What left suspense, by which transfer, to which ledger account.
  amount_msat INTEGER CHECK (amount_msat > 0),
  transfer_id TEXT UNIQUE,
  ledger_account INTEGER REFERENCES ledger_account (id),
  payment_id TEXT UNIQUE REFERENCES payment (id),
  -- What came back to suspense.
  back_msat INTEGER CHECK (back_msat > 0 AND back_msat <= amount_msat),
  back_transfer_id TEXT UNIQUE,
  CHECK ((amount_msat IS NULL) = (transfer_id IS NULL) AND (transfer_id IS NULL) = (ledger_account IS NULL)),
  CHECK ((back_msat IS NULL) = (back_transfer_id IS NULL)),
  CHECK ((state IN ('done', 'refused')) = (ended_at IS NOT NULL))
) STRICT;
CREATE INDEX operator_action_open ON operator_action (id) WHERE ended_at IS NULL;
CREATE INDEX operator_action_subject ON operator_action (subject, id);
