-- When a majority of the providers, or the operator, last set the rate. NULL: before this column, at rate_at.
ALTER TABLE market_rate ADD COLUMN agreed_at INTEGER;
-- The rates on which a majority agreed in the last hour, as JSON: [[begin of five minutes, "lowest", "highest"], …], at least the last ones.
ALTER TABLE market_rate ADD COLUMN majority_rates TEXT CHECK (length(majority_rates) <= 2000);
