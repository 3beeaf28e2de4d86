import { readPages } from '../db/pages.ts';
import { errorMessage } from '../kernel/log.ts';
import { attempt } from './attempt.ts';
import { reportOutcome } from './correct.ts';
import { type Payment, referenceOf, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';
import { reportUnanswered } from './wait.ts';

/** The number of pending payments that are attempted at the same time. */
const RESUME_PAGE = 100;
/** The newest payments of a hash that are read again. Only one of them can be pending. */
const MAX_PER_HASH = 10;

/** Attempts all pending payments again whose node is available. Reads a page at a time to bound the memory. Never throws. */
export async function resumePending(context: PaymentContext): Promise<void> {
  const { database, log } = context;
  let count = 0;
  try {
    for await (const rows of readPages(database, sql.listPending, RESUME_PAGE, (last) => [last?.id ?? ''])) {
      const pending = rows.map(rowToPayment);
      // Before the attempts, which may take as long as the node likes.
      await reportUnanswered(context, pending);
      const payments = await withAvailableNode(context, pending);
      await Promise.all(payments.map((payment) => attempt(context, payment)));
      count += payments.length;
      if (payments.length > 0) log.info({ count, more: rows.length === RESUME_PAGE }, 'pending payments were attempted again');
    }
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, 'pending payments were not resumed; retrying later');
  }
}

/** Leaves out payments whose node is unavailable. An event reader resumes them when its node answers again. */
async function withAvailableNode(context: PaymentContext, payments: readonly Payment[]): Promise<Payment[]> {
  const invoices = await context.invoices.findMany(payments.flatMap(({ invoiceId }) => invoiceId ?? []));
  const nodeOfInvoice = new Map(invoices.map(({ id, nodeId }) => [id, nodeId]));
  const available = new Set<string>();
  await Promise.all(context.connections.all.map(async (one) => void ((await one.answers()) && available.add(one.nodeId))));
  return payments.filter(({ invoiceId, nodeId }) => available.has((invoiceId && nodeOfInvoice.get(invoiceId)) ?? nodeId));
}

/** Reads the outcomes of a hash's payments that have not succeeded again. For hints of the node. Never throws. */
export async function readAgain(context: PaymentContext, paymentHash: string): Promise<void> {
  try {
    const rows = await context.database.all(sql.findUnpaidByHash, paymentHash, MAX_PER_HASH);
    for (const payment of rows.map(rowToPayment)) await readOutcomeAgain(context, payment);
  } catch (error) {
    // Pending payments are attempted again periodically, and ended ones are compared with the node, so a failure here only delays.
    context.log.warn({ paymentHash, reason: errorMessage(error) }, 'the payments of a hash were not read again');
  }
}

/** Attempts a pending payment, and reads a failed one again: its failure may have been ended with evidence, or reported wrongly. */
async function readOutcomeAgain(context: PaymentContext, payment: Payment): Promise<void> {
  if (payment.state === 'pending') return attempt(context, payment);
  const outcome = await context.connections.of(payment.nodeId).call((node) => node.lookupPayment(referenceOf(payment)));
  if (outcome?.state === 'succeeded') await reportOutcome(context, payment.id, outcome);
}
