-- What payers have paid through a pay link, counted by the posting that settles an invoice. A link that was never paid has no row.
CREATE TABLE pay_link_total (
  link_id TEXT PRIMARY KEY REFERENCES pay_link (id),
  -- Invoices that were settled.
  payments INTEGER NOT NULL CHECK (payments > 0),
  -- What arrived for them, before fees of the service.
  received_msat INTEGER NOT NULL CHECK (received_msat > 0),
  -- The latest time at which one was settled, Unix seconds.
  last_paid_at INTEGER NOT NULL
) STRICT;
INSERT INTO pay_link_total (link_id, payments, received_msat, last_paid_at)
  SELECT p.link_id, count(*), CAST(sum(i.received_msat) AS BIGINT), max(i.settled_at)
  FROM pay_link_invoice p JOIN invoice i ON i.id = p.invoice_id WHERE i.state = 'settled' GROUP BY p.link_id;

-- What the paid claims of a withdraw link sent, without fees, and when the latest of them was made, Unix seconds.
ALTER TABLE withdraw_link ADD COLUMN claimed_msat INTEGER NOT NULL DEFAULT 0;
ALTER TABLE withdraw_link ADD COLUMN last_claimed_at INTEGER;
UPDATE withdraw_link SET
  claimed_msat = (SELECT CAST(coalesce(sum(d.claimed_msat), 0) AS BIGINT) FROM withdraw_link_day d WHERE d.link_id = withdraw_link.id),
  last_claimed_at = (
    SELECT max(p.created_at) FROM payment p WHERE p.link_id = withdraw_link.id AND (p.state = 'succeeded' OR p.correction IS NOT NULL));
