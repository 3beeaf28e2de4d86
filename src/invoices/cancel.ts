import type { NodeConnection } from '../connection/connection.ts';
import { invariant } from '../kernel/assert.ts';
import { errorMessage } from '../kernel/log.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Guard } from '../ledger/posting.ts';
import { NodeUnavailable } from '../lightning/node.ts';
import { closeToOutside, type OutsideState } from './close-to-outside.ts';
import type { Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';

/** Something else had the invoice first. */
class NotOpen extends Error {
  override readonly name = 'NotOpen';
}

export interface CancelDependencies {
  readonly ledger: Ledger;
  readonly connection: NodeConnection;
  readonly find: (id: string) => Promise<Invoice | undefined>;
}

/**
 * Cancels an open invoice: at the node first, so that what is cancelled here cannot be paid any more. Between the two, a payment inside
 * may still take it; then that payment stands. A cancelled one stays as it is.
 * @throws Refusal `invoice_paid` when it is settled, or somebody is paying it.
 * @throws NodeUnavailable when the node did not say; asking again is safe.
 */
export async function cancelInvoice(deps: CancelDependencies, invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
  if (isEnded(invoice)) return invoice;
  const outcome = await askNode(deps.connection, invoice.paymentHash);
  if (outcome === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (outcome === 'accepted') throw beingPaid();
  const row = { statement: sql.cancel, parameters: [invoice.id], onMiss: new NotOpen() };
  try {
    await deps.ledger.post({ guards, rows: [row] });
    // It was open, so nothing else has changed. A read that failed now would be reported as if nothing had been booked.
    return { ...invoice, state: 'canceled' };
  } catch (error) {
    if (!(error instanceof NotOpen)) throw error;
  }
  const now = await deps.find(invoice.id);
  invariant(now, `invoice ${invoice.id} is gone`);
  invariant(isEnded(now) || now.state === 'open', 'it is cancelled, paid, or open again');
  if (now.state === 'open') throw beingPaid();
  return now;
}

/** Whether it is cancelled already. @throws Refusal `invoice_paid` when it is too late for that. */
function isEnded({ state }: Invoice): boolean {
  if (state === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (state === 'closing') throw beingPaid();
  return state === 'canceled';
}

function beingPaid(): Refusal {
  return new Refusal('invoice_paid', 'The invoice is being paid; try again when that payment has ended.');
}

async function askNode(connection: NodeConnection, paymentHash: string): Promise<OutsideState> {
  try {
    return await closeToOutside(connection, paymentHash);
  } catch (error) {
    throw error instanceof NodeUnavailable ? error : new NodeUnavailable(errorMessage(error));
  }
}
