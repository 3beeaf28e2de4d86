import { statement } from '../../core/db/statement.ts';

/** What an account has done: 1 or 0. */
export type DoneRow = {
  wallet_id: string | null;
  received: number;
  sent: number;
  address: number;
  key: number;
  webhook: number;
};

const SETTLED = "SELECT 1 FROM wallet_transaction WHERE account_id = $1 AND status = 'settled'";

const OTHER_API_KEY =
  "SELECT * FROM (SELECT 1 AS one FROM access_key WHERE account_id = $1 AND kind = 'secret_api' AND id = lineage_id LIMIT 1 OFFSET 1) AS other";
const LABELLED_KEY =
  "SELECT 1 AS one FROM access_key WHERE account_id = $1 AND kind IN ('wallet_admin', 'wallet_invoice', 'wallet_read') AND user_label <> ''";

const has = (query: string, name: string) => `CASE WHEN EXISTS (${query}) THEN 1 ELSE 0 END AS ${name}`;

/**
 * Reads the steps of an account. The first row of an index decides each, except for an account whose only transactions are transfers. An
 * account begins with one secret API key, and each wallet with keys without a label.
 */
export const readDone = statement<DoneRow>(
  'first_steps_read',
  `SELECT (SELECT id FROM wallet WHERE account_id = $1 ORDER BY id LIMIT 1) AS wallet_id,
     ${has(`${SETTLED} AND amount_msat > 0 AND type NOT IN ('ln_transfer_in', 'opening_balance', 'restore_difference', 'revenue_share')`, 'received')},
     ${has(`${SETTLED} AND amount_msat < 0 AND type <> 'ln_transfer_out'`, 'sent')},
     ${has('SELECT 1 FROM pay_link WHERE account_id = $1 AND name IS NOT NULL', 'address')},
     ${has(`${OTHER_API_KEY} UNION ALL ${LABELLED_KEY}`, 'key')},
     ${has("SELECT 1 FROM webhook WHERE account_id = $1 AND status <> 'deleted'", 'webhook')}`,
);
