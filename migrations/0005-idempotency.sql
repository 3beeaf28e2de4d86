-- What a request with an Idempotency-Key made (src/idempotency/), written in the transaction that made it. The name is a hash of the
-- key and of who used it where; sealed is what only whoever sent the request may see again, under a key that is not kept here.
CREATE TABLE idempotency (
  name TEXT PRIMARY KEY,
  fingerprint TEXT NOT NULL,
  made TEXT NOT NULL,
  sealed BLOB,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX idempotency_created ON idempotency (created_at);
