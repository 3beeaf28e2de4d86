import type { Database, Tx } from '../db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY } from '../db/retention.ts';
import { decodeBase62, encodeBase62 } from '../kernel/ids.ts';
import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import { lockEventOrder } from './bookings.sql.ts';
import * as sql from './event-log.sql.ts';
import { type EventType, isEventType } from './event-types.ts';

/** An event of the log, without the objects that it concerns. */
export interface LoggedEvent {
  /** `evt_…` */
  readonly id: string;
  readonly position: number;
  readonly createdAtMs: number;
  readonly type: EventType;
  readonly accountId: string;
  /** Undefined for an event that concerns no wallet. */
  readonly walletId: string | undefined;
  /** The id of the object that changed; for a booking, of its wallet transaction. */
  readonly subject: string;
  /** The payment or invoice. */
  readonly lightningId: string | undefined;
  /** What the object's row does not keep. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
  /** The trace of the request that created the payment, invoice or transfer. Only {@link EventLog.findMany} reads it. */
  readonly traceparent?: string | undefined;
}

/** Whose events a reader gets. */
export type EventScope = { readonly walletId: string } | { readonly accountId: string } | 'all';

export interface EventQuery {
  readonly scope: EventScope;
  /** Undefined: all types. */
  readonly types?: ReadonlySet<EventType> | undefined;
  /** `asc`: oldest first. Default: `asc` */
  readonly order?: 'asc' | 'desc';
}

/** A part of the log. */
export interface LogPart {
  readonly events: LoggedEvent[];
  /** The position after which the log continues. All events of the scope up to it were read. */
  readonly next: number;
  /** Whether the log had no more events when this was read. */
  readonly isEnd: boolean;
}

/** A cursor that is no longer, or was never, a position of the log. */
export class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor';
}

/** The position before the first event. */
export const START = 0;

/** The position after every event. */
export const END = Number.MAX_SAFE_INTEGER;

/** How many rows one read compares with a filter. */
const MAX_READ = 10_000;

export type EventLog = ReturnType<typeof createEventLog>;

/**
 * The event log: every event of the service in the order of commits, each inserted in the transaction of its change. A reader that has read up to
 * a position has missed no event before it.
 */
export function createEventLog(database: Database, retentionDays: number) {
  // Events before the oldest period that is kept count as expired, so it is kept for one period more.
  const periods = retentionDays * PERIODS_PER_DAY + 1;

  async function oldest(): Promise<number> {
    const first = await database.first(sql.oldestPeriod);
    // The newest event of that time stays.
    return first && first.period > 1 ? first.position - 1 : START;
  }

  async function newest(): Promise<number> {
    return (await database.first(sql.newestPosition))?.position ?? START;
  }

  return {
    /** Returns the position before the oldest event that has not expired. */
    oldest,
    /** Returns the position of the newest event. */
    newest,
    /** Returns the position of the newest event of a wallet. While it stays the same, nothing has changed of which the log has an event. */
    newestOfWallet: async (walletId: string): Promise<number> => (await database.first(sql.newestOfWallet, walletId))?.position ?? START,
    /** Returns the position of the newest event. Until the transaction ends, no other one inserts events. */
    async lockNewest(tx: Tx): Promise<number> {
      await tx.all(lockEventOrder);
      return (await tx.first(sql.newestPosition))?.position ?? START;
    },
    /**
     * Returns at most `limit` events after a position, and fewer if many events of other types come between.
     * @throws UnknownCursor when events after the position may have expired.
     */
    async read(query: EventQuery, after: number, limit: number): Promise<LogPart> {
      const part = await readPart(database, query, after, limit);
      // After the read, which may have missed events that were deleted during it.
      if (query.order !== 'desc' && after < (await oldest())) throw new UnknownCursor('events after this one have expired');
      return part;
    },
    /** Returns the events with these ids, without those that have expired or never existed. */
    async findMany(ids: readonly string[]): Promise<LoggedEvent[]> {
      const positions = ids.flatMap((id) => parsePositionId('evt', id)?.position ?? []);
      const rows = positions.length === 0 ? [] : await database.all(sql.findMany, positions);
      const wanted = new Set(ids);
      return rows.flatMap(eventFromRow).filter(({ id }) => wanted.has(id));
    },
    /** Returns the position of an event's id, or of {@link cursorAt}. @throws UnknownCursor */
    async positionOf(id: string): Promise<number> {
      const parsed = parsePositionId('evt', id);
      if (parsed?.createdAtMs === 0 && parsed.position <= (await newest())) return parsed.position;
      const [row] = parsed ? await database.all(sql.findMany, [parsed.position]) : [];
      if (!parsed || row?.created_at_ms !== parsed.createdAtMs) throw new UnknownCursor('this event is not in the log');
      return parsed.position;
    },
    /** Returns the position before the first event of a time (Unix milliseconds) or later. The clocks of instances may differ. */
    async positionAt(ms: number): Promise<number> {
      let [low, high] = [(await oldest()) + 1, (await newest()) + 1];
      while (low < high) {
        const middle = Math.floor((low + high) / 2);
        const row = await database.first(sql.newestUpTo, middle);
        if (!row || row.created_at_ms < ms) low = middle + 1;
        else high = middle;
      }
      return low - 1;
    },
    /** Ends a retention period (db/retention.ts). */
    async endRetentionPeriod(): Promise<void> {
      for (const table of ['event', 'event_trace']) await endRetentionPeriod(database, { table, periods });
    },
  };
}

