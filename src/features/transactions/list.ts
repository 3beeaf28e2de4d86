import type { Invoice } from '../../core/invoices/invoice.ts';
import { firstIdAt, idTimeMs } from '../../core/kernel/ids.ts';
import type { Payment } from '../../core/payments/payment.ts';
import { walletTransactionId } from '../../core/wallets/wallet-transaction-id.ts';
import { CLOCK_SLACK_MS, firstPlaceSince } from './places.ts';
import type { ListScope, OfHash, OpenPiece, PlacedEntry, Pointed } from './scope.ts';
import { openItemId } from './wallet-transaction.ts';

/** The filters of a list. `from` and `to` are Unix seconds, inclusive: booking times for `settled`, start times for all others. */
export interface ListQuery {
  /** `all` does not include open invoices, because they move no money. */
  readonly status: 'settled' | 'pending' | 'failed' | 'open' | 'all';
  readonly type: string | undefined;
  readonly from: number | undefined;
  readonly to: number | undefined;
  /** 64 lower-case hex characters. */
  readonly paymentHash?: string | undefined;
}

/** A line before it is rendered: a ledger entry, a payment, or an open invoice. */
export type Line = { readonly entry: PlacedEntry } | { readonly payment: Payment } | { readonly invoice: Invoice };

/** A piece of a list, in its order. `lookedAt` counts the places that were read, including those of other accounts. */
export interface Piece {
  readonly lines: Line[];
  readonly lookedAt: number;
}

const PIECE = 1000;
/** Sorts after every id. */
const NO_ID = 'lntx_~';

/** The start of a list: its newest line, or the line after a cursor. */
interface Start {
  /** Entries up to this place. */
  readonly place: number;
  /** Payments and invoices made before this id. */
  readonly before: string;
}

export async function* linesOf(scope: ListScope, query: ListQuery, after: Pointed | undefined, first: number): AsyncGenerator<Piece> {
  const start = await startOf(scope, query, after);
  if (query.paymentHash !== undefined) yield ofHash(await scope.ofHash(query.paymentHash), query, start);
  else if (query.status === 'settled') yield* settled(scope, query, start, first);
  else if (query.status === 'all') yield* merged(scope, query, start, first);
  else if (query.status === 'open') yield* open(scope, query, start, first);
  else yield* unsettled(scope, query.status, query, start, first);
}

async function startOf(scope: ListScope, query: ListQuery, after: Pointed | undefined): Promise<Start> {
  const last = await scope.lastPlace();
  const untilMs = query.to === undefined ? undefined : query.to * 1000 + 1000;
  const place = untilMs === undefined ? last : (await firstPlaceSince(scope, last, untilMs + CLOCK_SLACK_MS)) - 1;
  const before = untilMs === undefined ? NO_ID : `lntx_${firstIdAt(untilMs + CLOCK_SLACK_MS)}`;
  const next = after && (await following(scope, query, after, last));
  return next ? { place: Math.min(place, next.place), before: next.before < before ? next.before : before } : { place, before };
}

/** A payment is listed at its start time. Entries come before payments of the same time. */
async function following(scope: ListScope, { status }: ListQuery, { entry, payment, invoice }: Pointed, last: number): Promise<Start> {
  if (invoice) return { place: 0, before: invoice.id };
  if (payment && status !== 'settled') {
    const place = status === 'all' ? (await firstPlaceSince(scope, last, idTimeMs(payment.id))) - 1 : 0;
    return { place, before: payment.id };
  }
  if (!entry) return { place: 0, before: '' };
  return { place: entry.place - 1, before: `lntx_${firstIdAt(entry.entry.created_at_ms + 1)}` };
}

async function* settled(scope: ListScope, query: ListQuery, { place }: Start, first: number): AsyncGenerator<Piece> {
  const fromMs = (query.from ?? 0) * 1000;
  const untilMs = query.to === undefined ? Number.POSITIVE_INFINITY : query.to * 1000 + 999;
  for (let last = place, size = first; last > 0; last -= size, size = PIECE) {
    const lowest = Math.max(1, last - size + 1);
    const entries = await scope.entries(lowest, last);
    const lines = entries.filter(({ entry }) => entry.created_at_ms >= fromMs && entry.created_at_ms <= untilMs);
    yield { lines: lines.map((entry) => ({ entry })), lookedAt: last - lowest + 1 };
    if ((entries.at(-1)?.entry.created_at_ms ?? fromMs) < fromMs - CLOCK_SLACK_MS) return;
  }
}

async function* unsettled(
  scope: ListScope,
  states: 'any' | 'pending' | 'failed',
  { from = 0, to = Number.POSITIVE_INFINITY }: ListQuery,
  start: Start,
  first: number,
): AsyncGenerator<Piece> {
  const end = `lntx_${firstIdAt(Math.max(0, from * 1000 - CLOCK_SLACK_MS))}`;
  let size = first;
  for (let before: string | undefined = start.before; before !== undefined && before > end; size = PIECE) {
    const piece: Awaited<ReturnType<ListScope['payments']>> = await scope.payments(states, before, size);
    const inTime = piece.payments.filter(({ createdAt }) => createdAt >= from && createdAt <= to);
    yield { lines: inTime.map((payment) => ({ payment })), lookedAt: piece.before === undefined ? piece.payments.length : size };
    before = piece.before;
  }
}

