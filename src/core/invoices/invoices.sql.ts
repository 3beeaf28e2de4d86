import { asFields } from '../db/fields.ts';
import { statement } from '../db/statement.ts';
import type { InvoiceRow } from './invoice.ts';

export const INVOICE_FIELDS = asFields(
  `id, wallet_id, ledger_account, node_id, dest_pubkey, wtx_type, state, payment_hash, payment_request, amount_msat, received_msat, memo,
  description_hash, expiry_seconds, expires_at, created_at, settled_at, preimage, is_keysend, custom_records, pass_thru, fiat,
  is_hold, status_key, held_msat, held_at, held_until, held_payment_id, decision`,
);

const OPEN_COUNT = (most: string, now: string, account: string, type: string) =>
  `SELECT count(*) AS n FROM (SELECT 1 FROM invoice WHERE ledger_account = ${account} AND wtx_type = ${type} AND state = 'open'
     AND expires_at > ${now} LIMIT ${most}) AS open_invoice`;

/** Counts the open invoices of a wallet and a type that have not expired, up to the limit. */
export const countOpen = statement<{ n: number }>('invoice_count_open', OPEN_COUNT('$4', '$3', '$1', '$2'));

/**
 * Changes nothing when the wallet has the maximum of open invoices of this type, or when another invoice has the payment hash. On PostgreSQL, concurrent batches do not count each other's invoices, so
 * a wallet may exceed the maximum by the invoices of one batch.
 */
// Without a conflict target: of the same invoice in two transactions, PostgreSQL may find the conflict of the primary key first.
export const insertOpen = statement(
  'invoice_insert_open',
  `INSERT INTO invoice (account_id, id, wallet_id, ledger_account, node_id, dest_pubkey, wtx_type, state, payment_hash, payment_request,
     amount_msat, memo, description_hash, expiry_seconds, expires_at, created_at, preimage, pass_thru,
     is_hold, status_key, fiat)
   SELECT (SELECT account_id FROM wallet WHERE id = $2), $1, $2, $3, $4, $5, $6, 'open', $7, $8, $9, $10, $11, $12, $13, $14, $15, $16,
     $18, $19, $20
   WHERE (${OPEN_COUNT('$17', '$14', '$3', '$6')}) < $17
   ON CONFLICT DO NOTHING`,
);

const insertReceivedAs = (state: 'arriving' | 'settled' | 'failed') =>
  statement(
    `invoice_insert_received_${state}`,
    `INSERT INTO invoice (account_id, id, wallet_id, ledger_account, node_id, dest_pubkey, wtx_type, state, payment_hash, payment_request,
     received_msat, memo, expiry_seconds, created_at, settled_at, preimage, is_keysend, custom_records)
   VALUES ((SELECT account_id FROM wallet WHERE id = $2), $1, $2, $3, $4, $5, 'ln_deposit', '${state}', $6, $11, $7, '', 432000, $8,
     ${state === 'settled' ? '$8' : 'NULL'}, $9, $12, $10)
   ON CONFLICT DO NOTHING`,
  );

/** Inserts the invoice of an incoming keysend, or of a payment whose invoice was lost with the database. Changes nothing when it exists. */
export const insertReceived = {
  arriving: insertReceivedAs('arriving'),
  settled: insertReceivedAs('settled'),
  failed: insertReceivedAs('failed'),
};

export const findById = statement<InvoiceRow>('invoice_find', `SELECT ${INVOICE_FIELDS} FROM invoice WHERE id = $1`);

export const findByHash = statement<InvoiceRow>('invoice_find_by_hash', `SELECT ${INVOICE_FIELDS} FROM invoice WHERE payment_hash = $1`);

/** The states in which the wallet of an invoice can still decide about its payment. */
export const UNDECIDED: readonly InvoiceRow['state'][] = ['open', 'closing', 'held', 'arriving'];

/** Those of the payment hashes that have an undecided invoice. */
export const findUndecided = statement<{ payment_hash: string }>(
  'invoice_find_undecided',
  `SELECT payment_hash FROM invoice WHERE payment_hash = ANY($1::text[]) AND state IN (${UNDECIDED.map((state) => `'${state}'`).join(', ')})`,
);

