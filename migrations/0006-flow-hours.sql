-- What came in and went out over Lightning in one hour, in whole hours since the Unix epoch, computed from `wallet_transaction` when the hour is over
-- (src/features/operator/flows.ts). Hours without bookings have no row.
CREATE TABLE flow_hour (
  hour INTEGER PRIMARY KEY,
  in_msat INTEGER NOT NULL,
  in_count INTEGER NOT NULL,
  out_msat INTEGER NOT NULL,
  out_count INTEGER NOT NULL,
  -- What wallets paid for routing.
  routing_msat INTEGER NOT NULL,
  -- The fees of the service, without the shares of other accounts.
  earned_msat INTEGER NOT NULL
) STRICT;
CREATE INDEX payment_failed ON payment (id) WHERE state = 'failed';
