import * as journal from '../../core/journal/event-log.ts';

export { UnknownCursor } from '../../core/journal/event-log.ts';

export interface LogPlace {
  readonly position: number;
  readonly rank: number;
}

export type PlacedEvent = journal.LoggedEvent & { readonly place: LogPlace };

export interface PlacedPart {
  readonly events: PlacedEvent[];
  readonly upTo: LogPlace;
  readonly isEnd: boolean;
}

export const START: LogPlace = { position: 0, rank: 0 };

export type PlacedLog = ReturnType<typeof placedLog>;

export function comparePlaces(a: LogPlace, b: LogPlace): number {
  return a.position - b.position;
}

export function cursorAt({ position }: LogPlace): string {
  return journal.cursorAt(position);
}

const at = (position: number): LogPlace => ({ position, rank: 0 });

/** Returns the event log with places. */
export function placedLog(log: journal.EventLog) {
  const placed = (event: journal.LoggedEvent): PlacedEvent => ({ ...event, place: at(event.position) });
  return {
    oldest: async () => at(await log.oldest()),
    newest: async () => at(await log.newest()),
    placeOf: async (id: string) => at(await log.positionOf(id)),
    positionAt: async (seconds: number) => at(await log.positionAt(seconds * 1000)),
    findMany: async (ids: readonly string[]) => (await log.findMany(ids)).map(placed),
    async read(
      { scope, types }: { scope: 'all' | { readonly accountId: string }; types?: journal.EventQuery['types'] },
      after: LogPlace,
      limit: number,
    ): Promise<PlacedPart> {
      const { events, next, isEnd } = await log.read({ scope, types }, after.position, limit);
      return { events: events.map(placed), upTo: at(next), isEnd };
    },
  };
}
