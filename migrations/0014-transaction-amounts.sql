-- Finds the transactions of an account by their amount. With all that these reads need, so that they do not read the rows of other wallets.
CREATE INDEX wallet_transaction_amount ON wallet_transaction (account_id, amount_msat, ledger_account, position);
