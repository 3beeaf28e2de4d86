import type { Database } from '../db/database.ts';
import { endRound, type Retained, ROUNDS_PER_DAY } from '../db/retention.ts';
import { type EventType, eventTypeOfBooking, isEventType } from '../events/event-types.ts';
import type { OwnedEntryRow } from '../history/history.ts';
import { pieceTurn } from '../history/places.ts';
import type { EntryRow, Ledger } from '../ledger/ledger.ts';
import type { Wallet } from '../wallets/wallets.ts';
import * as sql from './log.sql.ts';
import { createLogEnd } from './log-end.ts';
import { comparePlaces, eventId, FIRST_ROW_RANK, LAST_RANK, type LogPlace, parseEventId, RANK_OF_SIDE, START } from './place.ts';

/** An event of the log, without the objects that it concerns. */
export interface LoggedEvent {
  /** `evt_…` */
  readonly id: string;
  readonly place: LogPlace;
  readonly createdAtMs: number;
  readonly type: EventType;
  readonly accountId: string;
  /** Undefined for an event that concerns no wallet. */
  readonly walletId: string | undefined;
  readonly ledgerAccount: number | undefined;
  /** The id of the object that changed: of the ledger transfer for a booking. */
  readonly subject: string;
  /** The payment or invoice of a booking. */
  readonly lightningId: string | undefined;
  /** The ledger entry of a booking. */
  readonly entry: EntryRow | undefined;
  /** What an event with a row has stored. */
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

/** Whose events a reader gets. */
export type EventScope = { readonly wallet: Wallet } | { readonly accountId: string } | 'all';

export interface EventFilter {
  readonly scope: EventScope;
  /** Absent: all types. */
  readonly types?: ReadonlySet<EventType> | undefined;
}

/** A part of the log. */
export interface LogPart {
  readonly events: LoggedEvent[];
  /** Where the next part begins. All events of the scope up to this place were read. */
  readonly upTo: LogPlace;
  /** Whether the log had no more events when this was read. */
  readonly isEnd: boolean;
}

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
  /** Ends a retention round (db/retention.ts). */
  endRound(): Promise<void>;
}

export interface EventLogDependencies {
  readonly database: Database;
  readonly ledger: Pick<Ledger, 'entries' | 'balance'>;
  readonly retentionDays: number;
}

/** How many positions, and how many rows, one piece of a scan reads. */
const PIECE = 1000;
/** How many pieces one read scans for events of its scope. */
const MAX_PIECES = 10;

