-- Lists of open invoices, of a wallet and of all (src/history/). An invoice that has expired stays open here, so the index also holds what
-- tells the two apart: expired ones are passed over without reading their rows.
CREATE INDEX invoice_list ON invoice (ledger_account, id, expires_at, state) WHERE state IN ('open', 'closing');
CREATE INDEX invoice_list_all ON invoice (id, ledger_account, expires_at, state) WHERE state IN ('open', 'closing');

-- Finds what an invoice was credited with. Only Lightning credits are in it; transfers between wallets do not pay for it.
CREATE INDEX ledger_transfer_to_lntx ON ledger_transfer (to_lntx) WHERE to_lntx IS NOT NULL;
