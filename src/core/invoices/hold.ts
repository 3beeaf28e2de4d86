import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import type { Msat } from '../kernel/money.ts';
import type { Guard, Posting, RowWrite } from '../ledger/ledger.ts';
import * as sql from './hold.sql.ts';
import { type HoldLimits, holdGuards, NotHeld } from './hold-limits.ts';
import { type Invoice, rowToInvoice } from './invoice.ts';
import type { InvoiceContext } from './invoices.ts';

/*
 * The rows of hold invoices. `hold-invoices` has the steps of payments from outside, `payments/held.ts` those of payments between wallets.
 */

/** What limits a held payment. */
export interface HoldTerms {
  readonly clock: Clock;
  /** How long a payment may wait for the decision of the wallet. */
  readonly maxHoldSeconds: number;
  readonly holdLimits: HoldLimits;
}

export type HoldContext = HoldTerms & Pick<InvoiceContext, 'database' | 'ledger'>;

/** The blocks until the first HTLC of a held payment expires, and the mean seconds between two blocks. */
export interface BlocksLeft {
  readonly blocksLeft: number;
  readonly blockSeconds: number;
}

/** A deadline is moved by no less than this. */
const MOVE_SECONDS = 600;
/**
 * The service cancels a held payment when so many blocks are left until its HTLC expires. LND cancels it at 12 blocks, because the peer would
 * close the channel soon after that. Source: `DefaultHoldInvoiceExpiryDelta` in LND's `lncfg`.
 */
export const MARGIN_BLOCKS = 18;

/** Returns when a held payment is cancelled, in Unix seconds: the HTLC limits it, and the setting. */
export function deadlineOf({ clock, maxHoldSeconds }: HoldTerms, heldAt: number, { blocksLeft, blockSeconds }: BlocksLeft): number {
  const blocks = Math.max(blocksLeft - MARGIN_BLOCKS, 0);
  return Math.min(heldAt + maxHoldSeconds, unixSeconds(clock) + Math.floor(blocks * blockSeconds));
}

/** A payment from outside that a node holds. */
export interface HeldAtNode extends BlocksLeft {
  readonly amountMsat: Msat;
  /** How many payments the node may hold at once. */
  readonly maxAtNode: number;
}

/** Returns the posting that marks an open invoice as held by a payment from outside. */
function heldPosting(terms: HoldTerms, invoice: Invoice, held: HeldAtNode, onMiss: Error): Posting {
  const now = unixSeconds(terms.clock);
  const until = Math.max(deadlineOf(terms, now, held), now);
  const { perWallet, perAccount } = terms.holdLimits;
  const parameters = [invoice.id, held.amountMsat, now, until, perWallet, perAccount, held.maxAtNode];
  return { guards: holdGuards(invoice), rows: [{ statement: sql.markHeld, parameters, onMiss }], events: [heldEvent(terms, invoice)] };
}

/** Returns the posting that marks a closing invoice as held by a payment of another wallet. */
export function heldInternallyPosting(
  terms: HoldTerms,
  payment: { readonly id: string; readonly amountMsat: Msat },
  invoice: Invoice,
  onMiss: Error,
): Posting {
  const now = unixSeconds(terms.clock);
  const { perWallet, perAccount } = terms.holdLimits;
  const parameters = [invoice.id, payment.amountMsat, now, now + terms.maxHoldSeconds, payment.id, perWallet, perAccount];
  const rows = [{ statement: sql.markHeldInternally, parameters, onMiss }];
  return { guards: holdGuards(invoice), rows, events: [heldEvent(terms, invoice)] };
}

function heldEvent({ clock }: HoldTerms, invoice: Invoice): RowWrite {
  return eventRow(clock, { type: 'invoice_held', owner: invoice, subject: invoice.id });
}

interface Decision {
  readonly decision: 'settle' | 'cancel' | 'expire';
  readonly preimage?: string | undefined;
  readonly onMiss: Error;
}

/** Returns the row that ends an invoice that holds a payment of another wallet. `settledAt` is in Unix seconds. */
export function internalDecisionRow(invoice: Invoice, { decision, preimage, onMiss }: Decision, settledAt: number): RowWrite {
  const of = [invoice.id, invoice.heldPaymentId ?? null];
  if (preimage === undefined) return { statement: sql.cancelHeldInternally, parameters: [...of, decision], onMiss };
  return { statement: sql.settleHeldInternally, parameters: [...of, settledAt, preimage], onMiss };
}

