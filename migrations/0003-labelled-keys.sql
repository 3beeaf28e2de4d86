-- The labelled keys of the wallets of an account, in the order of a list. The many keys that each wallet has from the start have no label.
CREATE INDEX access_key_labelled ON access_key (account_id, id)
  WHERE kind IN ('wallet_admin', 'wallet_invoice', 'wallet_read') AND user_label <> '';
