import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../core/db/database.ts';
import * as sql from './log.sql.ts';

/** How often running transactions are checked, and how long at most. */
const CHECK_MS = 5;
const MAX_WAIT_MS = 2000;

/** Returns the position up to which the event log is complete. */
export interface LogEnd {
  /** Returns an end that contains everything that was committed before the call, if the running transactions end soon. */
  refresh(): Promise<number>;
  /** Returns an end that contains it in any case. @throws Error when a running transaction does not end soon. */
  current(): Promise<number>;
}

interface Refreshed {
  readonly end: number;
  readonly isCurrent: boolean;
}

/**
 * On SQLite, transactions commit one after the other in the order of their positions, so the newest position is the end.
 *
 * On PostgreSQL, a transaction takes a position when it inserts, and others may commit later positions first. A reader that skipped the
 * missing one would never return to it. So a position becomes the end when all transactions have ended that were inserting when it was read:
 * later ones take later positions.
 */
export function createLogEnd(database: Database): LogEnd {
  let end = 0;
  let refreshing: Promise<Refreshed> | undefined;
  let next: Promise<Refreshed> | undefined;

  async function read() {
    const row = await database.first(sql.newestPositionAndWriters);
    return { position: row?.position ?? 0, writers: new Set(row?.writers?.split(' ') ?? []) };
  }

  async function refresh(): Promise<Refreshed> {
    const { position, writers } = await read();
    const until = performance.now() + MAX_WAIT_MS;
    while (writers.size > 0) {
      // A transaction that does not end delays events, but never loses one.
      if (performance.now() >= until) return { end, isCurrent: false };
      await delay(CHECK_MS);
      const now = await read();
      for (const writer of writers) if (!now.writers.has(writer)) writers.delete(writer);
    }
    end = Math.max(end, position);
    return { end, isCurrent: true };
  }

  function shared(): Promise<Refreshed> {
    if (!refreshing) return start();
    // What was committed after the running refresh began is not in its result. All callers of that time share the next one.
    next ??= refreshing.then(startNext, startNext);
    return next;
  }

  function start(): Promise<Refreshed> {
    refreshing = refresh().finally(() => {
      refreshing = undefined;
    });
    return refreshing;
  }

  function startNext(): Promise<Refreshed> {
    next = undefined;
    return start();
  }

  return {
    refresh: async () => (await shared()).end,
    async current() {
      const refreshed = await shared();
      if (!refreshed.isCurrent) throw new Error('a transaction that inserts events does not end');
      return refreshed.end;
    },
  };
}
