import { timeText } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import type { InvoiceStatus, PaymentEvidence, PaymentOutcome, PaymentReference } from '../../core/lightning/node.ts';
import { describeEvidence } from '../../core/lightning/node.ts';
import { collectEvidence, lookUpInvoice, lookUpPayment } from '../../core/lightning/responses.ts';
import type { NodeAnswer, NodeProbe } from './node-probe.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED, type PendingReport, type StuckPayment } from './report.ts';
import { PAGE, type ReconciliationRun } from './run.ts';

/**
 * Looks up every pending payment at the node, and raises an alert for those that are stuck. Books nothing: the saga attempts payments again,
 * and the money stays reserved until the node reports a definitive outcome.
 */
export async function comparePending(run: ReconciliationRun): Promise<PendingReport> {
  const byEvidence: Record<string, number> = {};
  const stuck: StuckPayment[] = [];
  const total = { payments: 0, amountMsat: 0, stuckPayments: 0 };
  for (let after = '', isLast = false; !isLast && !run.signal.aborted; ) {
    const page = await run.database.all(sql.pendingPayments, run.nodeId, after, PAGE);
    const evidence = new Map<string, string>();
    await run.probe.each(page, async (payment) => void evidence.set(payment.id, await evidenceOf(run.probe, payment)));
    for (const payment of page) {
      const found = evidence.get(payment.id) ?? '';
      byEvidence[found] = (byEvidence[found] ?? 0) + 1;
      total.payments += 1;
      total.amountMsat += payment.amount_msat;
      const ageSeconds = run.startedAt - payment.created_at;
      if (ageSeconds < run.stuckPaymentSeconds) continue;
      const one = stuckPayment(payment, ageSeconds, await withProof(run.probe, payment, found));
      total.stuckPayments += 1;
      if (stuck.length < MAX_LISTED) stuck.push(one);
      await run.alerts.raise({ kind: 'payment_stuck', subject: one.paymentId, message: stuckMessage(one) });
    }
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
    run.progress = `pending payments: ${total.payments}`;
  }
  await clearEnded(run);
  return { ...total, byEvidence, stuck };
}

/** What identifies a payment at the node. */
type LookedUp = Pick<sql.ComparedPayment, 'id' | 'payment_hash' | 'unclear_since_ms' | 'invoice_id'>;

/** What the node reports about a pending payment. */
interface FoundEvidence {
  readonly nodeState: string;
  readonly proof: PaymentEvidence | undefined;
}

/** Looks up a pending payment at the node. Changes nothing. */
export async function lookUpEvidence(probe: NodeProbe, payment: LookedUp): Promise<FoundEvidence> {
  return withProof(probe, payment, await evidenceOf(probe, payment));
}

/** Returns the node's state of the payment; of an internal payment, its state of the invoice. */
async function evidenceOf(probe: NodeProbe, payment: LookedUp): Promise<string> {
  if (payment.invoice_id !== null) return describeInvoice(await probe.call((node) => lookUpInvoice(node, payment.payment_hash)));
  return describePayment(await probe.call((node) => lookUpPayment(node, referenceTo(payment))));
}

/** Returns what identifies the payment at the node. */
export function referenceTo({ id, payment_hash, unclear_since_ms }: LookedUp): PaymentReference {
  return { paymentId: id, paymentHash: payment_hash, unclearSinceMs: unclear_since_ms ?? undefined };
}

/** Adds what the node's records show about a payment that it reports as pending. */
async function withProof(probe: NodeProbe, payment: LookedUp, nodeState: string): Promise<FoundEvidence> {
  if (nodeState !== 'pending') return { nodeState, proof: undefined };
  const answer = await probe.call((node) => collectEvidence(node, referenceTo(payment)));
  if (answer.answered) return { nodeState, proof: answer.value };
  return { nodeState: `${nodeState}; what its records show is unknown (${answer.reason})`, proof: undefined };
}

/** Describes the node's response to the lookup of a payment. */
export function describePayment(answer: NodeAnswer<PaymentOutcome | undefined>): string {
  if (!answer.answered) return NO_RESPONSE;
  const outcome = answer.value;
  if (outcome === undefined) return NO_RECORD;
  return outcome.state === 'failed' ? `failed (${outcome.reason})` : outcome.state;
}

/** Describes the node's response to the lookup of an invoice. */
export function describeInvoice(answer: NodeAnswer<InvoiceStatus | undefined>): string {
  if (!answer.answered) return NO_RESPONSE;
  return answer.value === undefined ? NO_RECORD : `invoice ${answer.value.state}`;
}

const NO_RESPONSE = 'no response';
const NO_RECORD = 'no record';

async function clearEnded({ alerts, database }: ReconciliationRun): Promise<void> {
  for (const id of await alerts.openSubjects('payment_stuck')) {
    if ((await database.first(sql.findPayment, id))?.state !== 'pending') await alerts.clear('payment_stuck', id);
  }
}

function stuckPayment(payment: sql.ComparedPayment, ageSeconds: number, { nodeState, proof }: FoundEvidence): StuckPayment {
  const { id, wallet_id, payment_hash, amount_msat, created_at } = payment;
  return {
    paymentId: id,
    walletId: wallet_id,
    paymentHash: payment_hash,
    amountMsat: amount_msat,
    createdAt: created_at,
    ageSeconds,
    evidence: proof ? `${nodeState}. ${describeEvidence(proof)}` : nodeState,
    nodeState,
    proof,
  };
}

function stuckMessage({ createdAt, amountMsat, walletId, evidence }: StuckPayment): string {
  return `pending since ${timeText(createdAt)}: ${satText(amountMsat)} of ${walletId}; state at the node: ${evidence}`;
}
