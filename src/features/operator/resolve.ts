import type { StoredReport } from '../../core/invoices/arriving.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { ZERO_MSAT } from '../../core/kernel/money.ts';
import type { PaymentOutcome, PaymentReference } from '../../core/lightning/node.ts';
import { describeEvidence, type PaymentEvidence } from '../../core/lightning/payment-evidence.ts';
import { paymentHashOf } from '../../core/lightning/payment-hash.ts';
import { collectEvidence, lookUpInvoice, lookUpPayment } from '../../core/lightning/responses.ts';
import { type Payment, referenceOf } from '../../core/payments/payment.ts';
import { describePayment } from '../reconcile/pending.ts';
import { type Action, ActionRefused, readAction } from './actions.ts';
import * as sql from './operator.sql.ts';
import type { OperatorModules } from './operator.ts';

/**
 * Ends a pending payment with evidence, which is checked at the node right before it is booked. `settled` requires the preimage, and a node
 * that reports success or has no record. `failed` requires that the node reports a definitive failure, or that its records prove that no
 * money can leave it any more. Nothing is booked if another request to send the payment begins meanwhile.
 */
export async function resolvePayment(deps: OperatorModules, action: Action): Promise<void> {
  if (await deps.invoices.isReported(action.subject)) return resolveArriving(deps, action);
  const payment = await deps.payments.find(action.subject);
  if (!payment) throw new ActionRefused(`There is no payment ${action.subject}.`);
  if (payment.state === 'pending') {
    if (payment.invoiceId === undefined) await resolveAtNode(deps, action, payment);
    else await resolveInside(deps, action, payment);
    // Read again: another instance may have stored the evidence and ended the payment since this action was read.
  } else if ((await readAction(deps.database, action.id)).evidence === null) {
    throw endedAlready(payment.state === 'succeeded' ? 'settled' : 'failed', describe(payment));
  }
  const ended = await deps.payments.find(payment.id);
  // If the booking was interrupted, the next try ends the action.
  if (!ended || ended.state === 'pending') return;
  const status = ended.state === 'succeeded' ? 'settled' : 'failed';
  await endResolve(deps, action, status, describe(ended));
}

/** Ends an action whose payment has ended. `found`: what that means for the money. */
async function endResolve({ database, clock }: OperatorModules, action: Action, status: string, found: string): Promise<void> {
  const isAsAsked = status === action.target;
  const answer = isAsAsked
    ? `The payment has ended with the status \`${status}\`: ${found}.`
    : `The node’s answer ended the payment with the other outcome. Its status is now \`${status}\`: ${found}. Nothing is left to do.`;
  const state = isAsAsked ? 'done' : 'refused';
  await database.transaction((tx) => tx.run(sql.endAction, action.id, state, answer, unixSeconds(clock)));
}

function endedAlready(status: string, found: string): ActionRefused {
  return new ActionRefused(`The payment has ended already, and this request changed nothing. Its status is \`${status}\`: ${found}.`);
}

/** What a node reports about a payment that is arriving, as evidence. */
const REPORTS = { unknown: 'unknown', booked: 'final', failed: 'failed' } as const;

/**
 * Ends a received payment that is arriving and whose node answers, but cannot say whether it is final. If the node can, its answer decides. The
 * evidence is stored before the booking, so that an action that is interrupted in between is continued.
 */
async function resolveArriving(deps: OperatorModules, action: Action): Promise<void> {
  const { invoices, connections } = deps;
  const before = await invoices.findReport(action.subject);
  if (before?.state === 'arriving') {
    await ask(() => connections.of(before.node_id).readInfo());
    const found = await invoices.recheckArriving(before.payment_hash);
    const reason = found?.reason === undefined ? '' : ` (${found.reason})`;
    if (found) await storeEvidence(deps, action, `the node reports: ${REPORTS[found.state]}${reason}`);
    if (found?.state === 'unknown') await invoices.endArriving(before.payment_hash, action.target === 'settled' ? 'settled' : 'failed');
  }
  const now = await invoices.findReport(action.subject);
  if (now?.state === 'arriving') return;
  if ((await readAction(deps.database, action.id)).evidence === null) throw endedAlready(now ? 'failed' : 'settled', describeEnd(now));
  // The report is deleted in the posting that credits the payment.
  await endResolve(deps, action, now ? 'failed' : 'settled', describeEnd(now));
}

function describeEnd(report: StoredReport | undefined): string {
  if (report === undefined) return 'it is credited';
  return report.is_credited === 1 ? 'it never arrived, although it is credited' : 'it never arrived, and nothing is credited';
}

