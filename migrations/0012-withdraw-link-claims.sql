-- A claim may also name its link by k1 (LUD-03), which is derived from each of the two tokens. Links that exist already have no hash of
-- it: it cannot be derived from the hashes of their tokens. They are found by their tokens only.
ALTER TABLE withdraw_link ADD COLUMN k1_hash BLOB;
ALTER TABLE withdraw_link ADD COLUMN balance_k1_hash BLOB;
CREATE UNIQUE INDEX withdraw_link_k1 ON withdraw_link (k1_hash);
CREATE UNIQUE INDEX withdraw_link_balance_k1 ON withdraw_link (balance_k1_hash);

-- The most that routing one claim may cost: 1 % of the link's amount and at least 1 sat, unless its creator gave another limit.
ALTER TABLE withdraw_link ADD COLUMN fee_limit_msat INTEGER NOT NULL DEFAULT 1000 CHECK (fee_limit_msat >= 0);
UPDATE withdraw_link SET fee_limit_msat = max_msat / 100 WHERE max_msat > 100000;

-- Claims that were paid beyond `uses`: a payment had been booked as failed, so its use was claimed again, and then it succeeded.
-- uses - uses_left + overused is the number of claims that are pending or were paid.
ALTER TABLE withdraw_link ADD COLUMN overused INTEGER NOT NULL DEFAULT 0 CHECK (overused >= 0);
UPDATE withdraw_link SET overused = (SELECT count(*) FROM payment
    WHERE payment.link_id = withdraw_link.id AND (payment.state <> 'failed' OR payment.correction IS NOT NULL));
UPDATE withdraw_link SET uses_left = CASE WHEN overused < uses THEN uses - overused ELSE 0 END,
  overused = CASE WHEN overused > uses THEN overused - uses ELSE 0 END;
