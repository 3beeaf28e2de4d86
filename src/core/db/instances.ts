import { hostname } from 'node:os';
import { type Clock, pause, unixSeconds } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import * as sql from './instances.sql.ts';
import { listLeases } from './leases.sql.ts';
import { LEASE_SECONDS } from './leases.ts';

/** A process that runs the service on this database. Times are Unix seconds by the clock of the instance. */
export interface Instance {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly startedAt: number;
  readonly seenAt: number;
  /** Whether it is the instance that returns the list. */
  readonly isThis: boolean;
}

/** A background job that one instance at a time runs. */
export interface HeldLease {
  readonly name: string;
  /** Undefined while no instance holds it, or for an instance of an earlier version. */
  readonly instanceId: string | undefined;
  readonly isHeld: boolean;
  readonly renewedAt: number | undefined;
  /** When another instance takes it over, unless it is renewed before. */
  readonly expiresAt: number | undefined;
}

/** The instances on one database. On SQLite there is one, and nothing is stored. */
export interface Instances {
  /** The id of this instance, `ins_…` */
  readonly id: string;
  list(): Promise<Instance[]>;
  leases(): Promise<HeldLease[]>;
  /** Reports that this instance runs, until the signal aborts. */
  report(signal: AbortSignal): Promise<void>;
}

const REPORT_MS = 10_000;
/** Clocks of instances may differ, so the rows of crashed instances are kept for a while. */
const KEPT_SECONDS = 3600;

export function createInstances(database: Database, clock: Clock, log: Log): Instances {
  const id = `ins_${newId(clock.nowMs())}`;
  const own = { id, host: hostname(), pid: process.pid, startedAt: unixSeconds(clock) };

  async function reportOnce(): Promise<void> {
    const now = unixSeconds(clock);
    await database.transaction(async (tx) => {
      await tx.run(sql.reportInstance, id, own.host, own.pid, own.startedAt, now);
      await tx.run(sql.deleteUnseen, now - KEPT_SECONDS);
    });
  }

  return {
    id,
    async list() {
      const rows = await database.all(sql.listInstances);
      const others = rows.filter((row) => row.id !== id).map((row) => ({ ...toInstance(row), isThis: false }));
      // By id, too, so that all instances return the same order.
      const byStart = (a: Instance, b: Instance) => a.startedAt - b.startedAt || (a.id < b.id ? -1 : 1);
      return [...others, { ...own, seenAt: unixSeconds(clock), isThis: true }].sort(byStart);
    },
    leases: async () => (await database.all(listLeases)).map(toLease),
    async report(signal) {
      if (database.dialect === 'sqlite') return;
      do {
        await reportOnce().catch((error) => log.warn({ reason: errorMessage(error) }, 'this instance could not report that it runs'));
      } while (!(await pause(REPORT_MS, signal)));
      await database.transaction((tx) => tx.run(sql.deleteInstance, id)).catch(() => undefined);
    },
  };
}

function toInstance({ id, host, pid, started_at, seen_at }: sql.InstanceRow): Omit<Instance, 'isThis'> {
  return { id, host, pid, startedAt: started_at, seenAt: seen_at };
}

function toLease(row: { name: string; holder: string | null; instance_id: string | null; renewed_at: number | null }): HeldLease {
  const renewedAt = row.renewed_at ?? undefined;
  return {
    name: row.name,
    instanceId: row.instance_id ?? undefined,
    isHeld: row.holder !== null,
    renewedAt,
    expiresAt: row.holder === null || renewedAt === undefined ? undefined : renewedAt + LEASE_SECONDS,
  };
}
