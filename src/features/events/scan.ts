import type { Database } from '../../core/db/database.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import type { Ledger } from '../../core/ledger/ledger.ts';
import type { Wallet } from '../../core/wallets/wallets.ts';
import type { OwnedEntryRow } from '../transactions/history.ts';
import { pieceTurn } from '../transactions/places.ts';
import * as sql from './log.sql.ts';
import { type LoggedEvent, ofBooking, ofRow, placeOfRow } from './logged-event.ts';
import { comparePlaces, FIRST_ROW_RANK, LAST_RANK, type LogPlace, RANK_OF_SIDE } from './place.ts';

/** The owner whose events a reader gets. */
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

/** How many positions, and how many rows, one piece of a scan reads. */
const PIECE = 1000;
/** How many pieces one read scans for events of its scope. */
const MAX_PIECES = 10;

export interface ScanDependencies {
  readonly database: Database;
  readonly ledger: Pick<Ledger, 'entries' | 'balance'>;
}

/** Reads the events of a scope in a range of the log. */
export function readPart(deps: ScanDependencies, { scope, types }: EventFilter, range: Range): Promise<LogPart> {
  const isWanted = (event: LoggedEvent) => !types || types.has(event.type);
  if (scope === 'all') return scan(deps.database, isWanted, range);
  if ('accountId' in scope) return scan(deps.database, (event) => event.accountId === scope.accountId && isWanted(event), range);
  return scanWallet(deps, scope.wallet, { isWanted, pieceSize: types ? PIECE : range.limit }, range);
}

export interface Range {
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

/** Reads all events after a place, up to a position, and fewer if there are more than `maxRows` rows. */
export async function readPiece(database: Database, after: LogPlace, highest: number, maxRows: number): Promise<ScannedPiece> {
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
  deps: ScanDependencies,
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
async function readWalletPiece({ database, ledger }: ScanDependencies, wallet: Wallet, { after, until, limit }: Range): Promise<LogPart> {
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
async function firstEntryFrom(ledger: ScanDependencies['ledger'], account: number, position: number): Promise<number> {
  let [low, high] = [1, (await ledger.balance(account)).entries + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const [entry] = await ledger.entries(account, middle, middle);
    if (entry && entry.position < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
