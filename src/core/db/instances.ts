import { hostname } from 'node:os';
import { type Clock, pause, unixSeconds, withTimeout } from '../kernel/clock.ts';
import { newId } from '../kernel/ids.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database, Tx } from './database.ts';
import * as sql from './instances.sql.ts';

export interface InstanceOptions {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly timing?: InstanceTiming;
}

export interface InstanceTiming {
  readonly heartbeatMs: number;
  /** An instance is dead when another one has read the same heartbeat so many times more. */
  readonly staleReads: number;
}

/** What this process has had of a lease. */
export interface LeaseStats {
  readonly isHeld: boolean;
  /** How often it took the lease. */
  readonly taken: number;
}

const TIMING: InstanceTiming = { heartbeatMs: 1000, staleReads: 6 };
/** The rows of crashed instances are kept for operators. */
const KEPT_SECONDS = 3600;

/** The seconds without a heartbeat after which an instance counts as dead. */
export const STALE_SECONDS = (TIMING.staleReads * TIMING.heartbeatMs) / 1000;

/**
 * The running instances, and the leases that they hold.
 *
 * Each instance increments a heartbeat in its row every second. An instance that reads the same value of another one in six further reads, a
 * second apart, marks that one as dead and frees its leases. So clocks are never compared, and an outage of the database ends no instance,
 * because nothing is read meanwhile. An instance that was marked, such as one that was paused, notices it with its next heartbeat, stops its
 * work and registers again.
 *
 * This is no fence: an instance that was paused may continue while its successor works. Therefore constraints guard everything that must not
 * happen twice.
 *
 * On SQLite a lock file allows one process only, so nothing is stored and the work needs no lease.
 */
export class Instances {
  /** The id of this instance, `ins_…` */
  readonly id: string;
  readonly #options: InstanceOptions;
  readonly #timing: InstanceTiming;
  readonly #startedAt: number;
  /** The leases that this process has taken since its start. */
  readonly #leases = new Map<string, LeaseStats>();
  readonly #stopping = new AbortController();
  #heartbeats: Promise<void> | undefined;
  /** Aborts the work under leases. Replaced when the instance registers again. */
  #registration = new AbortController();
  /** The heartbeats of the running instances, and how often each was read again. */
  #read: ReadonlyMap<string, { readonly heartbeat: number; readonly reads: number }> = new Map();

  constructor(options: InstanceOptions) {
    this.id = `ins_${newId(options.clock.nowMs())}`;
    this.#options = options;
    this.#timing = options.timing ?? TIMING;
    this.#startedAt = unixSeconds(options.clock);
  }

