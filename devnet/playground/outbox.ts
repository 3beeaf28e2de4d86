import { randomBytes } from 'node:crypto';
import type { NodeEvent, PaymentUpdate, Position, Settlement } from '../../src/core/lightning/node.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { eventNumber, eventPosition } from '../event-position.ts';
import type { Row, Store } from './store.ts';

/** An event without its position. */
export type NewEvent = Omit<Settlement, 'position'> | Omit<PaymentUpdate, 'position'>;

/** An event as it is stored. Events that an earlier version wrote have no proof. */
type StoredEvent = NewEvent & { readonly proof?: string };

/**
 * The events of a service node in order. Each is written in the transaction of its change. Events are never deleted, so a service that was restored from a
 * backup can read again from its last position. A row is small compared with LDK's own record of a payment.
 */
export class Outbox {
  readonly #store: Store;
  readonly #node: string;

  constructor(store: Store, node: string) {
    this.#store = store;
    this.#node = node;
  }

  add(event: NewEvent): void {
    const stored: StoredEvent = { ...event, proof: randomBytes(8).toString('hex') };
    this.#store.run('INSERT INTO outbox (node, event) VALUES (?, ?)', this.#node, JSON.stringify(stored));
  }

  /** Returns the events after a position, or from the beginning (null). Returns null when there is no event at the position. */
  after(position: Position | null, limit: number): NodeEvent[] | null {
    const number = eventNumber(position ?? undefined);
    const sql = 'SELECT position, event FROM outbox WHERE node = ? AND position >= ? ORDER BY position LIMIT ?';
    const rows = this.#store.all(sql, this.#node, number, limit + 1);
    const events = rows.map(toEvent);
    if (position === null) return events.slice(0, limit);
    return events[0]?.position === position ? events.slice(1) : null;
  }

  /** Reads a page of the settlements since a time. The cursor is the number of the last event that was read. */
  readSettlements({ sinceSeconds, cursor = '0', limit = MAX_PAGE }: RecordQuery): RecordPage<Settlement> {
    const sql = 'SELECT position, event FROM outbox WHERE node = ? AND position > ? ORDER BY position LIMIT ?';
    const rows = this.#store.all(sql, this.#node, Number(cursor), Math.min(limit, MAX_PAGE));
    const settlements = rows.map(toEvent).filter((event) => event.type === 'settlement');
    const last = rows.at(-1);
    return { records: settlements.filter(({ settledAt }) => settledAt >= sinceSeconds), ...(last && { next: String(last.position) }) };
  }
}

const MAX_PAGE = 1_000;

function toEvent(row: Row): NodeEvent {
  const { proof, ...event } = JSON.parse(row.event as string) as StoredEvent;
  return { ...event, position: eventPosition(row.position as number, proof) } as NodeEvent;
}
