-- The first key of the lineage that made a payment or a transfer between wallets. NULL: a session, an operator or the service itself made it, money came
-- in, or it was made before this migration. Of payments, `wallet_transaction` alone has it, from their start; of transfers, both have it.
ALTER TABLE ledger_transfer ADD COLUMN key_lineage_id TEXT;
ALTER TABLE wallet_transaction ADD COLUMN key_lineage_id TEXT;
-- Lists of what a key made, and their sums, which are read from the index alone.
CREATE INDEX wallet_transaction_key ON wallet_transaction (key_lineage_id, status, position, amount_msat) WHERE key_lineage_id IS NOT NULL;
