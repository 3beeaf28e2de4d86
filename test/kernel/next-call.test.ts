import { expect, it } from 'vitest';
import { nextCall } from '../../src/core/kernel/next-call.ts';

it('shares the next run between the calls during a run, and returns them only what began after them', async () => {
  const runs: PromiseWithResolvers<number>[] = [];
  const call = nextCall(() => {
    const run = Promise.withResolvers<number>();
    runs.push(run);
    return run.promise;
  });
  const first = call();
  await expect.poll(() => runs.length).toBe(1);
  const [second, third] = [call(), call()];
  runs[0]?.resolve(1);
  expect(await first).toBe(1);
  await expect.poll(() => runs.length).toBe(2);
  runs[1]?.reject(new Error('failed'));
  await expect(second).rejects.toThrow('failed');
  await expect(third).rejects.toThrow('failed');
  const fourth = call();
  await expect.poll(() => runs.length).toBe(3);
  runs[2]?.resolve(3);
  expect(await fourth).toBe(3);
});
