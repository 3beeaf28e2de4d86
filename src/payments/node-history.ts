import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { deleteFact, readFact, writeFact } from '../db/facts.sql.ts';
import { writeRows } from '../db/row-write.ts';
import type { HistoryCheck } from '../invoices/our-node.ts';
import { newId } from '../kernel/ids.ts';
import type { Position } from '../lightning/node.ts';
import * as sql from './payments.sql.ts';

/** How far the events of the node were read, and what follows when the node turns out to have been restored from an older backup. */
export interface NodeHistory extends HistoryCheck {
  /** The position after which events are read next; undefined: all of them. */
  position(): Promise<Position | undefined>;
  /** To be called once everything up to the position is booked. */
  keepPosition(position: Position): Promise<void>;
}

const POSITION = 'node_event_position';

/** The fact that asks reconciliation to compare every unsettled invoice, however old. Its value is different for every restore. */
export const UNSETTLED_INVOICES_DUE = 'reconcile_unsettled_due';
/** How far that comparison has come. */
export const UNSETTLED_INVOICES_PLACE = 'reconcile_unsettled_place';

export function createNodeHistory({ database, alerts }: { database: Database; alerts: Alerts }): NodeHistory {
  const position = async () => (await database.first(readFact, POSITION))?.value;

  /** Crediting is idempotent, so all events are read again. What the node may have forgotten is compared, or kept from being sent again. */
  async function historyChanged(): Promise<void> {
    const message = 'the node does not have the event up to which its events were read; all of them are read again';
    await database.transaction(async (tx) => {
      await writeRows(tx, [alerts.rowOf({ kind: 'node_restored', subject: 'node', message })]);
      await tx.run(deleteFact, POSITION);
      await tx.run(sql.markPendingAtNode);
      await tx.run(writeFact, UNSETTLED_INVOICES_DUE, newId());
      await tx.run(writeFact, UNSETTLED_INVOICES_PLACE, '');
    });
    await alerts.announce();
  }

  return {
    position,
    historyChanged,
    keepPosition: (newest) => database.transaction(async (tx) => void (await tx.run(writeFact, POSITION, newest))),
    async verify(node) {
      const kept = await position();
      if (kept === undefined || (await node.knowsPosition(kept))) return;
      // Another instance may have found out and begun to read again meanwhile.
      if ((await position()) === kept) await historyChanged();
    },
  };
}
