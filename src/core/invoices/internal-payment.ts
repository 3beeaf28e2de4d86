import type { NodeConnection } from '../connection/connection.ts';
import type { Msat } from '../kernel/money.ts';
import type { RowWrite } from '../ledger/ledger.ts';
import type { CancelOutcome } from '../lightning/node.ts';
import * as sql from './invoices.sql.ts';

/*
 * An internal payment: a wallet pays an invoice of another wallet, without the network. Its postings contain the rows below. The invoice
 * is `open`, then `closing` while the money is held, then `settled`, or `open` again after a failure.
 */

/** Marks an open invoice that has not expired at `now` (Unix seconds) as `closing`. */
export function closingRow(invoiceId: string, now: number, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.markClosing, parameters: [invoiceId, now], onMiss };
}

/** Marks a `closing` invoice as settled. */
export function settledInternallyRow(invoiceId: string, amountMsat: Msat, settledAt: number, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.settleInternally, parameters: [invoiceId, amountMsat, settledAt], onMiss };
}

/** Marks a `closing` invoice as open again. An invoice that was paid from outside meanwhile stays settled. */
export function reopenedRow(invoiceId: string, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.reopenInvoice, parameters: [invoiceId], onMiss };
}

/** `closed`: no outside payer can pay the invoice at our node. The other two: an outside payment was first. */
export type OutsideState = 'closed' | Extract<CancelOutcome, 'accepted' | 'settled'>;

/**
 * Cancels an invoice at the node, for an internal payment or for a cancellation. No other code interprets the node's response.
 *
 * A node that has lost the invoice (restored from a backup, or pruned) returns `unknown`. It holds no preimage for that hash, so it cannot
 * claim a payment of it: the invoice is closed. A single response is not enough for that: the lookup must agree. If the node finds the
 * invoice again later and is paid for it, that money has arrived, and `settle.ts` books it.
 * @throws when the node does not answer or contradicts itself. The state is unclear, and calling again is safe.
 */
export async function closeToOutside({ node }: Pick<NodeConnection, 'node'>, paymentHash: string): Promise<OutsideState> {
  const outcome = await node.cancelInvoice(paymentHash);
  if (outcome === 'cancelled') return 'closed';
  if (outcome !== 'unknown') return outcome;
  const status = await node.lookupInvoice(paymentHash);
  if (status === undefined || status.state === 'cancelled') return 'closed';
  if (status.state !== 'open') return status.state;
  throw new Error('the node contradicts itself: it cannot cancel the invoice as unknown, and lists it as open');
}
