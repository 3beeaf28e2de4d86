import type { NodeEvent, PaymentUpdate, Settlement } from '../node.ts';
import type { Store } from './store.ts';

/** An event before it has its place. */
export type NewEvent = Omit<Settlement, 'position'> | Omit<PaymentUpdate, 'position'>;

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
    this.#store.run('INSERT INTO outbox (event) VALUES (?)', JSON.stringify(event));
  }

  /** The position of the newest event; 0 when there is none. */
  newest(): number {
    return this.#store.get('SELECT coalesce(max(position), 0) AS position FROM outbox')?.position as number;
  }

  after(position: number, limit: number): NodeEvent[] {
    const rows = this.#store.all('SELECT position, event FROM outbox WHERE position > ? ORDER BY position LIMIT ?', position, limit);
    return rows.map((row) => ({ ...(JSON.parse(row.event as string) as NewEvent), position: row.position as number }) as NodeEvent);
  }
}
