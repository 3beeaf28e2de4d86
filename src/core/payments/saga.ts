import { setTimeout as delay } from 'node:timers/promises';
import type { Alerts } from '../alerts/alerts.ts';
import { BudgetChanged, checkLimits } from '../budgets/budgets.ts';
import type { KeyLimits } from '../budgets/limits.ts';
import type { NodeConnections } from '../connection/connections.ts';
import type { Database } from '../db/database.ts';
import { closeToOutside, closingRow } from '../invoices/internal-payment.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { type Balance, type Guard, HoldClosed, type Ledger, type RowWrite } from '../ledger/ledger.ts';
import type { PaymentOutcome } from '../lightning/node.ts';
import { sendingWalletGuard } from '../wallets/wallets.ts';
import {
  announceExcess,
  type Conclusion,
  failure,
  internalPaymentPosting,
  type LinkUses,
  requireProof,
  SentAgain,
  shareFee,
  success,
} from './conclusion.ts';
import { type EndedPayment, Endings } from './endings.ts';
import { type IssuedInvoice, requireRepeat } from './payable.ts';
import { type Payment, pendingParameters, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import { sendToNode } from './sending.ts';

/** A payment to start. */
export interface PaymentDraft {
  readonly payment: Payment;
  /** The invoice of this service that the payment settles, if the caller has read it. */
  readonly issued?: IssuedInvoice | undefined;
  /** The limit for routing fees. The hold reserves less if the balance above the amount is smaller. */
  readonly reserveMsat: Msat;
  /** Rows of other modules in the same posting, such as the claim of a withdraw link. */
  readonly rows?: readonly RowWrite[];
  readonly events?: readonly RowWrite[];
  /** Conditions of the hold, such as that the key is not revoked. */
  readonly guards?: readonly Guard[] | undefined;
  /** The limits of the requesting key. */
  readonly limits?: KeyLimits | undefined;
}

/** A started payment, and whether an earlier request had started it. */
export interface StartedPayment {
  readonly payment: Payment;
  readonly replayed: boolean;
  /** The wallet's balance after the hold, if this request placed it. */
  readonly balance?: Balance | undefined;
}

/** The attempt that follows the hold: no other has begun. */
export interface FirstAttempt {
  /** The invoice of this service that the payment settles, if the caller has read it. */
  readonly issued: IssuedInvoice | undefined;
}

/** The result of waiting for a payment. It has a receipt if this process has booked the outcome. */
export type AwaitedPayment = Pick<EndedPayment, 'payment'> & Partial<EndedPayment>;

export interface SagaDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connections: NodeConnections;
  readonly invoices: Pick<Invoices, 'find' | 'findMany'>;
  readonly clock: Clock;
  readonly log: Log;
  /** The maximum of pending payments of one wallet. */
  readonly maxInFlight: number;
  readonly linkUses: LinkUses;
  /** How long a response waits for the end of a payment. */
  readonly paymentWaitSeconds: number;
}

/** How long a stop waits for running attempts. */
const STOP_MS = 5000;

/**
 * An outgoing payment has four steps. The process may crash at any point.
 * 1. `start`, one database transaction: holds amount and fee reserve, and inserts the payment as pending.
 * 2. `attempt`, over the network: sends the payment to the node, or closes the invoice of another wallet to outside payers.
 * 3. `conclude`, one database transaction: posts amount and real fee of a success, voids the hold of a definitive failure. Any other outcome
 *    leaves the payment pending.
 * 4. Pending payments are attempted again at the start of the service and periodically. This is safe, because the node pays at most once per
 *    payment id.
 */
export class Saga {
  readonly #deps: SagaDependencies;
  readonly #endings = new Endings();
  readonly #attempts = new Map<string, Promise<void>>();

  constructor(deps: SagaDependencies) {
    this.#deps = deps;
  }

  /**
   * Holds the money and starts the payment, which does not depend on the caller from then on.
   * Returns the earlier payment instead if this one repeats it (see {@link requireRepeat}).
   * @throws Refusal, NodeUnavailable when no payment was started.
   */
  async start(draft: PaymentDraft): Promise<StartedPayment> {
    const earlier = await this.#findRepeated(draft.payment);
    if (earlier) return { payment: earlier, replayed: true };
    const row = await this.#deps.database.first(sql.countPending, draft.payment.walletId, this.#deps.maxInFlight);
    return this.startNew(draft, row?.n ?? 0);
  }

