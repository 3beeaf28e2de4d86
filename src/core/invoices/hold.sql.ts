import { statement } from '../db/statement.ts';
import type { InvoiceRow } from './invoice.ts';
import { INVOICE_FIELDS } from './invoices.sql.ts';

/**
 * Returns the switch if hold invoices are allowed. Postings that hold a payment lock it, and so does a stop: they count what is held one after the
 * other. Only such postings wait for this lock.
 */
export const lockSwitch = statement<{ id: string }>(
  'hold_switch_lock',
  'SELECT id FROM hold_switch WHERE id = ANY($1::text[]) AND stopped_at IS NULL FOR UPDATE',
);

/** What is held in the wallet, in the account, and at the node of a row of a table. The index of held payments has them all, and they are few. */
const held = (of: string) => ({
  inWallet: `(SELECT count(*) FROM invoice h WHERE h.state = 'held' AND h.ledger_account = ${of}.ledger_account)`,
  inAccount: `(SELECT count(*) FROM invoice h WHERE h.state = 'held' AND h.account_id = ${of}.account_id)`,
  atNode: `(SELECT count(*) FROM invoice h WHERE h.state = 'held' AND h.node_id = ${of}.node_id AND h.held_payment_id IS NULL)`,
});
const { inWallet, inAccount, atNode } = held('invoice');

export type HoldSwitchRow = { stopped_at: number | null; reason: string };

export const readSwitch = statement<HoldSwitchRow>('hold_switch_read', "SELECT stopped_at, reason FROM hold_switch WHERE id = 'all'");

/** Waits for the postings that have locked the switch. A further stop replaces the reason. */
export const stop = statement(
  'hold_switch_stop',
  "UPDATE hold_switch SET stopped_at = coalesce(stopped_at, $1), stopped_by = $2, reason = $3 WHERE id = 'all'",
);

export const allow = statement(
  'hold_switch_allow',
  "UPDATE hold_switch SET stopped_at = NULL, stopped_by = NULL WHERE id = 'all' AND stopped_at IS NOT NULL",
);

export type LeftHoldRow = {
  id: string;
  wallet_id: string;
  node_id: string;
  state: 'held' | 'arriving';
  held_msat: number;
  held_until: number;
  decision: string | null;
};

/** The payments of hold invoices that have HTLCs at a node: those that wait, and those that are settled and not final. */
export const listLeft = statement<LeftHoldRow>(
  'invoice_hold_list_left',
  `SELECT id, wallet_id, node_id, state, held_msat, held_until, decision FROM invoice WHERE state = 'held' AND held_payment_id IS NULL
   UNION ALL
   SELECT i.id, i.wallet_id, i.node_id, a.state, i.held_msat, i.held_until, i.decision
   FROM arriving_payment a JOIN invoice i ON i.id = a.invoice_id WHERE a.state = 'arriving' AND i.is_hold = 1
   ORDER BY id LIMIT $1`,
);

/** The hold invoices that can be paid, or could until a time. */
export const countOpen = statement<{ n: number }>(
  'invoice_hold_count_open',
  "SELECT count(*) AS n FROM invoice WHERE state = 'open' AND is_hold = 1 AND expires_at > $1",
);

export type HeldCounts = { in_wallet: number; in_account: number; at_node: number };

/** The payments that are held in a wallet, in its account, and at its node. */
export const countHeld = statement<HeldCounts>(
  'invoice_hold_count',
  `SELECT ${held('w').inWallet} AS in_wallet, ${held('w').inAccount} AS in_account, ${held('w').atNode} AS at_node FROM wallet w WHERE w.id = $1`,
);

/** A payment from outside waits at the node. `$2`: the amount, then since when, and until when, and the limits. */
export const markHeld = statement(
  'invoice_hold',
  `UPDATE invoice SET state = 'held', held_msat = $2, held_at = $3, held_until = $4, expiry_reported = 0
   WHERE id = $1 AND state = 'open' AND is_hold = 1 AND ${inWallet} < $5 AND ${inAccount} < $6 AND ${atNode} < $7`,
);

