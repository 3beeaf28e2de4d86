import { statement } from '../../core/db/statement.ts';

export type ComparedPayment = {
  id: string;
  wallet_id: string;
  node_id: string;
  state: 'pending' | 'succeeded' | 'failed';
  payment_hash: string;
  amount_msat: number;
  created_at: number;
  unclear_since_ms: number | null;
  unclear_checked_ms: number | null;
  /** 1 if another program sent it. */
  is_imported: number;
  invoice_id: string | null;
  /** Set when the node reported success after failure. Then the success is booked in every state. */
  correction: 'charged' | 'borne' | null;
  /** 1 if an operator ended it with evidence. */
  resolved: number;
};

const PAYMENT = `p.id, p.wallet_id, p.node_id, p.state, p.payment_hash, p.amount_msat, p.created_at, p.unclear_since_ms, p.unclear_checked_ms, p.is_imported, p.invoice_id,
  p.correction,
  CASE WHEN EXISTS (SELECT 1 FROM operator_action a WHERE a.subject = p.id AND a.kind = 'resolve' AND a.state = 'done') THEN 1 ELSE 0 END
    AS resolved`;

/** Pending payments of a node, oldest first. An internal one belongs to the node of its invoice; a hold invoice may hold it for long. */
export const pendingPayments = statement<ComparedPayment>(
  'reconcile_pending_payments',
  `SELECT ${PAYMENT} FROM payment p LEFT JOIN invoice i ON i.id = p.invoice_id
   WHERE p.state = 'pending' AND coalesce(i.node_id, p.node_id) = $1 AND coalesce(i.state, '') <> 'held' AND p.id > $2 ORDER BY p.id LIMIT $3`,
);

export const paymentsAfter = statement<ComparedPayment>(
  'reconcile_payments_after',
  `SELECT ${PAYMENT} FROM payment p WHERE p.node_id = $1 AND p.id > $2 ORDER BY p.id LIMIT $3`,
);

export const findPayment = statement<ComparedPayment>('reconcile_payment', `SELECT ${PAYMENT} FROM payment p WHERE p.id = $1`);

export const rememberPending = statement(
  'reconcile_remember',
  'INSERT INTO reconciliation_pending (payment_id) VALUES ($1) ON CONFLICT DO NOTHING',
);

/** Payments that were remembered as pending and have ended since. */
export const endedSince = statement<ComparedPayment>(
  'reconcile_ended_since',
  `SELECT ${PAYMENT}
   FROM reconciliation_pending r JOIN payment p ON p.id = r.payment_id
   WHERE p.state <> 'pending' AND p.node_id = $1 AND r.payment_id > $2 ORDER BY r.payment_id LIMIT $3`,
);

export const forgetPending = statement('reconcile_forget', 'DELETE FROM reconciliation_pending WHERE payment_id = $1');

export type ComparedInvoice = {
  id: string;
  wallet_id: string;
  node_id: string;
  state: string;
  expires_at: number | null;
  payment_hash: string;
  received_msat: number | null;
  /** 1 if an internal payment settled it. */
  inside: number;
  /** The amount that arrived for its payment hash and was booked to suspense. */
  unmatched_msat: number | null;
  /** 1: the node reported a payment of it that never arrived. It may be credited nevertheless (CREDIT_BEFORE_FINAL_MSAT). */
  never_arrived: number;
};

const INVOICE = `i.id, i.wallet_id, i.node_id, i.state, i.expires_at, i.payment_hash, i.received_msat,
  CASE WHEN EXISTS (SELECT 1 FROM payment p WHERE p.payment_hash = i.payment_hash AND p.invoice_id = i.id AND p.state = 'succeeded')
    THEN 1 ELSE 0 END AS inside,
  (SELECT s.amount_msat FROM unmatched_settlement s WHERE s.payment_hash = i.payment_hash) AS unmatched_msat,
  CASE WHEN EXISTS (SELECT 1 FROM arriving_payment a WHERE a.invoice_id = i.id AND a.state = 'failed') THEN 1 ELSE 0 END AS never_arrived`;

