import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import type { Queue } from '../../src/core/tasks/tasks.ts';
import { onBothDatabases } from '../support/ledger.ts';
import { movableClock, startTasks, tasksIn } from './queues.ts';

const claimForever = statement('test_claim_forever', 'UPDATE task SET claimed_by = $1');
const HANGS = { timeout: 150_000, interval: 5 };

/** A queue that runs tasks with `run`, and has room for all. */
function queueOf(name: string, run: Queue['run'], changes: Partial<Queue> = {}): Queue {
  const slots = { total: 20, ofAccount: 20, slow: 20, slowOfAccount: 20 };
  return { name, run, slots, retry: { firstMs: 1, longestMs: 60_000, giveUpMs: Number.POSITIVE_INFINITY }, ...changes };
}

onBothDatabases('a queue of tasks', (open, dialect) => {
  async function isEmpty(database: Database): Promise<boolean> {
    return (await tasksIn(database)).length === 0;
  }

  it('runs each task once, each key in its order, and within its slots, on all instances, like a twin that runs one at a time', async () => {
    const database = await open();
    const slots = { total: 6, ofAccount: 3, slow: 2, slowOfAccount: 1 };
    const oneTask = fc.record({
      account: fc.constantFrom('a', 'b', 'c'),
      key: fc.constantFrom(undefined, 'k1', 'k2'),
      failures: fc.constantFrom(0, 0, 0, 1, 2),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(oneTask, { maxLength: 40 }), async (orders) => {
        const clock = movableClock();
        const ended: number[] = [];
        const attempts = new Map<number, number>();
        const problems: string[] = [];
        /** Returns a queue that counts what its instance runs. */
        const watched = (running: Set<number>, all: Set<number>) =>
          queueOf(
            'property',
            async ({ payload, attempts: failed }) => {
              const index = Number(payload);
              const { account, key } = orders[index] ?? {};
              if (all.has(index)) problems.push(`${index} runs twice at the same time`);
              if (key !== undefined && [...all].some((other) => orders[other]?.key === key)) problems.push(`two tasks of ${key} run`);
              running.add(index);
              all.add(index);
              const ofAccount = [...running].filter((other) => orders[other]?.account === account);
              const slow = [...running].filter((other) => (attempts.get(other) ?? 0) > 0);
              if (running.size > slots.total || ofAccount.length > slots.ofAccount) problems.push('too many run');
              if (slow.length > slots.slow || slow.filter((other) => ofAccount.includes(other)).length > slots.slowOfAccount)
                problems.push('too many slow ones run');
              if (failed !== (attempts.get(index) ?? 0)) problems.push(`${index} has failed ${failed} times`);
              await new Promise((resolve) => setImmediate(resolve));
              running.delete(index);
              all.delete(index);
              attempts.set(index, failed + 1);
              if (failed < (orders[index]?.failures ?? 0)) return failed % 2 === 0 ? 'failed' : Promise.reject(new Error('failed'));
              ended.push(index);
              return 'done';
            },
            { slots },
          );
        const all = new Set<number>();
        const started = await Promise.all(Array.from({ length: dialect === 'postgres' ? 2 : 1 }, () => startTasks(database, clock)));
        const stops = started.map(({ run }) => run(watched(new Set(), all)));
        for (const [index, { account, key }] of orders.entries())
          await started[0]?.insert({ queue: 'property', accountId: account, orderingKey: key, payload: String(index) });
        await expect.poll(() => isEmpty(database), HANGS).toBe(true);
        await Promise.all(stops.map((stop) => stop()));
        expect(problems).toEqual([]);
        // The twin: every task in the order of insertion.
        const twin = orders.map((_, index) => index);
        expect(ended.toSorted((a, b) => a - b)).toEqual(twin);
        for (const key of ['k1', 'k2']) {
          const isOfKey = (index: number) => orders[index]?.key === key;
          expect(ended.filter(isOfKey)).toEqual(twin.filter(isOfKey));
        }
        for (const [index, { failures }] of orders.entries()) expect(attempts.get(index)).toBe(failures + 1);
      }),
      { numRuns: dialect === 'postgres' ? 6 : 12 },
    );
  });

  it('runs the task of an account after at most two of another one that has hundreds, and after its retries', async () => {
    const database = await open();
    const { insert, run } = await startTasks(database);
    const many = Array.from({ length: 300 }, (_, i) => ({ queue: 'fair', accountId: 'busy', payload: `busy ${i}` }));
    await insert(...many);
    const order: string[] = [];
    const slots = { total: 2, ofAccount: 1, slow: 1, slowOfAccount: 1 };
    const isInserted = Promise.withResolvers<void>();
    run(
      queueOf(
        'fair',
        async ({ payload }) => {
          order.push(payload);
          if (order.length === 20) {
            for (const account of ['new', 'another']) await insert({ queue: 'fair', accountId: account, payload: account });
            isInserted.resolve();
          }
          return payload.startsWith('busy') && payload.endsWith('7') ? 'failed' : 'done';
        },
        { slots, retry: { firstMs: 60_000, longestMs: 60_000, giveUpMs: 3_600_000 } },
      ),
    );
    await isInserted.promise;
    await expect.poll(() => order.includes('new') && order.includes('another'), HANGS).toBe(true);
    for (const account of ['new', 'another']) expect(order.indexOf(account)).toBeLessThanOrEqual(23);
  });

  it('finds the due task among thousands of accounts whose tasks are planned for later', async () => {
    const database = await open();
    const clock = movableClock();
    const { insert, run } = await startTasks(database, clock);
    clock.move(50_000);
    const accounts = Array.from({ length: 1100 }, (_, i) => `later ${i}`);
    await insert(...accounts.map((accountId) => ({ queue: 'wide', accountId, payload: 'later' })));
    clock.move(-50_000);
    await insert({ queue: 'wide', accountId: 'm', payload: 'now' });
    const ran: string[] = [];
    run(
      queueOf('wide', async ({ payload }) => {
        ran.push(payload);
        return 'done';
      }),
    );
    await expect.poll(() => ran, HANGS).toEqual(['now']);
  });

  it('runs a task again at once that was planned before the clock was set back', async () => {
    const database = await open();
    const clock = movableClock();
    const { insert, run } = await startTasks(database, clock);
    const seen: number[] = [];
    const retry = { firstMs: 30_000, longestMs: 60_000, giveUpMs: 3_600_000 };
    run(
      queueOf(
        'clock',
        async ({ attempts }) => {
          seen.push(attempts);
          return attempts === 0 ? 'failed' : 'done';
        },
        { retry },
      ),
    );
    await insert({ queue: 'clock', accountId: 'a', payload: '' });
    await expect
      .poll(async () => (await tasksIn(database)).map(({ attempts, claimed_by }) => [attempts, claimed_by]), HANGS)
      .toEqual([[1, null]]);
    expect(seen).toEqual([0]);
    clock.move(-86_400_000);
    await expect.poll(() => seen, HANGS).toEqual([0, 1]);
    await expect.poll(() => isEmpty(database), HANGS).toBe(true);
  });

  it('doubles the wait after each failure up to the longest, and gives up a task that is too old', async () => {
    const database = await open();
    const clock = movableClock();
    const { insert, run, tasks } = await startTasks(database, clock);
    const waits: number[] = [];
    run(queueOf('retried', async () => 'failed', { retry: { firstMs: 1000, longestMs: 4000, giveUpMs: 10_000 } }));
    await insert({ queue: 'retried', accountId: 'a', payload: '' });
    for (let failed = 1; failed <= 5; failed += 1) {
      await expect
        .poll(async () => (await tasksIn(database)).map(({ attempts, claimed_by }) => [attempts, claimed_by]), HANGS)
        .toEqual([[failed, null]]);
      const waitMs = ((await tasksIn(database))[0]?.due_at_ms ?? 0) - clock.nowMs();
      waits.push(Math.ceil(waitMs / 1000));
      clock.move(waitMs + 1);
      if (waits.length === 4) break;
    }
    expect(waits).toEqual([1, 2, 4, 4]);
    await expect.poll(() => isEmpty(database), HANGS).toBe(true);
    expect(tasks.counts().get('retried')).toEqual({ done: 0, failed: 4, again: 0, 'given up': 1 });
  });

  it('continues a task that makes progress, which does not count as a failure', async () => {
    const database = await open();
    const { insert, run } = await startTasks(database);
    const seen: number[] = [];
    run(
      queueOf('steps', async ({ attempts }) => {
        seen.push(attempts);
        return seen.length < 4 ? { againMs: 5 } : 'done';
      }),
    );
    await insert({ queue: 'steps', accountId: 'a', payload: '' });
    await expect.poll(() => isEmpty(database), HANGS).toBe(true);
    expect(seen).toEqual([0, 0, 0, 0]);
  });

  it('runs tasks again whose instance has ended between their claim and their end, in their order', async () => {
    const database = await open();
    const first = await startTasks(database);
    const claimed = Promise.withResolvers<void>();
    // As after a kill: the task never ends, nothing is stored, and no other one is claimed.
    const slots = { total: 1, ofAccount: 1, slow: 1, slowOfAccount: 1 };
    const hang = () => {
      claimed.resolve();
      return new Promise<never>(() => undefined);
    };
    first.run(queueOf('crash', hang, { slots }), { stopMs: 0 });
    await first.insert(...['1', '2'].map((payload) => ({ queue: 'crash', accountId: 'a', orderingKey: 'k', payload })));
    await claimed.promise;
    await first.markEnded();
    const second = await startTasks(database);
    const seen: unknown[] = [];
    second.run(
      queueOf('crash', async ({ payload, attempts }) => {
        seen.push([payload, attempts]);
        return 'done';
      }),
    );
    await expect
      .poll(() => seen, HANGS)
      .toEqual([
        ['1', 1],
        ['2', 0],
      ]);
  });

  it('gives up claims that were committed without an answer', async () => {
    const database = await open();
    const { id, insert, run } = await startTasks(database);
    await insert({ queue: 'lost', accountId: 'a', payload: 'x' });
    await database.transaction((tx) => tx.run(claimForever, id));
    const seen: string[] = [];
    run(
      queueOf('lost', async ({ payload }) => {
        seen.push(payload);
        return 'done';
      }),
    );
    await expect.poll(() => seen, HANGS).toEqual(['x']);
  });

  it('stores the results of running tasks when it stops, and gives up those that do not end', async () => {
    const database = await open();
    const { insert, run } = await startTasks(database);
    const started: string[] = [];
    const stop = run(
      queueOf('stop', async ({ payload }, signal) => {
        started.push(payload);
        if (payload === 'hangs') return new Promise(() => undefined);
        return new Promise((resolve) => signal.addEventListener('abort', () => resolve(payload === 'ends' ? 'done' : 'failed')));
      }),
      { stopMs: 100 },
    );
    await insert(...['ends', 'fails', 'hangs'].map((payload) => ({ queue: 'stop', accountId: 'a', payload })));
    await expect.poll(() => started.length, HANGS).toBe(3);
    await stop();
    const left = await tasksIn(database);
    expect(left.map(({ payload, claimed_by }) => [payload, claimed_by])).toEqual([
      ['fails', null],
      ['hangs', null],
    ]);
  });
});
