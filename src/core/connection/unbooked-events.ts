import type { SqlReader } from '../db/database.ts';
import { readPages } from '../db/pages.ts';
import { writeRows } from '../db/row-write.ts';
import { unixSeconds } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { NodeEvent } from '../lightning/node.ts';
import type { EventReaderDependencies } from './events.ts';
import * as sql from './nodes.sql.ts';

/* Events of a node that could not be booked. They are set aside, so that later ones need not wait for them. */

/** Events that are read at once. */
const PAGE = 100;
const ALERT = 'event_unbooked';

/**
 * Stores an event that could not be booked, and raises an alert.
 * @returns false when that fails as well. Then the database is at fault, and the event is retried.
 */
export async function setEventAside(deps: EventReaderDependencies, event: NodeEvent, reason: string): Promise<boolean> {
  const { database, connection, alerts, clock, log } = deps;
  const { id, name } = describe(event);
  const alert = {
    kind: ALERT,
    subject: connection.nodeId,
    message: `${name} could not be booked: ${reason}`,
    details: { ln_node_id: connection.nodeId, name, reason },
  } as const;
  try {
    await database.transaction(async (tx) => {
      await tx.run(sql.setEventAside, id, JSON.stringify(event), reason, unixSeconds(clock), connection.nodeId);
      await writeRows(tx, alerts.rowsOf(alert));
    });
    await alerts.announce();
    return true;
  } catch (error) {
    log.error({ position: event.position, reason: errorMessage(error) }, 'an event of the node was not set aside; retrying');
    return false;
  }
}

/** Tries once more to `book` each event that was set aside. Clears the alert when none is left. */
export async function retryUnbookedEvents(
  deps: EventReaderDependencies,
  book: (event: NodeEvent) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const { database, alerts, log } = deps;
  const { nodeId } = deps.connection;
  for await (const { id, event } of unbookedEvents(database, nodeId)) {
    if (signal.aborted) break;
    try {
      await book(event);
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
  for await (const page of readPages(database, sql.listUnbookedAfter, PAGE, (last) => [nodeId, last?.id ?? '']))
    for (const { id, event } of page) yield { id, event: JSON.parse(event) as NodeEvent };
}

/** Returns a description of an event, and an id that does not change when the node reports the event again, so that it is stored once. */
function describe(event: NodeEvent): { id: string; name: string } {
  if (event.type === 'settlement') {
    const { amountMsat, paymentHash } = event;
    return { id: `settlement ${paymentHash}`, name: `the settlement of ${amountMsat} msat with payment hash ${paymentHash}` };
  }
  const { paymentId, outcome } = event;
  return { id: `payment ${paymentId} ${outcome.state}`, name: `the outcome (${outcome.state}) of payment ${paymentId}` };
}
