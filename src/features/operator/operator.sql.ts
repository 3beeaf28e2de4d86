import { listStatements } from '../../core/db/list.ts';
import { statement } from '../../core/db/statement.ts';

export type ActionRow = {
  /** `opa_…` */
  id: string;
  /**
   * `credit` and `return`: for money in suspense. `resolve`: for a pending payment. `drain`, `activate`: for a node. `move`: for a wallet.
   * `settle_held`, `cancel_held`: for a payment that a node holds and the ledger does not know.
   */
  kind: 'credit' | 'return' | 'resolve' | 'drain' | 'activate' | 'move' | 'settle_held' | 'cancel_held';
  state: 'requested' | 'funded' | 'paying' | 'done' | 'refused';
  /** The payment hash of money in suspense or of a held payment, or the id of a payment, a node or a wallet. */
  subject: string;
  /** The wallet to credit, the payment request to pay, the outcome (`settled`, `failed`), the node to move to or that holds the payment; else empty. */
  target: string;
  /** The evidence for `settled`, or that of the held payment. */
  preimage: string | null;
  /** The operator: the key or session, and its account. */
  requested_by: string;
  reason: string;
  /** Unix seconds. */
  requested_at: number;
  ended_at: number | null;
  /** The result, as a sentence. */
  answer: string;
  /** The evidence that was booked. */
  evidence: string | null;
  /** The amount that left suspense. */
  amount_msat: number | null;
  transfer_id: string | null;
  ledger_account: number | null;
  payment_id: string | null;
};

const ACTION = `SELECT id, kind, state, subject, target, preimage, requested_by, reason, requested_at, ended_at, answer, evidence, amount_msat, transfer_id,
  ledger_account, payment_id FROM operator_action`;

export const insertAction = statement(
  'operator_insert',
  `INSERT INTO operator_action (id, kind, state, subject, target, preimage, requested_by, reason, requested_at)
   VALUES ($1, $2, 'requested', $3, $4, $5, $6, $7, $8)`,
);

export const findAction = statement<ActionRow>('operator_find', `${ACTION} WHERE id = $1`);

export const listOpen = statement<ActionRow>('operator_list_open', `${ACTION} WHERE ended_at IS NULL AND id > $1 ORDER BY id LIMIT $2`);

/** Ends an action, unless another instance has executed it or has begun to. */
export const endAction = statement(
  'operator_end',
  `UPDATE operator_action SET state = $2, answer = $3, ended_at = $4 WHERE id = $1 AND state = 'requested'`,
);

const TAKE = `UPDATE operator_action SET amount_msat = $2, transfer_id = $3, ledger_account = $4`;

export const takeAndEnd = statement(
  'operator_take_and_end',
  `${TAKE}, state = 'done', answer = $5, ended_at = $6 WHERE id = $1 AND state = 'requested'`,
);

export const takeForReturn = statement('operator_take_for_return', `${TAKE}, state = 'funded' WHERE id = $1 AND state = 'requested'`);

/** Changes nothing if less is left in suspense for the payment hash. */
export const takeFromSuspense = statement(
  'operator_take_from_suspense',
  'UPDATE unmatched_settlement SET left_msat = left_msat - $2 WHERE payment_hash = $1 AND left_msat >= $2',
);

export const putBackToSuspense = statement(
  'operator_put_back_to_suspense',
  'UPDATE unmatched_settlement SET left_msat = left_msat + $2 WHERE payment_hash = $1',
);

export const beginPaying = statement(
  'operator_begin_paying',
  `UPDATE operator_action SET state = 'paying', payment_id = $2 WHERE id = $1 AND state = 'funded'`,
);

export const endReturn = statement(
  'operator_end_return',
  // The state that was read: another instance may have begun the payment since, which looks like a payment of the same invoice by others.
  `UPDATE operator_action SET state = $2, answer = $3, ended_at = $4, back_msat = $5, back_transfer_id = $6 WHERE id = $1 AND state = $7`,
);

export const storeEvidence = statement(
  'operator_keep_evidence',
  `UPDATE operator_action SET evidence = $2 WHERE id = $1 AND state = 'requested'`,
);

/** With the names of the API's object; `id` is the payment hash. */
export type UnmatchedSettlementRow = {
  id: string;
  created_at: number;
  num_msat: number;
  left_msat: number;
  ln_node_id: string;
  is_keysend: number;
};

const UNMATCHED = `SELECT payment_hash AS id, settled_at AS created_at, amount_msat AS num_msat, node_id AS ln_node_id, is_keysend, left_msat
  FROM unmatched_settlement`;

/**
 * The newest identical action that was not refused. Actions on nodes can be repeated once they have ended, and a credit once money has come
 * back to suspense since.
 */
export const findSame = statement<{ id: string }>(
  'operator_find_same',
  `SELECT id FROM operator_action WHERE subject = $1 AND kind = $2 AND target = $3 AND state <> 'refused' AND (ended_at IS NULL OR kind IN ('return', 'resolve')
     OR kind = 'credit' AND NOT EXISTS (SELECT 1 FROM unmatched_settlement WHERE payment_hash = $1 AND left_msat > 0))
   ORDER BY id DESC LIMIT 1`,
);