async function* open(
  scope: ListScope,
  { from = 0, to = Number.POSITIVE_INFINITY }: ListQuery,
  start: Start,
  first: number,
): AsyncGenerator<Piece> {
  const end = `lntx_${firstIdAt(Math.max(0, from * 1000 - CLOCK_SLACK_MS))}`;
  let size = first;
  for (let before: string | undefined = start.before; before !== undefined && before > end; size = PIECE) {
    const piece: OpenPiece = await scope.openInvoices(before, size);
    const inTime = piece.invoices.filter(({ createdAt }) => createdAt >= from && createdAt <= to);
    yield { lines: inTime.map((invoice) => ({ invoice })), lookedAt: piece.lookedAt };
    before = piece.before;
  }
}

/** Returns the lines of one payment hash, in the order of the list. */
function ofHash(found: OfHash, { status, from = 0, to = Number.POSITIVE_INFINITY }: ListQuery, start: Start): Piece {
  const booked = [...(found.credit ? [found.credit] : []), ...(status === 'settled' ? found.charges : [])];
  const shown: Line[] = [
    ...(status === 'settled' || status === 'all' ? booked.filter(({ place }) => place <= start.place).map((entry) => ({ entry })) : []),
    ...found.payments.filter((payment) => payment.id < start.before && isListed(payment, status)).map((payment) => ({ payment })),
    ...(status === 'open' && found.openInvoice && found.openInvoice.id < start.before ? [{ invoice: found.openInvoice }] : []),
  ];
  const lines = shown.filter((line) => {
    const seconds = Math.floor(timeOf(line) / 1000);
    return seconds >= from && seconds <= to;
  });
  return { lines: lines.sort(byOrder), lookedAt: lines.length };
}

function isListed({ state }: Payment, status: ListQuery['status']): boolean {
  return status === 'all' || state === status;
}

function byOrder(a: Line, b: Line): number {
  if ('entry' in a && 'entry' in b) return b.entry.place - a.entry.place;
  return timeOf(b) - timeOf(a) || Number('entry' in b) - Number('entry' in a);
}

/** Merges all payments by their start times with the entries that belong to no payment. */
async function* merged(scope: ListScope, query: ListQuery, start: Start, first: number): AsyncGenerator<Piece> {
  const [entries, payments] = [settled(scope, query, start, first), unsettled(scope, 'any', query, start, first)];
  const [booked, started]: [Line[], Line[]] = [[], []];
  let [moreBooked, moreStarted] = [true, true];
  while (moreBooked || moreStarted || booked.length > 0 || started.length > 0) {
    if (moreBooked && booked.length === 0) {
      const { value, done } = await entries.next();
      moreBooked = !done;
      booked.push(...(value?.lines ?? []).filter((line: Line) => !belongsToPayment(line)));
      yield { lines: [], lookedAt: value?.lookedAt ?? 0 };
    } else if (moreStarted && started.length === 0) {
      const { value, done } = await payments.next();
      moreStarted = !done;
      started.push(...(value?.lines ?? []));
      yield { lines: [], lookedAt: value?.lookedAt ?? 0 };
    } else {
      yield { lines: takeInOrder(booked, started, moreBooked, moreStarted), lookedAt: 0 };
    }
  }
}

/** Takes lines in order while the next line of both sides is known. The rest waits for more lines of the other side. */
function takeInOrder(booked: Line[], started: Line[], moreBooked: boolean, moreStarted: boolean): Line[] {
  const lines: Line[] = [];
  let [b, p] = [0, 0];
  for (;;) {
    const [entry, payment] = [booked[b], started[p]];
    if ((!entry && (moreBooked || !payment)) || (!payment && moreStarted)) break;
    if (entry && (!payment || timeOf(entry) >= timeOf(payment))) {
      lines.push(entry);
      b += 1;
    } else if (payment) {
      lines.push(payment);
      p += 1;
    }
  }
  booked.splice(0, b);
  started.splice(0, p);
  return lines;
}

function belongsToPayment(line: Line): boolean {
  return 'entry' in line && line.entry.entry.side === 'from' && line.entry.entry.lntx !== null;
}

function timeOf(line: Line): number {
  if ('entry' in line) return line.entry.entry.created_at_ms;
  return idTimeMs('payment' in line ? line.payment.id : line.invoice.id);
}

export function typeOf(line: Line): string {
  if ('entry' in line) return line.entry.entry.type;
  return 'payment' in line ? line.payment.wtxType : line.invoice.wtxType;
}

export function idOf(line: Line): string {
  if ('payment' in line) return walletTransactionId(line.payment.transferId, 'from');
  if ('invoice' in line) return openItemId(line.invoice);
  return walletTransactionId(line.entry.entry.transfer_id, line.entry.entry.side);
}
