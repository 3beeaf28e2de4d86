import { randomBytes } from 'node:crypto';
import { eventNumber, eventPosition } from '../../src/lightning/event-position.ts';
import type { NodeEvent, PaymentUpdate, Position, Settlement } from '../../src/lightning/node.ts';
import type { Row, Store } from './store.ts';

/** An event before it has its position. */
export type NewEvent = Omit<Settlement, 'position'> | Omit<PaymentUpdate, 'position'>;

/** An event as it is stored. Those of files that an earlier version wrote have no proof. */
type StoredEvent = NewEvent & { readonly proof?: string };

/**
 * What the hub has to tell, in order, written in the transaction that made it true. Nothing is ever forgotten: a row per payment is little
 * beside what LDK keeps of it, and a service that was restored from a backup can read again from where that ended.
 */
export class Outbox {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  add(event: NewEvent): void {
    const stored: StoredEvent = { ...event, proof: randomBytes(8).toString('hex') };
    this.#store.run('INSERT INTO outbox (event) VALUES (?)', JSON.stringify(stored));
  }

  /** Returns the number of the newest event; 0 when there is none. */
  newest(): number {
    return this.#store.get('SELECT coalesce(max(position), 0) AS position FROM outbox')?.position as number;
  }

  /** Returns the events after a position, or the first of all; null when there is no event at the position. */
  after(position: Position | null, limit: number): NodeEvent[] | null {
    const number = eventNumber(position ?? undefined);
    const rows = this.#store.all('SELECT position, event FROM outbox WHERE position >= ? ORDER BY position LIMIT ?', number, limit + 1);
    const events = rows.map(toEvent);
    if (position === null) return events.slice(0, limit);
    return events[0]?.position === position ? events.slice(1) : null;
  }
}

function toEvent(row: Row): NodeEvent {
  const { proof, ...event } = JSON.parse(row.event as string) as StoredEvent;
  return { ...event, position: eventPosition(row.position as number, proof) } as NodeEvent;
}
