-- The fiat rate that operators set, for display only (src/features/operator/fiat-rate.ts). Each change is a row: the one with the highest number is the
-- rate, and all of them are the record of who set it when.
CREATE TABLE fiat_rate (
  number INTEGER PRIMARY KEY,
  -- The id of the change among the actions of operators.
  id TEXT NOT NULL UNIQUE,
  -- An ISO 4217 code, and the price of one bitcoin as decimal text. Both are NULL if the operator removed the rate.
  currency TEXT CHECK (length(currency) = 3),
  per_btc TEXT CHECK (length(per_btc) BETWEEN 1 AND 24),
  set_at INTEGER NOT NULL,
  set_by TEXT NOT NULL,
  CHECK ((currency IS NULL) = (per_btc IS NULL))
) STRICT;
