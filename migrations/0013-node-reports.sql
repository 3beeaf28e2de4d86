-- What the node reports, and how each report is booked exactly once.

-- The payment hashes that were credited from outside, to a wallet or to suspense. Its key is what keeps a settlement from being credited twice.
CREATE TABLE settlement (
  payment_hash TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;
INSERT INTO settlement (payment_hash)
SELECT payment_hash FROM stray_settlement
UNION
SELECT i.payment_hash FROM invoice i WHERE i.state = 'settled' AND NOT EXISTS (
  SELECT 1 FROM payment p WHERE p.payment_hash = i.payment_hash AND p.invoice_id = i.id AND p.state = 'succeeded');

-- Events of the node that could not be booked (src/payments/set-aside.ts). Later events are read meanwhile; these are tried again.
CREATE TABLE unbooked_event (
  id TEXT PRIMARY KEY,
  event TEXT NOT NULL,
  reason TEXT NOT NULL,
  set_aside_at INTEGER NOT NULL
) STRICT;

-- 1 once the node is known to have the payment. Such a payment is looked up and never sent again: a node that was restored from an older
-- backup may have forgotten it although the money left.
ALTER TABLE payment ADD COLUMN at_node INTEGER NOT NULL DEFAULT 0;
