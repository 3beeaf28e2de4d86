import { pause } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { NodeEvent, Position } from '../lightning/node.ts';
import type { NodeConnection } from './connection.ts';
import { readPosition, storePosition } from './position.ts';
import { type BookingDependencies, bookEvent, retryUnbookedEvents, setEventAside } from './unbooked-events.ts';

export interface EventReaderDependencies extends BookingDependencies {
  /** The node whose events are read. */
  readonly connection: NodeConnection;
  /** Called for each payment hash of `watchPayments`. */
  readonly onPaymentHint: (paymentHash: string) => void;
  /** Called when the node answers again after an interruption. */
  readonly onReconnect: () => void;
  readonly intervals?: EventReaderIntervals | undefined;
}

export interface EventReaderIntervals {
  /** Before the next try after an interruption, or after an event could not be booked. */
  readonly retryMs: number;
  /** Between two writes of the position. */
  readonly storePositionMs: number;
  /** Between two tries to book the events that were set aside. */
  readonly retryUnbookedMs: number;
}

const INTERVALS: EventReaderIntervals = { retryMs: 1000, storePositionMs: 250, retryUnbookedMs: 30_000 };
/** Events that are booked at the same time; they share the ledger's commits. */
const MAX_CONCURRENT = 256;
/** After so many failed tries an event is set aside. */
const MAX_TRIES = 3;

type Reader = EventReaderDependencies & { readonly intervals: EventReaderIntervals };

/**
 * Reads the node's events and books them with the handlers until the signal aborts. Starts after the stored position. A position is stored
 * only after each event up to it is booked or set aside, so an event may be read twice but is never missed.
 */
export async function readNodeEvents(deps: EventReaderDependencies, signal: AbortSignal): Promise<void> {
  const { connection, intervals = INTERVALS, nodeId, log, onPaymentHint, onReconnect } = deps;
  const reader = { ...deps, intervals };
  let isInterrupted = false;
  const readEvents = async () => {
    await connection.readInfo();
    if (isInterrupted) {
      log.info({ node: nodeId }, 'the node answers again: its events are read from the stored position, and pending payments are resumed');
      onReconnect();
    }
    isInterrupted = false;
    await readOnce(reader, signal);
  };
  const logInterruption = (error: unknown) => {
    if (!isInterrupted)
      log.warn({ node: nodeId, reason: errorMessage(error) }, 'reading the node events was interrupted; retrying every second');
    isInterrupted = true;
  };
  // Hints only make the service faster: payments are also looked up periodically. The reader of the events logs an interruption.
  const readHints = async () => {
    for await (const paymentHash of connection.watchPayments(signal)) onPaymentHint(paymentHash);
  };
  const logFailedRetry = (error: unknown) =>
    log.warn({ reason: errorMessage(error) }, 'retrying the events that were set aside failed; retrying later');
  await Promise.all([
    repeat(intervals.retryMs, signal, () => readEvents().catch(logInterruption)),
    repeat(intervals.retryMs, signal, () => readHints().catch(() => undefined)),
    repeat(intervals.retryUnbookedMs, signal, () => retryUnbookedEvents(deps, signal).catch(logFailedRetry)),
  ]);
}

/** Repeats a task, with a wait after each, until the signal aborts. */
async function repeat(waitMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await task();
    await pause(waitMs, signal);
  }
}

async function readOnce(deps: Reader, signal: AbortSignal): Promise<void> {
  const from = await readPosition(deps.database, deps.nodeId);
  const progress: Progress = { booked: undefined, stored: undefined, inOrder: [] };
  const running = new Set<Promise<void>>();
  const ended = new AbortController();
  const connected = AbortSignal.any([signal, ended.signal]);
  const storing = storePositions(deps, progress, connected);
  try {
    for await (const event of deps.connection.watch(from, signal)) {
      const entry = { position: event.position, isDone: false };
      progress.inOrder.push(entry);
      const booking: Promise<void> = bookOrSetAside(deps, event, connected).then((isDone) => {
        running.delete(booking);
        entry.isDone = isDone;
        advance(progress);
      });
      running.add(booking);
      if (running.size >= MAX_CONCURRENT) await Promise.race(running);
    }
  } finally {
    // Events that are not booked yet are after the stored position, so they are read again.
    ended.abort();
    await Promise.all(running);
    await storing;
  }
}

interface Progress {
  /** Each event up to this position is booked or set aside. */
  booked: Position | undefined;
  stored: Position | undefined;
  /** The events after `booked`, in the node's order. */
  readonly inOrder: { readonly position: Position; isDone: boolean }[];
}

function advance(progress: Progress): void {
  const firstOpen = progress.inOrder.findIndex(({ isDone }) => !isDone);
  const done = progress.inOrder.splice(0, firstOpen === -1 ? progress.inOrder.length : firstOpen);
  progress.booked = done.at(-1)?.position ?? progress.booked;
}

/** Stores the position several times a second, and once more at the end. */
async function storePositions(deps: Reader, progress: Progress, signal: AbortSignal): Promise<void> {
  for (let isLast = false; !isLast; ) {
    isLast = signal.aborted || (await pause(deps.intervals.storePositionMs, signal));
    const { booked } = progress;
    if (booked === undefined || booked === progress.stored) continue;
    try {
      await storePosition(deps.database, deps.nodeId, booked);
      progress.stored = booked;
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'the position of the node events was not stored; they may be read again');
    }
  }
}

/** Tries to book an event, and sets it aside after {@link MAX_TRIES}. @returns false when the signal aborted before either was done. */
async function bookOrSetAside(deps: Reader, event: NodeEvent, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await bookEvent(deps, event);
      return true;
    } catch (error) {
      const reason = errorMessage(error);
      deps.log.error({ position: event.position, event: event.type, reason }, 'an event of the node was not booked; retrying');
      if (tries >= MAX_TRIES && (await trySetAside(deps, event, reason))) return true;
      if (signal.aborted || (await pause(deps.intervals.retryMs, signal))) return false;
    }
  }
}

/** @returns false when storing the event fails as well. Then the database is at fault, and the event is retried. */
async function trySetAside(deps: Reader, event: NodeEvent, reason: string): Promise<boolean> {
  try {
    await setEventAside(deps, event, reason);
    return true;
  } catch (error) {
    deps.log.error({ position: event.position, reason: errorMessage(error) }, 'an event of the node was not set aside; retrying');
    return false;
  }
}
