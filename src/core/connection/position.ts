import type { Alerts } from '../alerts/alerts.ts';
import type { Database, Tx } from '../db/database.ts';
import { writeRows } from '../db/row-write.ts';
import type { LightningNode, Position } from '../lightning/node.ts';
import * as sql from './nodes.sql.ts';

/**
 * The position up to which the events of one node are booked. A node that does not have the event at this position was restored from an older
 * backup; then all events are read again.
 */
export interface EventPosition {
  /** Returns the position after which events are read next; undefined: from the first event on. */
  read(): Promise<Position | undefined>;
  /** Stores the position. Every event up to it must be booked or set aside. */
  store(position: Position): Promise<void>;
  /** Resets the position if the node does not have the event at it. Called on every new connection, before any other call. */
  verify(node: Pick<LightningNode, 'knowsPosition'>): Promise<void>;
  /** Deletes the position and raises an alert. Called when the node itself reports that its history has changed. */
  reset(): Promise<void>;
}

export interface EventPositionDependencies {
  readonly database: Database;
  readonly nodeId: string;
  readonly alerts: Alerts;
  /** Writes the consequences of a restored node in the transaction that deletes the position. */
  readonly onRestore: (tx: Tx, nodeId: string) => Promise<void>;
}

export function createEventPosition({ database, nodeId, alerts, onRestore }: EventPositionDependencies): EventPosition {
  const read = async () => (await database.first(sql.readPosition, nodeId))?.event_position ?? undefined;

  /** Booking an event is idempotent, so all events can be read again. */
  async function reset(): Promise<void> {
    const message = 'the node does not have the event up to which its events were read; all of them are read again';
    await database.transaction(async (tx) => {
      await writeRows(tx, alerts.rowsOf({ kind: 'node_restored', subject: nodeId, message }));
      await tx.run(sql.storePosition, nodeId, null);
      await onRestore(tx, nodeId);
    });
    await alerts.announce();
  }

  return {
    read,
    reset,
    store: (position) => database.transaction(async (tx) => void (await tx.run(sql.storePosition, nodeId, position))),
    async verify(node) {
      const stored = await read();
      if (stored === undefined || (await node.knowsPosition(stored))) return;
      // Another instance may have reset it meanwhile.
      if ((await read()) === stored) await reset();
    },
  };
}
