import { readPages } from '../../core/db/pages.ts';
import { type Clock, timeText, unixSeconds } from '../../core/kernel/clock.ts';
import { satText } from '../../core/kernel/money.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import type { InvoiceStatus, PaymentOutcome, PaymentReference } from '../../core/lightning/node.ts';
import { describeEvidence } from '../../core/lightning/payment-evidence.ts';
import { collectEvidence, lookUpInvoice, lookUpPayment } from '../../core/lightning/responses.ts';
import { PAGE } from './compare.ts';
import type { NodeProbe } from './node-probe.ts';
import * as sql from './reconcile.sql.ts';
import { MAX_LISTED, type NodeEvidence, type PendingPayments } from './reconciliation-object.ts';
import type { ReconciliationRun } from './run.ts';

/**
 * Looks up every pending payment at the node, and raises an alert for those that are stuck. Books nothing: the saga attempts payments again,
 * and the money stays reserved until the node reports a definitive outcome.
 */
export async function comparePending(run: ReconciliationRun): Promise<PendingPayments> {
  const { probe, clock, alerts } = run;
  const states = new Map<string, number>();
  const counted = { pending_payments: 0, stuck_payments: 0, pending_msat: 0 };
  for await (const page of readPages(run.database, sql.pendingPayments, PAGE, (last) => [run.nodeId, last?.id ?? ''])) {
    const found = new Map<string, string>();
    await probe.each(page, async (payment) => void found.set(payment.id, await stateAtNode(probe, payment)));
    for (const payment of page) {
      const nodeState = found.get(payment.id) ?? '';
      states.set(nodeState, (states.get(nodeState) ?? 0) + 1);
      counted.pending_payments += 1;
      counted.pending_msat += payment.amount_msat;
      if (run.startedAt - payment.created_at < run.stuckPaymentSeconds) continue;
      const evidence = await withProof(probe, clock, payment, nodeState);
      // The oldest ones.
      if (counted.stuck_payments++ < MAX_LISTED) run.state.evidence[payment.id] = evidence;
      const details = {
        lntx_id: payment.id,
        wallet_id: payment.wallet_id,
        ln_node_id: run.nodeId,
        amount_msat: payment.amount_msat,
        since: payment.created_at,
        reason: evidence.node_state,
      };
      await alerts.raise({ kind: 'payment_stuck', subject: payment.id, message: stuckMessage(payment, evidence), details });
    }
    run.state.progress = `pending payments: ${counted.pending_payments}`;
    if (run.signal.aborted) break;
  }
  await clearEnded(run);
  return { ...counted, pending_states: Array.from(states, ([node_state, count]) => ({ node_state, count })) };
}

/** What identifies a payment at the node. */
type LookedUp = Pick<sql.ComparedPayment, 'id' | 'payment_hash' | 'unclear_since_ms' | 'unclear_checked_ms' | 'invoice_id' | 'is_imported'>;

/** Looks up a pending payment at the node. Changes nothing. */
export async function lookUpEvidence(probe: NodeProbe, clock: Clock, payment: LookedUp): Promise<NodeEvidence> {
  return withProof(probe, clock, payment, await stateAtNode(probe, payment));
}

/** Returns the node's state of the payment; of an internal payment, its state of the invoice. */
async function stateAtNode(probe: NodeProbe, payment: LookedUp): Promise<string> {
  if (payment.invoice_id !== null) {
    const invoice = await probe.call((node) => lookUpInvoice(node, payment.payment_hash));
    return invoice.answered ? describeInvoice(invoice.value) : NO_RESPONSE;
  }
  const outcome = await probe.call((node) => lookUpPayment(node, referenceTo(payment)));
  return outcome.answered ? describePayment(outcome.value) : NO_RESPONSE;
}

/** Returns what identifies the payment at the node. */
export function referenceTo({ id, payment_hash, unclear_since_ms, unclear_checked_ms, is_imported }: LookedUp): PaymentReference {
  const unclear = { unclearSinceMs: unclear_since_ms ?? undefined, unclearCheckedAtMs: unclear_checked_ms ?? undefined };
  return { paymentId: id, paymentHash: payment_hash, ...unclear, ...(is_imported === 1 && { isForeign: true }) };
}

/** Adds what the node's records show about a payment that it reports as pending. */
async function withProof(probe: NodeProbe, clock: Clock, payment: LookedUp, nodeState: string): Promise<NodeEvidence> {
  const evidence = { checked_at: unixSeconds(clock), node_state: nodeState, facts: [], proves_failure: false };
  if (nodeState !== 'pending') return evidence;
  const answer = await probe.call((node) => collectEvidence(node, referenceTo(payment)));
  if (!answer.answered) return { ...evidence, node_state: `${nodeState}; what its records show is unknown (${answer.reason})` };
  const { items = [], provesFailure = false } = answer.value ?? {};
  return { ...evidence, facts: [...items], proves_failure: provesFailure };
}

/** Describes the node's response to the lookup of a payment. */
export function describePayment(outcome: PaymentOutcome | undefined): string {
  if (outcome === undefined) return NO_RECORD;
  return outcome.state === 'failed' ? `failed (${outcome.reason})` : outcome.state;
}

/** Describes the node's response to the lookup of an invoice. */
export function describeInvoice(status: InvoiceStatus | undefined): string {
  return status === undefined ? NO_RECORD : `invoice ${status.state}`;
}

const NO_RESPONSE = 'no response';
const NO_RECORD = 'no record';

async function clearEnded({ alerts, database }: ReconciliationRun): Promise<void> {
  for (const [index, id] of (await alerts.openSubjects('payment_stuck')).entries()) {
    if (index % PER_TURN.rows === 0) await takeTurn();
    if ((await database.first(sql.findPayment, id))?.state !== 'pending') await alerts.clear('payment_stuck', id);
  }
}

function stuckMessage({ created_at, amount_msat, wallet_id }: sql.ComparedPayment, evidence: NodeEvidence): string {
  const { node_state, facts, proves_failure: provesFailure } = evidence;
  const found = facts.length > 0 ? `${node_state}. ${describeEvidence({ items: facts, provesFailure })}` : node_state;
  return `pending since ${timeText(created_at)}: ${satText(amount_msat)} of ${wallet_id}; state at the node: ${found}`;
}
