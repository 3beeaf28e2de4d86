import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../../core/kernel/clock.ts';
import type { WaitingSlots } from '../../http/limits/callers.ts';
import { isFinalStatus, type LightningTransaction } from '../transactions/lightning-transaction-object.ts';
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

/** A longer timer would overflow. */
const LONGEST_TIMER_MS = 3_600_000;

/** Waits for changes of the `status` of invoices and payments, without reading the database meanwhile. */
export type StatusWaits = ReturnType<typeof createStatusWaits>;

export function createStatusWaits({ feed, clock, slots }: { feed: Feed; clock: Clock; slots: WaitingSlots }) {
  const closing = new AbortController();
  const reads = new Map<string, Promise<unknown>>();

  /** Joins a running read of the same name, which began after the change that the name contains. */
  function readOnce<T>(name: string, read: () => Promise<T>): Promise<T> {
    const running = reads.get(name) as Promise<T> | undefined;
    if (running) return running;
    const reading = read().finally(() => reads.delete(name));
    reads.set(name, reading);
    return reading;
  }

  /** Only an open invoice changes its status with time. */
  function timeUntil(expiresAt: number | null): number | undefined {
    const ms = expiresAt === null ? 0 : expiresAt * 1000 - clock.nowMs();
    return ms > 0 ? Math.min(ms, LONGEST_TIMER_MS) : undefined;
  }

  /** Returns the state after the next change of its status; undefined when the signal aborts. */
  async function next<T extends ReadState>({ known, name, read }: Watched<T>, signal: AbortSignal): Promise<T | undefined> {
    const { id, status, expires_at: expiresAt } = known.transaction;
    const listener = await feed.listen(id, { signal });
    try {
      // It may have changed before the listener was added.
      let now = await read();
      while (now?.transaction.status === status && !signal.aborted) {
        const { events } = await listener.take(timeUntil(expiresAt));
        if (signal.aborted) return undefined;
        now = await readOnce(`${events.at(-1)?.id ?? expiresAt} ${id} ${name}`, read);
      }
      return signal.aborted ? undefined : now;
    } finally {
      listener.stop();
    }
  }

  return {
    next,

    /**
     * Returns the state after the next change of its status. Returns the state of that moment after `seconds`, and the known one at once if it
     * is final, if no slot is free, or if the service stops.
     */
    async wait<T extends ReadState>(request: FastifyRequest, reply: FastifyReply, seconds: number, watched: Watched<T>): Promise<T> {
      const { known, read } = watched;
      const { signal } = closing;
      if (isFinalStatus(known.transaction.status) || signal.aborted || !slots.take(request, reply)) return known;
      const own = new AbortController();
      const end = () => own.abort();
      const timer = setTimeout(end, seconds * 1000);
      reply.raw.once('close', end);
      if (reply.raw.destroyed) end();
      try {
        const changed = await next(watched, AbortSignal.any([own.signal, signal]));
        if (changed || signal.aborted || reply.raw.destroyed) return changed ?? known;
        return (await read()) ?? known;
      } finally {
        clearTimeout(timer);
        reply.raw.off('close', end);
      }
    },

    /** Ends all waits, and makes those that follow return at once. */
    close: () => closing.abort(),
  };
}