export function createEventLog({ database, ledger, retentionDays }: EventLogDependencies): EventLog {
  const end = createLogEnd(database);
  const retained: Retained = {
    name: 'event',
    // Events before the oldest round that is kept count as expired, so it is kept for one round more.
    rounds: retentionDays * ROUNDS_PER_DAY + 1,
    newestPosition: sql.newestPosition,
    oldestPosition: sql.oldestStoredPosition,
    deleteBelow: sql.deleteStoredBelow,
  };

  async function oldest(): Promise<LogPlace> {
    const first = await database.first(sql.oldestRound);
    return first && first.round > 1 ? { position: first.position, rank: -1 } : START;
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
    endRound: () => endRound(database, retained),
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

type Reading = Pick<EventLogDependencies, 'database' | 'ledger'>;

function readPart(deps: Reading, { scope, types }: EventFilter, range: Range): Promise<LogPart> {
  const isWanted = (event: LoggedEvent) => !types || types.has(event.type);
  if (scope === 'all') return scan(deps.database, isWanted, range);
  if ('accountId' in scope) return scan(deps.database, (event) => event.accountId === scope.accountId && isWanted(event), range);
  return scanWallet(deps, scope.wallet, { isWanted, pieceSize: types ? PIECE : range.limit }, range);
}

async function timeAt(database: Database, { position, rank }: LogPlace): Promise<number | undefined> {
  if (rank < FIRST_ROW_RANK) return (await database.first(sql.transferTime, position))?.created_at_ms;
  return (await database.first(sql.findStored, rank - FIRST_ROW_RANK, position))?.created_at_ms;
}

async function newest(database: Database, position: number): Promise<LogPlace> {
  const { last } = await readPiece(database, { position, rank: RANK_OF_SIDE.to }, position, Number.MAX_SAFE_INTEGER);
  return last ?? { position, rank: RANK_OF_SIDE.to };
}

interface Range {
  readonly after: LogPlace;
  /** The position of the end of the log. */
  readonly until: number;
  readonly limit: number;
}

/** Reads all events in the order of the log, and returns those that are wanted. */
async function scan(database: Database, isWanted: (event: LoggedEvent) => boolean, { after, until, limit }: Range): Promise<LogPart> {
  const events: LoggedEvent[] = [];
  let upTo = after;
  for (let pieces = 0; pieces < MAX_PIECES; pieces += 1) {
    if (pieces > 0) await pieceTurn();
    const highest = Math.min(upTo.position + PIECE, until);
    const piece = await readPiece(database, upTo, highest, PIECE);
    for (const event of piece.events) {
      upTo = event.place;
      if (!isWanted(event)) continue;
      events.push(event);
      if (events.length === limit) return { events, upTo, isEnd: false };
    }
    if (piece.isFull) continue;
    if (highest >= until) return { events, upTo, isEnd: true };
    upTo = { position: highest, rank: LAST_RANK };
  }
  return { events, upTo, isEnd: false };
}

interface ScannedPiece {
  /** In the order of the log. */
  readonly events: LoggedEvent[];
  readonly last: LogPlace | undefined;
  /** Whether there may be more events up to the highest position. */
  readonly isFull: boolean;
}

async function readPiece(database: Database, after: LogPlace, highest: number, maxRows: number): Promise<ScannedPiece> {
  // A piece begins within a position when only some of its events were read.
  const lowest = after.rank < RANK_OF_SIDE.to ? after.position : after.position + 1;
  const [booked, stored] = await Promise.all([
    lowest > highest ? [] : database.all(sql.bookedBetween, lowest, highest),
    database.all(sql.storedAfter, after.position, after.rank - FIRST_ROW_RANK, highest, maxRows),
  ]);
  const isFull = stored.length === maxRows;
  const merged = [...booked.flatMap(ofBooking), ...stored.flatMap(ofRow)]
    .filter(({ place }) => comparePlaces(place, after) > 0)
    .sort((a, b) => comparePlaces(a.place, b.place));
  const lastRow = stored.at(-1);
  // After the last row that was read there may be others, so later bookings wait for the next piece.
  const events = isFull && lastRow ? merged.filter(({ place }) => comparePlaces(place, placeOfRow(lastRow)) <= 0) : merged;
  return { events, last: events.at(-1)?.place, isFull };
}

interface WalletScan {
  readonly isWanted: (event: LoggedEvent) => boolean;
  readonly pieceSize: number;
}

/** Reads the events of one wallet, at the same cost at any depth, and returns those that are wanted. */
async function scanWallet(
  deps: Reading,
  wallet: Wallet,
  { isWanted, pieceSize }: WalletScan,
  { after, until, limit }: Range,
): Promise<LogPart> {
  const events: LoggedEvent[] = [];
  let upTo = after;
  for (let pieces = 0; pieces < MAX_PIECES; pieces += 1) {
    if (pieces > 0) await pieceTurn();
    const piece = await readWalletPiece(deps, wallet, { after: upTo, until, limit: pieceSize });
    const wanted = piece.events.filter(isWanted);
    const missing = limit - events.length;
    events.push(...wanted.slice(0, missing));
    if (wanted.length > missing) return { events, upTo: events.at(-1)?.place ?? upTo, isEnd: false };
    upTo = piece.upTo;
    if (piece.isEnd || wanted.length === missing) return { events, upTo, isEnd: piece.isEnd };
  }
  return { events, upTo, isEnd: false };
}

/** Reads at most `limit` events of one wallet, and fewer if entries without an event, such as fees, come between. */
async function readWalletPiece({ database, ledger }: Reading, wallet: Wallet, { after, until, limit }: Range): Promise<LogPart> {
  const first = await firstEntryFrom(ledger, wallet.ledgerAccount, after.rank < RANK_OF_SIDE.to ? after.position : after.position + 1);
  const [entries, stored] = await Promise.all([
    ledger.entries(wallet.ledgerAccount, first, first + limit),
    database.all(sql.storedOfWalletAfter, after.position, after.rank - FIRST_ROW_RANK, until, limit + 1, wallet.ledgerAccount),
  ]);
  const owned = { wallet_id: wallet.id, account_id: wallet.accountId, ledger_account: wallet.ledgerAccount };
  const booked = entries.filter(({ position }) => position <= until).map((entry) => ({ ...entry, ...owned }));
  const lastRead = lastOfFull(booked, stored, limit + 1);
  const events = [...booked.flatMap(ofBooking), ...stored.flatMap(ofRow)]
    .filter(({ place }) => comparePlaces(place, after) > 0 && comparePlaces(place, lastRead) <= 0)
    .sort((a, b) => comparePlaces(a.place, b.place));
  const page = events.slice(0, limit);
  const isFull = events.length > limit || lastRead !== NO_LIMIT;
  const upTo = isFull && events.length <= limit ? lastRead : (page.at(-1)?.place ?? after);
  return { events: page, upTo, isEnd: !isFull };
}

const NO_LIMIT: LogPlace = { position: Number.MAX_SAFE_INTEGER, rank: LAST_RANK };

/** Entries without an event, such as fees, count too: returns the place up to which both lists are complete. */
function lastOfFull(booked: readonly OwnedEntryRow[], stored: readonly sql.StoredRow[], full: number): LogPlace {
  const newestEntry = booked[0];
  const newestRow = stored.at(-1);
  const limits = [
    booked.length >= full && newestEntry ? { position: newestEntry.position, rank: RANK_OF_SIDE[newestEntry.side] } : NO_LIMIT,
    stored.length >= full && newestRow ? placeOfRow(newestRow) : NO_LIMIT,
  ];
  return limits.reduce((a, b) => (comparePlaces(a, b) <= 0 ? a : b));
}

/** Returns the number of the first entry of an account at or after a position. The entries have the order of their positions. */
async function firstEntryFrom(ledger: EventLogDependencies['ledger'], account: number, position: number): Promise<number> {
  let [low, high] = [1, (await ledger.balance(account)).entries + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await ledger.entries(account, middle, middle);
    if (entry && entry.position < position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function placeOfRow({ position, row }: sql.StoredRow): LogPlace {
  return { position, rank: row + FIRST_ROW_RANK };
}

function ofBooking(row: OwnedEntryRow): LoggedEvent[] {
  const type = eventTypeOfBooking(row.type);
  if (!type) return [];
  const place = { position: row.position, rank: RANK_OF_SIDE[row.side] };
  return [
    {
      id: eventId(place, row.created_at_ms),
      place,
      createdAtMs: row.created_at_ms,
      type,
      accountId: row.account_id,
      walletId: row.wallet_id,
      ledgerAccount: row.ledger_account,
      subject: row.transfer_id,
      lightningId: row.lntx ?? undefined,
      entry: row,
      data: undefined,
    },
  ];
}

function ofRow(row: sql.StoredRow): LoggedEvent[] {
  // A newer version may have stored types that this version does not know.
  if (!isEventType(row.type)) return [];
  const place = placeOfRow(row);
  return [
    {
      id: eventId(place, row.created_at_ms),
      place,
      createdAtMs: row.created_at_ms,
      type: row.type,
      accountId: row.account_id,
      walletId: row.wallet_id ?? undefined,
      ledgerAccount: row.ledger_account ?? undefined,
      subject: row.subject,
      lightningId: row.subject.startsWith('lntx_') ? row.subject : undefined,
      entry: undefined,
      data: row.data === null ? undefined : JSON.parse(row.data),
    },
  ];
}
