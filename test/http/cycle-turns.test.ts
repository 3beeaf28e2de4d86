import { setImmediate as nextCycle } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CycleTurns } from '../../src/http/limits/callers.ts';

it('begins one request of each address in each cycle of the event loop', async () => {
  const turns = new CycleTurns();
  const begun: string[][] = [[]];
  for (const caller of ['noisy', 'noisy', 'noisy', 'other', 'noisy']) turns.begin(caller, () => begun.at(-1)?.push(caller));
  expect(begun).toEqual([['noisy', 'other']]);
  for (let cycle = 0; cycle < 4; cycle++) {
    begun.push([]);
    await nextCycle();
  }
  expect(begun).toEqual([['noisy', 'other'], ['noisy'], ['noisy'], ['noisy'], []]);
});

it('begins work at once after all earlier work', async () => {
  const turns = new CycleTurns();
  let begun = 0;
  for (let i = 0; i < 2; i++) turns.begin('a', () => void begun++);
  for (let cycle = 0; cycle < 3; cycle++) await nextCycle();
  turns.begin('a', () => void begun++);
  expect(begun).toBe(3);
});
