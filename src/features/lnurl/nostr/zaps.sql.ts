import { statement } from '../../../core/db/statement.ts';

export const insertZap = statement('zap_insert', 'INSERT INTO zap (invoice_id, request) VALUES ($1, $2)');

export type DueReceipt = {
  readonly invoice_id: string;
  /** The zap request, JSON as received. */
  readonly request: string;
  readonly attempts: number;
  /** Bit n: relay n of the request needs no further attempt. */
  readonly done_relays: number;
  readonly payment_request: string;
  /** Unix seconds. */
  readonly settled_at: number;
};

/** Returns receipts that are due, the new ones first. */
export const listDueReceipts = statement<DueReceipt>(
  'zap_list_due',
  `SELECT z.invoice_id, z.request, z.attempts, z.done_relays, i.payment_request, i.settled_at
   FROM zap z JOIN invoice i ON i.id = z.invoice_id WHERE z.due_at <= $1 AND i.settled_at IS NOT NULL ORDER BY z.due_at, z.invoice_id LIMIT $2`,
);

/** Stores the result of an attempt. Changes nothing if another instance has stored it. */
export const storeAttempt = statement(
  'zap_store_attempt',
  'UPDATE zap SET due_at = $3, done_relays = $4, attempts = attempts + 1 WHERE invoice_id = $1 AND attempts = $2',
);
