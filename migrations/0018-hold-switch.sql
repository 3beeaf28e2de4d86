-- Whether payments of hold invoices may begin to be held (src/core/invoices/hold-limits.ts). One row, which each posting that holds one reads and
-- locks, so that such postings are counted one after the other.
CREATE TABLE hold_switch (
  id TEXT PRIMARY KEY CHECK (id = 'all'),
  -- Unix seconds; NULL while hold invoices are allowed.
  stopped_at INTEGER,
  -- The account of the operator who stopped them.
  stopped_by TEXT,
  -- Customers read it.
  reason TEXT NOT NULL DEFAULT ''
) STRICT;
INSERT INTO hold_switch (id) VALUES ('all');
