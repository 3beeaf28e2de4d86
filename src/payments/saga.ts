import { setTimeout as delay } from 'node:timers/promises';
import type { Alerts } from '../alerts/alerts.ts';
import { allow, BudgetMoved } from '../budgets/budgets.ts';
import type { Limits } from '../budgets/limits.ts';
import type { NodeConnection } from '../connection/connection.ts';
import type { Database } from '../db/database.ts';
import { closeToOutside } from '../invoices/close-to-outside.ts';
import { rowToInvoice } from '../invoices/invoice.ts';
import { close as closeInvoice, findById as findInvoice } from '../invoices/invoices.sql.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Msat } from '../kernel/money.ts';
import { Refusal } from '../kernel/refusal.ts';
import { HoldClosed } from '../ledger/arithmetic.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Balance, Guard, RowWrite } from '../ledger/posting.ts';
import type { LightningNode, PaymentOutcome } from '../lightning/node.ts';
import { activeWalletGuard } from '../wallets/wallets.ts';
import { announceExcess, type Conclusion, failure, internalPaymentPosting, requireProof, shareFee, success } from './conclusion.ts';
import { type Ended, Endings } from './endings.ts';
import type { IssuedInvoice } from './payable.ts';
import { type Payment, pendingParameters, rowToPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import { requireRepeat } from './repeated-payment.ts';

/** A payment about to begin. */
export interface Draft {
  readonly payment: Payment;
  /** The invoice of this service that it pays, when its caller has read it. */
  readonly issued?: IssuedInvoice | undefined;
  /** The most that routing may cost; capped by what the balance leaves above the amount. */
  readonly reserveMsat: Msat;
  /** Rows of other rooms that the hold depends on, such as the claim of a withdraw link. */
  readonly rows?: readonly RowWrite[];
  /** What must be so when the money is held, such as that the key is not revoked. */
  readonly guards?: readonly Guard[] | undefined;
  /** What may leave by the key that asks for it. */
  readonly limits?: Limits | undefined;
}

/** A payment, and whether it had been begun by an earlier request. */
export interface StartedPayment {
  readonly payment: Payment;
  readonly replayed: boolean;
  /** The wallet's balance right after the hold, when this request made it. */
  readonly balance?: Balance | undefined;
}

/** A payment that was waited for; with the receipt of its end when this process has booked it. */
export type Waited = Pick<Ended, 'payment'> & Partial<Ended>;

export interface SagaDependencies {
  readonly database: Database;
  readonly ledger: Ledger;
  readonly alerts: Alerts;
  readonly connection: NodeConnection;
  readonly clock: Clock;
  readonly log: Log;
  /** How many payments one wallet may have in flight. */
  readonly maxInFlight: number;
  readonly linkUses: LinkUses;
}

/** Changes the uses that are left of a withdraw link. */
export interface LinkUses {
  /** For a claim that failed: its use can be claimed again. */
  releaseUse(linkId: string): RowWrite;
  /** For a claim that was booked as failed and succeeded. The row throws {@link LinkUsesChanged} when the uses are not as they were read. */
  takeUse(database: Database, linkId: string): Promise<TakenUse>;
}

export interface TakenUse {
  readonly row: RowWrite;
  /** How many claims the link will have paid beyond its uses; 0 when a use was left. */
  readonly overused: number;
}

/** Another posting changed the uses of a withdraw link after they were read: read them again. */
export class LinkUsesChanged extends Error {
  override readonly name = 'LinkUsesChanged';
}

const SETTLE_DOWN_MS = 5000;

/**
 * How money leaves, in four steps that may die anywhere:
 * 1. `begin`, one database transaction: hold amount and fee reserve, write the payment as pending.
 * 2. `drive`, the network: hand it to the node, or take the invoice of a local wallet.
 * 3. `conclude`, one database transaction: succeeded → post amount and real fee; failed for good → void; anything else → nothing.
 * 4. whatever is still pending is driven again at start and periodically. The node pays at most once per payment id, so that is safe.
 */
export class Saga {
  readonly #deps: SagaDependencies;
  readonly #endings = new Endings();
  readonly #driving = new Map<string, Promise<void>>();

  constructor(deps: SagaDependencies) {
    this.#deps = deps;
  }

  /**
   * Holds the money and starts to pay; the payment goes on whatever becomes of the caller.
   * Returns the earlier payment instead when this one repeats it (see {@link requireRepeat}).
   * @throws Refusal, NodeUnavailable when nothing was begun.
   */
  async begin(draft: Draft): Promise<StartedPayment> {
    const earlier = await this.#findRepeated(draft.payment);
    if (earlier) return { payment: earlier, replayed: true };
    const row = await this.#deps.database.first(sql.countPending, draft.payment.walletId, this.#deps.maxInFlight);
    return this.beginNew(draft, row?.n ?? 0);
  }

  /**
   * The same for a caller that has just found no live payment of the payment hash, and `pending` payments of the wallet. Both may be
   * different by now: the rows of the hold decide.
   */
  async beginNew(draft: Draft, pending: number): Promise<StartedPayment> {
    await this.#deps.connection.requireAvailable();
    // Rejects most of what is beyond the wallet's limit before it costs the ledger anything.
    if (pending >= this.#deps.maxInFlight) throw new Refusal('too_many_payments');
    for (;;) {
      try {
        const allowed = await allow(this.#deps, draft.limits, draft.payment.amountMsat, draft.reserveMsat);
        const payment = { ...draft.payment, charge: allowed.charge };
        return await this.#hold({ ...draft, payment, reserveMsat: allowed.reserveMsat, rows: [...allowed.rows, ...(draft.rows ?? [])] });
      } catch (error) {
        // Each time round, another payment of the same budget went through or came back; a smaller reserve may fit.
        if (error instanceof BudgetMoved) continue;
        // What used the budget up may be this very payment, begun by another request meanwhile.
        const first = error instanceof Refusal && (await this.#findRepeated(draft.payment));
        if (!first) throw error;
        return { payment: first, replayed: true };
      }
    }
  }

  async #hold({ payment, issued, reserveMsat, rows = [], guards = [] }: Draft): Promise<StartedPayment> {
    let balance: Balance | undefined;
    try {
      const receipt = await this.#deps.ledger.post({
        guards: [activeWalletGuard(payment.walletId), ...guards],
        holds: [{ id: payment.id, account: payment.ledgerAccount, amountMsat: payment.amountMsat, reserveMsat }],
        rows: [
          { statement: sql.insertPending, parameters: pendingParameters(payment), onMiss: invoicePaid },
          this.#limitRow(payment),
          ...this.#takeInvoice(payment),
          ...rows,
        ],
      });
      balance = receipt.balances.get(payment.ledgerAccount);
    } catch (error) {
      // Another request for the same invoice may have been first; what it holds may even be why this one was refused. And after an
      // error of the database only the database knows whether the payment was begun.
      const first = await this.#findRepeated(payment);
      if (!first) throw error;
      if (first.id !== payment.id) return { payment: first, replayed: true };
    }
    void this.drive(payment, issued);
    return { payment, replayed: false, balance };
  }

  /** Returns the payment of a hash that is pending or settled, whichever wallet it is from. */
  async findLive(paymentHash: string): Promise<Payment | undefined> {
    const row = await this.#deps.database.first(sql.findLive, paymentHash);
    return row && rowToPayment(row);
  }

  /**
   * Returns the live payment of the same payment hash, if the wanted one repeats it.
   * @throws Refusal `invoice_paid`, `invoice_mismatch` when it does not.
   */
  async #findRepeated(wanted: Payment): Promise<Payment | undefined> {
    const live = await this.findLive(wanted.paymentHash);
    return live && requireRepeat(live, wanted);
  }

  /** Takes a pending payment as far as it gets now; never throws: what is unclear stays pending. One at a time per payment. */
  drive(payment: Payment, issued?: IssuedInvoice): Promise<void> {
    const running = this.#driving.get(payment.id);
    if (running) return running;
    const run = this.#drive(payment, issued)
      .catch((error) => this.#deps.log.warn({ payment: payment.id, reason: errorMessage(error) }, 'payment stays pending'))
      .finally(() => this.#driving.delete(payment.id));
    this.#driving.set(payment.id, run);
    return run;
  }

  async #drive(payment: Payment, issued?: IssuedInvoice): Promise<void> {
    if (payment.invoiceId !== undefined) return this.#driveInside(payment, payment.invoiceId, issued);
    if (payment.isAtNode) return this.conclude(payment, await this.#lookup(payment));
    const heldMsat = await this.#deps.ledger.openHoldMsat(payment.id);
    if (heldMsat === undefined) return;
    const order = {
      paymentId: payment.id,
      paymentHash: payment.paymentHash,
      amountMsat: payment.amountMsat,
      feeLimitMsat: (heldMsat - payment.amountMsat) as Msat,
    };
    const outcome = await this.#send(payment, order);
    if (outcome.state === 'pending') await this.#deps.database.transaction((tx) => tx.run(sql.markAtNode, payment.id));
    await this.conclude(payment, outcome);
  }

  /** A node that was restored may have forgotten the payment although the money left: sending it again could report a failure that is none. */
  async #lookup({ id }: Payment): Promise<PaymentOutcome> {
    const outcome = await this.#deps.connection.node.lookupPayment(id);
    if (!outcome) throw new Error('the node had this payment and no longer knows it, so its outcome is unknown and it is not sent again');
    return outcome;
  }

  #send(payment: Payment, order: Pick<Parameters<LightningNode['pay']>[0], 'paymentId' | 'paymentHash' | 'amountMsat' | 'feeLimitMsat'>) {
    if (!payment.isKeysend) return this.#deps.connection.node.pay({ ...order, paymentRequest: payment.paymentRequest });
    invariant(payment.preimage && payment.customRecords, 'a keysend has its preimage and records');
    const { preimage, customRecords, destPubkey: destination } = payment;
    return this.#deps.connection.node.keysend({ ...order, destination, preimage, customRecords });
  }

  /** The invoice is `closing` since the hold. The money moves only when no outside payer can pay it at the node. */
  async #driveInside(payment: Payment, invoiceId: string, issued?: IssuedInvoice): Promise<void> {
    const outcome = await closeToOutside(this.#deps.connection, payment.paymentHash);
    const invoice = issued ?? (await this.#readIssued(invoiceId));
    // While this payment is pending, only a payment from outside settles the invoice. A node that was restored may have forgotten it.
    if (outcome === 'closed' && invoice.state !== 'settled') return this.#finish(internalPaymentPosting(this.#deps, payment, invoice));
    await this.conclude(payment, { state: 'failed', reason: 'INCORRECT_PAYMENT_DETAILS' });
  }

  async #readIssued(invoiceId: string): Promise<IssuedInvoice> {
    const row = await this.#deps.database.first(findInvoice, invoiceId);
    invariant(row, `invoice ${invoiceId} is gone`);
    return rowToInvoice(row);
  }

  /** Books a definitive outcome, once, however often it is reported; `pending` changes nothing. */
  async conclude(payment: Payment, outcome: PaymentOutcome): Promise<void> {
    if (outcome.state === 'pending') return;
    if (outcome.state === 'failed') return this.#finish(failure(this.#deps, payment, outcome.reason));
    requireProof(payment, outcome.preimage);
    const heldMsat = await this.#deps.ledger.openHoldMsat(payment.id);
    if (heldMsat === undefined) return;
    await this.#finish(success(this.#deps, payment, heldMsat, outcome));
    if (shareFee(payment, heldMsat, outcome.feeMsat).excessMsat > 0) await announceExcess(this.#deps, payment);
  }

  async #finish({ payment, posting }: Conclusion): Promise<void> {
    try {
      const receipt = await this.#deps.ledger.post(posting);
      this.#endings.announce(payment.id, { payment, receipt });
    } catch (error) {
      if (!(error instanceof HoldClosed)) throw error;
      this.#endings.announce(payment.id);
    }
  }

  /** The payment once it has ended, or as it is after `seconds` or when the service is closing, whichever is first. */
  async wait(id: string, seconds: number): Promise<Waited> {
    const { clock, database } = this.#deps;
    const deadline = clock.nowMs() + seconds * 1000;
    // A payment that this instance is driving ends here most of the time, so the database need not be read first.
    for (let mayRead = !this.#driving.has(id) || seconds === 0; ; mayRead = true) {
      // Listening begins before the read, so that an end in between is not missed. Another instance may end it: that is only read.
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

  /** Answers everybody who waits with what is known now. */
  stopWaiting(): void {
    this.#endings.close();
  }

  /** Lets what is being driven come to rest, for a clean end of the process; a node that is silent does not hold it up for long. */
  async stop(): Promise<void> {
    await Promise.race([Promise.allSettled(this.#driving.values()), delay(SETTLE_DOWN_MS, undefined, { ref: false })]);
  }

  #limitRow({ id, walletId }: Payment): RowWrite {
    const parameters = [id, walletId, this.#deps.maxInFlight];
    return { statement: sql.requireWithinLimit, parameters, onMiss: tooManyPayments };
  }

  #takeInvoice(payment: Payment): RowWrite[] {
    if (payment.invoiceId === undefined) return [];
    const parameters = [payment.invoiceId, payment.createdAt];
    return [{ statement: closeInvoice, parameters, onMiss: invoicePaid }];
  }
}

function invoicePaid(): Refusal {
  return new Refusal('invoice_paid');
}

function tooManyPayments(): Refusal {
  return new Refusal('too_many_payments');
}
