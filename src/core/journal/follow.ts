import type { Database } from '../db/database.ts';
import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { type EventLog, type LogPart, UnknownCursor } from './event-log.ts';
import type { EventType } from './event-types.ts';

/** The log is read after each commit of this process, and at least so often for those of others. */
const POLL_MS = 500;
/** One read serves many commits. */
const SHORTEST_WAIT_MS = 20;
const PART = 500;
const RETRY_MS = 1000;

export interface Follower {
  /** Of the warning when a part is not handled: `apps are notified later`. */
  readonly name: string;
  /** The position after which it begins. */
  readonly after: number;
  /** Undefined: all types. */
  readonly types?: ReadonlySet<EventType> | undefined;
  readonly signal: AbortSignal;
  /**
   * Handles the next part of the log. If it throws, it is given the part again, perhaps with more events. It should be quick: what takes long belongs
   * in a task.
   */
  handle(part: Pick<LogPart, 'events' | 'next'>): Promise<void>;
}

/** Follows the event log from a position until the signal aborts. Events that have expired meanwhile are skipped. */
export async function followLog(
  { database, eventLog, log }: { readonly database: Database; readonly eventLog: EventLog; readonly log: Log },
  { name, after, types, signal, handle }: Follower,
): Promise<void> {
  let wake = new AbortController();
  const stopListening = database.onCommit(() => wake.abort());
  let position = after;
  try {
    while (!signal.aborted) {
      wake = new AbortController();
      try {
        const part = await eventLog.read({ scope: 'all', types }, position, PART);
        if (part.next > position) await handle(part);
        position = part.next;
        if (!part.isEnd) continue;
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, name);
        if (error instanceof UnknownCursor) position = await eventLog.newest().catch(() => position);
        await pause(RETRY_MS, signal);
        continue;
      }
      await pause(SHORTEST_WAIT_MS, signal);
      await pause(POLL_MS, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    stopListening();
  }
}