  /** Registers this instance, and sends heartbeats until it is stopped. */
  async start(): Promise<void> {
    if (this.#options.database.dialect === 'sqlite') return;
    await this.#register();
    this.#heartbeats = this.#sendHeartbeats(this.#stopping.signal);
  }

  /** Call it when the work of this instance has ended, because others may then take it over. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#heartbeats;
    if (this.#heartbeats) await this.#write(sql.deleteInstance, this.id).catch(() => undefined);
  }

  /** Returns whether an instance has ended, so that others may take over its work. */
  async isDead(id: string): Promise<boolean> {
    if (id === this.id) return false;
    return !(await this.#options.database.all(sql.listRunning)).some((one) => one.id === id);
  }

  /**
   * Runs `work` while this instance holds a lease, until the signal aborts. The signal of `work` also aborts when another instance may take the
   * lease. Work that returns or throws is started again.
   */
  async underLease(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<void>): Promise<void> {
    const { database, log } = this.#options;
    while (!signal.aborted) {
      const registered = this.#registration.signal;
      try {
        if (database.dialect === 'sqlite') await work(signal);
        else if (!registered.aborted && (await this.#takeLease(name))) {
          log.info({ lease: name }, 'this instance holds the lease');
          this.#leases.set(name, { isHeld: true, taken: (this.#leases.get(name)?.taken ?? 0) + 1 });
          await work(AbortSignal.any([signal, registered])).finally(() => this.#freeLease(name));
        }
      } catch (error) {
        log.warn({ lease: name, reason: errorMessage(error) }, 'work under a lease was interrupted; it starts again');
      }
      await pause(this.#timing.heartbeatMs, signal);
    }
  }

  /**
   * Returns the running instances and those that crashed within the last hour, in the order of their start, and the leases: which instance has
   * the right to run which background jobs. Times are Unix seconds by the clock of each instance.
   */
  async list() {
    const { database, clock } = this.#options;
    const now = unixSeconds(clock);
    const others = (await database.all(sql.listInstances, now - KEPT_SECONDS)).filter(({ id }) => id !== this.id);
    const own = { id: this.id, host: hostname(), pid: process.pid, started_at: this.#startedAt, seen_at: now };
    // By id, too, so that all instances return the same order.
    const instances = [...others, own].sort((a, b) => a.started_at - b.started_at || (a.id < b.id ? -1 : 1));
    return { instances, leases: await database.all(sql.listLeases) };
  }

  /** Returns the leases that this process has taken, by name. Empty on SQLite. */
  leaseStats(): ReadonlyMap<string, LeaseStats> {
    return this.#leases;
  }

  #freeLease(name: string): Promise<number> {
    this.#leases.set(name, { taken: 0, ...this.#leases.get(name), isHeld: false });
    return this.#write(sql.freeLease, name, this.id);
  }

  async #register(): Promise<void> {
    const now = unixSeconds(this.#options.clock);
    await this.#write(sql.registerInstance, this.id, hostname(), process.pid, this.#startedAt, now);
    await this.#write(sql.deleteEnded, now - KEPT_SECONDS);
    this.#registration = new AbortController();
  }

  async #sendHeartbeats(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options;
    const { heartbeatMs, staleReads } = this.#timing;
    // This instance stops its work before another one takes it for dead.
    const limitMs = (staleReads - 2) * heartbeatMs;
    for (let sentAtMs = performance.now(); !(await pause(heartbeatMs, signal)); ) {
      const startedAtMs = performance.now();
      try {
        const sending = this.#write(sql.sendHeartbeat, this.id, unixSeconds(clock));
        if ((await withTimeout(limitMs, sending, () => new Error('the database does not answer'))) !== 1) this.#registration.abort();
        if (this.#registration.signal.aborted) await this.#register();
        sentAtMs = startedAtMs;
        await this.#endDeadInstances();
      } catch (error) {
        log.warn({ reason: errorMessage(error) }, 'this instance could not send its heartbeat');
        if (performance.now() - sentAtMs > limitMs) this.#registration.abort();
      }
    }
  }

  async #endDeadInstances(): Promise<void> {
    const { database, clock } = this.#options;
    const before = this.#read;
    const running = (await database.all(sql.listRunning)).map(({ id, heartbeat }) => {
      const known = before.get(id);
      return { id, heartbeat, reads: known?.heartbeat === heartbeat ? known.reads + 1 : 0 };
    });
    this.#read = new Map(running.map((one) => [one.id, one]));
    for (const { id, heartbeat, reads } of running) {
      if (id === this.id || reads < this.#timing.staleReads) continue;
      await database.transaction(async (tx) => {
        if ((await tx.run(sql.endInstance, id, heartbeat, unixSeconds(clock))) === 1) await tx.run(sql.freeLeases, id);
      });
    }
  }

  /** @returns false while another instance holds the lease. */
  async #takeLease(name: string): Promise<boolean> {
    return this.#options.database.transaction(async (tx) => {
      if ((await tx.run(sql.takeLease, name, this.id)) !== 1) return false;
      // Locks the row, so that a dead instance never holds a lease.
      if ((await tx.run(sql.sendHeartbeat, this.id, unixSeconds(this.#options.clock))) === 1) return true;
      throw new Error('another instance has taken this one for dead');
    });
  }

  #write(...[statement, ...parameters]: Parameters<Tx['run']>): Promise<number> {
    return this.#options.database.transaction((tx) => tx.run(statement, ...parameters));
  }
}
