import { EventEmitter } from 'node:events';
import type { Database } from '../../core/db/database.ts';
import type { EventLog, LoggedEvent } from '../../core/journal/event-log.ts';
import type { EventType } from '../../core/journal/event-types.ts';
import { followLog } from '../../core/journal/follow.ts';
import { outsideRequest } from '../../core/kernel/booking-mark.ts';
import type { Log } from '../../core/kernel/log.ts';

/** Commits of this process are noticed at once; those of other instances, and of tools that write to a SQLite file, by polling. */
const POLL_MS = { postgres: 50, sqlite: 1000 } as const;
/** New events that wait for a slow listener. Beyond that, it must read them from the log. */
const MAX_WAITING = 200;

export interface ListenOptions {
  /** Ends the listening. */
  readonly signal: AbortSignal;
  /** Undefined: all types. */
  readonly types?: ReadonlySet<EventType> | undefined;
}

/** The new events of a topic that were not taken yet: the oldest of them, if the listener is slow. */
export class Listener {
  readonly #options: ListenOptions;
  readonly #onStop: () => void;
  #events: LoggedEvent[] = [];
  #hasLost = false;
  #wake = (): void => undefined;

  constructor(options: ListenOptions, onStop: () => void) {
    this.#options = options;
    this.#onStop = onStop;
    options.signal.addEventListener('abort', this.stop);
  }

  add(event: LoggedEvent): void {
    if (this.#hasLost || this.#options.types?.has(event.type) === false) return;
    if (this.#events.length === MAX_WAITING) this.#hasLost = true;
    else this.#events.push(event);
    this.#wake();
  }

  /**
   * Waits for events and takes them. Returns none after `ms`, if given, and when the listening ends. `hasLost`: later ones were dropped; the
   * listener receives further ones from now on.
   */
  async take(ms?: number): Promise<{ events: readonly LoggedEvent[]; hasLost: boolean }> {
    if (this.#events.length === 0 && !this.#hasLost && !this.#options.signal.aborted) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#wake = resolve;
      const timer = ms === undefined ? undefined : setTimeout(resolve, ms);
      await promise;
      clearTimeout(timer);
    }
    const taken = { events: this.#events, hasLost: this.#hasLost };
    this.#events = [];
    this.#hasLost = false;
    return taken;
  }

  readonly stop = (): void => {
    this.#options.signal.removeEventListener('abort', this.stop);
    this.#onStop();
    this.#wake();
  };
}

/**
 * Passes new events to listeners of this process. All of them share one reader of the log, so that the database has the same work for one
 * listener as for thousands. Without listeners nothing is read.
 */
export class Feed {
  readonly #database: Database;
  readonly #eventLog: EventLog;
  readonly #log: Log;
  /** An event is emitted under the ids of its wallet, its account, and its payment or invoice. */
  readonly #topics = new EventEmitter<Record<string, [LoggedEvent]>>().setMaxListeners(0);
  readonly #life = new AbortController();
  /** Resolves when the reader of the log has its first position. Undefined: no reader runs. */
  #started: Promise<void> | undefined;

  constructor({ database, eventLog, log }: { database: Database; eventLog: EventLog; log: Log }) {
    this.#database = database;
    this.#eventLog = eventLog;
    this.#log = log;
  }

  /**
   * Returns a listener that receives every event of its topic that is inserted from now on, and perhaps earlier ones.
   * @param topic the id of a wallet (`wal_…`), of an account (`acc_…`), or of a payment or invoice (`lntx_…`)
   */
  async listen(topic: string, options: ListenOptions): Promise<Listener> {
    const add = (event: LoggedEvent) => listener.add(event);
    const listener = new Listener(options, () => this.#topics.off(topic, add));
    this.#topics.on(topic, add);
    if (options.signal.aborted) listener.stop();
    this.#started ??= this.#startReader();
    try {
      await this.#started;
      return listener;
    } catch (error) {
      listener.stop();
      throw error;
    }
  }

  /** Returns the number of listeners. */
  countListeners(): number {
    return this.#topics.eventNames().reduce((sum, topic) => sum + this.#topics.listenerCount(topic), 0);
  }

  close(): void {
    this.#life.abort();
  }

  #startReader(): Promise<void> {
    const started = this.#eventLog.newest().then((after) => {
      // It reads for all listeners, not for the request of the first one.
      void outsideRequest(() => this.#read(after));
    });
    started.catch(() => this.#endReader());
    return started;
  }

  #endReader(): void {
    this.#started = undefined;
  }

  #read(after: number): Promise<void> {
    const [deps, { signal }] = [{ database: this.#database, eventLog: this.#eventLog, log: this.#log }, this.#life];
    return followLog(deps, {
      name: 'new events could not be read; live streams are delayed',
      after,
      signal,
      pollMs: POLL_MS[this.#database.dialect],
      isNeeded: () => {
        const isNeeded = this.#topics.eventNames().length > 0;
        // In the same turn in which there was no listener, so that the next one starts a reader.
        if (!isNeeded) this.#endReader();
        return isNeeded;
      },
      handle: ({ events }) => this.#dispatch(events),
    });
  }

  /** Each listener has one topic, so it gets an event once. */
  #dispatch(events: readonly LoggedEvent[]): void {
    for (const event of events)
      for (const topic of [event.walletId, event.accountId, event.lightningId]) if (topic !== undefined) this.#topics.emit(topic, event);
  }
}
