-- The account of a withdraw link's wallet, so that the links of an account are read in order.
ALTER TABLE withdraw_link ADD COLUMN account_id TEXT REFERENCES account (id);
UPDATE withdraw_link SET account_id = (SELECT w.account_id FROM wallet w WHERE w.id = withdraw_link.wallet_id);
CREATE INDEX withdraw_link_account ON withdraw_link (account_id, id);
