import type { InvoiceStatus, PaymentOutcome } from '../lightning/node.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED, type PendingReport, type StuckPayment } from './report.ts';
import { PAGE, type ReconciliationRun } from './run.ts';
import type { NodeAnswer } from './node-probe.ts';

/**
 * Looks at every pending payment beside what the node says of it, and alerts about those that stay. It settles nothing: driving
 * payments on is the saga's work, and without a definitive answer of the node their money stays reserved.
 */
export async function comparePending(run: ReconciliationRun): Promise<PendingReport> {
  const byEvidence: Record<string, number> = {};
  const stuck: StuckPayment[] = [];
  const total = { payments: 0, amountMsat: 0, stuckPayments: 0 };
  for (let after = '', isLast = false; !isLast && !run.signal.aborted; ) {
    const page = await run.database.all(sql.pendingPayments, after, PAGE);
    const evidence = new Map<string, string>();
    await run.probe.each(page, async (payment) => void evidence.set(payment.id, await evidenceOf(run, payment)));
    for (const payment of page) {
      const said = evidence.get(payment.id) ?? '';
      byEvidence[said] = (byEvidence[said] ?? 0) + 1;
      total.payments += 1;
      total.amountMsat += payment.amount_msat;
      const ageSeconds = run.startedAt - payment.created_at;
      if (ageSeconds < run.stuckPaymentSeconds) continue;
      const one = stuckPayment(payment, ageSeconds, said);
      total.stuckPayments += 1;
      if (stuck.length < MAX_LISTED) stuck.push(one);
      await run.alerts.raise({ kind: 'payment_stuck', subject: one.paymentId, message: wordsFor(one) });
    }
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
    run.progress(`pending payments: ${total.payments}`);
  }
  await clearEnded(run);
  return { ...total, byEvidence, stuck };
}

/** A payment inside the service waits for what the node says of the invoice; another one for itself. */
async function evidenceOf({ node, probe }: ReconciliationRun, payment: sql.ComparedPayment): Promise<string> {
  if (payment.invoice_id !== null) return invoiceWords(await probe.ask(() => node.lookupInvoice(payment.payment_hash)));
  return paymentWords(await probe.ask(() => node.lookupPayment(payment.id)));
}

/** What the node says of a payment, in words. */
export function paymentWords(answer: NodeAnswer<PaymentOutcome | undefined>): string {
  if (!answer.answered) return NO_ANSWER;
  const outcome = answer.value;
  if (outcome === undefined) return NEVER_HEARD;
  return outcome.state === 'failed' ? `failed (${outcome.reason})` : outcome.state;
}

/** What the node says of an invoice, in words. */
export function invoiceWords(answer: NodeAnswer<InvoiceStatus | undefined>): string {
  if (!answer.answered) return NO_ANSWER;
  return answer.value === undefined ? NEVER_HEARD : `invoice ${answer.value.state}`;
}

export const NO_ANSWER = 'no answer';
export const NEVER_HEARD = 'never heard of it';

async function clearEnded({ alerts, database }: ReconciliationRun): Promise<void> {
  for (const id of await alerts.openSubjects('payment_stuck')) {
    if ((await database.first(sql.findPayment, id))?.state !== 'pending') await alerts.clear('payment_stuck', id);
  }
}

function stuckPayment(payment: sql.ComparedPayment, ageSeconds: number, evidence: string): StuckPayment {
  const { id, wallet_id, payment_hash, amount_msat, created_at } = payment;
  return {
    paymentId: id,
    walletId: wallet_id,
    paymentHash: payment_hash,
    amountMsat: amount_msat,
    createdAt: created_at,
    ageSeconds,
    evidence,
  };
}

function wordsFor({ createdAt, amountMsat, walletId, evidence }: StuckPayment): string {
  const since = new Date(createdAt * 1000).toISOString();
  return `pending since ${since}: ${amountMsat} msat of ${walletId}; the node says: ${evidence}`;
}
