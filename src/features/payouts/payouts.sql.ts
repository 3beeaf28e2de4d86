import { asFields } from '../../core/db/fields.ts';
import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';

export type PayoutRow = {
  id: string;
  walletId: string;
  userLabel: string;
  keyId: string;
  isSession: number;
  numLines: number;
  amountMsat: number;
  createdAt: number;
  cancelledAt: number | null;
  finishedAt: number | null;
};

const PAYOUT = `SELECT ${asFields('id, wallet_id, user_label, key_id, is_session, num_lines, amount_msat, created_at, cancelled_at, finished_at')}
  FROM payout`;

export const insertPayout = statement(
  'payout_insert',
  `INSERT INTO payout (id, wallet_id, user_label, key_id, is_session, num_lines, amount_msat, created_at)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)`,
);

export const findPayout = statement<PayoutRow>('payout_find', `${PAYOUT} WHERE id = $1 AND wallet_id = $2`);

export const listPayouts = listStatements<PayoutRow>('payout_list', {
  select: PAYOUT,
  table: 'payout',
  where: 'wallet_id = $1',
  filters: 1,
});

export const findRunning = statement<PayoutRow>('payout_find_running', `${PAYOUT} WHERE id = $1 AND finished_at IS NULL`);

/** The ids and accounts of payouts that are not finished and have no task of a queue. */
export const listWithoutTask = statement<{ id: string; account_id: string }>(
  'payout_list_without_task',
  `SELECT p.id, w.account_id FROM payout p JOIN wallet w ON w.id = p.wallet_id WHERE p.finished_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM task t WHERE t.queue = $1 AND t.ordering_key = p.id) ORDER BY p.id`,
);

export const countRunning = statement<{ n: number }>(
  'payout_count_running',
  'SELECT count(*) AS n FROM payout WHERE wallet_id = $1 AND finished_at IS NULL',
);

export const markCancelled = statement(
  'payout_mark_cancelled',
  'UPDATE payout SET cancelled_at = $2 WHERE id = $1 AND cancelled_at IS NULL AND finished_at IS NULL',
);

/** Changes nothing while a line is pending or sending. */
export const markFinished = statement(
  'payout_mark_finished',
  `UPDATE payout SET finished_at = $2 WHERE id = $1 AND finished_at IS NULL
     AND NOT EXISTS (SELECT 1 FROM payout_line WHERE payout_id = $1 AND state IN ('pending', 'sending'))`,
);

export type LineState = 'pending' | 'sending' | 'paid' | 'failed';

export type LineSumRow = { payout_id: string; state: LineState; n: number; amount_msat: number };

/** The number and the sum of the lines in each state. */
export const sumLines = statement<LineSumRow>(
  'payout_line_sum',
  `SELECT payout_id, state, count(*) AS n, CAST(sum(amount_msat) AS BIGINT) AS amount_msat
   FROM payout_line WHERE payout_id = ANY($1::text[]) GROUP BY payout_id, state`,
);

const NEW_LINE = 'payout_id, line, kind, destination, amount_msat, memo, message, fee_limit_msat, pass_thru, fiat';

export const insertLine = statement(
  'payout_line_insert',
  `INSERT INTO payout_line (${NEW_LINE}, state) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'pending')`,
  `INSERT INTO payout_line (${NEW_LINE}, state)
    SELECT n.*, 'pending' FROM unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[], $8::bigint[],
      $9::text[], $10::text[]) AS n (${NEW_LINE}) RETURNING 1`,
);

export type LineRow = {
  payoutId: string;
  line: number;
  kind: 'wallet' | 'invoice' | 'link';
  destination: string;
  amountMsat: number;
  memo: string | null;
  message: string | null;
  feeLimitMsat: number | null;
  passThru: string | null;
  fiat: string | null;
  state: LineState;
  paymentRequest: string | null;
  payeeText: string | null;
  successAction: string | null;
  attempts: number;
  failureReason: string | null;
  failureMessage: string | null;
  paymentId: string | null;
  transferId: string | null;
};

const LINE = asFields(
  `payout_id, line, kind, destination, amount_msat, memo, message, fee_limit_msat, pass_thru, fiat, state, payment_request, payee_text,
  success_action, attempts, failure_reason, failure_message, payment_id, transfer_id`,
);

