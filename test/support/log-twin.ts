import { type EventLog, type EventQuery, eventId, type LoggedEvent, type LogPart, START } from '../../src/core/journal/event-log.ts';
import type { EventType } from '../../src/core/journal/event-types.ts';
import { type Feed, Listener, type ListenOptions } from '../../src/features/events/feed.ts';

/** An event log in memory, and a feed that passes its events on only when the test says so. */
export class LogTwin {
  readonly events: LoggedEvent[] = [];
  readonly listeners = new Set<Listener>();
  reads = 0;
  #dispatched = 0;

  append(type: EventType = 'wallet_receive', more: Partial<LoggedEvent> = {}): LoggedEvent {
    const position = this.events.length + 1;
    const event: LoggedEvent = {
      id: eventId(position, 1),
      position,
      createdAtMs: 1,
      type,
      accountId: 'acc_1',
      walletId: 'wal_1',
      subject: 'x',
      lightningId: undefined,
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
    for (const event of next) for (const listener of this.listeners) listener.add(event);
  }

  async listen(_topic: string, options: ListenOptions): Promise<Listener> {
    const listener = new Listener(options, () => void this.listeners.delete(listener));
    this.listeners.add(listener);
    return listener;
  }

  async newest(): Promise<number> {
    return this.events.at(-1)?.position ?? START;
  }

  async oldest(): Promise<number> {
    return START;
  }

  async read({ types }: EventQuery, after: number, limit: number): Promise<LogPart> {
    this.reads += 1;
    const following = this.events.filter(({ position }) => position > after);
    const part = following.slice(0, limit);
    const events = part.filter(({ type }) => !types || types.has(type));
    return { events, next: part.at(-1)?.position ?? after, isEnd: part.length === following.length };
  }

  /** Returns it as the feed of a listener. */
  asFeed(): Feed {
    return this as unknown as Feed;
  }

  /** Returns it as the event log of a reader that uses no other method. */
  asLog(): EventLog {
    return this as unknown as EventLog;
  }
}
