import { outsideRequest } from '../kernel/booking-mark.ts';
import { pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import { CommitUnknown, isOutage } from './errors.ts';
import { writeFact } from './facts.sql.ts';

/** The effect of a database outage on the operation that failed. */
export type OutageEffect = 'nothing written' | 'outcome unknown';

/** Whether the database works, according to the last operations. During an outage it is probed until it works again. */
export type DatabaseHealth = ReturnType<typeof watchHealth>['health'];

const PROBE_MS = 2_000;

/** Large enough to need new pages: on a nearly full disk, small rows can still be written. */
const PROBE_BYTES = 64 * 1024;

/**
 * Watches the transactions of a database. Logs one line when an outage begins and one when it ends, however many requests fail. Only a
 * successful probe ends an outage: on a full disk some writes still succeed.
 */
export function watchHealth(watched: Database, log: Log) {
  const life = new AbortController();
  let failures = 0;
  /** The wait of a commit for a standby was cut short during this outage. */
  let isReplicationBroken = false;
  let onBrokenReplication: () => void = () => undefined;

  async function probe(): Promise<void> {
    const since = performance.now();
    do {
      try {
        await watched.transaction((tx) => tx.run(writeFact, 'write_probe', 'x'.repeat(PROBE_BYTES)));
        await watched.transaction((tx) => tx.run(writeFact, 'write_probe', ''));
        const seconds = Math.round((performance.now() - since) / 1000);
        log.warn({ seconds, failures }, 'the database works again');
        failures = 0;
        if (isReplicationBroken) onBrokenReplication();
        isReplicationBroken = false;
        return;
      } catch {
        // The outage continues.
      }
    } while (!(await pause(PROBE_MS, life.signal)));
  }

  /** Records an error if it is an outage of the database. @returns undefined for any other error. */
  function note(error: unknown): OutageEffect | undefined {
    const isUnknown = error instanceof CommitUnknown;
    if (!isUnknown && !isOutage(error)) return undefined;
    failures += 1;
    if (isUnknown && error.isOfStandby && !isReplicationBroken) {
      isReplicationBroken = true;
      log.error({ reason: errorMessage(error) }, 'replication_broken: commits are not confirmed before a standby has them');
    }
    if (failures === 1 && !life.signal.aborted) {
      log.error({ reason: errorMessage(error) }, 'the database cannot be used: requests that need it are answered with 503');
      void outsideRequest(probe);
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
  const health = {
    note,
    /** Whether writes work, as far as is known without trying one. */
    isWritable: () => failures === 0 && !watched.isStalled(),
    /** Calls the listener when writes work again after the wait of a commit for a standby was cut short. */
    onBrokenReplication(listener: () => void): void {
      onBrokenReplication = listener;
    },
    /** Stops probing. */
    close: () => life.abort(),
  };
  return { database, health };
}
