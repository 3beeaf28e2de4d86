-- What came in and went out over Lightning through one node in one hour (src/features/operator/flows.ts), computed with `flow_hour`. Hours without
-- bookings have no row. All hours are computed again after this migration, which changes no other figure.
CREATE TABLE node_flow_hour (
  -- Of the node: 1 or less.
  ledger_account INTEGER NOT NULL,
  hour INTEGER NOT NULL,
  in_msat INTEGER NOT NULL,
  -- With routing fees.
  out_msat INTEGER NOT NULL,
  PRIMARY KEY (ledger_account, hour)
) STRICT, WITHOUT ROWID;
