import { setTimeout as delay } from 'node:timers/promises';
import type { FailureReason, PaymentOutcome, PaymentReference } from '../node.ts';
import type { ClnContext } from './context.ts';
import { type SendRecord, writeRecord } from './datastore.ts';
import { outcomeOf, readRows } from './rows.ts';

interface Quiet {
  readonly generation: number | undefined;
  readonly sinceMs: number;
  readonly reason: FailureReason;
}

/** Between the last two looks at the rows. lightningd writes a row 10 to 30 ms after it has received the request. */
const RECHECK_MS = 250;

/**
 * Decides about payments with a request whose response was lost. lightningd may still execute that request, or may still be trying other
 * routes, so neither missing nor failed rows prove a failure at once. They do after lightningd has shown nothing in flight at the beginning
 * and at the end of a period in which each request must have ended, and no other request to pay has begun meanwhile.
 */
export class UnclearPayments {
  readonly #cln: ClnContext;
  /** By payment id. */
  readonly #quiet = new Map<string, Quiet>();

  constructor(cln: ClnContext) {
    this.#cln = cln;
  }

  /** Forgets the observations of a payment that is in flight or has ended. */
  forget(paymentId: string): void {
    this.#quiet.delete(paymentId);
  }

  /** Call it when no row of the payment is pending or complete. */
  async observe(payment: PaymentReference, record: SendRecord | undefined, reason: FailureReason): Promise<PaymentOutcome> {
    const { paymentId } = payment;
    const quiet = this.#quiet.get(paymentId);
    const nowMs = performance.now();
    if (!quiet || quiet.generation !== record?.generation) {
      this.#quiet.set(paymentId, { generation: record?.generation, sinceMs: nowMs, reason });
      return { state: 'pending' };
    }
    if (nowMs - quiet.sinceMs < this.#cln.timing.quietMs) return { state: 'pending' };
    const inFlight = await this.recheck(payment);
    this.forget(paymentId);
    if (inFlight) return inFlight;
    const isFinal = await writeRecord(this.#cln.datastore, payment, record, quiet.reason);
    return isFinal ? { state: 'failed', reason: quiet.reason } : { state: 'pending' };
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
