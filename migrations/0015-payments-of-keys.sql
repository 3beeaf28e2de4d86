-- The first key of the lineage that made a payment or a transfer between wallets. NULL: made by a session, an operator or the service, money received, or
-- from before this migration. Payments store it only in `wallet_transaction`, transfers in both tables.
ALTER TABLE ledger_transfer ADD COLUMN key_lineage_id TEXT;
ALTER TABLE wallet_transaction ADD COLUMN key_lineage_id TEXT;
-- Lists the payments of a key and sums them from the index alone.
CREATE INDEX wallet_transaction_key ON wallet_transaction (key_lineage_id, status, position, amount_msat) WHERE key_lineage_id IS NOT NULL;