export const findMany = statement<InvoiceRow>('invoice_find_many', `SELECT ${INVOICE_FIELDS} FROM invoice WHERE id = ANY($1::text[])`);

/** The condition of the indexes of open invoices. The time excludes those that have expired since expiry was last reported. */
const listOpenOf = (owner: 'wallet' | 'account', order: 'asc' | 'desc') =>
  statement<InvoiceRow>(
    `invoice_list_open_${order}_of_${owner}`,
    `SELECT ${INVOICE_FIELDS} FROM invoice
     WHERE state IN ('open', 'closing', 'held') AND expiry_reported = 0 AND ${owner === 'wallet' ? 'ledger_account' : 'account_id'} = $1
       AND (state <> 'open' OR expires_at > $2) AND id ${order === 'desc' ? '<' : '>'} $3 ORDER BY id ${order} LIMIT $4`,
  );

/** Invoices that can still be paid. Parameters: owner, Unix time, the id after which they begin, limit. */
export const listOpen = {
  wallet: { asc: listOpenOf('wallet', 'asc'), desc: listOpenOf('wallet', 'desc') },
  account: { asc: listOpenOf('account', 'asc'), desc: listOpenOf('account', 'desc') },
};

/** The newest invoices of a wallet, in any state. */
export const listNewest = statement<InvoiceRow>(
  'invoice_list_newest',
  `SELECT ${INVOICE_FIELDS} FROM invoice WHERE ledger_account = $1 ORDER BY id DESC LIMIT $2`,
);

const IS_LATE = "CASE WHEN state = 'canceled' OR (state <> 'held' AND expires_at < $4) THEN 1 ELSE 0 END";

/** Money from outside settles an invoice that nothing has arrived for yet. It is `late` when the invoice was canceled or expired. */
export const settleFromOutside = statement(
  'invoice_settle_outside',
  `UPDATE invoice SET state = 'settled', received_msat = $2, preimage = $3, settled_at = $4, late = ${IS_LATE}
   WHERE id = $1 AND state IN ('open', 'closing', 'held', 'canceled')`,
);

/** The reported payment of an invoice is final. One that was taken for lost may still be. */
export const settleReported = statement(
  'invoice_settle_reported',
  `UPDATE invoice SET state = 'settled', received_msat = $2, preimage = $3, settled_at = $4 WHERE id = $1 AND state IN ('arriving', 'failed')`,
);

const markReportedAs = (state: 'arriving' | 'failed') =>
  statement(
    `invoice_mark_${state}`,
    `UPDATE invoice SET state = '${state}', received_msat = $2, preimage = $3, late = ${IS_LATE}
   WHERE id = $1 AND state IN ('open', 'closing', 'held', 'canceled')`,
  );

/** The node has reported a payment of the invoice. */
export const markReported = { arriving: markReportedAs('arriving'), failed: markReportedAs('failed') };

export const markNotReceived = statement(
  'invoice_mark_not_received',
  `UPDATE invoice SET state = 'failed' WHERE id = $1 AND state = 'arriving'`,
);

/** An internal payment reserves the invoice, so that no outside payer can pay it. */
// "coalesce" hides the condition from the indexes of open invoices: a plan made while they were few would read all of them, not those by id.
export const markClosing = statement(
  'invoice_close',
  `UPDATE invoice SET state = 'closing' WHERE id = $1 AND state = 'open' AND expires_at > $2 AND decision IS NULL`,
  `UPDATE invoice SET state = 'closing' FROM unnest($1::text[], $2::bigint[]) AS n (id, now)
    WHERE invoice.id = n.id AND coalesce(state) = 'open' AND expires_at > n.now AND decision IS NULL RETURNING 1`,
);

export const settleInternally = statement(
  'invoice_settle_inside',
  `UPDATE invoice SET state = 'settled', received_msat = $2, settled_at = $3 WHERE id = $1 AND state = 'closing'`,
  `UPDATE invoice SET state = 'settled', received_msat = n.received_msat, settled_at = n.settled_at
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS n (id, received_msat, settled_at)
    WHERE invoice.id = n.id AND coalesce(state) = 'closing' RETURNING 1`,
);

