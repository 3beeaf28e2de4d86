import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inTurns, RequestTurns } from '../../src/features/nwc/request-turns.ts';

it('begins the request of an account before the second waiting request of any other one', async () => {
  const turns = new RequestTurns({ total: 4, ofAccount: 2 });
  const begun: string[] = [];
  const ends: (() => void)[] = [];
  const send = (account: string, name: string) =>
    turns.run(account, () => {
      begun.push(name);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  const all = Array.from({ length: 100 }, (_, i) => ['a', 'b', 'c'].map((account) => send(account, `${account}${i}`))).flat();
  all.push(send('victim', 'victim'));
  await new Promise((resolve) => setImmediate(resolve));
  expect([begun.length, turns.countWaiting('a')]).toEqual([4, 98]);
  for (let ended = 0; !begun.includes('victim'); ended += 1) {
    expect(ended).toBeLessThan(4);
    ends.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  for (; ends.length > 0; await new Promise((resolve) => setImmediate(resolve))) for (const end of ends.splice(0)) end();
  await Promise.all(all);
  expect(begun.toSorted()).toEqual([...new Set(begun)].toSorted());
  expect(begun).toHaveLength(301);
});

it('executes each request once, those of an account in their order and within the limits, also when some fail', async () => {
  const request = fc.record({ account: fc.constantFrom('a', 'b', 'c'), cycles: fc.nat(3), fails: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(
      fc.array(request, { maxLength: 60 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (all, total, ofAccount) => {
        const turns = new RequestTurns({ total, ofAccount });
        const begun: number[] = [];
        const running: string[] = [];
        const work = (index: number) => async () => {
          const { account = '', cycles = 0, fails = false } = all[index] ?? {};
          begun.push(index);
          running.push(account);
          expect(running.length).toBeLessThanOrEqual(total);
          expect(running.filter((one) => one === account).length).toBeLessThanOrEqual(ofAccount);
          for (let i = 0; i < cycles; i += 1) await new Promise((resolve) => setImmediate(resolve));
          running.splice(running.indexOf(account), 1);
          if (fails) throw new Error('failed');
        };
        const results = await Promise.allSettled(all.map(({ account }, index) => turns.run(account, work(index))));
        expect(results.map(({ status }) => status === 'rejected')).toEqual(all.map(({ fails }) => fails));
        for (const account of ['a', 'b', 'c']) {
          const isOf = (index: number) => all[index]?.account === account;
          expect(begun.filter(isOf)).toEqual(all.flatMap((one, index) => (one.account === account ? index : [])));
        }
      },
    ),
    { numRuns: 50 },
  );
});

it('orders items so that the first ones of all accounts come before the second ones', () => {
  expect(inTurns(['a1', 'a2', 'a3', 'b1', 'c1', 'c2'], (item) => item.slice(0, 1))).toEqual(['a1', 'b1', 'c1', 'a2', 'c2', 'a3']);
  expect(inTurns([], String)).toEqual([]);
});
