import type { SqlReader } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import type { Queue } from './queue.ts';
import { Runner, type TaskCounts, type TaskDependencies, type TaskTiming } from './runner.ts';
import * as sql from './tasks.sql.ts';

export { backoffMs, latestDueMs, type Queue, type RetryRule, type Task, type TaskOutcome } from './queue.ts';
export type { TaskCounts, TaskTiming } from './runner.ts';

/** A task to insert. */
export interface NewTask {
  readonly queue: Queue['name'];
  /** Tasks with the same key are run one at a time, in their order. Undefined: in any order. */
  readonly orderingKey?: string | undefined;
  /** Accounts take turns. */
  readonly accountId: string;
  readonly payload: string;
}

/**
 * Background work that survives the end of a process. A task is a row that is inserted in the transaction that causes it. Instances run the tasks of a
 * queue, each task at least once; accounts take turns.
 */
export type Tasks = ReturnType<typeof createTasks>;

export function createTasks(deps: TaskDependencies) {
  const { database, clock } = deps;
  const runners = new Map<string, Runner>();
  const totals = new Map<string, TaskCounts>();

  function wake(queue: string): void {
    runners.get(queue)?.wake();
  }

  return {
    /** Returns the row of a task, which is run as soon as possible. Call {@link wake} after the commit. */
    rowOf({ queue, orderingKey, accountId, payload }: NewTask): RowWrite {
      return { statement: sql.insertTask, parameters: [queue, orderingKey ?? null, accountId, payload, clock.nowMs()], onMiss: notStored };
    },

    /** Looks for tasks of a queue now. Otherwise they are found within a second. */
    wake,

    /** Runs the tasks of a queue until the signal aborts. */
    async run(queue: Queue, signal: AbortSignal, timing: Partial<TaskTiming> = {}): Promise<void> {
      const runner = new Runner(deps, queue, totals, timing);
      runners.set(queue.name, runner);
      try {
        await runner.run(signal);
      } finally {
        if (runners.get(queue.name) === runner) runners.delete(queue.name);
      }
    },

    /** Runs tasks of a queue now that failed and are planned for later. */
    async makeDue(queue: string): Promise<void> {
      await database.transaction((tx) => tx.run(sql.makeDue, queue, clock.nowMs()));
      wake(queue);
    },

    /** Counts the tasks of a queue, up to 10,000. */
    count: async (queue: string): Promise<number> => (await database.first(sql.countTasks, queue))?.n ?? 0,

    /** Counts the tasks of a key that have not ended, up to a limit. */
    countOfKey: async (queue: string, key: string, limit: number, reader: SqlReader = database): Promise<number> =>
      (await reader.first(sql.countOfKey, queue, key, limit))?.n ?? 0,

    /** Returns the attempts of this process, by queue and outcome. */
    counts: (): ReadonlyMap<string, TaskCounts> => totals,
  };
}

function notStored(): Error {
  return new Error('the task was not stored');
}