/** Stores the decision about an unpaid invoice or a payment from outside. @returns false if there was a decision, or it has ended */
export async function storeDecision(
  { ledger }: HoldContext,
  { id }: Invoice,
  { decision, preimage }: Omit<Decision, 'onMiss'>,
  guards: readonly Guard[],
): Promise<boolean> {
  const onMiss = new Error('the held payment has ended, or its end was decided before');
  const row = { statement: sql.decide, parameters: [id, decision, preimage ?? null], onMiss };
  return posted(ledger.post({ guards, rows: [row] }), onMiss);
}

/**
 * Marks an invoice as held by a payment from outside. If the payment may not be held, the decision to return it is stored instead.
 * @returns `unchanged` if another request has changed the invoice
 */
export async function markHeld(context: HoldContext, invoice: Invoice, held: HeldAtNode): Promise<'held' | 'refused' | 'unchanged'> {
  const { perWallet, perAccount } = context.holdLimits;
  const onMiss = new Error('the invoice is not open any more, or too many payments are held');
  let limits = [perWallet, perAccount, held.maxAtNode];
  try {
    if (await posted(context.ledger.post(heldPosting(context, invoice, held, onMiss)), onMiss)) return 'held';
  } catch (error) {
    if (!(error instanceof NotHeld)) throw error;
    limits = [0, 0, 0];
  }
  const belowLimits = new Error('the invoice is not open any more, or fewer payments are held by now');
  const parameters = [invoice.id, held.amountMsat, unixSeconds(context.clock), ...limits];
  const refused = context.ledger.post({ rows: [{ statement: sql.refuseHeld, parameters, onMiss: belowLimits }] });
  return (await posted(refused, belowLimits)) ? 'refused' : 'unchanged';
}

/** Marks an invoice as canceled that cannot be paid any more, and whose payment from outside went back. @returns false if another request has ended it */
export async function markReturned({ ledger, clock }: HoldContext, invoice: Invoice): Promise<boolean> {
  const onMiss = new Error('the held payment has ended');
  const row = { statement: sql.cancelHeld, parameters: [invoice.id], onMiss };
  const event = eventRow(clock, { type: 'invoice_cancelled', owner: invoice, subject: invoice.id });
  return posted(ledger.post({ rows: [row], events: [event] }), onMiss);
}

/** Moves the deadline of a held payment forward. A later one is ignored. */
export async function moveDeadline(context: HoldContext, invoice: Invoice, blocks: BlocksLeft): Promise<void> {
  const { id, heldAt = 0, heldUntil = 0 } = invoice;
  const deadline = Math.max(deadlineOf(context, heldAt, blocks), heldAt);
  // Each block moves it a little. Few moves are worth a write.
  if (heldUntil - deadline < Math.min(MOVE_SECONDS, blocks.blockSeconds)) return;
  await context.database.transaction((tx) => tx.run(sql.moveDeadline, id, deadline));
}

async function posted(posting: Promise<unknown>, onMiss: Error): Promise<boolean> {
  try {
    await posting;
    return true;
  } catch (error) {
    if (error === onMiss) return false;
    throw error;
  }
}

export interface OpenHoldsQuery {
  readonly nodeId: string;
  /** Unix seconds: invoices that expired before are not listed, nor those that were created before. */
  readonly expiredSince: number;
  readonly createdSince: number;
  readonly limit: number;
}

/** Returns hold invoices that may have been paid, the ones that expire last first. */
export async function listOpenHolds({ database }: HoldContext, query: OpenHoldsQuery): Promise<Invoice[]> {
  const { nodeId, expiredSince, createdSince, limit } = query;
  return (await database.all(sql.listOpen, nodeId, expiredSince, createdSince, limit)).map(rowToInvoice);
}

/** Returns a page of the hold invoices that may have been paid, in the order of their expiry. */
export async function listOpenHoldsAfter(
  { database }: HoldContext,
  nodeId: string,
  after: { readonly expiresAt: number; readonly id: string },
  limit: number,
): Promise<Invoice[]> {
  return (await database.all(sql.listOpenAfter, nodeId, after.expiresAt, after.id, limit)).map(rowToInvoice);
}

/** Returns a page of the invoices whose payment waits for a decision. */
export async function listHeld({ database }: HoldContext, nodeId: string, afterId: string, limit: number): Promise<Invoice[]> {
  return (await database.all(sql.listHeld, nodeId, afterId, limit)).map(rowToInvoice);
}
