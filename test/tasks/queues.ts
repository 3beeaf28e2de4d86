import { onTestFinished } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { writeRows } from '../../src/core/db/row-write.ts';
import { statement } from '../../src/core/db/statement.ts';
import type { Clock } from '../../src/core/kernel/clock.ts';
import { createTasks, type NewTask, type Queue, type Tasks, type TaskTiming } from '../../src/core/tasks/tasks.ts';
import { silentLog } from '../support/ledger.ts';

const insertInstance = statement(
  'test_instance_insert',
  `INSERT INTO instance (id, host, pid, started_at, seen_at, heartbeat) VALUES ($1, 'h', 1, 1, 1, 1)`,
);
const endInstance = statement('test_instance_end', 'UPDATE instance SET ended_at = 2 WHERE id = $1');
const listTasks = statement<{ payload: string; attempts: number; due_at_ms: number | null; claimed_by: string | null }>(
  'test_tasks',
  'SELECT payload, attempts, due_at_ms, claimed_by FROM task ORDER BY position',
);

export const QUICK: TaskTiming = { pollMs: 20, releaseMs: 20, stopMs: 2000 };

/** A clock that tests move. */
export function movableClock(): Clock & { move(ms: number): void } {
  let offsetMs = 0;
  return {
    nowMs: () => Date.now() + offsetMs,
    move: (ms) => {
      offsetMs += ms;
    },
  };
}

/** The tasks of one instance of the service. */
export interface TaskInstance {
  readonly id: string;
  readonly tasks: Tasks;
  insert(...tasks: readonly NewTask[]): Promise<void>;
  /** Runs a queue until the test has finished. @returns a function that stops it earlier */
  run(queue: Queue, timing?: Partial<TaskTiming>): () => Promise<void>;
  /** Marks this instance as ended, as others do after it was killed. */
  markEnded(): Promise<void>;
}

let instances = 0;

/** Starts an instance on a database. On SQLite only one runs, and the next one begins when it has ended. */
export async function startTasks(database: Database, clock: Clock = movableClock()): Promise<TaskInstance> {
  const id = `ins_${++instances}`;
  if (database.dialect === 'postgres') await database.transaction((tx) => tx.run(insertInstance, id));
  const tasks = createTasks({ database, clock, log: silentLog, instances: { id } });
  return {
    id,
    tasks,
    async insert(...added) {
      await database.transaction((tx) =>
        writeRows(
          tx,
          added.map((task) => tasks.rowOf(task)),
        ),
      );
      for (const { queue } of added) tasks.wake(queue);
    },
    run(queue, timing = {}) {
      const life = new AbortController();
      const ended = tasks.run(queue, life.signal, { ...QUICK, ...timing });
      const stop = () => {
        life.abort();
        return ended;
      };
      onTestFinished(stop);
      return stop;
    },
    async markEnded() {
      if (database.dialect === 'postgres') await database.transaction((tx) => tx.run(endInstance, id));
    },
  };
}

/** Returns the rows of all tasks. */
export function tasksIn(database: Database) {
  return database.all(listTasks);
}