async function readPart(database: Database, { scope, types, order = 'asc' }: EventQuery, after: number, limit: number): Promise<LogPart> {
  const events: LoggedEvent[] = [];
  let next = after;
  for (let read = 0; read < MAX_READ; ) {
    if (read > 0) await takeTurn();
    const wanted = types ? PER_TURN.scannedRows : limit - events.length;
    const rows = await readPage(database, scope, order, next, wanted);
    for (const row of rows) {
      next = row.position;
      for (const event of eventFromRow(row)) if (!types || types.has(event.type)) events.push(event);
      if (events.length === limit) return { events, next, isEnd: false };
    }
    if (rows.length < wanted) return { events, next, isEnd: true };
    read += rows.length;
  }
  return { events, next, isEnd: false };
}

function readPage(database: Database, scope: EventScope, order: 'asc' | 'desc', after: number, limit: number): Promise<sql.EventRow[]> {
  if (scope === 'all') return database.all(sql.pages.all[order], after, limit);
  if ('walletId' in scope) return database.all(sql.pages.wallet[order], after, limit, scope.walletId);
  return database.all(sql.pages.account[order], after, limit, scope.accountId);
}

/** Returns the event of a row; an empty list if its type is unknown: a newer version may have stored it. */
function eventFromRow(row: sql.EventRow): LoggedEvent[] {
  const { position, type } = row;
  if (!isEventType(type)) return [];
  return [
    {
      id: eventId(position, row.created_at_ms),
      position,
      createdAtMs: row.created_at_ms,
      type,
      accountId: row.account_id,
      walletId: row.wallet_id ?? undefined,
      subject: row.subject,
      lightningId: row.lntx ?? undefined,
      data: row.data === null ? undefined : JSON.parse(row.data),
      traceparent: row.traceparent ?? undefined,
    },
  ];
}

/**
 * Returns the id of an event: its position and its time. It sorts as the log does. The time distinguishes the events of a database that was
 * restored from a backup from those at the same positions that the backup did not contain.
 */
export function eventId(position: number, createdAtMs: number): string {
  return positionId('evt', position, createdAtMs);
}

const WIDTH = 8;

/** Returns the id of a row in a table with positions: a prefix, the position, and the time. */
export function positionId(prefix: string, position: number, createdAtMs: number): string {
  return `${prefix}_${encodeBase62(position, WIDTH)}${encodeBase62(createdAtMs, WIDTH)}`;
}

/** Returns the position and the time in such an id; undefined if it is malformed. */
export function parsePositionId(prefix: string, id: string): { position: number; createdAtMs: number } | undefined {
  const [, given, position = '', createdAt = ''] = /^([a-z]+)_([0-9A-Za-z]{8})([0-9A-Za-z]{8})$/.exec(id) ?? [];
  return given === prefix ? { position: decodeBase62(position), createdAtMs: decodeBase62(createdAt) } : undefined;
}

/** Returns a cursor for a position that may have no event. */
export function cursorAt(position: number): string {
  return eventId(position, 0);
}
