import { setTimeout as delay } from 'node:timers/promises';
import { behindAlert } from '../connection/chain-view.ts';
import { withoutNulls } from '../db/fields.ts';
import { closeToOutside } from '../invoices/close.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invariant } from '../kernel/assert.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { NodeUnavailable, type PaymentOutcome } from '../lightning/node.ts';

import { bookConclusion, conclude, internalSuccess } from './conclude.ts';
import { holdForInvoice } from './held.ts';
import { type Payment, referenceOf, routingReserve } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/** How long a stop waits for running attempts. */
const STOP_MS = 5000;
/** How long it waits for internal payments, whose node has ten seconds. */
const STOP_PAYING_MS = 12_000;

/**
 * Attempts a pending payment; one attempt at a time per payment. Never throws: if the outcome is unknown, the payment stays pending.
 * `first` is given for the attempt that follows the hold: no other has begun. `issued` is the invoice of this service that the payment
 * settles, if the caller has read it.
 */
export function attempt(context: PaymentContext, payment: Payment, first?: { readonly issued: Invoice | undefined }): Promise<void> {
  const { attempts, log } = context;
  const running = attempts.get(payment.id);
  if (running) return running;
  const { invoiceId } = payment;
  const started =
    invoiceId === undefined
      ? attemptAtNode(context, payment, first !== undefined)
      : payInternally(context, payment, invoiceId, first?.issued);
  const run = started
    .catch((error) =>
      log.warn({ payment: payment.id, reason: errorMessage(error) }, 'the outcome of the payment is unknown; it stays pending'),
    )
    .finally(() => attempts.delete(payment.id));
  attempts.set(payment.id, run);
  return run;
}

/** Waits until the running attempts and internal payments have ended, or for a short time if the node does not answer. */
export async function stopAttempts({ attempts, payingAtOnce }: PaymentContext): Promise<void> {
  const paying = [...payingAtOnce.values()].map((one) => one.paying);
  const within = (ms: number, running: readonly Promise<unknown>[]) =>
    Promise.race([Promise.allSettled(running), delay(ms, undefined, { ref: false })]);
  // An internal payment that ends between its two steps leaves an invoice that only wallets of the service can pay.
  await Promise.all([within(STOP_MS, [...attempts.values()]), within(STOP_PAYING_MS, paying)]);
}

