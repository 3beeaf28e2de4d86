import { cursorAt, type EventLog, type EventScope, type LoggedEvent } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import type { EventTexts } from './event-texts.ts';
import type { Feed } from './feed.ts';
import { RETRY_MS } from './streams.ts';

export interface EventFrameDependencies {
  readonly feed: Pick<Feed, 'listen'>;
  readonly eventLog: EventLog;
  readonly eventTexts: EventTexts;
}

export interface StreamedEvents {
  readonly scope: Exclude<EventScope, 'all'>;
  /** Undefined: all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** The stream has the events after this position. Undefined: only new events. */
  readonly after: number | undefined;
}

/** New events that wait for a slow client. Beyond that, they are read from the log again. */
const MAX_WAITING = 200;
/** How many events are read from the log, and how many are rendered, at once. */
const PART = 200;
const SLICE = 20;

/**
 * Yields events in the format of `text/event-stream`: those of the log after a position, then new ones, without a gap and without a repetition,
 * until the signal aborts. The first frame has only an id, so that a client that has received no event resumes from there.
 */
export async function* eventFrames(
  { feed, eventLog, eventTexts }: EventFrameDependencies,
  { scope, types, after }: StreamedEvents,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const news = new NewEvents(types, signal);
  const { stop } = await feed.listen('walletId' in scope ? scope.walletId : scope.accountId, (events) => news.add(events));

  async function* framesOf(events: readonly LoggedEvent[]): AsyncGenerator<string> {
    for (let start = 0; start < events.length; start += SLICE) {
      const slice = events.slice(start, start + SLICE);
      const texts = await eventTexts(slice);
      for (const [index, { id, type }] of slice.entries()) yield `id: ${id}\nevent: ${type}\ndata: ${texts[index]}\n\n`;
    }
  }

  try {
    let position = after ?? (await eventLog.newest());
    let isBehind = after !== undefined;
    yield `retry: ${RETRY_MS}\nid: ${cursorAt(position)}\n\n`;
    while (!signal.aborted) {
      // The listener was added before the log is read, so each event is in what is read or among the new ones, or in both.
      while (isBehind && !signal.aborted) {
        const part = await eventLog.read({ scope, types }, position, PART);
        yield* framesOf(part.events);
        position = part.next;
        isBehind = !part.isEnd;
      }
      const taken = await news.take();
      const events = taken.events.filter((event) => event.position > position);
      yield* framesOf(events);
      position = events.at(-1)?.position ?? position;
      isBehind = taken.hasLost;
    }
  } finally {
    stop();
  }
}

interface TakenEvents {
  readonly events: readonly LoggedEvent[];
  /** Whether later events were dropped. */
  readonly hasLost: boolean;
}

/** The new events that the stream has not sent yet: the oldest of them, if the client is slow. */
class NewEvents {
  readonly #types: ReadonlySet<EventType> | undefined;
  readonly #signal: AbortSignal;
  #events: LoggedEvent[] = [];
  #hasLost = false;
  #wake = (): void => undefined;

  constructor(types: ReadonlySet<EventType> | undefined, signal: AbortSignal) {
    this.#types = types;
    this.#signal = signal;
    signal.addEventListener('abort', () => this.#wake());
  }

  add(events: readonly LoggedEvent[]): void {
    const wanted = events.filter(({ type }) => !this.#types || this.#types.has(type));
    if (this.#hasLost || wanted.length === 0) return;
    if (this.#events.length + wanted.length > MAX_WAITING) this.#hasLost = true;
    else this.#events.push(...wanted);
    this.#wake();
  }

  /** Waits for events. Returns none when the signal aborts. */
  async take(): Promise<TakenEvents> {
    while (this.#events.length === 0 && !this.#hasLost && !this.#signal.aborted)
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    const taken = { events: this.#events, hasLost: this.#hasLost };
    this.#events = [];
    this.#hasLost = false;
    return taken;
  }
}
