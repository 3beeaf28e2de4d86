import type { Commits } from '../../core/db/commits.ts';
import type { Database } from '../../core/db/database.ts';
import { type EventLog, type LoggedEvent, START, UnknownCursor } from '../../core/journal/event-log.ts';
import { pause } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';

/** Receives the new events of its topic in the order of the log. Must not throw. */
export type FeedListener = (events: readonly LoggedEvent[]) => void;

/** The beginning of what a listener receives. */
export interface Listening {
  /** The listener receives every event of its topic after this position. */
  readonly from: number;
  stop(): void;
}

/**
 * Passes new events to listeners of this process. All of them share one reader of the log, so that the database has the same work for one
 * listener as for thousands. Without listeners nothing is read.
 */
export interface Feed {
  /** `topic`: the id of a wallet (`wal_…`), of an account (`acc_…`), or of a payment or invoice (`lntx_…`). */
  listen(topic: string, listener: FeedListener): Promise<Listening>;
  /** Returns the number of listeners. */
  countListeners(): number;
  close(): void;
}

export interface FeedDependencies {
  readonly database: Database;
  readonly eventLog: EventLog;
  readonly commits: Commits;
  readonly log: Log;
}

/** Commits of this process are noticed at once; those of other instances, and of tools that write to a SQLite file, by polling. */
const POLL_MS = { postgres: 50, sqlite: 1000 } as const;
/** Under load, one read serves many commits. */
const SHORTEST_WAIT_MS = 10;
const RETRY_MS = 1000;
const PART = 1000;

/** The listeners by topic. */
class Listeners {
  readonly #byTopic = new Map<string, Set<FeedListener>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** @returns a function that removes the listener. */
  add(topic: string, listener: FeedListener): () => void {
    const own = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, own.add(listener));
    this.#count += 1;
    return () => {
      if (!own.delete(listener)) return;
      this.#count -= 1;
      if (own.size === 0 && this.#byTopic.get(topic) === own) this.#byTopic.delete(topic);
    };
  }

  dispatch(events: readonly LoggedEvent[]): void {
    const byListener = new Map<FeedListener, LoggedEvent[]>();
    for (const event of events) {
      const topics = [event.walletId, event.accountId, event.lightningId].filter((topic) => topic !== undefined);
      for (const listener of topics.flatMap((topic) => [...(this.#byTopic.get(topic) ?? [])])) {
        const own = byListener.get(listener);
        if (own) own.push(event);
        else byListener.set(listener, [event]);
      }
    }
    for (const [listener, own] of byListener) listener(own);
  }
}

/** A running reader of the log. It has read up to `position`, once `started` has resolved. */
interface Reader {
  position: number;
  readonly started: Promise<void>;
}

export function createFeed({ database, eventLog, commits, log }: FeedDependencies): Feed {
  const listeners = new Listeners();
  const life = new AbortController();
  let reader: Reader | undefined;
  let isBehind = false;
  let wake = (): void => undefined;
  commits.listen(() => {
    isBehind = true;
    wake();
  });

  /** Waits for a commit of this process since the last read, or for the next poll. */
  async function untilChange(): Promise<void> {
    const woken = new AbortController();
    wake = () => woken.abort();
    await pause(SHORTEST_WAIT_MS, life.signal);
    if (!isBehind) await pause(POLL_MS[database.dialect] - SHORTEST_WAIT_MS, AbortSignal.any([woken.signal, life.signal]));
  }

  async function readOn(own: Reader): Promise<void> {
    try {
      isBehind = false;
      const { events, next, isEnd } = await eventLog.read({ scope: 'all' }, own.position, PART);
      own.position = next;
      listeners.dispatch(events);
      if (isEnd) await untilChange();
    } catch (error) {
      if (life.signal.aborted) return;
      log.warn({ reason: errorMessage(error) }, 'new events could not be read; live streams are delayed');
      if (error instanceof UnknownCursor) own.position = await eventLog.oldest().catch(() => own.position);
      await pause(RETRY_MS, life.signal);
    }
  }

  function startReader(): Reader {
    const state = { position: START };
    const started = (async () => {
      state.position = await eventLog.newest();
    })();
    const own: Reader = Object.assign(state, { started });
    const run = async () => {
      try {
        await started;
        while (!life.signal.aborted && listeners.count > 0) await readOn(own);
      } finally {
        // In the same turn in which there was no listener, so that the next one starts a reader.
        if (reader === own) reader = undefined;
      }
    };
    run().catch(() => undefined);
    return own;
  }

  return {
    countListeners: () => listeners.count,
    async listen(topic, listener) {
      const stop = listeners.add(topic, listener);
      reader ??= startReader();
      const own = reader;
      try {
        await own.started;
        return { from: own.position, stop };
      } catch (error) {
        stop();
        throw error;
      }
    },
    close() {
      life.abort();
      wake();
    },
  };
}
