import { statement } from '../db/statement.ts';

/*
 * Invoices that their node has cancelled for a payment of another wallet that was not booked then (src/core/payments/pay-at-once.ts). Wallets of this
 * service can still pay them.
 */

/** Settles an open invoice that has not expired at $3 (Unix seconds). Its node has cancelled it. */
// "coalesce" hides the condition from the indexes of open invoices: a plan made while they were few would read all of them, not those by id.
export const settleAtOnce = statement(
  'invoice_settle_at_once',
  `UPDATE invoice SET state = 'settled', received_msat = $2, settled_at = $3
   WHERE id = $1 AND state = 'open' AND expires_at > $3 AND decision IS NULL`,
  `UPDATE invoice SET state = 'settled', received_msat = n.received_msat, settled_at = n.settled_at
    FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS n (id, received_msat, settled_at)
    WHERE invoice.id = n.id AND coalesce(state) = 'open' AND expires_at > n.settled_at AND decision IS NULL RETURNING 1`,
);

/**
 * Records that an invoice that can be paid is closed to outside payers, and the account of the wallet ($2) whose payment was refused; NULL if that is
 * unknown. A known one replaces an unknown one.
 */
export const recordClosedInvoice = statement(
  'closed_invoice_insert',
  `INSERT INTO closed_invoice (invoice_id, account_id, closed_at)
   SELECT id, (SELECT account_id FROM wallet WHERE id = CAST($2 AS TEXT)), $3 FROM invoice WHERE id = $1 AND state = 'open' AND expires_at > $3
   ON CONFLICT (invoice_id) DO UPDATE SET account_id = excluded.account_id, closed_at = excluded.closed_at
     WHERE closed_invoice.account_id IS NULL AND excluded.account_id IS NOT NULL`,
);

export const findClosedInvoice = statement<{ closed_at: number }>(
  'closed_invoice_find',
  'SELECT closed_at FROM closed_invoice WHERE invoice_id = $1',
);
