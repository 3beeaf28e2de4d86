import { closeToOutside } from '../invoices/close.ts';
import { heldInternallyPosting, internalDecisionRow } from '../invoices/hold.ts';
import { NotHeld } from '../invoices/hold-limits.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { eventRow } from '../journal/events.ts';
import { unixSeconds } from '../kernel/clock.ts';
import type { Guard, RowWrite } from '../ledger/ledger.ts';
import { lookUpInvoice } from '../lightning/responses.ts';
import { bookConclusion, type Conclusion, conclude, failure, paidInternally } from './conclude.ts';
import { type Payment, readPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/*
 * An internal payment of a hold invoice: the payer's money is held, and stays so until the wallet of the invoice settles or cancels it. The
 * invoice is `closing` while it is closed to outside payers at its node, then `held`. From then on the node has no part in it, and one posting
 * ends payment and invoice together.
 */

/** Closes the invoice to outside payers and marks it as held by the payment. Fails the payment if an outside payer was first. Idempotent. */
export async function holdForInvoice(context: PaymentContext, payment: Payment, invoice: Invoice): Promise<void> {
  if (invoice.state === 'held' && invoice.heldPaymentId === payment.id) return;
  if (invoice.state === 'closing' && (await isClosed(context, invoice))) {
    const held = new Error('the invoice is held already, or was paid from outside');
    try {
      await context.ledger.post(heldInternallyPosting(context.invoices.holdTerms, payment, invoice, held));
    } catch (error) {
      // The next attempt reads the state.
      if (error !== held && !(error instanceof NotHeld)) throw error;
      const now = await context.invoices.find(invoice.id);
      // Too many payments are held, or the account may not receive.
      if (now?.state === 'closing') return conclude(context, payment, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
    }
    return;
  }
  await conclude(context, payment, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
}

/** A payment from outside that the node holds was first, although the ledger may not know it yet. */
async function isClosed({ connections }: PaymentContext, { nodeId, paymentHash }: Invoice): Promise<boolean> {
  const connection = connections.of(nodeId);
  const status = await connection.call((node) => lookUpInvoice(node, paymentHash));
  if (status?.state === 'held' || status?.state === 'accepted' || status?.state === 'settled') return false;
  return (await closeToOutside(connection, paymentHash)) === 'closed';
}

/** What ends an internal payment of a hold invoice, and what a request adds to that. */
export interface HeldEnd {
  readonly decision: 'settle' | 'cancel' | 'expire';
  /** Of `settle`: 32 bytes in hex, whose SHA-256 is the payment hash. */
  readonly preimage?: string | undefined;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards?: readonly Guard[] | undefined;
}

/**
 * Settles or cancels the internal payment that a hold invoice holds, in one posting. Changes nothing if it has ended; the caller then reads the
 * invoice again.
 */
export async function endHeld(context: PaymentContext, invoice: Invoice, end: HeldEnd): Promise<void> {
  const payment = await readPayment(context.database, sql.findById, invoice.heldPaymentId ?? '');
  if (payment?.state !== 'pending') return;
  const ended = new HeldEnded();
  const { decision, preimage, guards = [] } = end;
  const settledAt = unixSeconds(context.clock);
  const row = internalDecisionRow(invoice, { decision, preimage, onMiss: ended }, settledAt);
  const conclusion =
    preimage === undefined
      ? cancelledInternally(context, payment, invoice, row)
      : await paidInternally(context, payment, invoice, { preimage, settled: row, settledAt });
  try {
    await bookConclusion(context, { ...conclusion, posting: { ...conclusion.posting, guards } });
  } catch (error) {
    if (!(error instanceof HeldEnded)) throw error;
  }
}

/** Returns the failure of the payment, with the row and the event of the invoice. */
function cancelledInternally(context: PaymentContext, payment: Payment, invoice: Invoice, cancelled: RowWrite): Conclusion {
  const { posting, ...failed } = failure(context, payment, 'INCORRECT_PAYMENT_DETAILS');
  const event = eventRow(context.clock, { type: 'invoice_cancelled', owner: invoice, subject: invoice.id });
  return { ...failed, posting: { ...posting, rows: [cancelled, ...(posting.rows ?? [])], events: [event, ...(posting.events ?? [])] } };
}

/** Another request has ended the held payment. */
class HeldEnded extends Error {
  override readonly name = 'HeldEnded';
}
