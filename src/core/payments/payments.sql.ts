import { asFields, fieldName } from '../db/fields.ts';
import { statement } from '../db/statement.ts';
import { INVOICE_FIELDS, type InvoiceRow } from '../invoices/invoice.ts';
import { walletsThatMayInSql } from '../wallets/wallet-conditions.ts';
import type { PaymentRow } from './payment.ts';

/** The columns of a new payment that are texts, and those that are numbers. */
const TEXTS =
  `id, wallet_id, node_id, transfer_id, wtx_type, payment_hash, payment_request, dest_pubkey, user_label, memo, description_hash,
  preimage, custom_records, pass_thru, fiat, invoice_id, link_id, budget_lineage_id, success_action,
  fee_schedule_id, limit_owners`.split(/,\s+/);
const NUMBERS = `ledger_account, amount_msat, expiry_seconds, expires_at, created_at, is_keysend, budget_period_start, budget_reserved_msat,
  sending_since_ms, service_fee_msat`.split(/,\s+/);
const NEW_COLUMNS = [...TEXTS, ...NUMBERS];

/** The fields of a new payment, in the order of the parameters of {@link insertPending}. */
export const NEW_FIELDS = NEW_COLUMNS.map(fieldName);

const FIELDS = asFields(
  `${NEW_COLUMNS}, state, failure_reason, fee_msat, settled_at, correction, at_node, unclear_since_ms, unclear_checked_ms, pending_reported, is_imported, shortfall_msat`,
);

const VALUES = NEW_COLUMNS.map((_, index) => `$${index + 1}`);
const LISTS = VALUES.map((value, index) => `${value}::${index < TEXTS.length ? 'text' : 'bigint'}[]`);

/** Changes nothing when the payment hash has a live payment. */
export const insertPending = statement(
  'payment_insert',
  `INSERT INTO payment (${NEW_COLUMNS}, state) VALUES (${VALUES}, 'pending') ON CONFLICT DO NOTHING`,
  `INSERT INTO payment (${NEW_COLUMNS}, state) SELECT *, 'pending' FROM unnest(${LISTS}) ON CONFLICT DO NOTHING RETURNING 1`,
);

/** Inserts a payment that has ended with its start; the last parameter is when. Changes nothing when the payment hash has a live payment. */
export const insertPaid = statement(
  'payment_insert_paid',
  `INSERT INTO payment (${NEW_COLUMNS}, settled_at, state, fee_msat)
    VALUES (${VALUES}, $${NEW_COLUMNS.length + 1}, 'succeeded', 0) ON CONFLICT DO NOTHING`,
  `INSERT INTO payment (${NEW_COLUMNS}, settled_at, state, fee_msat)
    SELECT *, 'succeeded', 0 FROM unnest(${LISTS}, $${NEW_COLUMNS.length + 1}::bigint[]) ON CONFLICT DO NOTHING RETURNING 1`,
);

/** Changes one row if the wallet's pending payments, including the new one, are within the limit. The ledger account is locked by then. */
export const requireWithinLimit = statement(
  'payment_require_within_limit',
  `UPDATE payment SET state = 'pending' WHERE id = $1
    AND (SELECT count(*) FROM payment WHERE wallet_id = $2 AND state = 'pending') <= $3`,
  // Changes nothing: updating a row that was just inserted took half as long as the insert.
  `SELECT 1 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS n (id, wallet_id, most)
    WHERE (SELECT count(*) FROM payment WHERE wallet_id = n.wallet_id AND state = 'pending') <= n.most`,
);

/** Counts all pending payments, up to the limit. */
export const countAllPending = statement<{ n: number }>(
  'payment_count_all_pending',
  `SELECT count(*) AS n FROM (SELECT 1 FROM payment WHERE state = 'pending' LIMIT $1) AS pending`,
);

// "coalesce" hides the condition from the index of pending payments: a plan made while they were few would read all of them, not those by id.
export const markSucceeded = statement(
  'payment_succeed',
  `UPDATE payment SET state = 'succeeded', preimage = $2, fee_msat = $3, settled_at = $4
  WHERE id = $1 AND state = 'pending'`,
  `UPDATE payment SET state = 'succeeded', preimage = n.preimage, fee_msat = n.fee_msat, settled_at = n.settled_at
    FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) AS n (id, preimage, fee_msat, settled_at)
    WHERE payment.id = n.id AND coalesce(state) = 'pending' RETURNING 1`,
);

