import { invariant } from '../kernel/assert.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { NodeUnavailable, type PaymentOrder, type PaymentOutcome } from '../lightning/node.ts';
import { type Payment, referenceOf } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { SagaDependencies } from './saga.ts';

/** A payment as it was when its outcome was read, and the outcome. */
export interface ReadOutcome {
  readonly payment: Payment;
  readonly outcome: PaymentOutcome;
}

/**
 * Sends a payment to the node and returns its outcome; undefined when the payment has ended meanwhile. What is known about the requests is
 * stored with the payment:
 * - `sendingSinceMs`, before each request. It identifies the request: a failure is booked only if no other request has begun since.
 * - `unclearSinceMs`, after a request whose response was lost. The next request begins with it, because a process may have stopped in between.
 * - `isAtNode`, after the node has confirmed that it has the payment. From then on it is looked up and never sent again: a node that was
 *   restored from a backup may have lost a payment that it sent, and would pay it twice.
 * @throws when the outcome is unknown.
 */
export async function sendToNode(deps: SagaDependencies, payment: Payment, isFirstRequest: boolean): Promise<ReadOutcome | undefined> {
  if (payment.isAtNode) return { payment, outcome: await lookUp(deps, payment) };
  const heldMsat = await deps.ledger.openHoldMsat(payment.id);
  if (heldMsat === undefined) return undefined;
  const sending = isFirstRequest ? payment : await beginAgain(deps, payment);
  if (!sending) return undefined;
  const feeLimitMsat = (heldMsat - payment.amountMsat) as Msat;
  const outcome = await send(deps, sending, { feeLimitMsat, firstRequestAtMs: isFirstRequest ? payment.sendingSinceMs : undefined });
  if (outcome.state === 'pending') await deps.database.transaction((tx) => tx.run(sql.markAtNode, payment.id));
  return { payment: sending, outcome };
}

async function lookUp({ connections }: SagaDependencies, payment: Payment): Promise<PaymentOutcome> {
  const outcome = await connections.of(payment.nodeId).node.lookupPayment(referenceOf(payment));
  if (!outcome) throw new Error('the node knew this payment and no longer does, so its outcome is unknown and it is not sent again');
  return outcome;
}

/** Records that another request begins. An earlier one that never ended may still be executed, so its outcome is unclear from now on. */
async function beginAgain({ database, clock }: SagaDependencies, payment: Payment): Promise<Payment | undefined> {
  const row = await database.transaction((tx) => tx.first(sql.beginSending, payment.id, clock.nowMs()));
  return row && { ...payment, sendingSinceMs: row.sending_since_ms, unclearSinceMs: row.unclear_since_ms ?? undefined };
}

type SendingTerms = Pick<PaymentOrder, 'feeLimitMsat' | 'firstRequestAtMs'>;

async function send(deps: SagaDependencies, payment: Payment, terms: SendingTerms): Promise<PaymentOutcome> {
  try {
    return await request(deps, payment, terms);
  } catch (error) {
    await recordInterruption(deps, payment, error);
    throw error;
  }
}

function request({ connections }: SagaDependencies, payment: Payment, terms: SendingTerms): Promise<PaymentOutcome> {
  const { node } = connections.of(payment.nodeId);
  const { amountMsat, paymentRequest, preimage, customRecords, destPubkey: destination } = payment;
  const order = { ...referenceOf(payment), amountMsat, ...terms };
  if (!payment.isKeysend) return node.pay({ ...order, paymentRequest });
  invariant(preimage && customRecords, 'a keysend has a preimage and records');
  return node.keysend({ ...order, destination, preimage, customRecords });
}

/** If this write fails too, the next request finds that one has begun and counts it as unclear. */
async function recordInterruption(
  { database, clock, log }: SagaDependencies,
  { id, sendingSinceMs }: Payment,
  error: unknown,
): Promise<void> {
  invariant(sendingSinceMs !== undefined, 'a request has begun');
  try {
    await database.transaction((tx) =>
      error instanceof NodeUnavailable
        ? tx.run(sql.markNotSent, id, sendingSinceMs)
        : tx.run(sql.markUnclear, id, sendingSinceMs, clock.nowMs()),
    );
  } catch (failure) {
    log.warn({ payment: id, reason: errorMessage(failure) }, 'it was not stored how a request to the node ended');
  }
}
