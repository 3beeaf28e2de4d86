import type { NodeConnection } from '../connection/connection.ts';
import type { NodeConnections } from '../connection/connections.ts';
import { eventRow } from '../journal/events.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, Ledger } from '../ledger/ledger.ts';
import { NodeUnavailable } from '../lightning/node.ts';
import { closeToOutside, type OutsideState } from './internal-payment.ts';
import type { Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';

/** The invoice is no longer open. */
class NotOpen extends Error {
  override readonly name = 'NotOpen';
}

export interface CancelDependencies {
  readonly ledger: Ledger;
  readonly connections: NodeConnections;
  readonly find: (id: string) => Promise<Invoice | undefined>;
  readonly clock: Clock;
}

/**
 * Cancels an open invoice and returns it; returns a canceled invoice unchanged. The node comes first, so that an invoice that is canceled
 * here cannot be paid there. An internal payment may begin between the two steps; it then takes precedence.
 * @throws Refusal `invoice_paid` when the invoice is settled or being paid.
 * @throws NodeUnavailable when the node did not confirm; calling again is safe.
 */
export async function cancelInvoice(deps: CancelDependencies, invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
  if (isCanceled(invoice)) return invoice;
  const outside = await closeAtNode(deps.connections.of(invoice.nodeId), invoice.paymentHash);
  if (outside === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (outside === 'accepted') throw beingPaid();
  const row = { statement: sql.markCanceled, parameters: [invoice.id], onMiss: new NotOpen() };
  const event = eventRow(deps.clock, { type: 'invoice_cancelled', owner: invoice, subject: invoice.id });
  try {
    await deps.ledger.post({ guards, rows: [row], events: [event] });
    // The invoice is not read again: if that read failed, the cancellation would be reported as not done.
    return { ...invoice, state: 'canceled' };
  } catch (error) {
    if (!(error instanceof NotOpen)) throw error;
  }
  const now = await deps.find(invoice.id);
  invariant(now, `invoice ${invoice.id} is gone`);
  invariant(isCanceled(now) || now.state === 'open', 'it is cancelled, paid, or open again');
  if (now.state === 'open') throw beingPaid();
  return now;
}

/** Returns whether the invoice is canceled already. @throws Refusal `invoice_paid` when it can no longer be canceled. */
function isCanceled({ state }: Invoice): boolean {
  if (state === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (state === 'closing') throw beingPaid();
  return state === 'canceled';
}

function beingPaid(): Refusal {
  return new Refusal('invoice_paid', 'The invoice is being paid; try again when that payment has ended.');
}

async function closeAtNode(connection: NodeConnection, paymentHash: string): Promise<OutsideState> {
  try {
    return await closeToOutside(connection, paymentHash);
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