/** The internal payment failed. An invoice that was paid from outside meanwhile stays settled. One that held this payment is canceled. */
export const reopenInvoice = statement(
  'invoice_reopen',
  `UPDATE invoice SET state = CASE WHEN state = 'closing' THEN 'open' WHEN state = 'held' AND held_payment_id IS NOT NULL THEN 'canceled'
     ELSE state END WHERE id = $1`,
);

export const markCanceled = statement('invoice_cancel', `UPDATE invoice SET state = 'canceled' WHERE id = $1 AND state = 'open'`);

export type ExpiredRow = { id: string; ledger_account: number };

/** Open invoices that expired until a time and were not reported, the oldest first. */
export const listExpired = statement<ExpiredRow>(
  'invoice_list_expired',
  `SELECT id, ledger_account FROM invoice
   WHERE state = 'open' AND expiry_reported = 0 AND expires_at <= $1 ORDER BY expires_at LIMIT $2`,
);

// "coalesce" hides the condition from the index of open invoices: a plan with it would read all that have expired, not those by id.
const stillExpired = (ids: string) => `UPDATE invoice SET expiry_reported = 1
  WHERE id ${ids} AND coalesce(state, '') = 'open' AND expiry_reported = 0 AND expires_at <= $2 RETURNING id, ledger_account`;

/** Returns those that are still open and not reported. */
export const markExpiryReported = statement<ExpiredRow>('invoice_mark_expiry_reported', {
  sqlite: stillExpired('IN (SELECT value FROM json_each($1))'),
  postgres: stillExpired('= ANY($1::text[])'),
});

/** Counts the payment of an invoice that a payer requested through a pay link. Changes nothing for other invoices. */
export const countLinkPayment = statement(
  'pay_link_total_count',
  `INSERT INTO pay_link_total (link_id, payments, received_msat, last_paid_at)
   SELECT link_id, 1, CAST($2 AS BIGINT), CAST($3 AS BIGINT) FROM pay_link_invoice WHERE invoice_id = $1
   ON CONFLICT (link_id) DO UPDATE SET payments = pay_link_total.payments + 1,
     received_msat = pay_link_total.received_msat + excluded.received_msat,
     last_paid_at = CASE WHEN excluded.last_paid_at > pay_link_total.last_paid_at THEN excluded.last_paid_at
       ELSE pay_link_total.last_paid_at END`,
);

/** Changes nothing when the payment hash was credited before. */
export const insertSettlement = statement(
  'invoice_insert_settlement',
  'INSERT INTO settlement (payment_hash) VALUES ($1) ON CONFLICT DO NOTHING',
);

export const findSettlement = statement<{ payment_hash: string }>(
  'invoice_find_settlement',
  'SELECT payment_hash FROM settlement WHERE payment_hash = $1',
);

/** Changes nothing when the payment hash was credited to suspense before. */
export const insertUnmatched = statement(
  'invoice_insert_unmatched',
  `INSERT INTO unmatched_settlement (payment_hash, amount_msat, settled_at, node_id, is_keysend, left_msat) VALUES ($1, $2, $3, $4, $5, $2)
   ON CONFLICT DO NOTHING`,
);

/** The internal payment that settled an invoice. */
export const findInternalPayment = statement<{ id: string }>(
  'invoice_find_inside_payment',
  `SELECT id FROM payment WHERE payment_hash = $1 AND invoice_id = $2 AND state = 'succeeded' LIMIT 1`,
);

/** Marks the payment hashes of a JSON array, `$1`, as credited. */
export const markCredited = statement('invoice_mark_credited', {
  sqlite: 'INSERT INTO settlement (payment_hash) SELECT value FROM json_each($1) WHERE true ON CONFLICT DO NOTHING',
  postgres: 'INSERT INTO settlement (payment_hash) SELECT value FROM json_array_elements_text($1::json) ON CONFLICT DO NOTHING',
});
