-- Whether money may leave the service (src/core/withdrawals/). One row, which the posting of every outgoing payment reads and locks.
CREATE TABLE withdrawal_switch (
  id TEXT PRIMARY KEY CHECK (id = 'all'),
  -- Unix seconds; NULL while money may leave.
  stopped_at INTEGER,
  -- The account of the operator who stopped it.
  stopped_by TEXT,
  -- Customers read it.
  reason TEXT NOT NULL DEFAULT '',
  -- Payments that were refused since.
  refused INTEGER NOT NULL DEFAULT 0
) STRICT;
INSERT INTO withdrawal_switch (id) VALUES ('all');
