import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Tx } from '../db/database.ts';
import type { Instances } from '../db/instances.ts';
import { type Clock, pause } from '../kernel/clock.ts';
import { errorMessage, type Log } from '../kernel/log.ts';
import { latestDueMs, type Postponement, postponementOf, type Queue, type TaskOutcome, taskFromRow } from './queue.ts';
import { SlotCounts, selectInTurns } from './slots.ts';
import * as sql from './tasks.sql.ts';

export interface TaskDependencies {
  readonly database: Database;
  readonly instances: Pick<Instances, 'id'>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The waits of a runner. Tests shorten them. */
export interface TaskTiming {
  /** Between two looks for tasks that other instances have inserted. */
  readonly pollMs: number;
  /** Between two looks for claims of instances that have ended. */
  readonly releaseMs: number;
  /** How long running tasks may take when the queue stops. */
  readonly stopMs: number;
}

const TIMING: TaskTiming = { pollMs: 1000, releaseMs: 5000, stopMs: 5000 };
/** After a failure of the database. */
const RETRY_MS = 1000;
/** How many due tasks of an account one round looks at. */
const LOOKED_AT = 100;
/** How many retries this process remembers, to be on time. Others are found by polling. */
const MAX_PLANNED = 1000;

interface Result {
  readonly row: sql.TaskRow;
  /** Undefined: the task has ended. */
  readonly next: Postponement | undefined;
}

/** The attempts of this process, by outcome. `again`: those that made progress and were to be run again. */
export type TaskCounts = Record<'done' | 'failed' | 'again' | 'given up', number>;

/**
 * Runs the tasks of one queue, beside those of other instances. Each round is one transaction that stores results and claims tasks. It locks the
 * queue, so that the end of a task and the look at a later one of its key exclude each other.
 */
export class Runner {
  readonly #counts: TaskCounts;
  readonly #deps: TaskDependencies;
  readonly #queue: Queue;
  readonly #timing: TaskTiming;
  readonly #running = new Map<number, sql.TaskRow>();
  #results: Result[] = [];
  /** The account that had the last turn. */
  #lastAccount = '';
  /** When tasks are run again that this process has postponed, in Unix milliseconds by position. */
  readonly #planned = new Map<number, number>();
  #releaseAt = 0;
  #wake = new AbortController();

