import { statement } from '../db/statement.ts';

export type ArrivingRow = {
  payment_hash: string;
  node_id: string;
  state: 'arriving' | 'failed';
  invoice_id: string | null;
  transfer_id: string;
  amount_msat: number;
  is_credited: number;
  settlement: string;
  reported_at: number;
};

const COLUMNS = 'payment_hash, node_id, state, invoice_id, transfer_id, amount_msat, is_credited, settlement, reported_at';

/** Changes nothing when it is stored already. */
export const insert = statement(
  'arriving_payment_insert',
  `INSERT INTO arriving_payment (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING`,
);

export const find = statement<ArrivingRow>('arriving_payment_find', `SELECT ${COLUMNS} FROM arriving_payment WHERE payment_hash = $1`);

/** The payments of a node that are arriving, in the order of their reports, after a time and a hash. */
export const listAfter = statement<ArrivingRow>(
  'arriving_payment_list',
  `SELECT ${COLUMNS} FROM arriving_payment
   WHERE state = 'arriving' AND node_id = $1 AND (reported_at, payment_hash) > ($2, $3) ORDER BY reported_at, payment_hash LIMIT $4`,
);

export const markFailed = statement(
  'arriving_payment_fail',
  "UPDATE arriving_payment SET state = 'failed' WHERE payment_hash = $1 AND state = 'arriving'",
);

/** Changes nothing when the state is not the one that the caller has read. */
export const remove = statement('arriving_payment_remove', 'DELETE FROM arriving_payment WHERE payment_hash = $1 AND state = $2');

export const findOldest = statement<{ invoice_id: string | null; payment_hash: string }>(
  'arriving_payment_oldest',
  `SELECT invoice_id, payment_hash FROM arriving_payment WHERE state = 'arriving' AND is_credited = 0 AND node_id = $1
   ORDER BY reported_at, payment_hash LIMIT 1`,
);

/** What has been arriving since a time or longer, and is not credited. */
export const sumReportedUntil = statement<{ n: number; amount_msat: number; oldest: number | null }>(
  'arriving_payment_sum',
  `SELECT count(*) AS n, CAST(coalesce(sum(amount_msat), 0) AS BIGINT) AS amount_msat, min(reported_at) AS oldest
   FROM arriving_payment WHERE state = 'arriving' AND is_credited = 0 AND node_id = $1 AND reported_at <= $2`,
);
