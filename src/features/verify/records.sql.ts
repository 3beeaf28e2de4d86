import { ID_LENGTH } from '../../core/kernel/ids.ts';

/** What is wrong with the rows that a statement finds, and the statement, which returns their ids. */
export type RecordChecks = Readonly<Record<string, readonly [problem: string, text: string]>>;

/** The text before and after the id of the payment's transfer in a fee line. */
const [BEFORE_SOURCE, AFTER_SOURCE] = ['{"source_transaction":"wtx_', 'o"}'];

/** Compares payments, holds, invoices, budgets and actions with the ledger's transfers. By the names of the statements. */
export const RECORD_CHECKS: RecordChecks = {
  // No foreign key ensures that it does.
  verify_hold_accounts: [
    'its account does not exist',
    'SELECT h.id FROM ledger_hold h LEFT JOIN ledger_account a ON a.id = h.account WHERE a.id IS NULL',
  ],
  // Only payments reserve money; no other code would ever release it.
  verify_hold_payments: [
    'no payment owns this hold',
    'SELECT h.id FROM ledger_hold h LEFT JOIN payment p ON p.id = h.id WHERE p.id IS NULL',
  ],
  // Payments whose state and hold do not belong together. One that was corrected had been booked as failed. An internal payment may have none, if it
  // has succeeded in one posting.
  verify_payment_holds: [
    'its state does not match its hold',
    `SELECT p.id FROM payment p LEFT JOIN ledger_hold h ON h.id = p.id
     WHERE (h.id IS NULL AND (p.state <> 'succeeded' OR p.invoice_id IS NULL OR p.correction IS NOT NULL))
       OR h.state <> CASE WHEN p.state = 'pending' THEN 'open'
       WHEN p.state = 'succeeded' AND p.correction IS NULL THEN 'posted' ELSE 'voided' END`,
  ],
  // A hold covers the amount and the fees that its payment was charged, on the payment's own account.
  verify_payment_reserves: [
    'its hold is on another account, or holds less than the payment took',
    `SELECT p.id FROM payment p JOIN ledger_hold h ON h.id = p.id
     WHERE h.account <> p.ledger_account OR h.amount_msat < p.amount_msat + COALESCE(p.fee_msat, 0) + COALESCE(p.service_fee_msat, 0)`,
  ],
  verify_payment_transfers: [
    'its state does not match its transfer',
    `SELECT p.id FROM payment p LEFT JOIN ledger_transfer t ON t.id = p.transfer_id
     WHERE (p.state = 'succeeded') <> (t.id IS NOT NULL)`,
  ],
  verify_payment_amounts: [
    'its transfer moved another amount, or belongs to another payment',
    `SELECT p.id FROM payment p JOIN ledger_transfer t ON t.id = p.transfer_id
     WHERE t.amount_msat <> p.amount_msat OR t.from_account <> p.ledger_account OR t.from_lntx IS NULL OR t.from_lntx <> p.id`,
  ],
  // A fee is booked in one posting with the amount, so its transfer is the next one.
  verify_payment_fees: [
    'its fee differs from its fee line',
    `SELECT p.id FROM payment p JOIN ledger_transfer t ON t.id = p.transfer_id
     LEFT JOIN ledger_transfer f ON f.position = t.position + 1 AND f.from_account = t.from_account AND f.from_entry = t.from_entry + 1
       AND f.from_type = 'network_fee' AND f.pass_thru = '${BEFORE_SOURCE}' || t.id || '${AFTER_SOURCE}'
     WHERE p.fee_msat IS NULL OR COALESCE(f.amount_msat, 0) <> p.fee_msat`,
  ],
  // Lines that charge a wallet for a payment, or for routing one, and are not those of a payment.
  verify_payment_lines: [
    'no payment owns this line',
    `SELECT l.id FROM ledger_transfer l
     LEFT JOIN payment p ON p.transfer_id = CASE WHEN l.from_type = 'network_fee'
       THEN substr(l.pass_thru, ${BEFORE_SOURCE.length + 1}, ${ID_LENGTH}) ELSE l.id END
     LEFT JOIN ledger_transfer t ON t.id = p.transfer_id
     WHERE (l.from_type = 'network_fee' OR l.from_lntx IS NOT NULL) AND (t.id IS NULL OR t.from_account <> l.from_account
       OR l.from_entry <> t.from_entry + CASE WHEN l.from_type = 'network_fee' THEN 1 ELSE 0 END)`,
  ],
  // Credits of wallets without an owner: money that an invoice or a keysend does not account for. Internal payments credit the invoice
  // that they pay. A transfer between two wallets owns both of its sides. Credits out of suspense are in `verify_suspense_actions`, opening
  // balances in `verify_imports`.
  verify_credits: [
    'no invoice owns this credit',
    `SELECT t.id FROM ledger_transfer t
     LEFT JOIN invoice i ON i.id = t.to_lntx
     LEFT JOIN payment p ON p.id = t.from_lntx
     WHERE t.to_account > 4 AND CASE
       WHEN t.to_lntx IS NULL THEN t.from_account < 3 AND t.to_type IS DISTINCT FROM 'opening_balance'
       WHEN i.id IS NULL THEN true
       WHEN t.from_account <= 1 THEN t.from_lntx IS NOT NULL
       ELSE p.invoice_id IS NULL OR p.invoice_id <> i.id END`,
  ],
  // Fees of the service: each transfer to or from `service_fees` is that of one recorded fee, and the other way round. An import may pay negative
  // balances from them.
  verify_service_fees: [
    'it differs from the recorded fees of the service',
    `SELECT f.transfer_id AS id FROM service_fee f
     LEFT JOIN ledger_transfer t ON t.id = f.transfer_id
     LEFT JOIN ledger_transfer s ON s.id = f.share_transfer_id
     LEFT JOIN wallet w ON w.id = f.wallet_id
     WHERE t.id IS NULL OR t.to_account <> 3 OR t.from_account <> w.ledger_account OR t.amount_msat <> f.amount_msat
       OR (f.share_msat > 0 AND (s.id IS NULL OR s.from_account <> 3 OR s.amount_msat <> f.share_msat))
     UNION ALL
     SELECT t.id FROM ledger_transfer t LEFT JOIN service_fee f ON f.transfer_id = t.id WHERE t.to_account = 3 AND f.transfer_id IS NULL
     UNION ALL
     SELECT t.id FROM ledger_transfer t LEFT JOIN service_fee f ON f.share_transfer_id = t.id
     WHERE t.from_account = 3 AND f.transfer_id IS NULL AND NOT EXISTS (SELECT 1 FROM import_item m WHERE m.forgiven_transfer_id = t.id)`,
  ],
  // Payments that succeeded and were not charged the fee of the service with which they started, or were charged another one.
  verify_payment_service_fees: [
    'the fee of the service differs from the fee that was charged',
    `SELECT p.id FROM payment p LEFT JOIN service_fee f ON f.lntx = p.id
     WHERE p.service_fee_msat IS NOT NULL
       AND CASE WHEN p.state = 'succeeded' THEN f.amount_msat IS NULL OR f.amount_msat <> p.service_fee_msat ELSE f.transfer_id IS NOT NULL END`,
  ],
  // Lines of payouts whose payment or transfer is another one, or that claim more than it.
  verify_payout_lines: [
    'its line of a payout does not match its payment or transfer',
    `SELECT l.payout_id || ' line ' || CAST(l.line AS TEXT) AS id FROM payout_line l JOIN payout o ON o.id = l.payout_id
       JOIN wallet w ON w.id = o.wallet_id
       LEFT JOIN payment p ON p.id = l.payment_id LEFT JOIN ledger_transfer t ON t.id = l.transfer_id
     WHERE (l.payment_id IS NOT NULL AND (p.id IS NULL OR p.wallet_id <> o.wallet_id OR p.amount_msat <> l.amount_msat
         OR (l.state = 'paid' AND p.state <> 'succeeded' AND p.correction IS NULL)
         OR (l.state = 'failed' AND (p.state <> 'failed' OR p.correction IS NOT NULL))))
       OR (l.transfer_id IS NOT NULL AND (t.id IS NULL OR t.amount_msat <> l.amount_msat OR t.from_account <> w.ledger_account))
       OR (o.finished_at IS NOT NULL AND l.state IN ('pending', 'sending'))`,
  ],
  // Opening balances without an imported wallet, and imported wallets that were credited otherwise than with their opening balance.
  verify_imports: [
    'its opening balance differs from what was imported',
    `SELECT t.id FROM ledger_transfer t LEFT JOIN import_item m ON m.transfer_id = t.id LEFT JOIN import_run r ON r.id = m.run_id
     LEFT JOIN lightning_node n ON n.id = r.node_id
     WHERE t.to_type = 'opening_balance' AND (n.id IS NULL OR t.from_account <> n.ledger_account OR t.to_account <> m.ledger_account
       OR t.amount_msat <> m.opening_msat OR t.to_entry <> 1)
     UNION ALL
     SELECT m.made FROM import_item m LEFT JOIN wallet w ON w.id = m.made LEFT JOIN ledger_transfer t ON t.id = m.transfer_id
     WHERE m.kind = 'wallet' AND CASE m.state WHEN 'reserved' THEN w.id IS NOT NULL
       ELSE w.id IS NULL OR w.ledger_account <> m.ledger_account OR (m.opening_msat > 0 AND (t.id IS NULL OR t.to_type <> 'opening_balance')) END
     UNION ALL
     SELECT m.made FROM import_item m LEFT JOIN import_run r ON r.id = m.run_id LEFT JOIN lightning_node n ON n.id = r.node_id
     LEFT JOIN ledger_transfer f ON f.id = m.forgiven_transfer_id
     WHERE m.forgiven_transfer_id IS NOT NULL
       AND (f.id IS NULL OR f.from_account <> 3 OR f.to_account <> n.ledger_account OR f.amount_msat <> m.shortfall_msat)`,
  ],
  // What `restore_difference` paid to a wallet and did not get back is what its payments lacked after a restore.
  verify_shortfalls: [
    'what the wallet lacked after a restore differs from what was booked',
    `SELECT CAST(account AS TEXT) AS id FROM (
       SELECT ledger_account AS account, shortfall_msat AS amount_msat FROM payment WHERE shortfall_msat IS NOT NULL
       UNION ALL
       SELECT to_account, -amount_msat FROM ledger_transfer WHERE from_account = 5
       UNION ALL
       SELECT from_account, amount_msat FROM ledger_transfer WHERE to_account = 5
     ) AS counted
     GROUP BY account HAVING sum(amount_msat) <> 0`,
  ],
  // Amounts that the node paid into suspense more or less often than settlements for no wallet are recorded.
  verify_suspense: [
    'the amount that arrived for no wallet differs from the booked amount',
    `SELECT CAST(amount_msat AS TEXT) || ' msat in suspense' AS id FROM (
       SELECT amount_msat, 1 AS n FROM unmatched_settlement
       UNION ALL
       SELECT amount_msat, -1 FROM ledger_transfer WHERE to_account = 4 AND from_account <= 1
     ) AS counted
     GROUP BY amount_msat HAVING sum(n) <> 0`,
  ],
  verify_suspense_actions: [
    'no operator action owns this transfer of suspense',
    `SELECT t.id FROM ledger_transfer t
     LEFT JOIN operator_action o ON o.transfer_id = t.id
     LEFT JOIN operator_action b ON b.back_transfer_id = t.id
     WHERE (t.from_account = 4 AND o.id IS NULL) OR (t.to_account = 4 AND t.from_account > 1 AND b.id IS NULL)`,
  ],
  verify_actions: [
    'its transfers differ from the operator’s action',
    `SELECT a.id FROM operator_action a
     LEFT JOIN ledger_transfer t ON t.id = a.transfer_id
     LEFT JOIN ledger_transfer b ON b.id = a.back_transfer_id
     LEFT JOIN payment p ON p.id = a.payment_id
     WHERE CASE WHEN a.transfer_id IS NULL THEN a.back_msat IS NOT NULL OR (a.kind IN ('credit', 'return') AND a.state = 'done')
         ELSE t.id IS NULL OR a.kind NOT IN ('credit', 'return') OR t.from_account <> 4 OR t.to_account <> a.ledger_account OR t.amount_msat <> a.amount_msat END
       OR CASE WHEN a.back_transfer_id IS NULL THEN false
         ELSE b.id IS NULL OR b.to_account <> 4 OR b.from_account <> a.ledger_account OR b.amount_msat <> a.back_msat END
       OR (a.kind = 'return' AND a.state = 'done' AND (p.id IS NULL OR p.state <> 'succeeded'))`,
  ],
  verify_suspense_left: [
    'more was moved out of suspense than had arrived',
    `SELECT a.subject AS id FROM operator_action a LEFT JOIN unmatched_settlement s ON s.payment_hash = a.subject
     WHERE a.amount_msat IS NOT NULL
     GROUP BY a.subject, s.amount_msat
     HAVING s.amount_msat IS NULL OR sum(a.amount_msat - COALESCE(a.back_msat, 0)) > s.amount_msat`,
  ],
  verify_suspense_stored: [
    'what is left in suspense differs from what operators moved',
    `SELECT s.payment_hash AS id FROM unmatched_settlement s
     WHERE s.left_msat <> s.amount_msat - (SELECT COALESCE(sum(a.amount_msat - COALESCE(a.back_msat, 0)), 0) FROM operator_action a
       WHERE a.subject = s.payment_hash AND a.amount_msat IS NOT NULL)`,
  ],
  // Payments that an operator ended and whose state differs from the action's. A failure may have been corrected since.
  verify_action_payments: [
    'the payment differs from the operator’s action',
    `SELECT a.id FROM operator_action a LEFT JOIN payment p ON p.id = a.subject LEFT JOIN invoice i ON i.id = a.subject
     LEFT JOIN settlement s ON s.payment_hash = a.subject LEFT JOIN arriving_payment r ON r.payment_hash = a.subject
     WHERE a.kind = 'resolve' AND a.state = 'done' AND (a.evidence IS NULL OR CASE
       WHEN i.id IS NOT NULL THEN i.state <> 'settled' AND (a.target = 'settled' OR i.state <> 'failed')
       WHEN s.payment_hash IS NOT NULL THEN false
       WHEN r.payment_hash IS NOT NULL THEN a.target = 'settled' OR r.state <> 'failed'
       WHEN p.id IS NULL THEN true
       WHEN a.target = 'settled' THEN p.state <> 'succeeded' ELSE p.state <> 'failed' AND p.correction IS NULL END)`,
  ],
  verify_invoice_transfers: [
    'it was not credited exactly once with the received amount',
    `SELECT i.id FROM invoice i LEFT JOIN ledger_transfer t ON t.to_lntx = i.id
     GROUP BY i.id, i.state, i.received_msat, i.ledger_account
     HAVING count(t.id) <> CASE WHEN i.state = 'settled' THEN 1 ELSE 0 END OR max(t.amount_msat) <> i.received_msat
       OR max(t.to_account) <> i.ledger_account`,
  ],
  // Reported payments, and invoices that are arriving or never arrived, that do not belong together.
  verify_arriving_payments: [
    'its state differs from that of its invoice, or it was credited although it is not final',
    `SELECT a.payment_hash AS id FROM arriving_payment a LEFT JOIN invoice i ON i.id = a.invoice_id
     LEFT JOIN settlement s ON s.payment_hash = a.payment_hash
     WHERE (a.is_credited = 1) <> (s.payment_hash IS NOT NULL)
       OR (a.invoice_id IS NOT NULL AND (i.id IS NULL OR i.state <> CASE a.is_credited WHEN 1 THEN 'settled' ELSE a.state END
         OR i.payment_hash <> a.payment_hash OR i.received_msat <> a.amount_msat))
     UNION ALL
     SELECT i.id FROM invoice i LEFT JOIN arriving_payment a ON a.invoice_id = i.id
     WHERE i.state IN ('arriving', 'failed') AND (a.payment_hash IS NULL OR a.state <> i.state)`,
  ],
  // Hold invoices and the payments of other wallets that they hold or held, whose states do not belong together. A payment from outside may have
  // settled an invoice whose internal payment then failed.
  verify_held_invoices: [
    'its state does not match that of the payment that it held',
    `SELECT i.id FROM invoice i LEFT JOIN payment p ON p.id = i.held_payment_id AND p.invoice_id = i.id
     LEFT JOIN settlement s ON s.payment_hash = i.payment_hash
     WHERE i.held_payment_id IS NOT NULL AND (p.id IS NULL OR CASE i.state
       WHEN 'held' THEN p.state <> 'pending' OR p.amount_msat <> i.held_msat
       WHEN 'canceled' THEN p.state <> 'failed'
       ELSE p.state <> 'succeeded' AND s.payment_hash IS NULL END)`,
  ],
  // Payments over the network whose money left another node than theirs.
  verify_payment_nodes: [
    'its money left another node than its own',
    `SELECT p.id FROM payment p JOIN ledger_transfer t ON t.id = p.transfer_id
     LEFT JOIN lightning_node n ON n.id = p.node_id
     WHERE p.invoice_id IS NULL AND (n.id IS NULL OR n.ledger_account <> t.to_account)`,
  ],
  // Invoices paid from outside whose money arrived at another node than theirs.
  verify_invoice_nodes: [
    'its money arrived at another node than its own',
    `SELECT i.id FROM invoice i JOIN ledger_transfer t ON t.to_lntx = i.id
     LEFT JOIN lightning_node n ON n.id = i.node_id
     WHERE t.from_account <= 1 AND (n.id IS NULL OR n.ledger_account <> t.from_account)`,
  ],
  // Withdraw links whose uses are not those of their claims that are pending or were paid.
  verify_withdraw_links: [
    'its remaining uses do not match its claims',
    `SELECT l.id FROM withdraw_link l
     LEFT JOIN payment p ON p.link_id = l.id AND (p.state <> 'failed' OR p.correction IS NOT NULL)
     GROUP BY l.id, l.uses, l.uses_left, l.overused HAVING count(p.id) <> l.uses - l.uses_left + l.overused`,
  ],
  // Withdraw links whose counters of a day are not the sums of their claims. Claims are subtracted from the counters; the rest must be zero.
  verify_withdraw_link_days: [
    'the counters of a day do not match its claims',
    `SELECT link_id AS id FROM (
       SELECT link_id, day_start, claims, pending_msat, spent_msat, claimed_msat FROM withdraw_link_day
       UNION ALL
       SELECT c.link_id, c.day_start, CASE WHEN p.state <> 'failed' OR p.correction IS NOT NULL THEN -1 ELSE 0 END,
         CASE WHEN p.state = 'pending' THEN -c.reserved_msat ELSE 0 END,
         CASE WHEN p.state = 'succeeded' THEN -(p.amount_msat + p.fee_msat + coalesce(p.service_fee_msat, 0)) ELSE 0 END,
         CASE WHEN p.state = 'succeeded' OR p.correction IS NOT NULL THEN -p.amount_msat ELSE 0 END
       FROM withdraw_claim c JOIN payment p ON p.id = c.payment_id
     ) AS counted
     GROUP BY link_id, day_start
     HAVING sum(claims) <> 0 OR sum(pending_msat) <> 0 OR sum(spent_msat) <> 0 OR sum(claimed_msat) <> 0`,
  ],
  // Withdraw links whose figures are not the sums of their claims that were paid.
  verify_withdraw_link_figures: [
    'its claimed amount or the time of its last claim does not match its claims',
    `SELECT l.id FROM withdraw_link l
     LEFT JOIN payment p ON p.link_id = l.id AND (p.state = 'succeeded' OR p.correction IS NOT NULL)
     GROUP BY l.id, l.claimed_msat, l.last_claimed_at
     HAVING l.claimed_msat <> coalesce(sum(p.amount_msat), 0) OR coalesce(l.last_claimed_at, 0) <> coalesce(max(p.created_at), 0)`,
  ],
  // Pay links whose figures are not the sums of their invoices that were paid.
  verify_pay_link_totals: [
    'its payments, their sum or the time of the last one do not match its paid invoices',
    `SELECT id FROM (
       SELECT link_id AS id, payments, received_msat, last_paid_at FROM pay_link_total
       UNION ALL
       SELECT p.link_id, -count(*), -sum(i.received_msat), -max(i.settled_at) FROM pay_link_invoice p JOIN invoice i ON i.id = p.invoice_id
       WHERE i.state = 'settled' GROUP BY p.link_id
     ) AS counted
     GROUP BY id HAVING sum(payments) <> 0 OR sum(received_msat) <> 0 OR sum(last_paid_at) <> 0`,
  ],
  // Payments that claim a withdraw link without counting on the day on which they were created.
  verify_withdraw_claims: [
    'it claims a withdraw link and does not count on its day',
    `SELECT p.id FROM payment p LEFT JOIN withdraw_claim c ON c.payment_id = p.id
     WHERE p.link_id IS NOT NULL AND (c.payment_id IS NULL OR c.link_id <> p.link_id OR c.day_start <> p.created_at - p.created_at % 86400)`,
  ],
  // Limits whose counters are not those of the pending payments that count in them.
  verify_limits: [
    'the pending amount counted against its limits is not the sum of its pending payments',
    `SELECT l.owner_id AS id FROM spending_limit l LEFT JOIN payment p
       ON p.state = 'pending' AND ' ' || p.limit_owners || ' ' LIKE '% ' || l.owner_id || ' %'
     GROUP BY l.owner_id, l.pending_msat, l.pending_count
     HAVING l.pending_msat <> coalesce(sum(p.amount_msat), 0) OR l.pending_count <> count(p.id)`,
  ],
  // A wallet counts in the limits of itself, of its account and of the accounts above that have any, and in no others.
  verify_limit_owners: [
    'it does not count in the limits of its owners',
    `SELECT w.id FROM wallet w JOIN account a ON a.id = w.account_id
       LEFT JOIN spending_limit l ON l.owner_id = w.id OR l.owner_id = a.id OR ' ' || a.ancestors || ' ' LIKE '% ' || l.owner_id || ' %'
     WHERE w.limit_owners <> '' OR l.owner_id IS NOT NULL
     GROUP BY w.id, w.limit_owners
     HAVING length(w.limit_owners) <> coalesce(sum(length(l.owner_id) + 1), 1) - 1
       OR sum(CASE WHEN ' ' || w.limit_owners || ' ' LIKE '% ' || l.owner_id || ' %' THEN 0 ELSE 1 END) > CASE WHEN w.limit_owners = '' THEN 1 ELSE 0 END`,
  ],
  // Budgets whose counters are not the sums of their payments and transfers. All of them are subtracted from the counters; the rest must be
  // zero.
  verify_key_spending: [
    'the amount counted against its budget is not the sum of its payments and transfers',
    `SELECT lineage_id AS id FROM (
       SELECT lineage_id, period_start, pending_msat, spent_msat FROM key_spending
       UNION ALL
       SELECT budget_lineage_id, budget_period_start, CASE WHEN state = 'pending' THEN -budget_reserved_msat ELSE 0 END,
         CASE WHEN state = 'succeeded' THEN -(amount_msat + fee_msat + coalesce(service_fee_msat, 0)) ELSE 0 END
       FROM payment WHERE budget_lineage_id IS NOT NULL
       UNION ALL
       SELECT k.lineage_id, k.period_start, 0, -k.cost_msat FROM key_transfer k
     ) AS counted
     GROUP BY lineage_id, period_start HAVING sum(pending_msat) <> 0 OR sum(spent_msat) <> 0`,
  ],
};
