import type { Database } from '../db/database.ts';
import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import { type EventLog, type LogPart, UnknownCursor } from './event-log.ts';
import type { EventType } from './event-types.ts';

const POLL_MS = 500;
/** One read serves many commits. */
const SHORTEST_WAIT_MS = 20;
const RETRY_MS = 1000;

export interface Follower {
  /** Of the warning when a part is not handled: `apps are notified later`. */
  readonly name: string;
  /** The position after which it begins. */
  readonly after: number;
  /** Undefined: all types. */
  readonly types?: ReadonlySet<EventType> | undefined;
  readonly signal: AbortSignal;
  /** The log is read after each commit of this process, and at least so often for those of others. Default: 500 */
  readonly pollMs?: number | undefined;
  /** Called before each read. If it returns false, the follower ends. */
  readonly isNeeded?: (() => boolean) | undefined;
  /**
   * Handles the next part of the log: at most `PER_TURN.rows` events. If it throws, it is given the part again, perhaps with more events. It should be
   * quick: what takes long belongs in a task.
   */
  handle(part: Pick<LogPart, 'events' | 'next'>): Promise<void> | void;
}

/**
 * Follows the event log from a position until the signal aborts. Each part is read and handled in a turn. If events after the position have expired
 * meanwhile, it continues with the oldest event that is left, so that only expired events are missed.
 */
export async function followLog(
  { database, eventLog, log }: { readonly database: Database; readonly eventLog: EventLog; readonly log: Log },
  { name, after, types, signal, pollMs = POLL_MS, isNeeded = () => true, handle }: Follower,
): Promise<void> {
  let wake = new AbortController();
  // Each `abort` makes an error with a stack, also of an aborted controller.
  const stopListening = database.onCommit(() => {
    if (!wake.signal.aborted) wake.abort();
  });
  let position = after;
  try {
    while (!signal.aborted && isNeeded()) {
      wake = new AbortController();
      try {
        await takeTurn();
        const part = await eventLog.read({ scope: 'all', types }, position, PER_TURN.rows);
        if (part.next > position) await handle(part);
        position = part.next;
        if (!part.isEnd) continue;
      } catch (error) {
        if (signal.aborted) return;
        log.warn({ reason: errorMessage(error) }, name);
        if (error instanceof UnknownCursor) position = await eventLog.oldest().catch(() => position);
        await pause(RETRY_MS, signal);
        continue;
      }
      await pause(SHORTEST_WAIT_MS, signal);
      await pause(pollMs, AbortSignal.any([signal, wake.signal]));
    }
  } finally {
    stopListening();
  }
}
