import type { TaskRow } from './tasks.sql.ts';

/** A task that is being run. */
export interface Task {
  /** Tasks with the same key are run one at a time, in their order. Null: in any order. */
  readonly orderingKey: string | null;
  readonly accountId: string;
  readonly payload: string;
  readonly createdAtMs: number;
  /** Attempts that have failed, or were interrupted by the end of a process. */
  readonly attempts: number;
}

/** The outcome of an attempt. `againMs`: it made progress, and is run again after this time, which does not count as a failure. */
export type TaskOutcome = 'done' | 'failed' | { readonly againMs: number };

/** When a task that has failed is run again: after `firstMs`, which doubles up to `longestMs`, until it is `giveUpMs` old. */
export interface RetryRule {
  readonly firstMs: number;
  readonly longestMs: number;
  /** Infinity: never. */
  readonly giveUpMs: number;
}

/** How many tasks an instance runs at the same time: in total and of one account. A task that has failed is slow: it may wait for a timeout again. */
export interface TaskSlots {
  readonly total: number;
  readonly ofAccount: number;
  readonly slow: number;
  readonly slowOfAccount: number;
}

/** The declaration of a queue. */
export interface Queue {
  readonly name: string;
  readonly retry: RetryRule;
  readonly slots: TaskSlots;
  /**
   * Runs a task. It may be run again after it has succeeded, when the process ends before that is stored, so its effect must be the same then.
   * An error counts as `failed`. @param signal aborts when the instance stops running the queue
   */
  run(task: Task, signal: AbortSignal): Promise<TaskOutcome>;
}

/** Returns the wait after a failed attempt. `attempts`: those that failed before it. */
export function backoffMs({ firstMs, longestMs }: Pick<RetryRule, 'firstMs' | 'longestMs'>, attempts: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.min(attempts, 30));
}

/** A retry that is planned later was planned before the clock was set back. */
export function latestDueMs({ longestMs }: Pick<RetryRule, 'longestMs'>, nowMs: number): number {
  return nowMs + 2 * longestMs;
}

/** How a task continues after an attempt. Undefined: it has ended. */
export interface Postponement {
  readonly dueAtMs: number;
  readonly attempts: number;
}

/** Returns how a task continues. `isGivenUp`: it has failed for too long. */
export function postponementOf(
  { retry }: Pick<Queue, 'retry'>,
  { attempts, createdAtMs }: Pick<Task, 'attempts' | 'createdAtMs'>,
  outcome: TaskOutcome,
  nowMs: number,
): { readonly next: Postponement | undefined; readonly isGivenUp: boolean } {
  if (outcome === 'done') return { next: undefined, isGivenUp: false };
  if (outcome !== 'failed') return { next: { dueAtMs: nowMs + outcome.againMs, attempts: 0 }, isGivenUp: false };
  if (nowMs - createdAtMs > retry.giveUpMs) return { next: undefined, isGivenUp: true };
  return { next: { dueAtMs: nowMs + backoffMs(retry, attempts), attempts: attempts + 1 }, isGivenUp: false };
}

export function taskFromRow(row: TaskRow): Task {
  return {
    orderingKey: row.ordering_key,
    accountId: row.account_id,
    payload: row.payload,
    createdAtMs: row.created_at_ms,
    attempts: row.attempts,
  };
}
