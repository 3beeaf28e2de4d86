import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { UnknownCursor } from '../../src/core/journal/event-log.ts';
import { createFeed, type Feed } from '../../src/features/events/feed.ts';
import { silentLog } from '../support/ledger.ts';
import { LogTwin } from '../support/log-twin.ts';

const opened: Feed[] = [];

afterEach(() => {
  for (const feed of opened.splice(0)) feed.close();
});

function feedOn(log: LogTwin) {
  const listeners = new Set<() => void>();
  const commits = {
    listen(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  // The feed uses only the name of the database: how often it polls.
  const database = { dialect: 'sqlite' } as Database;
  const feed = createFeed({ database, eventLog: log.asLog(), commits, log: silentLog });
  opened.push(feed);
  return { feed, commit: () => listeners.forEach((listener) => void listener()) };
}

function listenerOf() {
  const ids: string[] = [];
  return { ids, add: (events: readonly { id: string }[]) => void ids.push(...events.map(({ id }) => id)) };
}

it('passes each event to the listeners of its wallet, its account and its payment', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const [wallet, account, payment, other] = [listenerOf(), listenerOf(), listenerOf(), listenerOf()];
  for (const [topic, { add }] of [
    ['wal_1', wallet],
    ['acc_1', account],
    ['lntx_1', payment],
    ['wal_2', other],
  ] as const)
    await feed.listen(topic, add);
  const ofPayment = log.append('wallet_receive', { lightningId: 'lntx_1' });
  const ofWallet = log.append('wallet_updated');
  const ofAccount = log.append('key_created', { walletId: undefined });
  commit();
  await expect.poll(() => account.ids).toEqual([ofPayment.id, ofWallet.id, ofAccount.id]);
  expect(wallet.ids).toEqual([ofPayment.id, ofWallet.id]);
  expect(payment.ids).toEqual([ofPayment.id]);
  expect(other.ids).toEqual([]);
});

it('reads nothing without listeners, and the same for a thousand as for one', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  commit();
  await delay(50);
  expect(log.reads).toBe(0);
  const all = Array.from({ length: 1000 }, listenerOf);
  const listening = await Promise.all(all.map(({ add }) => feed.listen('wal_1', add)));
  expect(feed.countListeners()).toBe(1000);
  await expect.poll(() => log.reads).toBe(1);
  const event = log.append();
  commit();
  await expect.poll(() => all.every(({ ids }) => ids.includes(event.id))).toBe(true);
  expect(log.reads).toBeLessThanOrEqual(3);
  for (const { stop } of listening) stop();
  for (const { stop } of listening) stop();
  expect(feed.countListeners()).toBe(0);
  commit();
  await delay(50);
  const { reads } = log;
  commit();
  await delay(50);
  expect(log.reads).toBe(reads);
});

it('returns a position from which nothing is missed, also while events are appended', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  for (let round = 0; round < 30; round++) {
    log.append();
    commit();
    const { ids, add } = listenerOf();
    const { from, stop } = await feed.listen('wal_1', add);
    log.append();
    commit();
    const expected = log.events.filter(({ position }) => position > from).map(({ id }) => id);
    await expect.poll(() => ids.slice(-expected.length)).toEqual(expected);
    if (round % 3 === 0) stop();
  }
});

it('continues after an error, and with the oldest event when those before it have expired', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const { ids, add } = listenerOf();
  await feed.listen('wal_1', add);
  const read = log.read.bind(log);
  const errors = [new Error('the database is away'), new UnknownCursor('expired')];
  log.read = async (...parameters) => {
    const error = errors.pop();
    if (error) throw error;
    return read(...parameters);
  };
  const event = log.append();
  commit();
  await expect.poll(() => ids).toEqual([event.id]);
  expect(errors).toEqual([]);
});

it('rejects a listener when the log cannot be read, and starts again with the next one', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const newest = log.newest.bind(log);
  log.newest = async () => {
    throw new Error('the database is away');
  };
  const { ids, add } = listenerOf();
  await expect(feed.listen('wal_1', add)).rejects.toThrow('the database is away');
  expect(feed.countListeners()).toBe(0);
  log.newest = newest;
  await feed.listen('wal_1', add);
  const event = log.append();
  commit();
  await expect.poll(() => ids).toEqual([event.id]);
});
