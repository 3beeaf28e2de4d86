import { statement } from '../db/statement.ts';

export const readSpending = statement<{ spent_msat: number; pending_msat: number }>(
  'key_spending_read',
  'SELECT spent_msat, pending_msat FROM key_spending WHERE lineage_id = $1 AND period_start = $2',
);

/** Adds `$3` to the pending and `$4` to the spent amount if both fit into the budget `$5`. The statement is the lock and the check. */
export const addToBudget = statement(
  'key_spending_take',
  `INSERT INTO key_spending (lineage_id, period_start, pending_msat, spent_msat)
   SELECT CAST($1 AS TEXT), CAST($2 AS BIGINT), CAST($3 AS BIGINT), CAST($4 AS BIGINT)
   WHERE CAST($3 AS BIGINT) + CAST($4 AS BIGINT) <= CAST($5 AS BIGINT)
   ON CONFLICT (lineage_id, period_start) DO UPDATE
   SET pending_msat = key_spending.pending_msat + excluded.pending_msat, spent_msat = key_spending.spent_msat + excluded.spent_msat
   WHERE key_spending.pending_msat + key_spending.spent_msat + excluded.pending_msat + excluded.spent_msat <= CAST($5 AS BIGINT)`,
);

/** Releases `$3` of the pending amount, and adds `$4` to the spent amount. */
export const concludePending = statement(
  'key_spending_conclude',
  'UPDATE key_spending SET pending_msat = pending_msat - $3, spent_msat = spent_msat + $4 WHERE lineage_id = $1 AND period_start = $2',
);

export const insertTransfer = statement(
  'key_transfer_insert',
  'INSERT INTO key_transfer (transfer_id, lineage_id, period_start, cost_msat) VALUES ($1, $2, $3, $4)',
  `INSERT INTO key_transfer (transfer_id, lineage_id, period_start, cost_msat)
    SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) RETURNING 1`,
);
