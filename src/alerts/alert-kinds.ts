/**
 * The closed table of what Satchel alerts its operator about, and what to do then. The command `npm run reconcile` shows these
 * words; docs/operations.md says more.
 */
export const ALERT_KINDS = {
  payment_stuck: {
    meaning: 'A payment has been pending for longer than STUCK_PAYMENT_SECONDS; its money stays reserved.',
    todo: 'Look for the payment hash on the node. It ends by itself once the node says settled or failed. Never refund it by hand before.',
  },
  payment_contradicted: {
    meaning: 'The ledger and the node say different things about how a payment ended.',
    todo: 'Find out on the node whether the money left. If it left and the wallet was refunded, the difference is the operator’s to claim back. It closes when both agree; what can never agree, with --seen <payment>.',
  },
  payment_corrected: {
    meaning: 'A payment that was booked as failed went through after all, and was booked again as what it is.',
    todo: 'Tell the customer. The message says who bears it. Then: npm run reconcile -- --seen <payment>.',
  },
  fee_above_limit: {
    meaning: 'The node paid more for routing than it was allowed; the wallet paid its limit, the operator bears the rest.',
    todo: 'Find out why the node ignores its fee limit, and stop withdrawals if it happens again. Then: npm run reconcile -- --seen <payment>.',
  },
  invoice_contradicted: {
    meaning: 'A wallet was credited for an invoice that the node does not call paid, or with another amount.',
    todo: 'Find the payment hash on the node. If the money is not there, stop withdrawals of that wallet and look at how it was credited.',
  },
  settlement_unbooked: {
    meaning: 'The node was paid for an invoice, and the ledger could not book it.',
    todo: 'Read the log for the reason, often a full disk. It is tried again by every reconciliation.',
  },
  node_balance_fell: {
    meaning: 'Money left the node without an entry in the ledger.',
    todo: 'If you closed a channel or moved the node’s own money, accept the balance: npm run reconcile -- --new-baseline --reason "…". Otherwise stop withdrawals and find where it went.',
  },
  event_unbooked: {
    meaning: 'The node reported something that could not be booked. It is kept and tried again; everything after it is booked.',
    todo: 'Read the message and the log for the reason. The alert clears itself once everything that was kept is booked.',
  },
  node_restored: {
    meaning: 'The node was restored from an older backup: it does not have the event up to which its events were read.',
    todo: 'All events are read again, and all unsettled invoices are compared; nothing is credited twice. Look through the payments that stay pending: the node may have forgotten them although the money left. Then: npm run reconcile -- --seen node.',
  },
  node_holds_less: {
    meaning: 'The node has less money than the ledger owes, beyond what is in flight.',
    todo: 'Stop withdrawals, and find where the money went. It closes when the node has enough.',
  },
  suspense_not_empty: {
    meaning: 'Money arrived for no wallet.',
    todo: 'npm run suspense lists it. Assign it to a wallet, or return it to its payer. It closes when suspense is empty.',
  },
  node_silent: {
    meaning: 'The node did not answer, so nothing could be compared with it. Nothing is concluded from silence.',
    todo: 'Check that the node runs and can be reached. Payments wait until it answers.',
  },
} as const satisfies Record<string, { meaning: string; todo: string }>;

export type AlertKind = keyof typeof ALERT_KINDS;
