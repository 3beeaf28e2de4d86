import type { NodeEvent, Position, Settlement } from '../../src/core/lightning/node.ts';
import type { RecordPage, RecordQuery } from '../../src/core/lightning/record-page.ts';
import { eventNumber, eventPosition } from '../event-position.ts';
import type { NetworkState } from './network-state.ts';
import type { NewEvent } from './tables.ts';

/** The longest delay of an overtaken event when no other event follows. */
const OVERTAKEN_MS = 1_000;
const MAX_PAGE = 1_000;

/** The events of our node in order, numbered from 1. */
export class EventLog {
  readonly #network: NetworkState;
  readonly #waiting = new Set<() => void>();
  readonly #hinted = new Set<(paymentHash: string) => void>();

  constructor(network: NetworkState) {
    this.#network = network;
  }

  /** Writes an event. A fault may delay it until after the next event, or write it twice. */
  append(event: NewEvent): void {
    const fault = this.#network.faults.ofEvent();
    if (fault === 'overtaken') {
      this.#network.tables.overtaken.put(this.#network.draws.count('overtaken'), event);
      this.#network.schedule(OVERTAKEN_MS, { type: 'release' });
      return;
    }
    this.write(event);
    if (fault === 'duplicate') this.write(event);
    this.release();
  }

  /** Reports that a payment has ended, to those who listen now. */
  hint(paymentHash: string): void {
    for (const listener of this.#hinted) listener(paymentHash);
  }

  /** Calls the listener for each hint until the signal aborts. */
  onHint(listener: (paymentHash: string) => void, signal: AbortSignal): void {
    this.#hinted.add(listener);
    signal.addEventListener('abort', () => this.#hinted.delete(listener), { once: true });
  }

  /** Writes the overtaken events. */
  release(): void {
    const { overtaken } = this.#network.tables;
    for (const [key, event] of [...overtaken.entries()]) {
      overtaken.delete(key);
      this.write(event);
    }
  }

  /** Writes an event without applying faults. */
  write(event: NewEvent): void {
    const { events } = this.#network.tables;
    const number = events.size + 1;
    // A restore from a backup does not reset this counter, so no two events have the same position.
    const position = eventPosition(number, String(this.#network.draws.count('events written') + 1));
    events.put(number, { ...event, position } as NodeEvent);
    this.wake();
  }

  /** Returns the first event after a position, or the first event without a position. */
  after(position: Position | undefined): NodeEvent | undefined {
    return this.#network.tables.events.get(eventNumber(position) + 1);
  }

  /** Reads a page of the settlements since a time. */
  readSettlements({ sinceSeconds, cursor = '0', limit = MAX_PAGE }: RecordQuery): RecordPage<Settlement> {
    const start = Number(cursor);
    const { events } = this.#network.tables;
    const end = Math.min(start + Math.min(limit, MAX_PAGE), events.size);
    const records: Settlement[] = [];
    for (let number = start + 1; number <= end; number += 1) {
      const event = events.get(number);
      if (event?.type === 'settlement' && event.settledAt >= sinceSeconds) records.push(event);
    }
    return { records, ...(end > start && { next: String(end) }) };
  }

  has(position: Position): boolean {
    return this.#network.tables.events.get(eventNumber(position))?.position === position;
  }

  /** Wakes all waiting watches, which then read the log again. */
  wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  /** Resolves after a possible change of the log, or when the signal aborts. */
  async waitForChange(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    this.#waiting.add(wake);
    signal.addEventListener('abort', wake);
    await promise;
    signal.removeEventListener('abort', wake);
    this.#waiting.delete(wake);
  }
}
