import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { NodeEvent, PaymentOutcome, Settlement } from '../lightning/node.ts';
import * as sql from './unbooked-events.sql.ts';

/** Books the events of the node. Both handlers are idempotent, because an event may be reported more than once. */
export interface EventHandlers {
  /** Books money that has arrived at a node. */
  settle(settlement: Settlement, nodeId: string): Promise<void>;
  /** Books the outcome of an outgoing payment. */
  reportOutcome(paymentId: string, outcome: PaymentOutcome): Promise<void>;
}

export interface BookingDependencies {
  readonly database: Database;
  /** The node whose events are booked. */
  readonly nodeId: string;
  readonly handlers: EventHandlers;
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly log: Log;
}

const PAGE = 100;
const ALERT = 'event_unbooked';

/** Books an event with its handler. */
export async function bookEvent({ handlers, nodeId }: BookingDependencies, event: NodeEvent): Promise<void> {
  await (event.type === 'settlement' ? handlers.settle(event, nodeId) : handlers.reportOutcome(event.paymentId, event.outcome));
}

/** Stores an event that could not be booked and raises an alert, so that later events need not wait for it. */
export async function setEventAside(
  { database, nodeId, alerts, clock }: BookingDependencies,
  event: NodeEvent,
  reason: string,
): Promise<void> {
  const message = `${describe(event)} could not be booked: ${reason}`;
  await database.transaction(async (tx) => {
    await tx.run(sql.setAside, idOf(event), JSON.stringify(event), reason, unixSeconds(clock), nodeId);
    await writeRows(tx, alerts.rowsOf({ kind: ALERT, subject: nodeId, message }));
  });
  await alerts.announce();
}

/** Tries once more to book each event that was set aside. Clears the alert when none is left. */
export async function retryUnbookedEvents(deps: BookingDependencies, signal: AbortSignal): Promise<void> {
  const { database, nodeId, alerts, log } = deps;
  for await (const { id, event } of unbookedEvents(database, nodeId)) {
    if (signal.aborted) break;
    try {
      await bookEvent(deps, event);
      await database.transaction((tx) => tx.run(sql.remove, id));
      log.info({ event: id }, 'an event that had been set aside was booked');
    } catch (error) {
      log.warn({ event: id, reason: errorMessage(error) }, 'an event that was set aside still cannot be booked');
    }
  }
  if ((await database.first(sql.count, nodeId))?.n === 0) await alerts.clear(ALERT, nodeId);
}

/** Returns the settlements of a node that were set aside: payment hash → amount in msat that arrived at the node and is not booked. */
export async function unbookedSettlements(database: SqlReader, nodeId: string): Promise<Map<string, number>> {
  const amounts = new Map<string, number>();
  for await (const { event } of unbookedEvents(database, nodeId)) {
    if (event.type === 'settlement') amounts.set(event.paymentHash, event.amountMsat);
  }
  return amounts;
}

/** Reads the events of a node that were set aside, a page at a time. An event may be deleted while it is visited. */
async function* unbookedEvents(database: SqlReader, nodeId: string): AsyncGenerator<{ id: string; event: NodeEvent }> {
  for (let after = '', isLast = false; !isLast; ) {
    const page: sql.UnbookedEventRow[] = await database.all(sql.listAfter, nodeId, after, PAGE);
    for (const { id, event } of page) yield { id, event: JSON.parse(event) as NodeEvent };
    after = page.at(-1)?.id ?? after;
    isLast = page.length < PAGE;
  }
}

/** Returns the same id for every report of the same event, so that it is stored once. */
function idOf(event: NodeEvent): string {
  return event.type === 'settlement' ? `settlement ${event.paymentHash}` : `payment ${event.paymentId} ${event.outcome.state}`;
}

function describe(event: NodeEvent): string {
  if (event.type === 'settlement') return `the settlement of ${event.amountMsat} msat with payment hash ${event.paymentHash}`;
  return `the outcome (${event.outcome.state}) of payment ${event.paymentId}`;
}