export const markFailed = statement(
  'payment_fail',
  `UPDATE payment SET state = 'failed', failure_reason = $2 WHERE id = $1 AND state = 'pending' AND sending_since_ms IS NOT DISTINCT FROM $3`,
);

/** Turns a payment that was booked as failed into a success that is charged to its wallet. */
export const correctCharged = statement(
  'payment_correct_charged',
  `UPDATE payment SET state = 'succeeded', failure_reason = NULL, preimage = $2, fee_msat = $3, settled_at = $4, correction = 'charged'
   WHERE id = $1 AND state = 'failed' AND correction IS NULL`,
);

/** Leaves the payment failed for its wallet, which cannot be charged; the operator pays. */
export const correctBorne = statement(
  'payment_correct_borne',
  `UPDATE payment SET correction = 'borne' WHERE id = $1 AND state = 'failed' AND correction IS NULL`,
);

/** Records that a request begins. An earlier one that may not have ended is unclear from now on. */
export const beginSending = statement<{ sendingSinceMs: number; unclearSinceMs: number | null; unclearCheckedMs: number | null }>(
  'payment_begin_sending',
  `UPDATE payment SET
     unclear_since_ms = CASE WHEN sending_since_ms IS NULL THEN unclear_since_ms ELSE coalesce(unclear_since_ms, $2) END,
     sending_since_ms = CASE WHEN sending_since_ms >= $2 THEN sending_since_ms + 1 ELSE $2 END
   WHERE id = $1 AND state = 'pending' AND at_node = 0
   RETURNING ${asFields('sending_since_ms, unclear_since_ms, unclear_checked_ms')}`,
);

/**
 * Records until when ($3) the node was observed since a request became unclear, and from when the wait for it counts ($2). Changes nothing if
 * another instance has observed more.
 */
export const observeUnclear = statement(
  'payment_observe_unclear',
  `UPDATE payment SET unclear_since_ms = $2, unclear_checked_ms = $3
   WHERE id = $1 AND state = 'pending' AND unclear_since_ms <= $2 AND (unclear_checked_ms IS NULL OR unclear_checked_ms < $3)`,
);

/** Records that a request did not reach the node. An earlier one may have. */
export const markNotSent = statement(
  'payment_mark_not_sent',
  'UPDATE payment SET sending_since_ms = NULL WHERE id = $1 AND sending_since_ms = $2 AND unclear_since_ms IS NULL',
);

export const markUnclear = statement(
  'payment_mark_unclear',
  `UPDATE payment SET unclear_since_ms = $3 WHERE id = $1 AND sending_since_ms = $2 AND state = 'pending'`,
);

/** Records that the node knows the payment. */
export const markAtNode = statement('payment_mark_at_node', 'UPDATE payment SET at_node = 1 WHERE id = $1');

/**
 * Marks a payment as read back from the node after a restore: it is looked up and never sent. `$2`: what its wallet lacked. A last request of the lost
 * service may still be executed after `$3`.
 */
export const markReadBack = statement(
  'payment_mark_read_back',
  'UPDATE payment SET at_node = 1, shortfall_msat = $2, unclear_since_ms = $3 WHERE id = $1',
);

/** Marks a payment that another program has sent: the node's record of its payment hash is looked up, and it is never sent. */
export const markImported = statement(
  'payment_mark_imported',
  'UPDATE payment SET at_node = 1, is_imported = 1, unclear_since_ms = $2 WHERE id = $1',
);

/** Records that a part of what the wallet had lacked was returned. */
export const reduceShortfall = statement(
  'payment_reduce_shortfall',
  'UPDATE payment SET shortfall_msat = shortfall_msat - $2 WHERE id = $1 AND shortfall_msat >= $2',
);

/** Records that the event of the pending payment is stored. Changes nothing when it was, or when the payment has ended. */
export const markPendingReported = statement(
  'payment_mark_pending_reported',
  `UPDATE payment SET pending_reported = 1 WHERE id = $1 AND state = 'pending' AND pending_reported = 0`,
);

/** Marks every payment that a node may have had before it was restored from a backup. */
export const markPendingAtNode = statement(
  'payment_mark_pending_at_node',
  `UPDATE payment SET at_node = 1 WHERE node_id = $1 AND state = 'pending' AND sending_since_ms IS NOT NULL AND at_node = 0`,
);

export const findById = statement<PaymentRow>('payment_find', `SELECT ${FIELDS} FROM payment WHERE id = $1`);

