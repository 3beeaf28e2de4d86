import { setTimeout as delay } from 'node:timers/promises';
import type { FailureReason, PaymentOutcome, PaymentReference } from '../node.ts';
import type { ClnContext } from './context.ts';
import { type Quiet, type SendRecord, writeRecord } from './datastore.ts';
import { outcomeOf, readRows } from './rows.ts';

/** Between the last two looks at the rows. lightningd writes a row 10 to 30 ms after it has received the request. */
const RECHECK_MS = 250;

/**
 * Decides about payments with a request whose response was lost. lightningd may still execute that request, or may still be trying other
 * routes, so neither missing nor failed rows prove a failure at once. They do after lightningd has shown nothing in flight at the beginning
 * and at the end of a period in which each request must have ended, and no other request to pay has begun meanwhile. The record of the payment has the
 * beginning, so that a restart of the service does not begin the period again; the record of another request replaces it.
 */
export class UnclearPayments {
  readonly #cln: ClnContext;
  /** When this process has seen the beginning of a period, by payment id: the time of `performance.now()`, because clocks are set. */
  readonly #begunMs = new Map<string, number>();

  constructor(cln: ClnContext) {
    this.#cln = cln;
  }

  /** Forgets the observations of a payment that is in flight or has ended. A new period begins when it is in flight no more. */
  async forget(payment: PaymentReference, record: SendRecord | undefined, { state }: PaymentOutcome): Promise<void> {
    this.#begunMs.delete(payment.paymentId);
    if (state === 'pending' && record?.quiet) await writeRecord(this.#cln.datastore, payment, record);
  }

  /** Call it when no row of the payment is pending or complete. */
  async observe(payment: PaymentReference, record: SendRecord | undefined, reason: FailureReason): Promise<PaymentOutcome> {
    const quiet = record?.quiet;
    const quietMs = quiet && this.#durationOf(payment, quiet);
    if (quietMs === undefined || quietMs < 0) {
      this.#begunMs.set(payment.paymentId, performance.now());
      await writeRecord(this.#cln.datastore, payment, record, { quiet: { sinceMs: Date.now(), reason } });
      return { state: 'pending' };
    }
    if (quietMs < this.#cln.timing.quietMs) return { state: 'pending' };
    const inFlight = await this.recheck(payment);
    if (inFlight) {
      await this.forget(payment, record, inFlight);
      return inFlight;
    }
    this.#begunMs.delete(payment.paymentId);
    const failed = quiet?.reason ?? reason;
    const isFinal = await writeRecord(this.#cln.datastore, payment, record, { failed });
    return isFinal ? { state: 'failed', reason: failed } : { state: 'pending' };
  }

  /** Returns how long a period has lasted in milliseconds; negative if the clock was set back. */
  #durationOf({ paymentId }: PaymentReference, { sinceMs }: Quiet): number {
    const begunMs = this.#begunMs.get(paymentId);
    const byClockMs = Date.now() - sinceMs;
    return begunMs === undefined ? byClockMs : Math.min(byClockMs, performance.now() - begunMs);
  }

  /** Looks a second time, after the time in which a row may appear. Returns undefined when nothing is in flight or complete. */
  async recheck(payment: PaymentReference): Promise<PaymentOutcome | undefined> {
    await delay(RECHECK_MS);
    // Version 26.06 and later also report a payment as pending while xpay looks for a route.
    const { pays } = await this.#cln.rpc.call('listpays', { payment_hash: payment.paymentHash });
    if (pays.some(({ status }) => status === 'pending')) return { state: 'pending' };
    return outcomeOf((await readRows(this.#cln, payment)).own);
  }
}
