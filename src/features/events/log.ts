import type { Database } from '../../core/db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY, type Retained } from '../../core/db/retention.ts';
import * as sql from './log.sql.ts';
import { createLogEnd } from './log-end.ts';
import { type LoggedEvent, ofBooking, ofRow } from './logged-event.ts';
import { comparePlaces, FIRST_ROW_RANK, type LogPlace, parseEventId, RANK_OF_SIDE, START } from './place.ts';
import { type EventFilter, type LogPart, readPart, readPiece, type ScanDependencies } from './scan.ts';

export type { LoggedEvent } from './logged-event.ts';
export type { EventFilter, EventScope, LogPart } from './scan.ts';

/** A cursor that is no longer, or was never, a place of the log. */
export class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor';
}

/**
 * The event log: every event of the service in one order. Events of bookings derive from the rows of `ledger_transfer`, so that there is one
 * for each booking and none without; all others have a row in `event`, written in the transaction of their change. The order is the order of
 * commits for events of one wallet.
 */
export interface EventLog {
  /**
   * Returns events after a place, oldest first: at most `limit`, and fewer if many events of others come between.
   * @throws UnknownCursor when events after the place may have expired.
   */
  read(filter: EventFilter, after: LogPlace, limit: number): Promise<LogPart>;
  /** Returns the place before the oldest event that has not expired. */
  oldest(): Promise<LogPlace>;
  /**
   * Returns the place of the newest event. While a transaction that inserts events does not end, this is an earlier place; with `isExact`, an
   * error is thrown instead.
   */
  newest(options?: { isExact: boolean }): Promise<LogPlace>;
  /** Returns the events with these ids, without those that have expired or never existed. */
  findMany(ids: readonly string[]): Promise<LoggedEvent[]>;
  /** Returns the place of an event, or that of {@link cursorAt}. @throws UnknownCursor */
  placeOf(id: string): Promise<LogPlace>;
  /** Ends a retention period (db/retention.ts). */
  endRetentionPeriod(): Promise<void>;
}

export interface EventLogDependencies extends ScanDependencies {
  readonly retentionDays: number;
}

export function createEventLog({ database, ledger, retentionDays }: EventLogDependencies): EventLog {
  const end = createLogEnd(database);
  const retained: Retained = {
    name: 'event',
    // Events before the oldest period that is kept count as expired, so it is kept for one period more.
    periods: retentionDays * PERIODS_PER_DAY + 1,
    newestPosition: sql.newestPosition,
    oldestPosition: sql.oldestStoredPosition,
    deleteBelow: sql.deleteStoredBelow,
  };

  async function oldest(): Promise<LogPlace> {
    const first = await database.first(sql.oldestPeriod);
    return first && first.period > 1 ? { position: first.position, rank: -1 } : START;
  }

  /** Not the end of the log: that may be behind the end that another instance has read. */
  const newestPosition = async () => (await database.first(sql.newestPosition))?.position ?? 0;

  return {
    oldest,
    newest: async ({ isExact } = { isExact: false }) => newest(database, await (isExact ? end.current() : end.refresh())),
    async read({ scope, types }, after, limit) {
      const range = { after, until: await end.refresh(), limit };
      const part = await readPart({ database, ledger }, { scope, types }, range);
      // After the read, which may have missed events that were deleted during it.
      if (comparePlaces(after, await oldest()) < 0) throw new UnknownCursor('events after this one have expired');
      return part;
    },
    findMany: async (ids) => (await Promise.all(ids.map((id) => findEvent(database, id)))).flatMap((event) => event ?? []),
    async placeOf(id) {
      const parsed = parseEventId(id);
      if (parsed?.createdAtMs === 0 && parsed.place.position <= (await newestPosition())) return parsed.place;
      const createdAtMs = parsed && (await timeAt(database, parsed.place));
      if (!parsed || createdAtMs !== parsed.createdAtMs) throw new UnknownCursor('this event is not in the log');
      return parsed.place;
    },
    endRetentionPeriod: () => endRetentionPeriod(database, retained),
  };
}

async function findEvent(database: Database, id: string): Promise<LoggedEvent | undefined> {
  const { position = 0, rank = 0 } = parseEventId(id)?.place ?? {};
  const isBooking = rank < FIRST_ROW_RANK;
  const events = isBooking
    ? (await database.all(sql.bookedBetween, position, position)).flatMap(ofBooking)
    : (await database.all(sql.findStored, rank - FIRST_ROW_RANK, position)).flatMap(ofRow);
  return events.find((event) => event.id === id);
}

async function timeAt(database: Database, { position, rank }: LogPlace): Promise<number | undefined> {
  if (rank < FIRST_ROW_RANK) return (await database.first(sql.transferTime, position))?.created_at_ms;
  return (await database.first(sql.findStored, rank - FIRST_ROW_RANK, position))?.created_at_ms;
}

async function newest(database: Database, position: number): Promise<LogPlace> {
  const { last } = await readPiece(database, { position, rank: RANK_OF_SIDE.to }, position, Number.MAX_SAFE_INTEGER);
  return last ?? { position, rank: RANK_OF_SIDE.to };
}
