-- What is known about the requests that sent a payment to the node (src/core/payments/sending.ts).

-- When the last request began, in Unix milliseconds; written before it. NULL: the node never received one.
ALTER TABLE payment ADD COLUMN sending_since_ms INTEGER;
-- When the outcome of a request became unclear: its response was lost, or the service stopped before it arrived.
ALTER TABLE payment ADD COLUMN unclear_since_ms INTEGER;

-- A payment of an earlier version may have been sent.
UPDATE payment SET sending_since_ms = created_at * 1000 WHERE state = 'pending' AND invoice_id IS NULL;