  /**
   * The same for a caller that has found no live payment of the payment hash, and `pending` payments of the wallet. Both may have changed
   * since; the rows of the hold check them again.
   */
  async startNew(draft: PaymentDraft, pending: number): Promise<StartedPayment> {
    await this.#requireNode(draft);
    // Rejects most requests beyond the wallet's limit without a posting.
    if (pending >= this.#deps.maxInFlight) throw new Refusal('too_many_payments');
    for (;;) {
      try {
        const allowed = await checkLimits(this.#deps, draft.limits, draft.payment.amountMsat, draft.reserveMsat);
        const payment = { ...draft.payment, charge: allowed.charge };
        return await this.#hold({ ...draft, payment, reserveMsat: allowed.reserveMsat, rows: [...allowed.rows, ...(draft.rows ?? [])] });
      } catch (error) {
        // Another payment has changed the same budget; a smaller reserve may fit now.
        if (error instanceof BudgetChanged) continue;
        // The budget may be used up by this very payment, if another request has started it meanwhile.
        const first = error instanceof Refusal && (await this.#findRepeated(draft.payment));
        if (!first) throw error;
        return { payment: first, replayed: true };
      }
    }
  }

  /** An internal payment needs the node of the invoice, any other the node of the wallet. @throws NodeUnavailable */
  async #requireNode({ payment, issued }: PaymentDraft): Promise<void> {
    const { connections } = this.#deps;
    if (payment.invoiceId === undefined) return connections.of(payment.nodeId).requireCanSend();
    const { nodeId } = issued ?? (await this.#readIssued(payment.invoiceId));
    return connections.of(nodeId).requireAvailable();
  }

  async #hold({ payment, issued, reserveMsat, rows = [], events = [], guards = [] }: PaymentDraft): Promise<StartedPayment> {
    let balance: Balance | undefined;
    try {
      const receipt = await this.#deps.ledger.post({
        guards: [sendingWalletGuard(payment.walletId), ...guards],
        holds: [{ id: payment.id, account: payment.ledgerAccount, amountMsat: payment.amountMsat, reserveMsat }],
        rows: [
          { statement: sql.insertPending, parameters: pendingParameters(payment), onMiss: invoicePaid },
          this.#limitRow(payment),
          ...closingRows(payment),
          ...rows,
        ],
        events,
      });
      balance = receipt.balances.get(payment.ledgerAccount);
    } catch (error) {
      // Another request for the same invoice may have been first; its hold may even be the reason of this error. After an error of the
      // database, only the database knows whether the payment was started.
      const first = await this.#findRepeated(payment);
      if (!first) throw error;
      if (first.id !== payment.id) return { payment: first, replayed: true };
    }
    void this.attempt(payment, { issued });
    return { payment, replayed: false, balance };
  }

  /** Returns the live payment (pending or settled) of a payment hash, of any wallet. */
  async findLive(paymentHash: string): Promise<Payment | undefined> {
    const row = await this.#deps.database.first(sql.findLive, paymentHash);
    return row && rowToPayment(row);
  }

