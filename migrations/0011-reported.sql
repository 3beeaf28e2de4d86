-- 1: the event `payment_pending` is stored. A payment whose request ends with its outcome never has it.
ALTER TABLE payment ADD COLUMN pending_reported INTEGER NOT NULL DEFAULT 0;
-- 1: the event `invoice_expired` is stored.
ALTER TABLE invoice ADD COLUMN expiry_reported INTEGER NOT NULL DEFAULT 0;
-- Finds the open invoices that have expired since they were last looked for.
CREATE INDEX invoice_expiring ON invoice (expires_at) WHERE state = 'open' AND expiry_reported = 0;
-- Invoices that expired before this migration have no event.
-- begin sqlite
INSERT INTO service_fact (name, value) VALUES ('invoice_expiry_since', CAST(unixepoch() AS TEXT));
-- end sqlite
-- begin postgres
INSERT INTO service_fact (name, value) VALUES ('invoice_expiry_since', CAST(floor(extract(epoch FROM now())) AS BIGINT)::text);
-- end postgres
