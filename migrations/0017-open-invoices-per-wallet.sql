-- Counts the open invoices of a wallet that have not expired, for the limit on them (src/invoices/). Two integers keep it small.
CREATE INDEX invoice_open_until ON invoice (ledger_account, expires_at) WHERE state = 'open';

-- No statement reads invoices by wallet and id.
DROP INDEX invoice_wallet;
