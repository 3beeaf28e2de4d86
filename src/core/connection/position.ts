import type { Alerts } from '../alerts/alerts.ts';
import type { Database, SqlReader, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { Position } from '../lightning/node.ts';
import * as sql from './nodes.sql.ts';

/** What a restored node affects. */
export interface RestoreContext {
  readonly database: Database;
  readonly alerts: Alerts;
  /** Writes the consequences of a restored node in the transaction that deletes its position. */
  readonly onRestore: (tx: Tx, nodeId: string) => Promise<void>;
}

/** Returns the position up to which the events of a node are booked; undefined: none are. */
export async function readPosition(database: SqlReader, nodeId: string): Promise<Position | undefined> {
  return (await database.first(sql.readPosition, nodeId))?.event_position ?? undefined;
}

/**
 * Resets the position if the node does not have the event at it, because it was restored from an older backup. Called on every new connection,
 * before any other call.
 */
export async function verifyPosition(
  context: RestoreContext,
  nodeId: string,
  knowsPosition: (position: Position) => Promise<boolean>,
): Promise<void> {
  const stored = await readPosition(context.database, nodeId);
  if (stored === undefined || (await knowsPosition(stored))) return;
  // Another instance may have reset it meanwhile.
  if ((await readPosition(context.database, nodeId)) === stored) await resetPosition(context, nodeId);
}

/** Deletes the position and raises an alert. Booking an event is idempotent, so all events can be read again. */
export async function resetPosition({ database, alerts, onRestore }: RestoreContext, nodeId: string): Promise<void> {
  const message = 'the node does not have the event up to which its events were read; all of them are read again';
  await database.transaction(async (tx) => {
    await writeRows(tx, alerts.rowsOf({ kind: 'node_restored', subject: nodeId, message }));
    await tx.run(sql.storePosition, nodeId, null);
    await onRestore(tx, nodeId);
  });
  await alerts.announce();
}