export const invoicesAfter = statement<ComparedInvoice>(
  'reconcile_invoices_after',
  `SELECT ${INVOICE} FROM invoice i WHERE i.node_id = $1 AND i.id > $2 ORDER BY i.id LIMIT $3`,
);

export const unsettledInvoicesAfter = statement<ComparedInvoice>(
  'reconcile_unsettled_invoices_after',
  `SELECT ${INVOICE} FROM invoice i WHERE i.node_id = $1 AND i.state <> 'settled' AND i.id > $2 ORDER BY i.id LIMIT $3`,
);

export const findInvoice = statement<ComparedInvoice>('reconcile_invoice', `SELECT ${INVOICE} FROM invoice i WHERE i.id = $1`);

/**
 * The sum of the holds of a node's pending payments over the network, the most that may have left the node and is not booked yet, and of the
 * payments that were credited and may not have arrived yet (CREDIT_BEFORE_FINAL_MSAT).
 */
export const sumInFlight = statement<{ in_flight_msat: number }>(
  'reconcile_in_flight',
  `SELECT CAST(COALESCE(sum(h.amount_msat), 0) + (SELECT COALESCE(sum(a.amount_msat), 0) FROM arriving_payment a
     WHERE a.state = 'arriving' AND a.is_credited = 1 AND a.node_id = $1) AS BIGINT) AS in_flight_msat
   FROM payment p JOIN ledger_hold h ON h.id = p.id
   WHERE p.state = 'pending' AND p.invoice_id IS NULL AND p.node_id = $1`,
);

/** Those payments that began until a time, with their holds, oldest first. */
export const heldPayments = statement<
  Pick<ComparedPayment, 'id' | 'payment_hash' | 'unclear_since_ms' | 'unclear_checked_ms' | 'invoice_id' | 'is_imported'> & {
    held_msat: number;
  }
>(
  'reconcile_held_payments',
  `SELECT p.id, p.payment_hash, p.unclear_since_ms, p.unclear_checked_ms, p.is_imported, p.invoice_id, h.amount_msat AS held_msat
   FROM payment p JOIN ledger_hold h ON h.id = p.id
   WHERE p.state = 'pending' AND p.invoice_id IS NULL AND p.node_id = $1 AND p.created_at <= $2 ORDER BY p.id LIMIT $3`,
);

export const lastPosition = statement<{ position: number }>(
  'reconcile_last_position',
  'SELECT CAST(COALESCE(max(position), 0) AS BIGINT) AS position FROM ledger_transfer',
);

/**
 * The amount that the ledger booked to and from the node after a position ($1) and after an entry ($2) of the node's account ($3).
 * PostgreSQL may commit a lower position later, so the search starts before the position.
 */
export const movedAtNode = statement<{ moved_msat: number }>(
  'reconcile_moved_at_node',
  `SELECT CAST(COALESCE(sum(amount_msat), 0) AS BIGINT) AS moved_msat FROM ledger_transfer
   WHERE position > $1 - 10000 AND ((from_account = $3 AND from_entry > $2) OR (to_account = $3 AND to_entry > $2))`,
);

export const insertBaseline = statement(
  'reconcile_insert_baseline',
  `INSERT INTO node_baseline (id, node_id, accepted_at, accepted_by, reason, node_msat, baseline_msat, rose_msat, fell_msat)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

export const storeLedgerSample = statement(
  'reconcile_sample_ledger',
  `INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (hour) DO UPDATE SET sampled_at = excluded.sampled_at, customers_msat = excluded.customers_msat,
     suspense_msat = excluded.suspense_msat`,
);

export const storeNodeSample = statement(
  'reconcile_sample_node',
  `INSERT INTO node_sample (hour, node_id, sampled_at, node_msat) VALUES ($1, $2, $3, $4)
   ON CONFLICT (node_id, hour) DO UPDATE SET sampled_at = excluded.sampled_at, node_msat = excluded.node_msat`,
);

/** The nodes of the wallets with these ledger accounts. */
export const nodesOfAccounts = statement<{ account: number; node_id: string }>(
  'reconcile_nodes_of_accounts',
  'SELECT ledger_account AS account, node_id FROM wallet WHERE ledger_account = ANY($1::bigint[])',
);
