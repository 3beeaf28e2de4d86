import type { EventType } from '../../src/core/journal/event-types.ts';
import type { FeedListener } from '../../src/features/events/feed.ts';
import type { EventFilter, LoggedEvent, LogPart } from '../../src/features/events/log.ts';
import { comparePlaces, eventId, type LogPlace, START } from '../../src/features/events/place.ts';

/** An event log in memory, and a feed that passes its events on only when the test says so. */
export class LogTwin {
  readonly events: LoggedEvent[] = [];
  readonly listeners = new Set<FeedListener>();
  reads = 0;
  #dispatched = 0;

  append(type: EventType = 'wallet_receive', more: Partial<LoggedEvent> = {}): LoggedEvent {
    const place = { position: this.events.length + 1, rank: 1 };
    const event: LoggedEvent = {
      id: eventId(place, 1),
      place,
      createdAtMs: 1,
      type,
      accountId: 'acc_1',
      walletId: 'wal_1',
      ledgerAccount: 1,
      subject: 'x',
      lightningId: undefined,
      entry: undefined,
      data: undefined,
      ...more,
    };
    this.events.push(event);
    return event;
  }

  /** Passes the next events to the listeners, as one read of the feed does. */
  dispatch(count: number): void {
    const next = this.events.slice(this.#dispatched, this.#dispatched + count);
    this.#dispatched += next.length;
    if (next.length > 0) for (const listener of this.listeners) listener(next);
  }

  async listen(_topic: string, listener: FeedListener) {
    this.listeners.add(listener);
    return { from: this.events[this.#dispatched - 1]?.place ?? START, stop: () => void this.listeners.delete(listener) };
  }

  async newest(): Promise<LogPlace> {
    return this.events.at(-1)?.place ?? START;
  }

  async oldest(): Promise<LogPlace> {
    return START;
  }

  async read({ types }: EventFilter, after: LogPlace, limit: number): Promise<LogPart> {
    this.reads += 1;
    const following = this.events.filter(({ place }) => comparePlaces(place, after) > 0);
    const part = following.slice(0, limit);
    const events = part.filter(({ type }) => !types || types.has(type));
    return { events, upTo: part.at(-1)?.place ?? after, isEnd: part.length === following.length };
  }
}
