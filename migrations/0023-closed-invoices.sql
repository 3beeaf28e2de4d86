-- Invoices that their node has cancelled for a payment of another wallet that was not booked then. Wallets of this service can still pay them.
CREATE TABLE closed_invoice (
  invoice_id TEXT PRIMARY KEY REFERENCES invoice (id),
  -- The account of the wallet whose payment was refused. Its wallets pay with holds for a day. NULL: unknown.
  account_id TEXT REFERENCES account (id),
  -- Unix seconds.
  closed_at INTEGER NOT NULL
) STRICT;
CREATE INDEX closed_invoice_account ON closed_invoice (account_id, closed_at) WHERE account_id IS NOT NULL;
