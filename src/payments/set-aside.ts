import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { NodeEvent } from '../lightning/node.ts';
import type { Payments } from './payments.ts';
import * as sql from './set-aside.sql.ts';

export interface BookingDependencies {
  readonly database: Database;
  readonly invoices: Pick<Invoices, 'settle'>;
  readonly payments: Pick<Payments, 'report'>;
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly log: Log;
}

const PAGE = 100;
const ALERT = { kind: 'event_unbooked', subject: 'node' } as const;

/** Books one event of the node; does nothing for one that was booked before. */
export async function bookEvent({ invoices, payments }: BookingDependencies, event: NodeEvent): Promise<void> {
  await (event.type === 'settlement' ? invoices.settle(event) : payments.report(event.paymentId, event.outcome));
}

/** Keeps an event that could not be booked, so that later events need not wait for it, and raises an alert. */
export async function setEventAside({ database, alerts, clock }: BookingDependencies, event: NodeEvent, reason: string): Promise<void> {
  const message = `${describe(event)} could not be booked: ${reason}`;
  await database.transaction(async (tx) => {
    await tx.run(sql.setAside, idOf(event), JSON.stringify(event), reason, unixSeconds(clock));
    await writeRows(tx, [alerts.rowOf({ ...ALERT, message })]);
  });
  await alerts.announce();
}

/** Tries once more to book every event that was set aside. Clears the alert when none is left. */
export async function retryEventsSetAside(deps: BookingDependencies, signal: AbortSignal): Promise<void> {
  const { database, alerts, log } = deps;
  for (let after = '', isLast = false; !isLast && !signal.aborted; ) {
    const page = await database.all(sql.listAfter, after, PAGE);
    for (const { id, event } of page) {
      try {
        await bookEvent(deps, JSON.parse(event) as NodeEvent);
        await database.transaction((tx) => tx.run(sql.forget, id));
        log.info({ event: id }, 'an event that had been set aside was booked');
      } catch (error) {
        log.warn({ event: id, reason: errorMessage(error) }, 'an event that was set aside could still not be booked');
      }
    }
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
  }
  if ((await database.first(sql.count))?.n === 0) await alerts.clear(ALERT.kind, ALERT.subject);
}

/** Returns the settlements that were set aside: by payment hash, what arrived at the node and is not booked. */
export async function settlementsSetAside(database: Pick<Database, 'all'>): Promise<Map<string, number>> {
  const amounts = new Map<string, number>();
  for (let after = '', isLast = false; !isLast; ) {
    const page: sql.UnbookedEvent[] = await database.all(sql.listAfter, after, PAGE);
    for (const { event } of page) {
      const read = JSON.parse(event) as NodeEvent;
      if (read.type === 'settlement') amounts.set(read.paymentHash, read.amountMsat);
    }
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
  }
  return amounts;
}

/** The same for every report of the same thing, so that an event which is read again is kept once. */
function idOf(event: NodeEvent): string {
  return event.type === 'settlement' ? `settlement ${event.paymentHash}` : `payment ${event.paymentId} ${event.outcome.state}`;
}

function describe(event: NodeEvent): string {
  if (event.type === 'settlement') return `the settlement of ${event.amountMsat} msat with payment hash ${event.paymentHash}`;
  return `the outcome (${event.outcome.state}) of payment ${event.paymentId}`;
}
