import { decodeBase62, encodeBase62 } from '../../core/kernel/ids.ts';

/**
 * The place of an event in the log. Events are ordered by `position`, then by `rank`. A position is that of a ledger transfer; its two events
 * have the ranks 0 (outgoing) and 1 (incoming). Events with a row have its number + 2 as rank.
 */
export interface LogPlace {
  readonly position: number;
  readonly rank: number;
}

export const RANK_OF_SIDE = { from: 0, to: 1 } as const;

/** The rank of the event in row 0. */
export const FIRST_ROW_RANK = 2;

/** Before the first event. */
export const START: LogPlace = { position: 0, rank: -1 };

export function comparePlaces(a: LogPlace, b: LogPlace): number {
  return a.position - b.position || a.rank - b.rank;
}

const WIDTH = 8;

/** Sorts after all events of a position. */
export const LAST_RANK = 62 ** WIDTH - 1;

/**
 * Returns the id of an event: its place and its time. It sorts as the log does. The time distinguishes the events of a database that was
 * restored from a backup from those at the same places that the backup did not contain.
 */
export function eventId({ position, rank }: LogPlace, createdAtMs: number): string {
  return `evt_${encodeBase62(position, WIDTH)}${encodeBase62(rank, WIDTH)}${encodeBase62(createdAtMs, WIDTH)}`;
}

/** Returns the place and the time in an event's id; undefined if it is malformed. */
export function parseEventId(id: string): { place: LogPlace; createdAtMs: number } | undefined {
  if (!/^evt_[0-9A-Za-z]{24}$/.test(id)) return undefined;
  const [position = 0, rank = 0, createdAtMs = 0] = [4, 12, 20].map((start) => decodeBase62(id.slice(start, start + WIDTH)));
  return { place: { position, rank }, createdAtMs };
}

/** Returns a cursor for a place that may have no event. */
export function cursorAt(place: LogPlace): string {
  return eventId(place, 0);
}