async function resolveAtNode(deps: OperatorModules, action: Action, payment: Payment): Promise<void> {
  const connection = deps.connections.of(payment.nodeId);
  const reference = lastRequestOf(payment);
  const status = await ask(() => connection.call((node) => lookUpPayment(node, reference)));
  // The lack of a record proves something only if the node has not confirmed one: a restored node may have lost it.
  const mayProve = status?.state === 'pending' || (status === undefined && !payment.isAtNode);
  const collected = mayProve ? await ask(() => connection.call((node) => collectEvidence(node, reference))) : undefined;
  const outcome = action.target === 'settled' ? provenSuccess(action, payment, status) : provenFailure(status, collected);
  const proof = outcome === status ? [] : collected ? [describeEvidence(collected)] : [`preimage ${action.preimage}`];
  await storeEvidence(deps, action, [...proof, `the node reports: ${describePayment(status)}`].join('; '));
  await deps.payments.reportOutcome(payment.id, outcome);
}

/** Returns what identifies the payment at the node. The last request may still be under way, in another process as well. */
function lastRequestOf(payment: Payment): PaymentReference {
  const { sendingSinceMs, unclearSinceMs = sendingSinceMs } = payment;
  if (payment.isAtNode || unclearSinceMs === undefined) return referenceOf(payment);
  return { ...referenceOf(payment), unclearSinceMs: Math.max(unclearSinceMs, sendingSinceMs ?? 0) };
}

function provenFailure(status: PaymentOutcome | undefined, evidence: PaymentEvidence | undefined): PaymentOutcome {
  if (status?.state === 'failed') return status;
  // A node that stopped at the wrong moment may report a payment as pending indefinitely, although no channel carries it.
  if (evidence?.provesFailure) return { state: 'failed', reason: 'ERROR' };
  if (evidence) {
    throw new ActionRefused(
      `The payment has not ended at the node, and the node’s records do not prove a failure: ${describeEvidence(evidence)} Try again later.`,
    );
  }
  if (status?.state === 'succeeded')
    throw new ActionRefused('The node reports that the payment succeeded. The service books that automatically.');
  if (status?.state === 'pending') {
    throw new ActionRefused(
      'The node reports that the payment is still in flight: its money may leave. Wait until the node reports it as failed.',
    );
  }
  throw new ActionRefused(
    'The node has no record of the payment. That does not prove a failure: a restored node may have lost a payment that it sent. Ask the receiver for the preimage, which proves that the payment settled.',
  );
}

/**
 * If the node has a record of the payment, the record decides. A preimage alone counts only if there is none: a receiver who holds a payment
 * can show the preimage and still cancel.
 */
function provenSuccess({ preimage }: Action, payment: Payment, status: PaymentOutcome | undefined): PaymentOutcome {
  if (preimage === null || paymentHashOf(preimage) !== payment.paymentHash) {
    throw new ActionRefused(`The preimage is not that of the payment: its SHA-256 is not ${payment.paymentHash}.`);
  }
  if (status?.state === 'succeeded') return status;
  if (payment.isKeysend) {
    throw new ActionRefused(
      'The payment is a keysend: this service made its preimage, which proves nothing. Wait until the node reports an outcome.',
    );
  }
  if (status?.state === 'pending') {
    throw new ActionRefused(
      'The node reports the payment as pending: the receiver can still cancel it, even if the preimage is known. Wait until the node reports an outcome.',
    );
  }
  if (status?.state === 'failed') {
    throw new ActionRefused(
      `The node reports that the payment failed (${status.reason}). The preimage contradicts that, so nothing is booked. Find out which holds.`,
    );
  }
  // Without the node's record the routing fee is unknown, so the wallet is not charged for it.
  return { state: 'succeeded', preimage, feeMsat: ZERO_MSAT };
}

/** Cancels the invoice of an internal payment at the node again. The response determines how the payment ends. */
async function resolveInside(deps: OperatorModules, action: Action, payment: Payment): Promise<void> {
  const nodeId = (await deps.invoices.find(payment.invoiceId ?? ''))?.nodeId ?? payment.nodeId;
  await ask(() => deps.connections.of(nodeId).call((node) => lookUpInvoice(node, payment.paymentHash)));
  await deps.payments.attempt(payment);
  if ((await deps.payments.find(payment.id))?.state === 'pending') {
    throw new ActionRefused('The node did not confirm that no outside payer can pay the invoice. See the log for its response.');
  }
  await storeEvidence(deps, action, 'the node was requested to cancel the invoice');
}

async function storeEvidence({ database }: OperatorModules, { id }: Action, evidence: string): Promise<void> {
  await database.transaction((tx) => tx.run(sql.storeEvidence, id, evidence));
}

async function ask<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new ActionRefused(`The node did not answer (${errorMessage(error)}). Without a response nothing is booked; try again.`);
  }
}

function describe({ state, failureReason }: Payment): string {
  return state === 'succeeded' ? 'amount and fee are booked' : `the reason is ${failureReason}, and its money is released`;
}
