import { cursorAt, type EventLog, type EventScope, type LoggedEvent } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { PER_TURN, takeTurn } from '../../core/kernel/turns.ts';
import type { Feed } from './feed.ts';
import { RETRY_MS } from './streams.ts';

/** Returns the JSON of events, in the same order. */
export type EventTexts = (events: readonly LoggedEvent[]) => Promise<string[]>;

export interface StreamedEvents {
  readonly scope: Exclude<EventScope, 'all'>;
  /** Undefined: all types. */
  readonly types: ReadonlySet<EventType> | undefined;
  /** The stream has the events after this position. Undefined: only new events. */
  readonly after: number | undefined;
}

/** How many events are rendered at once. */
const SLICE = 20;

/**
 * Yields events in the format of `text/event-stream`: those of the log after a position, then new ones, without a gap and without a repetition,
 * until the signal aborts. The first frame has only an id, so that a client that has received no event resumes from there.
 */
export async function* eventFrames(
  { feed, eventLog, eventTexts }: { feed: Feed; eventLog: EventLog; eventTexts: EventTexts },
  { scope, types, after }: StreamedEvents,
  signal: AbortSignal,
): AsyncGenerator<string> {
  async function* framesOf(events: readonly LoggedEvent[]): AsyncGenerator<string> {
    for (let start = 0; start < events.length; start += SLICE) {
      const slice = events.slice(start, start + SLICE);
      const texts = await eventTexts(slice);
      for (const [index, { id, type }] of slice.entries()) yield `id: ${id}\nevent: ${type}\ndata: ${texts[index]}\n\n`;
    }
  }

  const listener = await feed.listen('walletId' in scope ? scope.walletId : scope.accountId, { signal, types });
  let position = after ?? (await eventLog.newest());
  let isBehind = after !== undefined;
  yield `retry: ${RETRY_MS}\nid: ${cursorAt(position)}\n\n`;
  while (!signal.aborted) {
    // The listener was added before the log is read, so each event is in what is read or among the new ones, or in both.
    while (isBehind && !signal.aborted) {
      await takeTurn();
      const part = await eventLog.read({ scope, types }, position, PER_TURN.rows);
      yield* framesOf(part.events);
      position = part.next;
      isBehind = !part.isEnd;
    }
    const taken = await listener.take();
    const events = taken.events.filter((event) => event.position > position);
    yield* framesOf(events);
    position = events.at(-1)?.position ?? position;
    isBehind = taken.hasLost;
  }
}

/** Renders each new event once, however many streams send it: the feed passes the same object to all of them. */
export function createEventTexts(render: (events: readonly LoggedEvent[]) => Promise<readonly object[]>): EventTexts {
  const texts = new WeakMap<LoggedEvent, Promise<string>>();

  function renderAll(events: readonly LoggedEvent[]): void {
    const rendered = render(events);
    for (const [index, event] of events.entries()) {
      const text = rendered.then((objects) => JSON.stringify(objects[index]));
      texts.set(event, text);
      // The next stream that sends the event renders it again.
      text.catch(() => texts.delete(event));
    }
  }

  return (events) => {
    const added = events.filter((event) => !texts.has(event));
    if (added.length > 0) renderAll(added);
    return Promise.all(events.map((event) => texts.get(event) ?? ''));
  };
}
