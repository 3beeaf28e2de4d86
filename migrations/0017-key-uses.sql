-- When a key was last used, at most once a minute per instance (src/core/accounts/key-uses.ts). A key without a row was not used. This is no column
-- of access_key, because in PostgreSQL a posting locks the row of its key, so updates of that row and postings would wait for each other.
CREATE TABLE key_use (
  key_id TEXT PRIMARY KEY REFERENCES access_key (id),
  -- Unix seconds.
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- The invoice or payment of the event; NULL for other events, and for deliveries that are older than this column.
ALTER TABLE webhook_delivery ADD COLUMN lntx TEXT;
CREATE INDEX webhook_delivery_lntx ON webhook_delivery (lntx, position) WHERE lntx IS NOT NULL;
