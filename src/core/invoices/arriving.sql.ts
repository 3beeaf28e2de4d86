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
  next_check_at: number | null;
  node_reason: string | null;
};

const COLUMNS =
  'payment_hash, node_id, state, invoice_id, transfer_id, amount_msat, is_credited, settlement, reported_at, next_check_at, node_reason';

/** Changes nothing when it is stored already. */
export const insert = statement(
  'arriving_payment_insert',
  `INSERT INTO arriving_payment (${COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) ON CONFLICT DO NOTHING`,
);

export const find = statement<ArrivingRow>('arriving_payment_find', `SELECT ${COLUMNS} FROM arriving_payment WHERE payment_hash = $1`);

/** The payments of a node that are not credited and were reported after a time, the newest first. */
export const listFresh = statement<ArrivingRow>(
  'arriving_payment_fresh',
  `SELECT ${COLUMNS} FROM arriving_payment
   WHERE state = 'arriving' AND is_credited = 0 AND node_id = $1 AND reported_at > $2 ORDER BY reported_at DESC, payment_hash DESC LIMIT $3`,
);

/** The payments of a node that are to be looked up until a time, the one that has waited longest first. */
export const listDue = statement<ArrivingRow>(
  'arriving_payment_due',
  `SELECT ${COLUMNS} FROM arriving_payment WHERE node_id = $1 AND next_check_at <= $2 ORDER BY next_check_at, payment_hash LIMIT $3`,
);

/** Stores when a payment is looked up again, and why the node could not tell. Changes nothing if it is not looked up any more. */
export const planCheck = statement(
  'arriving_payment_plan',
  'UPDATE arriving_payment SET next_check_at = $2, node_reason = $3 WHERE payment_hash = $1 AND next_check_at IS NOT NULL',
);

/** The node has confirmed that a payment which an operator had ended as failed never arrived. */
export const endChecks = statement(
  'arriving_payment_end_checks',
  "UPDATE arriving_payment SET next_check_at = NULL WHERE payment_hash = $1 AND state = 'failed'",
);

export const markFailed = statement(
  'arriving_payment_fail',
  "UPDATE arriving_payment SET state = 'failed', next_check_at = $2 WHERE payment_hash = $1 AND state = 'arriving'",
);

/** Changes nothing when the state is not the one that the caller has read. */
export const remove = statement('arriving_payment_remove', 'DELETE FROM arriving_payment WHERE payment_hash = $1 AND state = $2');

/** The oldest payments of a node that have been arriving since before a time. */
export const listOldest = statement<ArrivingRow>(
  'arriving_payment_oldest',
  `SELECT ${COLUMNS} FROM arriving_payment
   WHERE state = 'arriving' AND node_id = $1 AND is_credited = $2 AND reported_at > $3 AND reported_at <= $4
   ORDER BY reported_at, payment_hash LIMIT $5`,
);

/** What is arriving at a node and not credited. */
export const sumUncredited = statement<{ amount_msat: number }>(
  'arriving_payment_sum',
  `SELECT CAST(coalesce(sum(amount_msat), 0) AS BIGINT) AS amount_msat
   FROM arriving_payment WHERE state = 'arriving' AND is_credited = 0 AND node_id = $1`,
);