  /** @param counts of this process, by queue */
  constructor(deps: TaskDependencies, queue: Queue, counts: Map<string, TaskCounts>, timing: Partial<TaskTiming>) {
    this.#deps = deps;
    this.#queue = queue;
    this.#counts = counts.get(queue.name) ?? { done: 0, failed: 0, again: 0, 'given up': 0 };
    counts.set(queue.name, this.#counts);
    this.#timing = { ...TIMING, ...timing };
  }

  /** Looks for tasks now. */
  wake(): void {
    if (!this.#wake.signal.aborted) this.#wake.abort();
  }

  /** Runs tasks until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { database, log } = this.#deps;
    const { name } = this.#queue;
    await database.transaction((tx) => tx.run(sql.insertQueue, name));
    while (!signal.aborted) {
      this.#wake = new AbortController();
      try {
        if (await this.#round(signal)) continue;
      } catch (error) {
        log.warn({ queue: name, reason: errorMessage(error) }, 'tasks were interrupted; they continue');
        // Claims may have been committed without an answer.
        this.#releaseAt = 0;
        await pause(RETRY_MS, signal);
        continue;
      }
      await pause(this.#waitMs(), AbortSignal.any([signal, this.#wake.signal]));
    }
    await this.#stop();
  }

  #waitMs(): number {
    const soonest = Math.min(...this.#planned.values()) - this.#deps.clock.nowMs();
    return Math.max(1, Math.min(this.#timing.pollMs, soonest));
  }

  /** Stores results and starts tasks. @returns whether there may be more to do */
  async #round(signal: AbortSignal): Promise<boolean> {
    const { database, instances } = this.#deps;
    const { name } = this.#queue;
    const isRelease = await this.#isReleaseDue();
    const accounts = await this.#dueAccounts();
    const results = this.#results;
    if (results.length === 0 && accounts.length === 0 && !isRelease) return false;
    this.#results = [];
    let claimed: sql.TaskRow[];
    try {
      claimed = await database.transaction(async (tx) => {
        await tx.all(sql.lockQueue, name);
        if (isRelease) await tx.run(sql.releaseClaims, name, instances.id, this.#positions(results));
        await this.#store(tx, results);
        return this.#claim(tx, accounts);
      });
    } catch (error) {
      this.#results.unshift(...results);
      throw error;
    }
    for (const row of claimed) void this.#attempt(row, signal);
    return results.length > 0 || claimed.length > 0 || isRelease;
  }

  /** Returns whether it is time to look at claims, and tasks are claimed that this process may not be running. */
  async #isReleaseDue(): Promise<boolean> {
    const { database, instances } = this.#deps;
    if (performance.now() < this.#releaseAt) return false;
    const claims = await database.all(sql.countClaims, this.#queue.name);
    const own = this.#positions(this.#results).length;
    this.#releaseAt = performance.now() + this.#timing.releaseMs;
    return claims.some(({ claimed_by, n }) => claimed_by !== instances.id || n !== own);
  }

  /** Returns the positions of the tasks that this process has claimed. */
  #positions(results: readonly Result[]): number[] {
    return [...this.#running.keys(), ...results.map(({ row }) => row.position)];
  }

  /** Returns accounts with due tasks and a free slot, in the order of their turns: as many as one round can serve. */
  async #dueAccounts(): Promise<string[]> {
    const { database, clock } = this.#deps;
    const { name, retry, slots } = this.#queue;
    const counts = new SlotCounts(slots, this.#running.values());
    if (counts.isFull) return [];
    const nowMs = clock.nowMs();
    for (const [position, dueAtMs] of this.#planned) if (dueAtMs <= nowMs) this.#planned.delete(position);
    const due = new Set<string>();
    let after = this.#lastAccount;
    // After the last account comes the first one.
    for (let isLastPass = after === ''; due.size < slots.total; ) {
      const visited = await database.all(sql.visitAccounts, name, after, nowMs, latestDueMs(retry, nowMs));
      for (const { account_id, is_due } of visited) if (is_due === 1 && !counts.isFullFor(account_id)) due.add(account_id);
      if (visited.length === sql.ACCOUNTS_AT_ONCE) after = visited.at(-1)?.account_id ?? '';
      else if (isLastPass) break;
      else {
        isLastPass = true;
        after = '';
      }
    }
    return [...due].slice(0, slots.total);
  }

  async #claim(tx: Tx, accounts: readonly string[]): Promise<sql.TaskRow[]> {
    const { name, retry, slots } = this.#queue;
    const { clock, instances } = this.#deps;
    const nowMs = clock.nowMs();
    const waiting: sql.TaskRow[][] = [];
    for (const account of accounts) {
      const due = await tx.all(sql.listDue, name, account, nowMs, latestDueMs(retry, nowMs), LOOKED_AT);
      const blocked = due.flatMap(({ is_blocked, position }) => (is_blocked === 1 ? position : []));
      if (blocked.length > 0) await tx.run(sql.hold, blocked);
      waiting.push(due.filter(({ is_blocked }) => is_blocked === 0));
    }
    const claimed = selectInTurns(new SlotCounts(slots, this.#running.values()), waiting);
    if (claimed.length === 0) return claimed;
    const positions = claimed.map(({ position }) => position);
    await tx.run(sql.claim, positions, instances.id);
    for (const position of positions) this.#planned.delete(position);
    // The first turn of each account comes before the second one of any.
    const firstTurns = new Set(claimed.map(({ account_id }) => account_id));
    this.#lastAccount = [...firstTurns].at(-1) ?? '';
    return claimed;
  }

  async #store(tx: Tx, results: readonly Result[]): Promise<void> {
    const { clock, instances } = this.#deps;
    const ended = results.flatMap(({ row, next }) => (next ? [] : row));
    for (const { row, next } of results) if (next) await tx.send(sql.postpone, row.position, instances.id, next.dueAtMs, next.attempts);
    if (ended.length === 0) return;
    const positions = ended.map(({ position }) => position);
    await tx.run(sql.deleteTasks, positions, instances.id);
    for (const key of new Set(ended.flatMap(({ ordering_key }) => ordering_key ?? [])))
      await tx.send(sql.unhold, this.#queue.name, key, clock.nowMs());
  }

  /** Runs a task. Never throws. */
  async #attempt(row: sql.TaskRow, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#deps;
    const { name } = this.#queue;
    this.#running.set(row.position, row);
    let outcome: TaskOutcome;
    try {
      outcome = await this.#queue.run(taskFromRow(row), signal);
    } catch (error) {
      log.warn({ queue: name, reason: errorMessage(error) }, 'a task failed');
      outcome = 'failed';
    }
    const nowMs = clock.nowMs();
    const { next, isGivenUp } = postponementOf(this.#queue, taskFromRow(row), outcome, nowMs);
    if (isGivenUp) log.warn({ queue: name, attempts: row.attempts + 1 }, 'a task has failed for too long and is not run again');
    this.#counts[isGivenUp ? 'given up' : typeof outcome === 'object' ? 'again' : outcome] += 1;
    this.#running.delete(row.position);
    this.#results.push({ row, next });
    if (next && this.#planned.size < MAX_PLANNED) this.#planned.set(row.position, next.dueAtMs);
    this.wake();
  }

  /** Waits for the running tasks, stores their results, and gives up the claims of the others. */
  async #stop(): Promise<void> {
    const { database, instances, log } = this.#deps;
    const { name } = this.#queue;
    const until = performance.now() + this.#timing.stopMs;
    while (this.#running.size > 0 && performance.now() < until) await delay(10);
    const results = this.#results.splice(0);
    try {
      await database.transaction(async (tx) => {
        await tx.all(sql.lockQueue, name);
        await this.#store(tx, results);
        await tx.run(sql.releaseClaims, name, instances.id, []);
      });
    } catch (error) {
      log.warn({ queue: name, reason: errorMessage(error) }, 'the last tasks are run again');
    }
  }
}
