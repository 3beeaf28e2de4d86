import type { Database } from '../db/database.ts';
import { readFact, writeFact } from '../db/facts.sql.ts';
import type { Invoices } from '../invoices/invoices.ts';
import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { LightningNode, NodeEvent } from '../lightning/node.ts';
import type { Payments } from './payments.ts';

export interface WatcherDependencies {
  readonly database: Database;
  readonly node: LightningNode;
  readonly invoices: Invoices;
  readonly payments: Payments;
  readonly log: Log;
  /** Shorter in simulations. */
  readonly pace?: WatcherPace;
}

export interface WatcherPace {
  /** Between an interrupted watch, or an event that could not be booked, and the next try. */
  readonly retryMs: number;
  /** Between two writes of the position. */
  readonly keepPositionMs: number;
}

const POSITION = 'node_event_position';
const PACE: WatcherPace = { retryMs: 1000, keepPositionMs: 250 };
/** Events that are being booked at the same time; they share the ledger's commits. */
const MAX_IN_FLIGHT = 256;

/**
 * Books what the node reports, for ever: settlements to invoices, ends to payments. Starts where the last life stopped. A position is
 * kept only after everything up to it is booked, so an event may be seen twice but never missed.
 */
export async function watchNode(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
  let away = false;
  while (!signal.aborted) {
    try {
      await deps.node.info();
      if (away) {
        deps.log.info({}, 'the node is back: its events are read from where they stopped, and pending payments are handed to it again');
        void deps.payments.resume();
      }
      away = false;
      await watchOnce(deps, signal);
    } catch (error) {
      if (!away) deps.log.warn({ reason: errorMessage(error) }, 'watching the node was interrupted; trying again every second');
      away = true;
      await pause((deps.pace ?? PACE).retryMs, signal);
    }
  }
}

async function watchOnce(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
  const from = await readPosition(deps.database);
  const progress = { last: from, kept: from, inFlight: new Map<number, Promise<void>>() };
  const ended = new AbortController();
  const life = AbortSignal.any([signal, ended.signal]);
  const keeping = keepPositions(deps, progress, life);
  try {
    for await (const event of deps.node.watch(from, signal)) {
      progress.last = event.position;
      const booking = bookUntilDone(deps, event, life).then((booked) => {
        if (booked) progress.inFlight.delete(event.position);
      });
      progress.inFlight.set(event.position, booking);
      if (progress.inFlight.size >= MAX_IN_FLIGHT) await Promise.race(progress.inFlight.values());
    }
  } finally {
    // What is not booked yet stays before the kept position, so the next watch brings it again.
    ended.abort();
    await Promise.all(progress.inFlight.values());
    await keeping;
  }
}

interface Progress {
  last: number;
  kept: number;
  /** What is not booked yet: by position, in order. */
  readonly inFlight: Map<number, Promise<void>>;
}

/** Keeps the newest position up to which everything is booked, a few times a second and at the end. */
async function keepPositions(deps: WatcherDependencies, progress: Progress, signal: AbortSignal): Promise<void> {
  for (let last = false; !last; ) {
    last = signal.aborted || (await pause((deps.pace ?? PACE).keepPositionMs, signal));
    const [oldest] = progress.inFlight.keys();
    const safe = oldest === undefined ? progress.last : oldest - 1;
    if (safe <= progress.kept) continue;
    try {
      await deps.database.transaction((tx) => tx.run(writeFact, POSITION, String(safe)));
      progress.kept = safe;
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'the position of the node events was not kept; they may be read again');
    }
  }
}

/** One event that cannot be booked must not stop the others: it is tried again beside them. @returns false when the signal came first. */
async function bookUntilDone(
  { invoices, payments, log, pace = PACE }: WatcherDependencies,
  event: NodeEvent,
  signal: AbortSignal,
): Promise<boolean> {
  for (;;) {
    try {
      await (event.type === 'settlement' ? invoices.settle(event) : payments.report(event.paymentId, event.outcome));
      return true;
    } catch (error) {
      log.error(
        { position: event.position, event: event.type, reason: errorMessage(error) },
        'an event of the node was not booked; trying again',
      );
      if (signal.aborted || (await pause(pace.retryMs, signal))) return false;
    }
  }
}

async function readPosition(database: Database): Promise<number> {
  return Number((await database.first(readFact, POSITION))?.value ?? 0);
}
