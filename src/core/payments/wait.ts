import { EventEmitter } from 'node:events';
import { writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { invariant } from '../kernel/assert.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { Receipt } from '../ledger/ledger.ts';
import { type Payment, readPayment } from './payment.ts';
import * as sql from './payments.sql.ts';
import type { PaymentContext } from './payments.ts';

/** The result of waiting for a payment. */
export interface AwaitedPayment {
  readonly payment: Payment;
  /** The receipt of the posting that ended the payment, if this process has booked it. */
  readonly receipt?: Receipt;
}

/**
 * Notifies waiting requests of the payments whose outcome this process has booked: the event's name is the payment's id. Its argument is
 * undefined if the outcome was booked elsewhere. Then only the database has it.
 */
export class Endings extends EventEmitter<Record<string, [ended?: AwaitedPayment]>> {
  isClosed = false;

  constructor() {
    super();
    // Any number of requests may wait for one payment.
    this.setMaxListeners(0);
  }

  /** Resolves when the payment has ended. Resolves with undefined after `ms`, or when `close` is called. */
  next(paymentId: string, ms: number): Promise<AwaitedPayment | undefined> {
    if (this.isClosed) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      const finish = (ended?: AwaitedPayment) => {
        clearTimeout(timer);
        this.off(paymentId, finish);
        resolve(ended);
      };
      const timer = setTimeout(finish, ms);
      this.on(paymentId, finish);
    });
  }

  /** Resolves all present and future calls of `next` with undefined. */
  close(): void {
    this.isClosed = true;
    for (const paymentId of this.eventNames()) this.emit(paymentId);
  }
}

/**
 * Returns the payment when it has ended. After `seconds`, or when the service stops, returns the pending payment, with the event
 * `payment_pending`.
 */
export async function waitForEnd(context: PaymentContext, id: string, seconds: number): Promise<AwaitedPayment> {
  const { attempts, clock, database, endings } = context;
  const deadline = clock.nowMs() + seconds * 1000;
  // The outcome of a payment that this instance attempts is usually booked here, so the database is not read at first.
  for (let mayRead = !attempts.has(id) || seconds === 0; ; mayRead = true) {
    // Listening begins before the read, so that an outcome in between is not missed. An outcome that another instance books is only read.
    const next = endings.next(id, Math.max(1, Math.min(1000, deadline - clock.nowMs())));
    if (mayRead) {
      const payment = await readPayment(database, sql.findById, id);
      invariant(payment, `payment ${id} is gone`);
      if (payment.state !== 'pending') return { payment };
      const isLate = clock.nowMs() >= deadline || endings.isClosed;
      // If the event cannot be stored, the payment has ended, or another request has stored it; the next read decides.
      if (isLate && (payment.isPendingReported || (await reportPending(context, payment)))) return { payment };
    }
    const ended = await next;
    if (ended) return ended;
  }
}

/**
 * Stores the event `payment_pending` of a payment whose request ends without its outcome: once per payment, and never after the outcome. A
 * payment that ends within its request needs no statement for this.
 *
 * The mark in the payment's row is set only while the payment is pending, and locks the row until the commit. Postings that end the payment
 * change the same row before they write events and transfers, so they wait, and their events follow in the log.
 * @returns whether it was stored now.
 */
async function reportPending({ database, clock }: PaymentContext, payment: Payment): Promise<boolean> {
  return database.transaction(async (tx) => {
    if ((await tx.run(sql.markPendingReported, payment.id)) === 0) return false;
    await writeRows(tx, [eventRow(clock, { type: 'payment_pending', owner: payment, subject: payment.id })]);
    return true;
  });
}

/** By how much a response may be late. */
const LATE_SECONDS = 10;

/**
 * Stores the same event for payments whose process stopped before the response: those that are older than any request waits. A claim of a
 * withdraw link has the event `link_claimed` instead. Never throws.
 */
export async function reportUnanswered(context: PaymentContext, pending: readonly Payment[]): Promise<void> {
  const before = unixSeconds(context.clock) - context.paymentWaitSeconds - LATE_SECONDS;
  try {
    for (const payment of pending) {
      const isDue = !payment.isPendingReported && payment.linkId === undefined && payment.createdAt < before;
      if (isDue) await reportPending(context, payment);
    }
  } catch (error) {
    context.log.warn({ reason: errorMessage(error) }, 'the events of pending payments were not stored; retrying later');
  }
}