export const findUnmatchedSettlement = statement<UnmatchedSettlementRow>('operator_find_unmatched', `${UNMATCHED} WHERE payment_hash = $1`);

/** The pages of settlements without a wallet begin after a time ($1) and a payment hash ($2). */
function listsOfUnmatched(name: string, condition: string) {
  const page = (order: 'asc' | 'desc') =>
    statement<UnmatchedSettlementRow>(
      `operator_list_${name}_${order}`,
      `${UNMATCHED} WHERE ${condition} AND (settled_at, payment_hash) ${order === 'asc' ? '>' : '<'} ($1, $2)
       ORDER BY settled_at ${order}, payment_hash ${order} LIMIT $3`,
    );
  const all = `SELECT 1 AS one FROM unmatched_settlement WHERE ${condition} LIMIT $1`;
  const count = statement<{ n: number }>(`operator_count_${name}`, `SELECT count(*) AS n FROM (${all}) AS listed`);
  return { asc: page('asc'), desc: page('desc'), count };
}

/** Settlements without a wallet of which something is left, or all. */
export const listUnmatched = { open: listsOfUnmatched('unmatched_open', 'left_msat > 0'), all: listsOfUnmatched('unmatched', 'TRUE') };

export const countUnmatchedLeft = statement<{ n: number }>(
  'operator_count_unmatched_left',
  'SELECT count(*) AS n FROM unmatched_settlement WHERE left_msat > 0',
);

export const firstAccount = statement<{ id: string }>('operator_first_account', 'SELECT id FROM account ORDER BY created_at, id LIMIT 1');

/** With the names of the API's object, and what identifies the payment at its node. */
export type PaymentDetailsRow = {
  id: string;
  wallet_id: string;
  wallet_label: string;
  ln_node_id: string;
  payment_hash: string;
  user_label: string;
  num_msat: number;
  held_msat: number;
  is_keysend: number;
  state: 'pending' | 'succeeded' | 'failed';
  failure_reason: string | null;
  created_at: number;
  invoice_id: string | null;
  unclear_since_ms: number | null;
  unclear_checked_ms: number | null;
  is_imported: number;
};

/** An internal payment belongs to the node of its invoice. */
const PAYMENT = `SELECT p.id, p.wallet_id, w.user_label AS wallet_label, coalesce(i.node_id, p.node_id) AS ln_node_id, p.payment_hash, p.user_label,
    p.amount_msat AS num_msat, coalesce(h.amount_msat, 0) AS held_msat, p.is_keysend, p.state, p.failure_reason, p.created_at, p.invoice_id, p.unclear_since_ms, p.unclear_checked_ms,
    p.is_imported
  FROM payment p JOIN wallet w ON w.id = p.wallet_id LEFT JOIN ledger_hold h ON h.id = p.id LEFT JOIN invoice i ON i.id = p.invoice_id`;

/** Pending payments created up to a time ($1). An id after $2 is later for certain: without it, the list of few old payments reads all new ones. */
export const listPendingUntil = listStatements<PaymentDetailsRow>('operator_list_pending_until', {
  select: PAYMENT,
  table: 'payment p',
  where: `p.state = 'pending' AND p.created_at <= $1 AND p.id < $2`,
  filters: 2,
  id: 'p.id',
});

export const findPayment = statement<PaymentDetailsRow>('operator_find_payment', `${PAYMENT} WHERE p.id = $1`);

/** With the names of the API's object. */
export type NodeRow = {
  id: string;
  pubkey: string | null;
  draining: number;
  num_wallets: number;
  open_alerts: number;
  pending_payments: number;
  in_flight_msat: number;
  oldest_pending_at: number | null;
  assets_msat: number | null;
  assets_at: number | null;
};

const lastSampleOf = (column: 'node_msat' | 'sampled_at') =>
  `(SELECT ${column} FROM node_sample s WHERE s.node_id = n.id ORDER BY hour DESC LIMIT 1)`;

/** An internal payment belongs to the node of its invoice. */
export const listNodes = statement<NodeRow>(
  'operator_list_nodes',
  `SELECT n.id, n.pubkey, CASE n.state WHEN 'draining' THEN 1 ELSE 0 END AS draining,
     (SELECT count(*) FROM wallet w WHERE w.node_id = n.id) AS num_wallets,
     (SELECT count(*) FROM alert a WHERE (a.subject = n.id OR a.subject LIKE n.id || ' %') AND a.cleared_at IS NULL) AS open_alerts,
     coalesce(pending.payments, 0) AS pending_payments, coalesce(pending.held_msat, 0) AS in_flight_msat, pending.oldest_at AS oldest_pending_at,
     ${lastSampleOf('node_msat')} AS assets_msat, ${lastSampleOf('sampled_at')} AS assets_at
   FROM lightning_node n LEFT JOIN (
     SELECT coalesce(i.node_id, p.node_id) AS node_id, count(*) AS payments, CAST(sum(h.amount_msat) AS BIGINT) AS held_msat,
       min(p.created_at) AS oldest_at
     FROM payment p JOIN ledger_hold h ON h.id = p.id LEFT JOIN invoice i ON i.id = p.invoice_id
     WHERE p.state = 'pending' GROUP BY coalesce(i.node_id, p.node_id)
   ) AS pending ON pending.node_id = n.id
   ORDER BY n.ledger_account DESC`,
);

