import type { EventLog, LoggedEvent } from '../events/log.ts';
import type { LogPlace } from '../events/place.ts';

/** A range of events: those after one, or those of a time in Unix seconds. */
export type ReplayRange = { readonly after: string } | { readonly from: number; readonly to: number };

type RangeLog = Pick<EventLog, 'read' | 'oldest' | 'newest' | 'placeOf'>;

/** Returns the place before the first event of a range, and that of its last event. @throws UnknownCursor */
export async function placesOf(eventLog: RangeLog, range: ReplayRange): Promise<[LogPlace, LogPlace]> {
  const newest = await eventLog.newest();
  if ('after' in range) return [await eventLog.placeOf(range.after), newest];
  return [await placeAt(eventLog, range.from, newest), await placeAt(eventLog, range.to + 1, newest)];
}

/** Returns the place before the first event with at least this time, or `fallback` if there is none. Searches, because the log has no index by time. */
async function placeAt(eventLog: RangeLog, seconds: number, fallback: LogPlace): Promise<LogPlace> {
  let [low, high] = [(await eventLog.oldest()).position, fallback.position + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const event = await firstEventFrom(eventLog, middle);
    if (event && event.createdAtMs < seconds * 1000) low = Math.max(middle, event.place.position) + 1;
    else high = middle;
  }
  return low > fallback.position ? fallback : { position: low, rank: -1 };
}

async function firstEventFrom(eventLog: RangeLog, position: number): Promise<LoggedEvent | undefined> {
  for (let place: LogPlace = { position, rank: -1 }; ; ) {
    const { events, upTo, isEnd } = await eventLog.read({ scope: 'all' }, place, 1);
    if (events[0] || isEnd) return events[0];
    place = upTo;
  }
}
