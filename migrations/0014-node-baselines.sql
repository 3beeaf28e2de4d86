-- What the node had of its own when an operator accepted it, or when it was first measured: by whom and why (src/reconcile/remainder.ts).
CREATE TABLE node_baseline (
  -- The reconciliation that measured it.
  id TEXT PRIMARY KEY,
  accepted_at INTEGER NOT NULL,
  accepted_by TEXT NOT NULL,
  reason TEXT NOT NULL,
  node_msat INTEGER NOT NULL,
  baseline_msat INTEGER NOT NULL CHECK (baseline_msat >= 0),
  -- The unexplained increases and decreases since the baseline before, which this one accepted.
  rose_msat INTEGER NOT NULL CHECK (rose_msat >= 0),
  fell_msat INTEGER NOT NULL CHECK (fell_msat >= 0)
) STRICT;

-- Who asked for a reconciliation and why; empty when the service did by itself.
ALTER TABLE reconciliation ADD COLUMN asked_by TEXT NOT NULL DEFAULT '';
ALTER TABLE reconciliation ADD COLUMN reason TEXT NOT NULL DEFAULT '';
