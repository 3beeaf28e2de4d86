import type { LoggedEvent } from '../../core/journal/event-log.ts';

/** Returns the JSON of events, in the same order. */
export type EventTexts = (events: readonly LoggedEvent[]) => Promise<string[]>;

/** Renders each new event once, however many streams send it: the feed passes the same object to all of them. */
export function createEventTexts(render: (events: readonly LoggedEvent[]) => Promise<readonly object[]>): EventTexts {
  const texts = new WeakMap<LoggedEvent, Promise<string>>();

  async function renderAll(events: readonly LoggedEvent[]): Promise<string[]> {
    try {
      return (await render(events)).map((event) => JSON.stringify(event));
    } catch (error) {
      for (const event of events) texts.delete(event);
      throw error;
    }
  }

  return (events) => {
    const added = events.filter((event) => !texts.has(event));
    const rendered = added.length === 0 ? Promise.resolve([]) : renderAll(added);
    for (const [index, event] of added.entries())
      texts.set(
        event,
        rendered.then((all) => all[index] ?? ''),
      );
    return Promise.all(events.map((event) => texts.get(event) ?? ''));
  };
}