/** The owner $2 is a wallet or an account. Other wallets may have tried to pay the same invoice. */
const OF_HASH_AND_OWNER = `SELECT ${FIELDS} FROM payment
   WHERE payment_hash = $1 AND $2 IN (wallet_id, (SELECT account_id FROM wallet WHERE wallet.id = payment.wallet_id))`;

/** The live payment of a hash, or the newest failed one. */
export const findByHash = statement<PaymentRow>(
  'payment_find_by_hash',
  `${OF_HASH_AND_OWNER} ORDER BY CASE WHEN state = 'failed' THEN 1 ELSE 0 END, id DESC LIMIT 1`,
);

/** All payments of a hash, newest first. */
export const listByHash = statement<PaymentRow>('payment_list_by_hash', `${OF_HASH_AND_OWNER} ORDER BY id DESC LIMIT $3`);

/** Payments over the network that are pending or failed, newest first. */
export const findUnpaidByHash = statement<PaymentRow>(
  'payment_find_unpaid_by_hash',
  `SELECT ${FIELDS} FROM payment WHERE payment_hash = $1 AND invoice_id IS NULL AND state <> 'succeeded' AND correction IS NULL
   ORDER BY id DESC LIMIT $2`,
);

export const findLive = statement<PaymentRow>(
  'payment_find_live',
  `SELECT ${FIELDS} FROM payment WHERE payment_hash = $1 AND state <> 'failed' ORDER BY id DESC LIMIT 1`,
);

/** `id` and the columns after it are null if no invoice of this service has the hash. */
export type PayableRow = InvoiceRow & { live_id: string | null; pending: number; may_pay_at_once: number };

/** The wallet $2 may send, has no limits, and its account has closed no invoice for nothing since $3; the wallet of the invoice may receive. */
const MAY_PAY_AT_ONCE = `EXISTS (${walletsThatMayInSql('= $2', 'send')})
    AND EXISTS (${walletsThatMayInSql('= invoice.wallet_id', 'receive')})
    AND NOT EXISTS (SELECT 1 FROM closed_invoice WHERE account_id = (SELECT account_id FROM wallet WHERE id = $2) AND closed_at > $3)`;

/**
 * Reads the invoice of this service with a payment hash, the live payment of that hash, the number of pending payments of a wallet, and whether it may
 * pay the invoice at once, in one round trip. The count has no limit: the subquery for it would take SQLite three times as long, and the number of
 * pending payments of a wallet is limited.
 */
export const findPayable = statement<PayableRow>(
  'payment_find_payable',
  `SELECT (SELECT id FROM payment WHERE payment_hash = $1 AND state <> 'failed' LIMIT 1) AS live_id,
     (SELECT count(*) FROM payment WHERE wallet_id = $2 AND state = 'pending') AS pending,
     CASE WHEN ${MAY_PAY_AT_ONCE} THEN 1 ELSE 0 END AS may_pay_at_once,
     ${INVOICE_FIELDS}
   FROM (SELECT 1) AS always LEFT JOIN invoice ON payment_hash = $1`,
);

const newestOf = (state: 'succeeded' | 'pending') =>
  `SELECT * FROM (SELECT ${FIELDS} FROM payment WHERE wallet_id = $1 AND state = '${state}' ORDER BY id DESC LIMIT $2) AS ${state}_rows`;

/**
 * The newest payments of a wallet that are pending or paid. One statement, because a payment that ends between two would be in neither
 * result. Two parts, because each has an index.
 */
export const listNewest = statement<PaymentRow>(
  'payment_list_newest',
  `${newestOf('succeeded')} UNION ALL ${newestOf('pending')} ORDER BY id DESC LIMIT $2`,
);

export const findMany = statement<PaymentRow>('payment_find_many', `SELECT ${FIELDS} FROM payment WHERE id = ANY($1::text[])`);

/** Pending payments after an id, a page at a time. */
export const listPending = statement<PaymentRow>(
  'payment_list_pending',
  `SELECT ${FIELDS} FROM payment WHERE state = 'pending' AND id > $1 ORDER BY id LIMIT $2`,
);

/** A claim of a link with this invoice that is pending or was paid. */
export const findClaim = statement<{ id: string }>(
  'payment_find_claim',
  `SELECT id FROM payment WHERE payment_hash = $1 AND payment_request = $2 AND link_id = $3
     AND (state <> 'failed' OR correction IS NOT NULL) LIMIT 1`,
);

export const insertTransferFiat = statement('transfer_fiat_insert', 'INSERT INTO transfer_fiat (transfer_id, fiat) VALUES ($1, $2)');