export const findNodeState = statement<{ state: 'active' | 'draining' }>(
  'operator_find_node_state',
  'SELECT state FROM lightning_node WHERE id = $1',
);

export const changeNodeState = statement('operator_change_node_state', 'UPDATE lightning_node SET state = $2 WHERE id = $1');

/** The node of a wallet, its ledger account, and the number of its pending payments. */
export const findWalletNode = statement<{ node_id: string; ledger_account: number; pending: number }>(
  'operator_find_wallet_node',
  `SELECT node_id, ledger_account, (SELECT count(*) FROM payment WHERE wallet_id = wallet.id AND state = 'pending') AS pending
   FROM wallet WHERE id = $1`,
);

export const moveWallet = statement('operator_move_wallet', 'UPDATE wallet SET node_id = $2, updated_at = $3 WHERE id = $1');

/** All columns are null after the rate was removed. */
export type FiatRateRow = { currency: string | null; per_btc: string | null; set_at: number | null };

const RATE = 'SELECT currency, per_btc, CASE WHEN currency IS NULL THEN NULL ELSE set_at END AS set_at FROM fiat_rate';

export const findRate = statement<FiatRateRow>('fiat_rate_find', `${RATE} ORDER BY number DESC LIMIT 1`);

export const findRateChange = statement<FiatRateRow>('fiat_rate_find_change', `${RATE} WHERE id = $1`);

export const insertRateChange = statement(
  'fiat_rate_insert',
  'INSERT INTO fiat_rate (id, currency, per_btc, set_at, set_by) VALUES ($1, $2, $3, $4, $5)',
);

export type SampleRow = {
  hour: number;
  at: number;
  assets_msat: number | null;
  liabilities_msat: number;
  suspense_msat: number;
  is_complete: number;
};

/**
 * The samples from an hour ($1) on, oldest first. The assets are the sum of the last samples of all nodes until then; the sample is complete if
 * each of them is of that hour.
 */
export const listSamples = statement<SampleRow>(
  'operator_samples',
  `SELECT l.hour, l.sampled_at AS at, l.customers_msat AS liabilities_msat, l.suspense_msat,
     (SELECT CAST(sum((SELECT s.node_msat FROM node_sample s WHERE s.node_id = n.id AND s.hour <= l.hour ORDER BY s.hour DESC LIMIT 1)) AS BIGINT)
      FROM lightning_node n) AS assets_msat,
     CASE WHEN EXISTS (SELECT 1 FROM lightning_node n
       WHERE NOT EXISTS (SELECT 1 FROM node_sample s WHERE s.node_id = n.id AND s.hour = l.hour)) THEN 0 ELSE 1 END AS is_complete
   FROM ledger_sample l WHERE l.hour >= $1 ORDER BY l.hour`,
);

const deliveriesIn = (states: string) =>
  `(SELECT count(*) FROM (SELECT 1 FROM webhook w CROSS JOIN webhook_delivery d
     WHERE w.status = 'active' AND d.webhook_id = w.id AND d.state IN (${states}) LIMIT $1) AS listed)`;

/** The numbers of webhooks of all accounts, and of waiting deliveries to active webhooks. Deliveries are counted up to $1. */
export const countWebhooks = statement<{ active: number; disabled: number; waiting: number; retrying: number }>(
  'operator_count_webhooks',
  `SELECT (SELECT count(*) FROM webhook WHERE status = 'active') AS active, (SELECT count(*) FROM webhook WHERE status = 'disabled') AS disabled,
     ${deliveriesIn("'queued', 'held', 'claimed', 'retrying'")} AS waiting, ${deliveriesIn("'retrying'")} AS retrying`,
);

/** The number of deliveries to all webhooks that were given up since $1 (Unix milliseconds), up to $2. */
export const countFailedDeliveries = statement<{ n: number }>(
  'operator_count_failed_deliveries',
  `SELECT count(*) AS n FROM (SELECT 1 FROM webhook_delivery WHERE state = 'dead' AND ended_at_ms >= $1 LIMIT $2) AS listed`,
);

const newestOf = (side: 'from' | 'to') =>
  `SELECT * FROM (SELECT position, created_at_ms FROM ledger_transfer
     WHERE ${side}_account = $1 AND ${side}_account <= 1 ORDER BY position DESC LIMIT 1) AS ${side}_rows`;

/** The last transfer to or from the node with the ledger account $1, which is at most 1. */
export const newestOfNode = statement<{ created_at_ms: number }>(
  'operator_newest_of_node',
  `SELECT created_at_ms FROM (${newestOf('from')} UNION ALL ${newestOf('to')}) AS of_all ORDER BY position DESC LIMIT 1`,
);
