import { pause } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import * as sql from './leases.sql.ts';

export interface LeaseTiming {
  readonly renewMs: number;
  /** How long a lease must show no life before another instance takes it. */
  readonly staleMs: number;
}

/** Another instance takes over within 10 s: stale after 6 s, looked at every 2 s. */
const TIMING: LeaseTiming = { renewMs: 2000, staleMs: 6000 };

/**
 * Does `work` in one instance at a time: whoever holds the lease. When the holder dies, another takes over. Lives until the signal aborts;
 * work that ends or throws is begun again.
 *
 * A lease is a row with a counter that its holder keeps moving. Whoever sees it stand still for `staleMs` by its own clock takes
 * it, so no two clocks are ever compared. A lease alone is no fence: a holder that was asleep may wake up beside its successor,
 * so whatever must not happen twice is guarded by a constraint as well.
 *
 * SQLite has one process, by its lock file: there the work just runs.
 */
export async function underLease(
  deps: { database: Database; log: Log },
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  timing: LeaseTiming = TIMING,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (deps.database.dialect === 'sqlite') await work(signal);
      else await holdOnce(deps, name, signal, work, timing);
    } catch (error) {
      deps.log.warn({ lease: name, reason: errorMessage(error) }, 'work under a lease was interrupted; it begins again');
    }
    await pause(timing.renewMs, signal);
  }
}

async function holdOnce(
  deps: { database: Database; log: Log },
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  timing: LeaseTiming,
): Promise<void> {
  const holder = newId();
  const beat = await acquire(deps.database, name, holder, signal, timing);
  if (beat === undefined) return;
  deps.log.info({ lease: name }, 'this instance holds the lease');
  const lost = new AbortController();
  const renewing = renew(deps, { name, holder, beat }, lost, AbortSignal.any([signal, lost.signal]), timing);
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    lost.abort();
    await renewing;
    // Given back at a clean end, so that the next instance need not wait.
    await deps.database.transaction((tx) => tx.run(sql.giveBack, name, holder)).catch(() => undefined);
  }
}

/** Waits until the lease is free or stands still, and takes it. @returns its beat, or undefined when the signal came first. */
async function acquire(
  database: Database,
  name: string,
  holder: string,
  signal: AbortSignal,
  timing: LeaseTiming,
): Promise<number | undefined> {
  let seen = { beat: -1, sinceMs: 0 };
  while (!signal.aborted) {
    if ((await database.transaction((tx) => tx.run(sql.takeNew, name, holder))) === 1) return 0;
    const row = await database.first(sql.read, name);
    if (row && row.beat !== seen.beat) seen = { beat: row.beat, sinceMs: performance.now() };
    const isFree = row?.holder === null || (row && performance.now() - seen.sinceMs >= timing.staleMs);
    if (row && isFree && (await database.transaction((tx) => tx.run(sql.takeOver, name, holder, row.beat))) === 1) return row.beat + 1;
    await pause(timing.renewMs / 2, signal);
  }
  return undefined;
}

/** Moves the lease's counter; aborts the work when somebody else has it, or when nobody can tell for too long. */
async function renew(
  { database, log }: { database: Database; log: Log },
  lease: { name: string; holder: string; beat: number },
  lost: AbortController,
  signal: AbortSignal,
  { renewMs, staleMs }: LeaseTiming,
): Promise<void> {
  let renewedAt = performance.now();
  for (let beat = lease.beat; !(await pause(renewMs, signal)); ) {
    try {
      const renewed = await database.transaction((tx) => tx.run(sql.renew, lease.name, lease.holder, beat));
      if (renewed !== 1) return lost.abort();
      beat += 1;
      renewedAt = performance.now();
    } catch (error) {
      log.warn({ lease: lease.name, reason: errorMessage(error) }, 'a lease could not be renewed');
      if (performance.now() - renewedAt > staleMs - renewMs) return lost.abort();
    }
  }
}
