import { expect, it } from 'vitest';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { networksOf, withBlock } from '../../src/http/limits/addresses.ts';
import { FairQueue, type QueuedCaller } from '../../src/http/limits/fair-queue.ts';

/** Asks for work of these callers while another piece runs. Returns in which order it was done, and which was refused. */
async function orderOf(callers: readonly QueuedCaller[], maxWaiting = 100): Promise<{ done: string[]; refused: string[] }> {
  const queue = new FairQueue({ maxAtOnce: 1, maxWaiting, full: () => new Refusal('rate_limited') });
  const { promise: isAsked, resolve: endFirst } = Promise.withResolvers<void>();
  const [done, refused]: [string[], string[]] = [[], []];
  const first = queue.run({ groups: ['first'] }, () => isAsked);
  const rest = callers.map(async (caller) => {
    const name = caller.groups.join(' ');
    try {
      await queue.run(caller, async () => void done.push(name));
    } catch {
      refused.push(name);
    }
  });
  endFirst();
  await Promise.all([first, ...rest]);
  return { done, refused };
}

const times = (count: number, ...groups: string[]) => Array.from({ length: count }, () => ({ groups }));

it('lets groups of callers take turns, and the callers in each group', async () => {
  const callers = [...times(3, 'large', 'one'), ...times(1, 'large', 'two'), ...times(1, 'small', 'three')];
  const { done } = await orderOf(callers);
  expect(done).toEqual(['large one', 'small three', 'large two', 'large one', 'large one']);
});

it('drops the newest work of the group with most when too much waits', async () => {
  const { done, refused } = await orderOf([...times(4, 'large', 'one'), ...times(1, 'large', 'two'), ...times(1, 'small', 'three')], 5);
  expect(refused).toEqual(['large one']);
  expect(done).toContain('small three');
});

it('refuses the work of a new group when each group has the same', async () => {
  const { refused } = await orderOf([...times(1, 'one'), ...times(1, 'two'), ...times(1, 'three')], 2);
  expect(refused).toEqual(['three']);
});

it('keeps places for known callers, who take turns with strangers', async () => {
  const known = { groups: ['known'], isKnown: true };
  const { done, refused } = await orderOf([...times(3, 'stranger'), known, known], 2);
  expect(refused).toEqual(['stranger']);
  expect(done).toEqual(['known', 'stranger', 'known', 'stranger']);
});

it('runs the next work after one that failed', async () => {
  const queue = new FairQueue({ maxAtOnce: 1, maxWaiting: 10, full: () => new Refusal('rate_limited') });
  const failed = queue.run({ groups: [] }, () => Promise.reject(new Error('failed')));
  const next = queue.run({ groups: [] }, async () => 'done');
  await expect(failed).rejects.toThrow('failed');
  expect(await next).toBe('done');
});

it('lets newcomers of different blocks wait beyond the limit, until one of them has more', async () => {
  const queue = new FairQueue({ maxAtOnce: 1, maxWaiting: 50, maxAlone: 200, full: () => new Refusal('rate_limited') });
  const { promise: isAsked, resolve: endFirst } = Promise.withResolvers<void>();
  const first = queue.run({ groups: withBlock(networksOf('192.0.2.1')) }, () => isAsked);
  const attempt = (ip: string) => queue.run({ groups: withBlock(networksOf(ip)) }, async () => 'done').catch(() => 'refused');
  const attackers = Array.from({ length: 60 }, (_, i) => attempt(`${i + 1}.0.0.1`));
  const newcomer = attempt('203.0.113.8');
  const second = attempt('203.0.114.8');
  endFirst();
  expect(await newcomer).toBe('done');
  expect(await second).toBe('refused');
  expect(new Set(await Promise.all(attackers))).toEqual(new Set(['done']));
  await first;
});

it('lets a newcomer wait while one provider has sent more than fits', async () => {
  const queue = new FairQueue({ maxAtOnce: 1, maxWaiting: 50, maxAlone: 200, full: () => new Refusal('rate_limited') });
  const { promise: isAsked, resolve: endFirst } = Promise.withResolvers<void>();
  const first = queue.run({ groups: withBlock(networksOf('192.0.2.1')) }, () => isAsked);
  const attempt = (ip: string) => queue.run({ groups: withBlock(networksOf(ip)) }, async () => 'done').catch(() => 'refused');
  const attackers = Array.from({ length: 60 }, (_, i) => attempt(`10.0.${i}.1`));
  const newcomer = attempt('203.0.113.8');
  endFirst();
  expect(await newcomer).toBe('done');
  expect((await Promise.all(attackers)).filter((outcome) => outcome === 'refused')).toHaveLength(11);
  await first;
});