  /**
   * Returns the live payment of the same payment hash if `wanted` repeats it.
   * @throws Refusal `invoice_paid`, `invoice_mismatch` if it does not repeat it.
   */
  async #findRepeated(wanted: Payment): Promise<Payment | undefined> {
    const live = await this.findLive(wanted.paymentHash);
    return live && requireRepeat(live, wanted);
  }

  /**
   * Attempts a pending payment; one attempt at a time per payment. Never throws: if the outcome is unknown, the payment stays pending.
   * `first` is given for the attempt that follows the hold.
   */
  attempt(payment: Payment, first?: FirstAttempt): Promise<void> {
    const running = this.#attempts.get(payment.id);
    if (running) return running;
    const run = this.#attempt(payment, first)
      .catch((error) =>
        this.#deps.log.warn(
          { payment: payment.id, reason: errorMessage(error) },
          'the outcome of the payment is unknown; it stays pending',
        ),
      )
      .finally(() => this.#attempts.delete(payment.id));
    this.#attempts.set(payment.id, run);
    return run;
  }

  async #attempt(payment: Payment, first?: FirstAttempt): Promise<void> {
    if (payment.invoiceId !== undefined) return this.#attemptInternally(payment, payment.invoiceId, first?.issued);
    const read = await sendToNode(this.#deps, payment, first !== undefined);
    if (read) await this.conclude(read.payment, read.outcome);
  }

  /** The invoice is `closing` since the hold. The money moves only when no outside payer can pay the invoice at the node. */
  async #attemptInternally(payment: Payment, invoiceId: string, issued?: IssuedInvoice): Promise<void> {
    const { nodeId } = issued ?? (await this.#readIssued(invoiceId));
    const outcome = await closeToOutside(this.#deps.connections.of(nodeId), payment.paymentHash);
    const invoice = issued ?? (await this.#readIssued(invoiceId));
    // While this payment is pending, only an outside payment can settle the invoice. A restored node may have lost that payment.
    if (outcome === 'closed' && invoice.state !== 'settled') return this.#post(internalPaymentPosting(this.#deps, payment, invoice));
    await this.conclude(payment, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
  }

  async #readIssued(invoiceId: string): Promise<IssuedInvoice> {
    const invoice = await this.#deps.invoices.find(invoiceId);
    invariant(invoice, `invoice ${invoiceId} is gone`);
    return invoice;
  }

  /** Books a definitive outcome. Idempotent; `pending` changes nothing. */
  async conclude(payment: Payment, outcome: PaymentOutcome): Promise<void> {
    if (outcome.state === 'pending') return;
    if (outcome.state === 'failed') return this.#post(failure(this.#deps, payment, outcome.reason));
    requireProof(payment, outcome.preimage);
    const heldMsat = await this.#deps.ledger.openHoldMsat(payment.id);
    if (heldMsat === undefined) return;
    await this.#post(success(this.#deps, payment, heldMsat, outcome));
    if (shareFee(payment, heldMsat, outcome.feeMsat).excessMsat > 0) await announceExcess(this.#deps, payment);
  }

  async #post({ payment, posting }: Conclusion): Promise<void> {
    try {
      const receipt = await this.#deps.ledger.post(posting);
      this.#endings.announce(payment.id, { payment, receipt });
    } catch (error) {
      // The next attempt reads the outcome of the other request.
      if (error instanceof SentAgain) return;
      if (!(error instanceof HoldClosed)) throw error;
      this.#endings.announce(payment.id);
    }
  }

  /** Returns the payment when it has ended, or its state after `seconds` or when the service stops. */
  async wait(id: string, seconds: number): Promise<AwaitedPayment> {
    const { clock, database } = this.#deps;
    const deadline = clock.nowMs() + seconds * 1000;
    // The outcome of a payment that this instance attempts is usually booked here, so the database is not read at first.
    for (let mayRead = !this.#attempts.has(id) || seconds === 0; ; mayRead = true) {
      // Listening begins before the read, so that an outcome in between is not missed. An outcome that another instance books is only read.
      const next = this.#endings.next(id, Math.max(1, Math.min(1000, deadline - clock.nowMs())));
      if (mayRead) {
        const row = await database.first(sql.findById, id);
        invariant(row, `payment ${id} is gone`);
        if (row.state !== 'pending' || clock.nowMs() >= deadline || this.#endings.isClosed) return { payment: rowToPayment(row) };
      }
      const ended = await next;
      if (ended) return ended;
    }
  }

  /** Makes every `wait` return the present state. */
  stopWaiting(): void {
    this.#endings.close();
  }

  /** Waits until the running attempts have ended, or for a short time if the node does not answer. */
  async stop(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#attempts.values()), delay(STOP_MS, undefined, { ref: false })]);
  }

  #limitRow({ id, walletId }: Payment): RowWrite {
    const parameters = [id, walletId, this.#deps.maxInFlight];
    return { statement: sql.requireWithinLimit, parameters, onMiss: tooManyPayments };
  }
}

function closingRows({ invoiceId, createdAt }: Payment): RowWrite[] {
  return invoiceId === undefined ? [] : [closingRow(invoiceId, createdAt, invoicePaid)];
}

function invoicePaid(): Refusal {
  return new Refusal('invoice_paid');
}

function tooManyPayments(): Refusal {
  return new Refusal('too_many_payments');
}