/** A payment from outside has arrived that may not wait, because a limit is reached: the service returns it. */
export const refuseHeld = statement(
  'invoice_hold_refuse',
  `UPDATE invoice SET held_msat = $2, held_at = $3, held_until = $3, decision = 'expire'
   WHERE id = $1 AND state = 'open' AND is_hold = 1 AND decision IS NULL AND (${inWallet} >= $4 OR ${inAccount} >= $5 OR ${atNode} >= $6)`,
);

/** The money of a payment `$5` of another wallet waits. No outside payer can pay the invoice any more. The limits follow; that of the node is for others. */
export const markHeldInternally = statement(
  'invoice_hold_inside',
  `UPDATE invoice SET state = 'held', held_msat = $2, held_at = $3, held_until = $4, held_payment_id = $5, expiry_reported = 0
   WHERE id = $1 AND state = 'closing' AND is_hold = 1
     AND ${inWallet} < $6 AND ${inAccount} < $7`,
);

/** Blocks were found faster than expected. */
export const moveDeadline = statement(
  'invoice_hold_move_deadline',
  `UPDATE invoice SET held_until = $2 WHERE id = $1 AND state = 'held' AND held_until > $2`,
);

/** Stores what is to become of an unpaid invoice or a payment from outside, before the node is called. Changes nothing after another decision. */
export const decide = statement(
  'invoice_hold_decide',
  `UPDATE invoice SET decision = $2, preimage = $3
   WHERE id = $1 AND (state = 'held' OR (state = 'open' AND $2 = 'cancel')) AND is_hold = 1 AND held_payment_id IS NULL AND decision IS NULL`,
);

/** The invoice can no longer be paid, and a payment from outside went back to its payer. Without a decision, the node has sent it back. */
export const cancelHeld = statement(
  'invoice_hold_cancel',
  `UPDATE invoice SET state = 'canceled', decision = CASE WHEN decision = 'cancel' THEN decision ELSE 'expire' END
   WHERE id = $1 AND (state = 'held' OR (state = 'open' AND decision IN ('cancel', 'expire'))) AND held_payment_id IS NULL`,
);

/** The node has cancelled an invoice that was lost with the database. */
export const cancelRecovered = statement(
  'invoice_hold_cancel_recovered',
  `UPDATE invoice SET state = 'canceled', decision = 'cancel' WHERE id = $1 AND state = 'open' AND is_hold = 1`,
);

export const settleHeldInternally = statement(
  'invoice_hold_settle_inside',
  `UPDATE invoice SET state = 'settled', received_msat = held_msat, settled_at = $3, preimage = $4, decision = 'settle'
   WHERE id = $1 AND state = 'held' AND held_payment_id = $2`,
);

export const cancelHeldInternally = statement(
  'invoice_hold_cancel_inside',
  `UPDATE invoice SET state = 'canceled', decision = $3 WHERE id = $1 AND state = 'held' AND held_payment_id = $2`,
);

/** The newest hold invoices of a node that can be paid, or could until a time. */
export const listOpen = statement<InvoiceRow>(
  'invoice_hold_list_open',
  `SELECT ${INVOICE_FIELDS} FROM invoice WHERE node_id = $1 AND state = 'open' AND is_hold = 1 AND expires_at > $2 AND created_at > $3
   ORDER BY expires_at DESC LIMIT $4`,
);

/** A page of them, in the order of their expiry. */
export const listOpenAfter = statement<InvoiceRow>(
  'invoice_hold_list_open_after',
  `SELECT ${INVOICE_FIELDS} FROM invoice WHERE node_id = $1 AND state = 'open' AND is_hold = 1
     AND (expires_at > $2 OR (expires_at = $2 AND id > $3)) ORDER BY expires_at, id LIMIT $4`,
);

/** A page of the invoices of a node whose payment waits. */
export const listHeld = statement<InvoiceRow>(
  'invoice_hold_list_held',
  `SELECT ${INVOICE_FIELDS} FROM invoice WHERE node_id = $1 AND state = 'held' AND id > $2 ORDER BY id LIMIT $3`,
);
