import { setImmediate as nextCycle } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { FairTurns } from '../../src/core/kernel/turns.ts';

/** Requests turns for callers, and records in which cycle of the event loop each was granted. */
async function grantsOf(callers: readonly string[]): Promise<{ caller: string; cycle: number }[]> {
  const turns = new FairTurns();
  const granted: { caller: string; cycle: number }[] = [];
  let cycle = 0;
  const all = Promise.all(
    callers.map(async (caller) => {
      await turns.next(caller);
      granted.push({ caller, cycle });
    }),
  );
  for (; granted.length < callers.length; cycle += 1) await nextCycle();
  await all;
  return granted;
}

it('grants one turn in each cycle of the event loop, in the order of the requests of a caller', async () => {
  const granted = await grantsOf(['a', 'a', 'a', 'a']);
  expect(new Set(granted.map(({ cycle }) => cycle)).size).toBe(4);
});

it('lets callers take turns, so that one with many requests does not delay the others', async () => {
  const granted = await grantsOf(['noisy', 'noisy', 'noisy', 'noisy', 'one', 'two', 'one']);
  expect(granted.map(({ caller }) => caller)).toEqual(['noisy', 'one', 'two', 'noisy', 'one', 'noisy', 'noisy']);
});

it('grants turns that are requested after all others were granted', async () => {
  const turns = new FairTurns();
  for (let i = 0; i < 3; i++) await turns.next('a');
  await Promise.all([turns.next('b'), turns.next('a')]);
});
