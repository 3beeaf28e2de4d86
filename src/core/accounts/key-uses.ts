import type { Database } from '../db/database.ts';
import { type Clock, pause, unixSeconds } from '../kernel/clock.ts';
import type { Key } from './accounts.ts';
import { storeKeyUses } from './keys.sql.ts';

export interface KeyUseTiming {
  /** The time between two transactions. */
  readonly roundMs: number;
  /** The time between two writes of one key. */
  readonly keyMs: number;
}

const TIMING: KeyUseTiming = { roundMs: 5000, keyMs: 60_000 };
/** How many keys one transaction stores: a long one would delay payments on SQLite. */
export const MAX_PER_ROUND = 250;
/** How many keys may wait. Uses of further keys are not recorded. */
const MAX_WAITING = 20_000;

/** The time of each key's last use. Uses of up to the last minute are only in memory, and a crash loses them. */
export type KeyUses = ReturnType<typeof createKeyUses>;

export function createKeyUses(database: Database, clock: Clock, timing: Partial<KeyUseTiming> = {}) {
  const { roundMs, keyMs } = { ...TIMING, ...timing };
  /** Unix seconds by the id of the key. The first key has waited longest: a Map keeps the order of insertion. */
  const waiting = new Map<string, number>();
  /** When a key was written, by its id, in the order of the writes. */
  const written = new Map<string, number>();

  /** Stores the uses of some of the keys that were not written within the last `pauseMs`. @returns the number of keys */
  async function storeSome(pauseMs: number): Promise<number> {
    const now = performance.now();
    for (const [id, at] of written) {
      if (now - at < pauseMs) break;
      written.delete(id);
    }
    const due: { key_id: string; last_used_at: number }[] = [];
    for (const [id, at] of waiting) {
      if (due.length === MAX_PER_ROUND) break;
      if (!written.has(id)) due.push({ key_id: id, last_used_at: at });
    }
    if (due.length === 0) return 0;
    // Instances that lock the rows in the same order cannot deadlock.
    const rows = JSON.stringify(due.toSorted((a, b) => (a.key_id < b.key_id ? -1 : 1)));
    await database.transaction((tx) => tx.run(storeKeyUses, rows));
    for (const { key_id: id, last_used_at: at } of due) {
      if (waiting.get(id) === at) waiting.delete(id);
      written.set(id, now);
    }
    return due.length;
  }

  return {
    /** Records that a request was authenticated with the key. Returns at once and cannot fail. */
    record({ id, isSession }: Key): void {
      if (isSession || (waiting.size >= MAX_WAITING && !waiting.has(id))) return;
      waiting.set(id, unixSeconds(clock));
    },

    /** Stores recorded uses until the signal aborts, and then all that are left. */
    async store(signal: AbortSignal): Promise<void> {
      // A failed transaction is repeated in the next round. The database reports its outages itself (db/health.ts).
      while (!(await pause(roundMs, signal))) await storeSome(keyMs).catch(() => undefined);
      while (await storeSome(0).catch(() => 0)) {
        // Until all are stored.
      }
    },
  };
}
