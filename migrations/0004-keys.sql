-- What a line of keys with a budget has spent in one of its periods, fees included, and what is pending: payments in flight with the
-- most that their routing may cost. Changed only by rows of the postings that move the money (src/budgets/).
CREATE TABLE key_spending (
  line_id TEXT NOT NULL REFERENCES access_key (id),
  period_start INTEGER NOT NULL,
  spent_msat INTEGER NOT NULL CHECK (spent_msat >= 0),
  pending_msat INTEGER NOT NULL CHECK (pending_msat >= 0),
  PRIMARY KEY (line_id, period_start)
) STRICT;

-- Transfers between wallets that count against a budget.
CREATE TABLE key_transfer (
  transfer_id TEXT PRIMARY KEY,
  line_id TEXT NOT NULL,
  period_start INTEGER NOT NULL,
  FOREIGN KEY (line_id, period_start) REFERENCES key_spending (line_id, period_start)
) STRICT;

-- The budget that a payment counts against, and for how much while it is pending.
ALTER TABLE payment ADD COLUMN charged_line TEXT REFERENCES access_key (id);
ALTER TABLE payment ADD COLUMN charged_period INTEGER;
ALTER TABLE payment ADD COLUMN charged_msat INTEGER CHECK (charged_msat > 0);

-- A link is worth what the key that made it is worth.
ALTER TABLE withdraw_link ADD COLUMN made_by TEXT REFERENCES access_key (id);
