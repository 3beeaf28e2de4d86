import type { LogPlace, PlacedLog } from './log-place.ts';

/** A range of events: those after one, or those of a time in Unix seconds. */
export type ReplayRange = { readonly after: string } | { readonly from: number; readonly to: number };

/** Returns the place before the first event of a range, and that of its last event. @throws UnknownCursor */
export async function placesOf(eventLog: PlacedLog, range: ReplayRange): Promise<[LogPlace, LogPlace]> {
  if ('after' in range) return [await eventLog.placeOf(range.after), await eventLog.newest()];
  return [await eventLog.positionAt(range.from), await eventLog.positionAt(range.to + 1)];
}
