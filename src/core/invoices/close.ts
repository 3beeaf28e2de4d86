import { setImmediate as nextTurn } from 'node:timers/promises';
import type { NodeConnection } from '../connection/connection.ts';
import type { Database } from '../db/database.ts';
import { eventRow } from '../journal/events.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, RowWrite } from '../ledger/ledger.ts';
import { type CancelOutcome, NodeUnavailable } from '../lightning/node.ts';
import * as responses from '../lightning/responses.ts';
import { recordClosedInvoice, settleAtOnce } from './closed-invoices.sql.ts';
import { findInvoice, type Invoice } from './invoice.ts';
import * as sql from './invoices.sql.ts';
import type { InvoiceContext } from './invoices.ts';

/** `closed`: no outside payer can pay the invoice at our node. The other two: an outside payment was first. */
export type OutsideState = 'closed' | Extract<CancelOutcome, 'accepted' | 'settled'>;

/**
 * Cancels an invoice at the node, for an internal payment or for a cancellation. No other code interprets the node's response.
 *
 * A node that has lost the invoice (restored from a backup, or pruned) returns `unknown`. It holds no preimage for that hash, so it cannot
 * claim a payment of it: the invoice is closed. A single response is not enough for that: the lookup must agree. If the node finds the
 * invoice again later and is paid for it, that money has arrived, and `settle.ts` books it.
 * @throws when the node does not answer, gives a response that is not understood, or contradicts itself. The state is unclear, and calling again is safe.
 */
export async function closeToOutside(connection: NodeConnection, paymentHash: string): Promise<OutsideState> {
  const outcome = await connection.call((node) => responses.cancelInvoice(node, paymentHash));
  if (outcome === 'cancelled') return 'closed';
  if (outcome !== 'unknown') return outcome;
  const status = await connection.call((node) => responses.lookUpInvoice(node, paymentHash));
  if (status === undefined || status.state === 'cancelled') return 'closed';
  if (status.state === 'accepted' || status.state === 'settled') return status.state;
  throw new Error(`the node contradicts itself: it cannot cancel the invoice as unknown, and lists it as ${status.state}`);
}

/*
 * An internal payment: a wallet pays an invoice of another wallet, without the network. Its postings contain the rows below. If it is one posting, the
 * invoice is `open`, then `settled`. If it needs a hold, the invoice is `closing` while the money is held, and `open` again after a failure.
 */

/** Marks an open invoice that has not expired at `now` (Unix seconds) as `closing`. */
export function closingRow(invoiceId: string, now: number, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.markClosing, parameters: [invoiceId, now], onMiss };
}

/** Marks a `closing` invoice as settled. */
export function settledInternallyRow(invoiceId: string, amountMsat: Msat, settledAt: number, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.settleInternally, parameters: [invoiceId, amountMsat, settledAt], onMiss };
}

/** Marks an open invoice that has not expired as settled by an internal payment in one posting. Its node has cancelled it. */
export function settledAtOnceRow(invoiceId: string, amountMsat: Msat, settledAt: number, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: settleAtOnce, parameters: [invoiceId, amountMsat, settledAt], onMiss };
}

/**
 * Records an open invoice that its node has cancelled, for a payment of a wallet that was refused then; without a wallet if that is unknown. Changes
 * nothing if the invoice can no longer be paid. @param now Unix seconds
 */
export async function recordClosedOutside(database: Database, invoiceId: string, now: number, walletId?: string): Promise<void> {
  await database.transaction((tx) => tx.run(recordClosedInvoice, invoiceId, walletId ?? null, now));
}

/** Returns the row that counts the payment of an invoice for the pay link through which a payer requested it; none for other invoices. */
export function linkPaymentRows({ id, wtxType }: Pick<Invoice, 'id' | 'wtxType'>, amountMsat: Msat, settledAt: number): RowWrite[] {
  if (wtxType !== 'ln_lnurl_pay_inbound') return [];
  return [{ statement: sql.countLinkPayment, parameters: [id, amountMsat, settledAt], onMiss: 'ignore' }];
}

