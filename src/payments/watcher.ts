import { pause } from '../kernel/clock.ts';
import { errorMessage } from '../kernel/log.ts';
import type { LightningNode, NodeEvent, Position } from '../lightning/node.ts';
import type { NodeHistory } from './node-history.ts';
import type { Payments } from './payments.ts';
import { type BookingDependencies, bookEvent, retryEventsSetAside, setEventAside } from './set-aside.ts';

export interface WatcherDependencies extends BookingDependencies {
  readonly node: LightningNode;
  readonly history: NodeHistory;
  readonly payments: Payments;
  /** Shorter in simulations. */
  readonly pace?: WatcherPace;
}

export interface WatcherPace {
  /** Between an interrupted watch, or an event that could not be booked, and the next try. */
  readonly retryMs: number;
  /** Between two writes of the position. */
  readonly keepPositionMs: number;
  /** Between two tries to book what was set aside. */
  readonly retrySetAsideMs: number;
}

const PACE: WatcherPace = { retryMs: 1000, keepPositionMs: 250, retrySetAsideMs: 30_000 };
/** Events that are being booked at the same time; they share the ledger's commits. */
const MAX_IN_FLIGHT = 256;
/** After so many failed tries an event is set aside. */
const MAX_TRIES = 3;

/**
 * Books what the node reports until the signal aborts: settlements to invoices, outcomes to payments. Starts after the last position kept.
 * A position is kept only after every event up to it is booked or set aside, so an event may be read twice but is never missed.
 */
export async function watchNode(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
  await Promise.all([watchUntilAborted(deps, signal), retryUntilAborted(deps, signal)]);
}

async function watchUntilAborted(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
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

async function retryUntilAborted(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await retryEventsSetAside(deps, signal);
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'the events that were set aside were not tried again; trying later');
    }
    await pause((deps.pace ?? PACE).retrySetAsideMs, signal);
  }
}

async function watchOnce(deps: WatcherDependencies, signal: AbortSignal): Promise<void> {
  const from = await deps.history.position();
  const progress: Progress = { safe: undefined, kept: undefined, inOrder: [] };
  const running = new Set<Promise<void>>();
  const ended = new AbortController();
  const life = AbortSignal.any([signal, ended.signal]);
  const keeping = keepPositions(deps, progress, life);
  try {
    for await (const event of deps.node.watch(from, signal)) {
      const entry = { position: event.position, isDone: false };
      progress.inOrder.push(entry);
      const booking: Promise<void> = bookOrSetAside(deps, event, life).then((isDone) => {
        running.delete(booking);
        entry.isDone = isDone;
        advance(progress);
      });
      running.add(booking);
      if (running.size >= MAX_IN_FLIGHT) await Promise.race(running);
    }
  } finally {
    // What is not booked yet stays behind the kept position, so the next watch reads it again.
    ended.abort();
    await Promise.all(running);
    await keeping;
  }
}

interface Progress {
  /** Everything up to this position is booked or set aside. */
  safe: Position | undefined;
  kept: Position | undefined;
  /** The events after the safe position, in the node's order. */
  readonly inOrder: { readonly position: Position; isDone: boolean }[];
}

function advance(progress: Progress): void {
  const firstOpen = progress.inOrder.findIndex(({ isDone }) => !isDone);
  const done = progress.inOrder.splice(0, firstOpen === -1 ? progress.inOrder.length : firstOpen);
  progress.safe = done.at(-1)?.position ?? progress.safe;
}

/** Keeps the safe position, a few times a second and at the end. */
async function keepPositions(deps: WatcherDependencies, progress: Progress, signal: AbortSignal): Promise<void> {
  for (let isLast = false; !isLast; ) {
    isLast = signal.aborted || (await pause((deps.pace ?? PACE).keepPositionMs, signal));
    const { safe } = progress;
    if (safe === undefined || safe === progress.kept) continue;
    try {
      await deps.history.keepPosition(safe);
      progress.kept = safe;
    } catch (error) {
      deps.log.warn({ reason: errorMessage(error) }, 'the position of the node events was not kept; they may be read again');
    }
  }
}

/** Tries a few times to book an event, and then sets it aside. @returns false when the signal aborted before either was done. */
async function bookOrSetAside(deps: WatcherDependencies, event: NodeEvent, signal: AbortSignal): Promise<boolean> {
  for (let tries = 1; ; tries++) {
    try {
      await bookEvent(deps, event);
      return true;
    } catch (error) {
      const reason = errorMessage(error);
      deps.log.error({ position: event.position, event: event.type, reason }, 'an event of the node was not booked; trying again');
      if (tries >= MAX_TRIES && (await trySetAside(deps, event, reason))) return true;
      if (signal.aborted || (await pause((deps.pace ?? PACE).retryMs, signal))) return false;
    }
  }
}

/** @returns false when the database refuses that too: then it is the database that fails, and the event is tried again. */
async function trySetAside(deps: WatcherDependencies, event: NodeEvent, reason: string): Promise<boolean> {
  try {
    await setEventAside(deps, event, reason);
    return true;
  } catch (error) {
    deps.log.error({ position: event.position, reason: errorMessage(error) }, 'an event of the node was not set aside; trying again');
    return false;
  }
}