/** Lines with the transfer and the fee of their payment. */
export type ListedLineRow = LineRow & { paymentTransferId: string | null; feeMsat: number | null };

const pageOfLines = (comparison: string, direction: string) =>
  `SELECT l.*, p.transfer_id AS "paymentTransferId", p.fee_msat AS "feeMsat"
   FROM (SELECT ${LINE} FROM payout_line WHERE payout_id = $1 AND line ${comparison} $2 ORDER BY line ${direction} LIMIT $3) AS l
     LEFT JOIN payment p ON p.id = l."paymentId" ORDER BY l.line ${direction}`;

export const linePages = {
  asc: statement<ListedLineRow>('payout_line_page_asc', pageOfLines('>', 'ASC')),
  desc: statement<ListedLineRow>('payout_line_page_desc', pageOfLines('<', 'DESC')),
};

/** Pending lines that are due. One that is planned later than `$3` was planned before the clock was set back. */
export const listDue = statement<LineRow>(
  'payout_line_list_due',
  `SELECT ${LINE} FROM payout_line WHERE payout_id = $1 AND state = 'pending' AND (due_at_ms <= $2 OR due_at_ms > $3) ORDER BY line LIMIT $4`,
);

/** Stores the invoice of a payee before it is paid. */
export const storeInvoice = statement(
  'payout_line_store_invoice',
  `UPDATE payout_line SET payment_request = $3, payee_text = $4, success_action = $5, pass_thru = $6
   WHERE payout_id = $1 AND line = $2 AND state = 'pending' AND payment_request IS NULL`,
);

/** Removes an invoice that has expired and was not paid: no payment of the line exists. */
export const forgetInvoice = statement(
  'payout_line_forget_invoice',
  `UPDATE payout_line SET payment_request = NULL, payee_text = NULL, success_action = NULL
   WHERE payout_id = $1 AND line = $2 AND state = 'pending' AND payment_request = $3`,
);

/** Connects a line with its payment, in the posting that holds the money. The invoice of a link must be the one that is paid. */
export const markSending = statement(
  'payout_line_mark_sending',
  `UPDATE payout_line SET state = 'sending', payment_id = $3
   WHERE payout_id = $1 AND line = $2 AND state = 'pending' AND coalesce(payment_request, '') = $4`,
);

/** Connects a line with its transfer, in the same posting. */
export const markTransferred = statement(
  'payout_line_mark_transferred',
  `UPDATE payout_line SET state = 'paid', transfer_id = $3 WHERE payout_id = $1 AND line = $2 AND state = 'pending'`,
);

export const failLine = statement(
  'payout_line_fail',
  `UPDATE payout_line SET state = 'failed', failure_reason = $3, failure_message = $4
   WHERE payout_id = $1 AND line = $2 AND state = 'pending'`,
);

/** Fails all lines of a payout that have not started. */
export const failPending = statement(
  'payout_line_fail_pending',
  `UPDATE payout_line SET state = 'failed', failure_reason = $2, failure_message = $3 WHERE payout_id = $1 AND state = 'pending'`,
);

export const postponeLine = statement(
  'payout_line_postpone',
  `UPDATE payout_line SET attempts = attempts + $3, due_at_ms = $4 WHERE payout_id = $1 AND line = $2 AND state = 'pending'`,
);

/** Postpones all lines of a payout that have not started. */
export const postponePending = statement(
  'payout_line_postpone_pending',
  `UPDATE payout_line SET due_at_ms = $2 WHERE payout_id = $1 AND state = 'pending' AND due_at_ms < $2`,
);

/** Ends the lines whose payments have ended. A payment that was corrected has reached its payee. */
export const concludeLines = statement(
  'payout_line_conclude',
  `UPDATE payout_line SET
     state = CASE WHEN p.state = 'succeeded' OR p.correction IS NOT NULL THEN 'paid' ELSE 'failed' END,
     failure_reason = CASE WHEN p.state = 'succeeded' OR p.correction IS NOT NULL THEN NULL ELSE p.failure_reason END
   FROM payment p WHERE payout_line.payout_id = $1 AND payout_line.state = 'sending' AND p.id = payout_line.payment_id AND p.state <> 'pending'`,
);
