import { expect, it } from 'vitest';
import { OutboundError } from '../../src/core/outbound/outbound.ts';
import { createVapid } from '../../src/features/push/encryption.ts';
import { PushQueue } from '../../src/features/push/push-queue.ts';
import { silentLog } from '../support/ledger.ts';
import { newBrowser } from './browser.ts';

type Answer = 'hang' | number | OutboundError;

/** A queue whose push services answer as `answers` says by the id of the browser; 201 by default. */
async function queueWith(answers: Record<string, Answer>) {
  const keys = await newBrowser();
  const ended = new Set<string>();
  const posts: string[] = [];
  const queue = new PushQueue({
    subscriptions: {
      findTarget: async (id) => (ended.has(id) ? undefined : { ...keys, endpoint: `https://push.example/${id}` }),
      forget: async (id) => ended.add(id),
    },
    outbound: {
      post: async (url, { signal }) => {
        const id = url.split('/').at(-1) ?? '';
        posts.push(id);
        const answer = answers[id] ?? 201;
        if (answer === 'hang') await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(timedOut())));
        if (answer instanceof OutboundError) throw answer;
        return { status: Number(answer), text: '' };
      },
    },
    vapid: createVapid(new Uint8Array(32), 'https://satchel.example'),
    clock: { nowMs: () => 1_000 },
    log: silentLog,
    timing: { retryMs: 1 },
  });
  const add = (id: string, accountId = `of ${id}`, expiresAtMs = 3_600_000) =>
    queue.add({ subscriptionId: id, accountId, text: '{}', expiresAtMs });
  return { queue, add, posts, ended, of: (id: string) => posts.filter((one) => one === id).length };
}

const unreachable = () => new OutboundError('no_valid_response', 'no connection');
const timedOut = () => new OutboundError('timed_out', 'no answer');

it('tries four times when a push service fails or cannot be reached, and once when it refuses', async () => {
  const { queue, add, of } = await queueWith({ failing: 503, limited: 429, away: unreachable(), refusing: 403 });
  for (const id of ['failing', 'limited', 'away', 'refusing', 'working']) add(id);
  await expect.poll(() => queue.counts).toEqual({ sent: 1, dropped: 4 });
  expect(['failing', 'limited', 'away', 'refusing', 'working'].map(of)).toEqual([4, 4, 4, 1, 1]);
  await queue.stop();
});

it('does not repeat what a push service may have accepted, and drops what waits behind it', async () => {
  const { queue, add, of } = await queueWith({ silent: timedOut() });
  for (const id of ['silent', 'silent', 'silent', 'working']) add(id);
  await expect.poll(() => queue.counts).toEqual({ sent: 1, dropped: 3 });
  expect([of('silent'), queue.waiting]).toEqual([1, 0]);
  await queue.stop();
});

it('forgets a browser that its push service does not have, with what waits for it', async () => {
  const { queue, add, of, ended } = await queueWith({ gone: 410, unknown: 404 });
  for (const id of ['gone', 'gone', 'unknown', 'unknown', 'working']) add(id);
  await expect.poll(() => [...ended].sort()).toEqual(['gone', 'unknown']);
  await expect.poll(() => [queue.waiting, of('working')]).toEqual([0, 1]);
  expect([of('gone'), of('unknown')]).toEqual([1, 1]);
  await queue.stop();
});

it('sends nothing to a browser whose session has ended since, and nothing after its time', async () => {
  const { queue, add, of, ended } = await queueWith({});
  ended.add('logged out');
  add('logged out');
  add('late', 'account', 1_500);
  add('working');
  await expect.poll(() => queue.counts).toEqual({ sent: 1, dropped: 2 });
  expect([of('logged out'), of('late')]).toEqual([0, 0]);
  await queue.stop();
});

it('sends to all others while many browsers do not answer, and keeps few notifications for each', async () => {
  const hanging = Array.from({ length: 60 }, (_, index) => `hanging ${index}`.replace(' ', '-'));
  const { queue, add, of, posts } = await queueWith(Object.fromEntries(hanging.map((id) => [id, 'hang'])));
  add('quick');
  await expect.poll(() => queue.counts.sent).toBe(1);
  for (const id of hanging) for (let count = 0; count < 50; count++) add(id, `account ${hanging.indexOf(id) % 3}`);
  for (let count = 0; count < 20; count++) add('quick');
  await expect.poll(() => of('quick')).toBe(21);
  // Two of each of the three accounts.
  expect(posts.filter((id) => id.startsWith('hanging'))).toHaveLength(6);
  expect(queue.waiting).toBeLessThanOrEqual(3 * 400);
  await queue.stop();
  expect(queue.waiting).toBe(0);
});