/** The invoice is `closing` since the hold. The money moves only when no outside payer can pay the invoice at the node. */
async function payInternally(context: PaymentContext, payment: Payment, invoiceId: string, issued?: Invoice): Promise<void> {
  if (await context.quarantine.read()) return;
  // A resumed payment was only read.
  if (!issued) await context.database.ensureDurable();
  const { nodeId, isHold } = issued ?? (await readIssued(context, invoiceId));
  if (isHold) return holdForInvoice(context, payment, await readIssued(context, invoiceId));
  const outcome = await closeToOutside(context.connections.of(nodeId), payment.paymentHash);
  const invoice = issued ?? (await readIssued(context, invoiceId));
  // While this payment is pending, only an outside payment can change the invoice. A restored node may have lost that payment.
  const isUnpaid = invoice.state === 'open' || invoice.state === 'closing';
  if (outcome === 'closed' && isUnpaid) return bookConclusion(context, await internalSuccess(context, payment, invoice));
  await conclude(context, payment, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
}

/** Reads the invoice of this service that a payment settles. */
export async function readIssued({ invoices }: PaymentContext, invoiceId: string): Promise<Invoice> {
  const invoice = await invoices.find(invoiceId);
  invariant(invoice, `invoice ${invoiceId} is gone`);
  return invoice;
}

/**
 * Sends a payment to the node and books its outcome, unless the payment has ended meanwhile. What is known about the requests is stored with
 * the payment:
 * - `sendingSinceMs`, before each request. It identifies the request: a failure is booked only if no other request has begun since.
 * - `unclearSinceMs`, after a request whose response was lost. The next request begins with it, because a process may have stopped in between.
 * - `unclearCheckedMs`, before each look at such a payment: how long the node has been observed since.
 * - `isAtNode`, after the node has confirmed that it has the payment. From then on it is looked up and never sent again: a node that was
 *   restored from a backup may have lost a payment that it sent, and would pay it twice.
 * After a restore, nothing is sent until it is accepted.
 * @throws when the outcome is unknown.
 */
async function attemptAtNode(context: PaymentContext, payment: Payment, isFirstRequest: boolean): Promise<void> {
  await observeUnclear(context, payment);
  if (payment.isAtNode) return conclude(context, payment, await lookUp(context, payment));
  if (await context.quarantine.read()) return;
  const heldMsat = await context.ledger.openHoldMsat(payment.id);
  if (heldMsat === undefined) return;
  const sending = isFirstRequest ? payment : await beginAgain(context, payment);
  if (!sending) return;
  const firstRequestAtMs = isFirstRequest ? payment.sendingSinceMs : undefined;
  const outcome = await send(context, sending, routingReserve(payment, heldMsat), firstRequestAtMs);
  if (outcome.state === 'failed' && outcome.payeeHeight !== undefined) await reportPayee(context, payment, outcome.payeeHeight);
  if (outcome.state === 'pending') await context.database.transaction((tx) => tx.run(sql.markAtNode, payment.id));
  await conclude(context, sending, outcome);
}

/** The node is behind the blockchain: new payments would fail in the same way. The job of the node's health closes the alert. */
async function reportPayee({ connections, alerts, log }: PaymentContext, { nodeId }: Payment, payeeHeight: number): Promise<void> {
  const connection = connections.of(nodeId);
  connection.reportPayee(payeeHeight);
  const chain = connection.chain();
  if (chain.state !== 'behind') return;
  await alerts
    .raise(behindAlert(nodeId, chain.reason))
    .catch((error) => log.warn({ node: nodeId, reason: errorMessage(error) }, 'the alert node_behind was not stored'));
}

async function lookUp({ connections }: PaymentContext, payment: Payment): Promise<PaymentOutcome> {
  const outcome = await connections.of(payment.nodeId).call((node) => node.lookupPayment(referenceOf(payment)));
  if (!outcome) throw new Error('the node knew this payment and no longer does, so its outcome is unknown and it is not sent again');
  return outcome;
}

/** A restart of the service must not begin the wait for a late request again, and what the new process has not observed must not count. */
async function observeUnclear({ database, connections, clock }: PaymentContext, payment: Payment): Promise<void> {
  if (payment.unclearSinceMs === undefined) return;
  const nowMs = clock.nowMs();
  const sinceMs = await connections.of(payment.nodeId).call(async (node) => node.unclearSince?.(referenceOf(payment)));
  if (sinceMs !== undefined) await database.transaction((tx) => tx.run(sql.observeUnclear, payment.id, sinceMs, nowMs));
}

/** Records that another request begins. An earlier one that never ended may still be executed, so its outcome is unclear from now on. */
async function beginAgain({ database, clock }: PaymentContext, payment: Payment): Promise<Payment | undefined> {
  const row = await database.transaction((tx) => tx.first(sql.beginSending, payment.id, clock.nowMs()));
  return row && { ...payment, ...withoutNulls(row) };
}

async function send(
  context: PaymentContext,
  payment: Payment,
  feeLimitMsat: Msat,
  firstRequestAtMs: number | undefined,
): Promise<PaymentOutcome> {
  const { walletId, paymentHash, amountMsat, paymentRequest, preimage, customRecords, destPubkey: destination } = payment;
  const marker = context.markers.sealPayment({ walletId, paymentId: payment.id, paymentHash });
  const order = { ...referenceOf(payment), amountMsat, feeLimitMsat, firstRequestAtMs, marker };
  try {
    return await context.connections.of(payment.nodeId).call((node) => {
      if (!payment.isKeysend) return node.pay({ ...order, paymentRequest });
      invariant(preimage && customRecords, 'a keysend has a preimage and records');
      return node.keysend({ ...order, destination, preimage, customRecords });
    });
  } catch (error) {
    await recordInterruption(context, payment, error);
    throw error;
  }
}

/** If this write fails too, the next request finds that one has begun and counts it as unclear. */
async function recordInterruption({ database, clock, log }: PaymentContext, payment: Payment, error: unknown): Promise<void> {
  const { id, sendingSinceMs } = payment;
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
