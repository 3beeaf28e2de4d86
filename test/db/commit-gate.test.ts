import { expect, it } from 'vitest';
import { CommitGate } from '../../src/core/db/commit-gate.ts';
import { isOutage } from '../../src/core/db/errors.ts';

const OPTIONS = { maxRunning: 1, waitMs: 60_000, stalledMs: 60_000, probeMs: 60_000, probe: async () => undefined };

it('fails a transaction that waits too long for others, and begins the next one when they have ended', async () => {
  const gate = new CommitGate({ ...OPTIONS, waitMs: 1 });
  const hanging = Promise.withResolvers<string>();
  const first = gate.run(() => hanging.promise);
  const begun: string[] = [];
  const waiting = gate.run(async () => begun.push('second'));
  await expect(waiting).rejects.toSatisfy(isOutage);
  hanging.resolve('ended');
  expect(await first).toBe('ended');
  expect(await gate.run(async () => 'third')).toBe('third');
  expect(begun).toEqual([]);
});

it('begins waiting transactions in the order in which they arrived, as many at once as may run', async () => {
  const gate = new CommitGate(OPTIONS);
  const begun: number[] = [];
  let running = 0;
  const run = (number: number) =>
    gate.run(async () => {
      running += 1;
      expect(running).toBe(1);
      begun.push(number);
      await Promise.resolve();
      running -= 1;
    });
  await Promise.all([1, 2, 3, 4].map(run));
  expect(begun).toEqual([1, 2, 3, 4]);
});
