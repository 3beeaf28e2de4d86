import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import { type Clock, unixSeconds } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { NodeEvent, PaymentOutcome, Settlement } from '../lightning/node.ts';
import type { NodeConnection } from './connection.ts';
import * as sql from './nodes.sql.ts';

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
  readonly connection: NodeConnection;
  readonly handlers: EventHandlers;
  readonly alerts: Alerts;
  readonly clock: Clock;
  readonly log: Log;
}

const PAGE = 100;
const ALERT = 'event_unbooked';

/** Books an event with its handler. */
export async function bookEvent({ handlers, connection }: BookingDependencies, event: NodeEvent): Promise<void> {
  if (event.type === 'settlement') await handlers.settle(event, connection.nodeId);
  else await handlers.reportOutcome(event.paymentId, event.outcome);
}

/** Stores an event that could not be booked and raises an alert, so that later events need not wait for it. */
export async function setEventAside(deps: BookingDependencies, event: NodeEvent, reason: string): Promise<void> {
  const { database, connection, alerts, clock } = deps;
  const { id, name } = describe(event);
  const alert = { kind: ALERT, subject: connection.nodeId, message: `${name} could not be booked: ${reason}` } as const;
  await database.transaction(async (tx) => {
    await tx.run(sql.setEventAside, id, JSON.stringify(event), reason, unixSeconds(clock), connection.nodeId);
    await writeRows(tx, alerts.rowsOf(alert));
  });
  await alerts.announce();
}

/** Tries once more to book each event that was set aside. Clears the alert when none is left. */
export async function retryUnbookedEvents(deps: BookingDependencies, signal: AbortSignal): Promise<void> {
  const { database, alerts, log } = deps;
  const { nodeId } = deps.connection;
  for await (const { id, event } of unbookedEvents(database, nodeId)) {
    if (signal.aborted) break;
    try {
      await bookEvent(deps, event);
      await database.transaction((tx) => tx.run(sql.removeUnbooked, id));
      log.info({ event: id }, 'an event that had been set aside was booked');
    } catch (error) {
      log.warn({ event: id, reason: errorMessage(error) }, 'an event that was set aside still cannot be booked');
    }
  }
  if ((await database.first(sql.listUnbookedAfter, nodeId, '', 1)) === undefined) await alerts.clear(ALERT, nodeId);
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
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: { id: string; event: string }[] = await database.all(sql.listUnbookedAfter, nodeId, after, PAGE);
    for (const { id, event } of page) yield { id, event: JSON.parse(event) as NodeEvent };
    after = page.at(-1)?.id;
  }
}

/** Returns the name of an event for people, and an id that is the same for every report of the event, so that it is stored once. */
function describe(event: NodeEvent): { id: string; name: string } {
  if (event.type === 'settlement') {
    const { amountMsat, paymentHash } = event;
    return { id: `settlement ${paymentHash}`, name: `the settlement of ${amountMsat} msat with payment hash ${paymentHash}` };
  }
  const { paymentId, outcome } = event;
  return { id: `payment ${paymentId} ${outcome.state}`, name: `the outcome (${outcome.state}) of payment ${paymentId}` };
}
