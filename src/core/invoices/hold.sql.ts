import { statement } from '../db/statement.ts';
import type { InvoiceRow } from './invoice.ts';
import { INVOICE_FIELDS } from './invoices.sql.ts';

/** A payment from outside waits at the node. `$2`: the amount, then since when, and until when. */
export const markHeld = statement(
  'invoice_hold',
  `UPDATE invoice SET state = 'held', held_msat = $2, held_at = $3, held_until = $4, expiry_reported = 0
   WHERE id = $1 AND state = 'open' AND is_hold = 1`,
);

/** The money of a payment `$5` of another wallet waits. No outside payer can pay the invoice any more. */
export const markHeldInternally = statement(
  'invoice_hold_inside',
  `UPDATE invoice SET state = 'held', held_msat = $2, held_at = $3, held_until = $4, held_payment_id = $5, expiry_reported = 0
   WHERE id = $1 AND state = 'closing' AND is_hold = 1`,
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
   WHERE id = $1 AND (state = 'held' OR (state = 'open' AND decision = 'cancel')) AND held_payment_id IS NULL`,
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
