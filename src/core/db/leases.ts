import { pause, systemClock, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import * as sql from './leases.sql.ts';

export interface LeaseTiming {
  readonly renewMs: number;
  /** After how long without a heartbeat another instance takes the lease. */
  readonly staleMs: number;
}

export interface LeaseDependencies {
  readonly database: Database;
  readonly log: Log;
  /** The id of this instance, stored with its leases for people. */
  readonly instanceId?: string | undefined;
}

/** Another instance takes over within 10 s. */
const TIMING: LeaseTiming = { renewMs: 2000, staleMs: 6000 };

/** A lease that was not renewed for this long is taken over. */
export const LEASE_SECONDS = TIMING.staleMs / 1000;

/**
 * Runs `work` in one instance at a time: the holder of the lease. When the holder dies, another instance takes over. Runs until the signal
 * aborts; work that returns or throws is started again.
 *
 * A lease is a row with a heartbeat counter, which its holder increments. An instance that sees no change for `staleMs`, by its own clock,
 * takes the lease, so clocks are never compared. A lease is no fence: a holder that was paused may resume while its successor works.
 * Therefore constraints guard everything that must not happen twice.
 *
 * On SQLite a lock file allows one process only, so the work needs no lease.
 */
export async function underLease(
  deps: LeaseDependencies,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  timing: LeaseTiming = TIMING,
): Promise<void> {
  while (!signal.aborted) {
    try {
      if (deps.database.dialect === 'sqlite') await work(signal);
      else await workUnderLease(deps, name, signal, work, timing);
    } catch (error) {
      deps.log.warn({ lease: name, reason: errorMessage(error) }, 'work under a lease was interrupted; it starts again');
    }
    await pause(timing.renewMs, signal);
  }
}

async function workUnderLease(
  deps: LeaseDependencies,
  name: string,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<void>,
  timing: LeaseTiming,
): Promise<void> {
  const holder = newId();
  const heartbeat = await acquireLease(deps, { name, holder }, signal, timing);
  if (heartbeat === undefined) return;
  deps.log.info({ lease: name }, 'this instance holds the lease');
  const lost = new AbortController();
  const renewing = sendHeartbeats(deps, { name, holder, heartbeat }, lost, AbortSignal.any([signal, lost.signal]), timing);
  try {
    await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    lost.abort();
    await renewing;
    // Released at a clean end, so that the next instance need not wait.
    await deps.database.transaction((tx) => tx.run(sql.releaseLease, name, holder)).catch(() => undefined);
  }
}

/** Waits until the lease is free or stale, and takes it. @returns its heartbeat counter, or undefined when the signal aborted first. */
async function acquireLease(
  { database, instanceId }: LeaseDependencies,
  { name, holder }: { name: string; holder: string },
  signal: AbortSignal,
  timing: LeaseTiming,
): Promise<number | undefined> {
  const instance = instanceId ?? null;
  let seen = { heartbeat: -1, sinceMs: 0 };
  while (!signal.aborted) {
    if ((await database.transaction((tx) => tx.run(sql.insertLease, name, holder, instance, unixSeconds(systemClock)))) === 1) return 0;
    const row = await database.first(sql.readLease, name);
    if (row && row.heartbeat !== seen.heartbeat) seen = { heartbeat: row.heartbeat, sinceMs: performance.now() };
    const isFree = row?.holder === null || (row && performance.now() - seen.sinceMs >= timing.staleMs);
    if (row && isFree) {
      const taken = [name, holder, row.heartbeat, instance, unixSeconds(systemClock)];
      if ((await database.transaction((tx) => tx.run(sql.takeOverLease, ...taken))) === 1) return row.heartbeat + 1;
    }
    await pause(timing.renewMs / 2, signal);
  }
  return undefined;
}

/** Sends heartbeats. Aborts the work when another instance has the lease, or when no heartbeat succeeded for too long. */
async function sendHeartbeats(
  { database, log }: LeaseDependencies,
  lease: { name: string; holder: string; heartbeat: number },
  lost: AbortController,
  signal: AbortSignal,
  { renewMs, staleMs }: LeaseTiming,
): Promise<void> {
  let renewedAt = performance.now();
  for (let heartbeat = lease.heartbeat; !(await pause(renewMs, signal)); ) {
    try {
      const renewed = await database.transaction((tx) =>
        tx.run(sql.renewLease, lease.name, lease.holder, heartbeat, unixSeconds(systemClock)),
      );
      if (renewed !== 1) return lost.abort();
      heartbeat += 1;
      renewedAt = performance.now();
    } catch (error) {
      log.warn({ lease: lease.name, reason: errorMessage(error) }, 'a lease could not be renewed');
      if (performance.now() - renewedAt > staleMs - renewMs) return lost.abort();
    }
  }
}
