import { closeToOutside } from '../invoices/close.ts';
import { type BlocksLeft, MARGIN_BLOCKS, markHeld, markReturned, moveDeadline, storeDecision } from '../invoices/hold.ts';
import { maxAtNode } from '../invoices/hold-limits.ts';
import type { Invoice } from '../invoices/invoice.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import type { InvoiceStatus } from '../lightning/node.ts';
import { lookUpInvoice, settleHoldInvoice } from '../lightning/responses.ts';
import type { HoldInvoiceContext } from './hold-invoices.ts';

type Held = Extract<InvoiceStatus, { state: 'held' }>;
type Settled = Extract<InvoiceStatus, { state: 'settled' }>;

/**
 * Reads an invoice without a decision at its node, and books what has changed: a payment waits, or went back, or was settled.
 * @throws when the node does not answer.
 */
export async function checkAtNode(context: HoldInvoiceContext, invoice: Invoice): Promise<'changed' | 'unchanged'> {
  const status = await readStatus(context, invoice);
  if (status?.state === 'settled') return bookSettlement(context, invoice, status);
  if (invoice.state === 'open') {
    // An expired invoice is cancelled by its node.
    if (status?.state === 'cancelled' && unixSeconds(context.clock) < (invoice.expiresAt ?? 0)) return closeCancelled(context, invoice);
    if (status?.state !== 'held') return 'unchanged';
    const { amountMsat } = status;
    const most = maxAtNode(context.holdLimits, connectionOf(context, invoice));
    const outcome = await markHeld(context, invoice, { amountMsat, ...blocksLeftOf(context, invoice, status), maxAtNode: most });
    return outcome === 'refused' ? returnPayment(context, invoice) : 'changed';
  }
  if (invoice.state !== 'held' || status?.state === 'accepted') return 'unchanged';
  if (status?.state === 'held') return checkDeadline(context, invoice, status);
  return returnPayment(context, invoice);
}

/** The node can no longer be paid, because a service whose database was lost, or the node's operator, has cancelled the invoice. */
async function closeCancelled(context: HoldInvoiceContext, invoice: Invoice): Promise<'changed'> {
  await storeDecision(context, invoice, { decision: 'cancel' }, []);
  const now = await context.invoices.find(invoice.id);
  if (now?.state === 'open' && now.decision !== undefined) await carryOut(context, now);
  return 'changed';
}

/** Cancels a payment whose time is over. */
async function checkDeadline(context: HoldInvoiceContext, invoice: Invoice, status: Held): Promise<'changed' | 'unchanged'> {
  if (invoice.decision === undefined) {
    const blocks = blocksLeftOf(context, invoice, status);
    await moveDeadline(context, invoice, blocks);
    if (blocks.blocksLeft > MARGIN_BLOCKS && unixSeconds(context.clock) < (invoice.heldUntil ?? 0)) return 'unchanged';
  }
  await expire(context, invoice);
  return 'changed';
}

/** Returns a held payment to its payer, unless its end was decided before: then that is carried out. */
export async function expire(context: HoldInvoiceContext, invoice: Invoice): Promise<void> {
  if (invoice.decision === undefined) await storeDecision(context, invoice, { decision: 'expire' }, []);
  const now = await context.invoices.find(invoice.id);
  if (now?.state === 'held' && now.decision !== undefined) await carryOut(context, now);
}

/** The node counts from its newest block. It may have missed later ones, so those that are due on average are subtracted. */
function blocksLeftOf({ connections }: HoldInvoiceContext, { nodeId }: Invoice, { blocksLeft }: Held): BlocksLeft {
  const { blocks, blockSeconds } = connections.of(nodeId).missedBlocks();
  return { blocksLeft: blocksLeft - blocks, blockSeconds };
}

/**
 * Carries the stored decision about a payment from outside out at the node, and books the outcome. Idempotent.
 * @throws when the outcome is unknown; calling again is safe.
 */
export async function carryOut(context: HoldInvoiceContext, invoice: Invoice): Promise<void> {
  const { decision, preimage, state, heldPaymentId } = invoice;
  if (state !== 'held' && state !== 'open') return;
  invariant(
    decision !== undefined && heldPaymentId === undefined,
    'the node is called after a decision, and not about an internal payment',
  );
  if (decision !== 'settle') return void (await returnPayment(context, invoice));
  invariant(preimage, 'a decision to settle has the preimage');
  const outcome = await connectionOf(context, invoice).call((node) => settleHoldInvoice(node, preimage));
  const status = await readStatus(context, invoice);
  if (status?.state === 'settled') return void (await bookSettlement(context, invoice, status));
  if (outcome === 'settled' || status?.state === 'held' || status?.state === 'accepted')
    throw new Error(`the node returned ${outcome} and lists the invoice as ${status?.state ?? 'unknown'}`);
  await returnPayment(context, invoice);
}

/** Makes sure that the payment goes back to its payer, and marks the invoice as canceled. It is settled if another program was first. */
async function returnPayment(context: HoldInvoiceContext, invoice: Invoice): Promise<'changed'> {
  const outside = await closeToOutside(connectionOf(context, invoice), invoice.paymentHash);
  if (outside === 'closed') {
    const isLeft = await connectionOf(context, invoice).call(async (node) => node.hasHtlcOf?.(invoice.paymentHash));
    if (isLeft === true) throw new HtlcLeft();
    await markReturned(context, invoice);
  } else {
    const status = await readStatus(context, invoice);
    if (status?.state !== 'settled') throw new Error(`the node cannot cancel the invoice, and lists it as ${status?.state ?? 'unknown'}`);
    await bookSettlement(context, invoice, status);
  }
  return 'changed';
}

/** The node has cancelled the payment, and a channel still has its HTLC. The payer has the money back only when it is gone. */
class HtlcLeft extends Error {
  override readonly name = 'HtlcLeft';

  constructor() {
    super('the node has cancelled the payment, but its HTLC has not left the channel');
  }
}

/** The node also reports the settlement as an event. Each payment hash is credited once. */
async function bookSettlement({ invoices, clock }: HoldInvoiceContext, invoice: Invoice, status: Settled): Promise<'changed'> {
  const { paymentHash, nodeId } = invoice;
  const { amountMsat, preimage } = status;
  const settledAt = unixSeconds(clock);
  await invoices.settle({ type: 'settlement', paymentHash, amountMsat, preimage, settledAt, keysend: false, customRecords: {} }, nodeId);
  return 'changed';
}

function readStatus(context: HoldInvoiceContext, invoice: Invoice): Promise<InvoiceStatus | undefined> {
  return connectionOf(context, invoice).call((node) => lookUpInvoice(node, invoice.paymentHash));
}

function connectionOf({ connections }: HoldInvoiceContext, { nodeId }: Invoice) {
  return connections.of(nodeId);
}
