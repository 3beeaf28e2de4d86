import type { Alerts } from '../alerts/alerts.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import { repeatable } from '../invoices/close.ts';
import { storeDecision } from '../invoices/hold.ts';
import type { HoldLimits } from '../invoices/hold-limits.ts';
import type { Invoice } from '../invoices/invoice.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { Refusal } from '../kernel/refusal.ts';
import type { Guard, Ledger } from '../ledger/ledger.ts';
import { paymentHashOf } from '../lightning/payment-hash.ts';
import type { Payments } from '../payments/payments.ts';
import { walletGuard } from '../wallets/wallets.ts';
import { carryOut, checkAtNode } from './at-node.ts';
import { type HoldTiming, watchHolds } from './watch.ts';

export interface HoldInvoiceContext {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly clock: Clock;
  readonly log: Log;
  readonly maxHoldSeconds: number;
  readonly holdLimits: HoldLimits;
}

export type HoldInvoices = ReturnType<typeof createHoldInvoices>;

const MAX_TRIES = 4;

/**
 * Decisions about the payments of hold invoices.
 *
 * A payment from outside waits at the node. Its decision has these steps, and the process may crash at any point.
 * 1. One transaction stores the decision, with the preimage. Only the first one is stored, and it never changes.
 * 2. `at-node.ts`, over the network: the node settles or cancels. Both calls may be repeated.
 * 3. The node reports the settlement, and `invoices/settle.ts` credits it when it is final. Or one transaction marks the invoice as canceled.
 * 4. `watch.ts` repeats step 2 until it has an outcome, and cancels payments without a decision at their deadline.
 *
 * A payment of another wallet is held in the ledger. Its decision is one transaction (`payments/held.ts`).
 */
export function createHoldInvoices(context: HoldInvoiceContext) {
  return {
    /**
     * Settles the payment that a hold invoice holds, and returns the invoice as it is then. It stays `held` while the node has not confirmed; the
     * decision is stored, and is carried out later. Idempotent.
     * @throws Refusal `validation_failed`, `invoice_not_held`, `invoice_cancelled`, `account_restricted`; then nothing was settled.
     */
    settle(invoice: Invoice, preimage: string, guards: readonly Guard[]): Promise<Invoice> {
      if (!invoice.isHold) throw new Refusal('validation_failed', NO_HOLD);
      if (paymentHashOf(preimage) !== invoice.paymentHash) throw new Refusal('validation_failed', WRONG_PREIMAGE);
      // The payment that an account may not receive goes back to its payer: `watch.ts` returns it.
      return decide(context, invoice, { decision: 'settle', preimage, guards: [...guards, walletGuard(invoice.walletId, 'receive')] });
    },

    /**
     * Cancels an invoice. The payment that a hold invoice holds goes back to its payer. Returns the invoice as it is then: a hold invoice stays
     * `open` or `held` while the node has not confirmed. Idempotent.
     * @throws Refusal `invoice_paid`; NodeUnavailable for other invoices. Then nothing was cancelled.
     */
    cancel(invoice: Invoice, guards: readonly Guard[]): Promise<Invoice> {
      return invoice.isHold ? decide(context, invoice, { decision: 'cancel', guards }) : context.invoices.cancel(invoice, guards);
    },

    /** See {@link watchHolds}. */
    watch: (nodeId: string, signal: AbortSignal, timing?: HoldTiming): Promise<void> => watchHolds(context, nodeId, signal, timing),
  };
}

const NO_HOLD = 'This is no hold invoice. It is settled when it is paid.';
const WRONG_PREIMAGE = '`preimage` must be the 32 bytes, in hex, whose SHA-256 is the payment hash of the invoice.';

interface DecisionOrder {
  readonly decision: 'settle' | 'cancel';
  readonly preimage?: string;
  /** Conditions, such as the validity of the requesting key. */
  readonly guards: readonly Guard[];
}

async function decide(context: HoldInvoiceContext, invoice: Invoice, { decision, preimage, guards }: DecisionOrder): Promise<Invoice> {
  for (let tries = 1, now = invoice; ; tries += 1, now = await read(context, invoice)) {
    requireDecidable(now, decision);
    if (now.state === 'settled' || now.state === 'arriving' || now.state === 'failed' || now.state === 'canceled') return now;
    if (tries > MAX_TRIES) throw new Error('the hold invoice was changed again and again');
    if (now.state === 'open' && decision === 'settle' && (await checkOpen(context, now)) === 'unchanged')
      throw new Refusal('invoice_not_held');
    if (now.state === 'held' && now.heldPaymentId !== undefined) await context.payments.endHeld(now, { decision, preimage, guards });
    else if (now.decision === decision || (await storeDecision(context, now, { decision, preimage }, guards))) {
      const ended = await carryOutNow(context, await read(context, now));
      requireDecidable(ended, decision);
      return ended;
    }
  }
}

/** The payment of an invoice may have arrived at the node a moment ago. */
function checkOpen(context: HoldInvoiceContext, invoice: Invoice): Promise<'changed' | 'unchanged'> {
  return repeatable(() => checkAtNode(context, invoice));
}

/** Carries a stored decision out. If that fails, it is repeated later. */
async function carryOutNow(context: HoldInvoiceContext, invoice: Invoice): Promise<Invoice> {
  try {
    await carryOut(context, invoice);
  } catch (error) {
    const reason = errorMessage(error);
    context.log.warn({ invoice: invoice.id, reason }, 'a decision about a hold invoice was not carried out; trying again');
  }
  return read(context, invoice);
}

async function read({ invoices }: HoldInvoiceContext, { id }: Invoice): Promise<Invoice> {
  const invoice = await invoices.find(id);
  invariant(invoice, `invoice ${id} is gone`);
  return invoice;
}

/** @throws Refusal when the opposite was decided before. */
function requireDecidable({ state, decision: earlier, heldPaymentId }: Invoice, decision: 'settle' | 'cancel'): void {
  const isWaiting = state === 'open' || state === 'held';
  const isSettling = isWaiting && earlier === 'settle';
  const isCancelling = isWaiting && (earlier === 'cancel' || earlier === 'expire');
  if (decision === 'settle' && (state === 'canceled' || isCancelling))
    throw new Refusal('invoice_cancelled', 'The hold invoice was cancelled. A payment that waited goes back to its payer.');
  if (state === 'closing') {
    const type = decision === 'settle' ? 'invoice_not_held' : 'invoice_paid';
    throw new Refusal(type, 'A payment of the invoice is arriving. Try again in a moment.');
  }
  if (decision === 'cancel' && (state === 'settled' || state === 'arriving' || state === 'failed' || isSettling))
    throw new Refusal('invoice_paid', 'The invoice was settled.');
  invariant(state !== 'held' || heldPaymentId === undefined || earlier === undefined, 'a decision about a held internal payment ends it');
}
