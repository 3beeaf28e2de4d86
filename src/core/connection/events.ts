import type { Alerts } from '../alerts/alerts.ts';
import type { Database } from '../db/database.ts';
import { type Clock, pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { NodeEvent, PaymentOutcome, Position, Settlement } from '../lightning/node.ts';
import type { NodeConnection } from './connection.ts';
import { readStart } from './ledger-nodes.ts';
import * as sql from './nodes.sql.ts';
import { retryUnbookedEvents, setEventAside } from './unbooked-events.ts';

/** Books the events of the node. Both handlers are idempotent, because an event may be reported more than once. */
export interface EventHandlers {
  /** Books money that a node has reported as received, or stores that it is arriving. */
  settle(settlement: Settlement, nodeId: string): Promise<unknown>;
  /** Books the outcome of an outgoing payment. */
  reportOutcome(paymentId: string, outcome: PaymentOutcome): Promise<void>;
}

export interface EventReaderDependencies {
  readonly database: Database;
  readonly alerts: Alerts;
  /** The node whose events are read. */
  readonly connection: NodeConnection;
  readonly handlers: EventHandlers;
  /** Called for each payment hash of `watchPayments`. */
  readonly onPaymentHint: (paymentHash: string) => void;
  /** Called when the node answers again after an interruption. */
  readonly onReconnect: () => void;
  readonly intervals?: EventReaderIntervals | undefined;
  readonly clock: Clock;
  readonly log: Log;
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

/**
 * Reads the node's events and books them with the handlers until the signal aborts. Starts after the stored position. A position is stored
 * only after each event up to it is booked or set aside, so an event may be read twice but is never missed.
 */
export async function readNodeEvents(deps: EventReaderDependencies, signal: AbortSignal): Promise<void> {
  const { connection, intervals = INTERVALS, log, onPaymentHint, onReconnect } = deps;
  const node = connection.nodeId;
  let isInterrupted = false;
  const readEvents = async () => {
    await connection.readInfo();
    if (isInterrupted) {
      log.info({ node }, 'the node answers again: its events are read from the stored position, and pending payments are resumed');
      onReconnect();
    }
    isInterrupted = false;
    await readOnce(deps, intervals, signal);
  };
  const logInterruption = (error: unknown) => {
    if (!isInterrupted) log.warn({ node, reason: errorMessage(error) }, 'reading the node events was interrupted; retrying every second');
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
    repeat(intervals.retryUnbookedMs, signal, () =>
      retryUnbookedEvents(deps, (event) => bookEvent(deps, event), signal).catch(logFailedRetry),
    ),
  ]);
}

/** Repeats a task, with a wait after each, until the signal aborts. */
async function repeat(waitMs: number, signal: AbortSignal, task: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await task();
    await pause(waitMs, signal);
  }
}

async function readOnce(deps: EventReaderDependencies, intervals: EventReaderIntervals, signal: AbortSignal): Promise<void> {
  const { connection, database } = deps;
  const running = new Set<Promise<boolean>>();
  const ended = new AbortController();
  const connected = AbortSignal.any([signal, ended.signal]);
  /** Each event up to this position is booked or set aside. */
  let booked: Position | undefined;
  /** Whether every event that was read is booked or set aside. */
  let allDone = Promise.resolve(true);
  const { position: from, skippedUntil } = await readStart(database, connection.nodeId);
  const storing = storePositions(deps, intervals.storePositionMs, () => booked, connected);
  try {
    for await (const event of connection.watch(from, signal)) {
      const isSkipped = event.type === 'settlement' && event.settledAt <= skippedUntil;
      const booking = isSkipped ? Promise.resolve(true) : bookOrSetAside(deps, event, intervals.retryMs, connected);
      running.add(booking);
      const allBefore = allDone;
      allDone = booking.then(async (isDone) => {
        running.delete(booking);
        if (!(await allBefore) || !isDone) return false;
        booked = event.position;
        return true;
      });
      if (running.size >= MAX_CONCURRENT) await Promise.race(running);
    }
  } finally {
    // Events that are not booked yet are after the stored position, so they are read again.
    ended.abort();
    await allDone;
    await storing;
  }
}

/** Stores the position several times a second, and once more at the end. */
async function storePositions(
  { connection, database, log }: EventReaderDependencies,
  waitMs: number,
  booked: () => Position | undefined,
  signal: AbortSignal,
): Promise<void> {
  let stored: Position | undefined;
  for (let isLast = false; !isLast; ) {
    isLast = signal.aborted || (await pause(waitMs, signal));
    const position = booked();
    if (position === undefined || position === stored) continue;
    try {
      await database.transaction((tx) => tx.run(sql.storePosition, connection.nodeId, position));
      stored = position;
    } catch (error) {
      log.warn({ reason: errorMessage(error) }, 'the position of the node events was not stored; they may be read again');
    }
  }
}

/** Tries to book an event, and sets it aside after {@link MAX_TRIES}. @returns false when the signal aborted before either was done. */
async function bookOrSetAside(deps: EventReaderDependencies, event: NodeEvent, retryMs: number, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await bookEvent(deps, event);
      return true;
    } catch (error) {
      const reason = errorMessage(error);
      deps.log.error({ position: event.position, event: event.type, reason }, 'an event of the node was not booked; retrying');
      if (tries >= MAX_TRIES && (await setEventAside(deps, event, reason))) return true;
      if (signal.aborted || (await pause(retryMs, signal))) return false;
    }
  }
}

/** Books an event with its handler. */
async function bookEvent({ handlers, connection }: EventReaderDependencies, event: NodeEvent): Promise<void> {
  if (event.type === 'settlement') await handlers.settle(event, connection.nodeId);
  else await handlers.reportOutcome(event.paymentId, event.outcome);
}
