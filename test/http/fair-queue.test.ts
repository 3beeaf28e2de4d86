import { expect, it } from 'vitest';
import { FairQueue } from '../../src/http/limits/fair-queue.ts';

/** Jobs that record when they begin, and end on request. */
function jobs(queue: FairQueue) {
  const started: string[] = [];
  const ends = new Map<string, () => void>();
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return {
    started,
    async add(name: string, job: string, weight = 1) {
      void queue.startJob(name, weight).then((end) => {
        started.push(job);
        ends.set(job, end);
      });
      await turn();
    },
    async end(job: string) {
      ends.get(job)?.();
      await turn();
    },
  };
}

it('runs jobs up to its capacity, and alternates waiting jobs by name', async () => {
  const { started, add, end } = jobs(new FairQueue(2));
  for (const job of ['a1', 'a2', 'a3', 'a4', 'b1', 'c1', 'b2']) await add(job[0] ?? '', job);
  expect(started).toEqual(['a1', 'a2']);
  for (const job of ['a1', 'a2', 'a3', 'b1', 'c1']) await end(job);
  expect(started).toEqual(['a1', 'a2', 'a3', 'b1', 'c1', 'a4', 'b2']);
});

it('counts weights, and runs a job heavier than its capacity alone', async () => {
  const { started, add, end } = jobs(new FairQueue(10));
  await add('a', 'light', 4);
  await add('b', 'huge', 50);
  await add('c', 'next', 4);
  expect(started).toEqual(['light']);
  await end('light');
  expect(started).toEqual(['light', 'huge']);
  await end('huge');
  expect(started).toEqual(['light', 'huge', 'next']);
});

it('releases a place only once', async () => {
  const { started, add, end } = jobs(new FairQueue(1));
  for (const job of ['a1', 'a2', 'a3']) await add('a', job);
  await end('a1');
  await end('a1');
  expect(started).toEqual(['a1', 'a2']);
});
