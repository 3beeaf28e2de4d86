import type { NodeConnection } from '../connection/connection.ts';
import type { CancelOutcome } from '../lightning/node.ts';

/** `closed`: no outside payer can pay the invoice at our node. The other two: an outside payment was first. */
export type OutsideState = 'closed' | Extract<CancelOutcome, 'accepted' | 'settled'>;

/**
 * Cancels an invoice at the node. This is the only place that interprets the node's response, for internal payments and for
 * cancellations alike.
 *
 * A node that has lost the invoice (restored from a backup, or pruned) returns `unknown`. It holds no preimage for that hash, so it cannot
 * claim a payment of it: the invoice is closed. A single response is not enough for that: the lookup must agree. If the node finds the
 * invoice again later and is paid for it, that money has arrived, and `settle.ts` books it.
 * @throws when the node does not answer or contradicts itself: the state is unclear, and asking again is safe.
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
