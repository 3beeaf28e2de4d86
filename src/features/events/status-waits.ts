import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/kernel/clock.ts';
import type { WaitingSlots } from '../../http/limits/waiting-slots.ts';
import type { LightningTransaction } from '../transactions/lightning-transaction.ts';
import type { Feed } from './feed.ts';

/** An invoice or a payment as it was read, with what else was read. */
export interface ReadState {
  readonly transaction: LightningTransaction;
}

export interface Watched<T extends ReadState> {
  /** What the caller read last. */
  readonly known: T;
  /** Identifies what `read` returns: callers with the same name share one read after an event. */
  readonly name: string;
  read(): Promise<T | undefined>;
}

/** Waits for changes of the `status` of invoices and payments, without reading the database meanwhile. */
export interface StatusWaits {
  /**
   * Returns the state after the next change of its status. Returns the state of that moment after `seconds`, and the known one at once if it
   * is final, if no slot is free, or if the service stops.
   */
  wait<T extends ReadState>(request: FastifyRequest, reply: FastifyReply, seconds: number, watched: Watched<T>): Promise<T>;
  /** Returns the state after the next change of its status; undefined when the signal aborts. */
  next<T extends ReadState>(watched: Watched<T>, signal: AbortSignal): Promise<T | undefined>;
  /** Ends all waits, and makes those that follow return at once. */
  close(): void;
}

export interface StatusWaitDependencies {
  readonly feed: Pick<Feed, 'listen'>;
  readonly clock: Clock;
  readonly slots: WaitingSlots;
}

/** A longer timer would overflow. */
const LONGEST_TIMER_MS = 3_600_000;

export function createStatusWaits({ feed, clock, slots }: StatusWaitDependencies): StatusWaits {
  const closing = new AbortController();
  const waiting = new Set<AbortController>();
  const reads = new Map<string, Promise<unknown>>();

  /** Joins a running read of the same name, which began after the change that the name contains. */
  function readOnce<T>(name: string, read: () => Promise<T>): Promise<T> {
    const running = reads.get(name) as Promise<T> | undefined;
    if (running) return running;
    const reading = read().finally(() => reads.delete(name));
    reads.set(name, reading);
    return reading;
  }

  async function next<T extends ReadState>({ known, name, read }: Watched<T>, signal: AbortSignal): Promise<T | undefined> {
    const { id, status, expiresAt } = known.transaction;
    const news = new News();
    const { stop } = await feed.listen(id, (events) => news.report(events.at(-1)?.id ?? ''));
    try {
      // It may have changed before the listener was added.
      let now = await read();
      while (now?.transaction.status === status && !signal.aborted) {
        const change = await news.next(timeUntil(expiresAt), signal);
        if (signal.aborted) return undefined;
        now = await readOnce(`${change ?? expiresAt} ${id} ${name}`, read);
      }
      return signal.aborted ? undefined : now;
    } finally {
      stop();
    }
  }

  /** Only an open invoice changes its status with time. */
  function timeUntil(expiresAt: number | undefined): number | undefined {
    const ms = expiresAt === undefined ? 0 : expiresAt * 1000 - clock.nowMs();
    return ms > 0 ? Math.min(ms, LONGEST_TIMER_MS) : undefined;
  }

  return {
    next,
    async wait(request, reply, seconds, watched) {
      const { known, read } = watched;
      if (known.transaction.status !== 'pending' || closing.signal.aborted || !slots.take(request, reply)) return known;
      const own = new AbortController();
      const end = () => own.abort();
      const timer = setTimeout(end, seconds * 1000);
      reply.raw.once('close', end);
      if (reply.raw.destroyed) end();
      waiting.add(own);
      try {
        const changed = await next(watched, own.signal);
        if (changed || closing.signal.aborted || reply.raw.destroyed) return changed ?? known;
        return (await read()) ?? known;
      } finally {
        clearTimeout(timer);
        reply.raw.off('close', end);
        waiting.delete(own);
      }
    },
    close() {
      closing.abort();
      for (const one of waiting) one.abort();
    },
  };
}

/** The id of the newest event that was not yet noticed. */
class News {
  #id: string | undefined;
  #wake = (): void => undefined;

  report(eventId: string): void {
    this.#id = eventId;
    this.#wake();
  }

  /** Waits for an event and returns its id. Returns undefined after `ms`, if given, and when the signal aborts. */
  async next(ms: number | undefined, signal: AbortSignal): Promise<string | undefined> {
    if (this.#id === undefined && !signal.aborted) await this.#wait(ms, signal);
    const id = this.#id;
    this.#id = undefined;
    return id;
  }

  #wait(ms: number | undefined, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = ms === undefined ? undefined : setTimeout(end, ms);
      signal.addEventListener('abort', end);
      this.#wake = end;
    });
  }
}
