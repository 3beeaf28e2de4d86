import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import { CommitUnknown, isOutage } from './errors.ts';
import { writeFact } from './facts.sql.ts';

/** What an error says about the database and the operation that met it. */
export type Trouble = 'nothing written' | 'outcome unknown';

/** Whether the database works, judged by the last operations. While it does not, it is probed until it does. */
export interface DatabaseHealth {
  /** Returns undefined for an error that is no trouble of the database; otherwise records it. */
  note(error: unknown): Trouble | undefined;
  /** Whether writes work, as far as is known without a new one. */
  isWritable(): boolean;
  /** Ends the probing. */
  close(): void;
}

const PROBE_MS = 2_000;

/** So large that it needs new pages: a nearly full disk still takes a small row. */
const PROBE_BYTES = 64 * 1024;

/**
 * Watches the transactions of a database. The log gets one line when trouble begins and one when it ends, however many requests fail.
 * Only a probe ends it: on a full disk some writes still succeed.
 */
export function watchHealth(watched: Database, log: Log): { database: Database; health: DatabaseHealth } {
  const life = new AbortController();
  let failures = 0;

  async function probe(): Promise<void> {
    const since = performance.now();
    do {
      try {
        await watched.transaction((tx) => tx.run(writeFact, 'write_probe', 'x'.repeat(PROBE_BYTES)));
        await watched.transaction((tx) => tx.run(writeFact, 'write_probe', ''));
        const seconds = Math.round((performance.now() - since) / 1000);
        log.warn({ seconds, failures }, 'the database works again');
        failures = 0;
        return;
      } catch {
        // Still not.
      }
    } while (!(await pause(PROBE_MS, life.signal)));
  }

  function note(error: unknown): Trouble | undefined {
    const isUnknown = error instanceof CommitUnknown;
    if (!isUnknown && !isOutage(error)) return undefined;
    failures += 1;
    if (failures === 1 && !life.signal.aborted) {
      log.error({ reason: errorMessage(error) }, 'the database cannot be used: requests that need it are answered with 503');
      void probe();
    }
    return isUnknown ? 'outcome unknown' : 'nothing written';
  }

  const database: Database = {
    ...watched,
    async transaction(work) {
      try {
        return await watched.transaction(work);
      } catch (error) {
        note(error);
        throw error;
      }
    },
  };
  return { database, health: { note, isWritable: () => failures === 0, close: () => life.abort() } };
}