/** Marks a `closing` invoice as open again. An invoice that was paid from outside meanwhile stays settled. */
export function reopenedRow(invoiceId: string, onMiss: RowWrite['onMiss']): RowWrite {
  return { statement: sql.reopenInvoice, parameters: [invoiceId], onMiss };
}

/**
 * Cancels an open invoice, but no hold invoice, and returns it; returns a canceled invoice unchanged. The node comes first, so that an invoice that is canceled
 * here cannot be paid there. An internal payment may begin between the two steps; it then takes precedence.
 * @throws Refusal `invoice_paid` when the invoice is settled or being paid.
 * @throws NodeUnavailable when the node did not confirm; calling again is safe.
 */
export async function cancelInvoice(context: InvoiceContext, invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
  if (isCanceled(invoice)) return invoice;
  const outside = await repeatable(() => closeToOutside(context.connections.of(invoice.nodeId), invoice.paymentHash));
  if (outside === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (outside === 'accepted') throw beingPaid();
  const notOpen = new Error('the invoice is no longer open');
  const row = { statement: sql.markCanceled, parameters: [invoice.id], onMiss: notOpen };
  const event = eventRow(context.clock, { type: 'invoice_cancelled', owner: invoice, subject: invoice.id });
  try {
    await context.ledger.post({ guards, rows: [row], events: [event] });
    // The invoice is not read again: if that read failed, the cancellation would be reported as not done.
    return { ...invoice, state: 'canceled' };
  } catch (error) {
    if (error !== notOpen) throw error;
  }
  const now = await findInvoice(context.database, invoice.id);
  invariant(now, `invoice ${invoice.id} is gone`);
  invariant(isCanceled(now) || now.state === 'open', 'it is cancelled, paid, or open again');
  if (now.state === 'open') throw beingPaid();
  return now;
}

/** Returns whether the invoice is canceled already. @throws Refusal `invoice_paid` when it can no longer be canceled. */
function isCanceled({ state }: Invoice): boolean {
  if (state === 'settled') throw new Refusal('invoice_paid', 'The invoice has been paid.');
  if (state === 'closing' || state === 'arriving') throw beingPaid();
  if (state === 'failed')
    throw new Refusal('invoice_paid', 'A payment of the invoice was reported and never arrived. Create another invoice.');
  return state === 'canceled';
}

function beingPaid(): Refusal {
  return new Refusal('invoice_paid', 'The invoice is being paid; try again when that payment has ended.');
}

/** Returns the result of a call that is safe to repeat. @throws NodeUnavailable when the node did not confirm it. */
export async function repeatable<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw error instanceof NodeUnavailable || error instanceof Refusal ? error : new NodeUnavailable(errorMessage(error));
  }
}

/** How many invoices one transaction reports, and how many transactions one call has at most. */
const PAGE = 200;
const MAX_PAGES = 20;

/**
 * Stores the event `invoice_expired` of open invoices that have expired. A mark in the row of the invoice, set in the same transaction, keeps
 * it to one event, whatever the clock does and however many instances do this at once. An expired invoice whose internal payment
 * fails is reported when it is open again.
 */
export async function reportExpired(context: InvoiceContext, signal: AbortSignal): Promise<void> {
  const { database, clock } = context;
  for (let pages = 0; pages < MAX_PAGES && !signal.aborted; pages += 1) {
    const due = await database.all(sql.listExpired, unixSeconds(clock), PAGE);
    if (due.length > 0) await reportExpiredPage(context, due);
    if (due.length < PAGE) return;
    await nextTurn();
  }
}

async function reportExpiredPage({ database, clock }: InvoiceContext, due: readonly sql.ExpiredRow[]): Promise<void> {
  await database.transaction(async (tx) => {
    // Since they were read, some may have been paid, canceled, or reported by another instance. The update locks the rows, so that the
    // event of a late payment follows.
    const ids = due.map(({ id }) => id);
    const expired = await tx.all(sql.markExpiryReported, ids, unixSeconds(clock));
    for (const { id, ledger_account: ledgerAccount } of expired) {
      const { statement, parameters } = eventRow(clock, { type: 'invoice_expired', owner: { ledgerAccount }, subject: id });
      await tx.send(statement, ...parameters);
    }
  });
}
