import type { Database } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { eventRow } from '../journal/events.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Payment } from './payment.ts';
import * as sql from './payments.sql.ts';

export interface PendingReportDependencies {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  /** How long a response waits for the end of a payment. */
  readonly paymentWaitSeconds: number;
}

/** By how much a response may be late. */
const LATE_SECONDS = 10;

/**
 * Stores the event `payment_pending` of a payment whose request ends without its outcome: once per payment, and never after the outcome. A
 * payment that ends within its request needs no statement for this.
 *
 * The mark in the payment's row is set only while the payment is pending, and locks the row until the commit. Postings that end the payment
 * change the same row before they write events and transfers, so they wait, and their events follow in the log.
 * @returns whether it was stored now.
 */
export async function reportPending({ database, clock }: PendingReportDependencies, payment: Payment): Promise<boolean> {
  return database.transaction(async (tx) => {
    if ((await tx.run(sql.markPendingReported, payment.id)) === 0) return false;
    await writeRows(tx, [eventRow(clock, { type: 'payment_pending', owner: payment, subject: payment.id })]);
    return true;
  });
}

/**
 * Does the same for payments whose process stopped before the response: those that are older than any request waits. A claim of a withdraw
 * link has the event `link_claimed` instead. Never throws.
 */
export async function reportUnanswered(deps: PendingReportDependencies, pending: readonly Payment[]): Promise<void> {
  const before = unixSeconds(deps.clock) - deps.paymentWaitSeconds - LATE_SECONDS;
  try {
    for (const payment of pending) {
      const isDue = !payment.isPendingReported && payment.linkId === undefined && payment.createdAt < before;
      if (isDue) await reportPending(deps, payment);
    }
  } catch (error) {
    deps.log.warn({ reason: errorMessage(error) }, 'the events of pending payments were not stored; retrying later');
  }
}
