import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { UnknownCursor } from '../../src/core/journal/event-log.ts';
import { Feed } from '../../src/features/events/feed.ts';
import { silentLog } from '../support/ledger.ts';
import { LogTwin } from '../support/log-twin.ts';

const opened: Feed[] = [];

afterEach(() => {
  for (const feed of opened.splice(0)) feed.close();
});

function feedOn(log: LogTwin) {
  const listeners = new Set<() => void>();
  // The feed uses only the name of the database (how often it polls) and its commits.
  const database = { dialect: 'sqlite', onCommit: (listener) => listeners.add(listener) && (() => undefined) } as Partial<Database>;
  const feed = new Feed({ database: database as Database, eventLog: log.asLog(), log: silentLog });
  opened.push(feed);
  return { feed, commit: () => listeners.forEach((listener) => void listener()) };
}

/** Listens, and collects the ids of events. */
async function listen(feed: Feed, topic: string) {
  const stop = new AbortController();
  const ids: string[] = [];
  const listener = await feed.listen(topic, { signal: stop.signal });
  void (async () => {
    while (!stop.signal.aborted) ids.push(...(await listener.take()).events.map(({ id }) => id));
  })();
  return { ids, stop: () => stop.abort() };
}

type Listened = Awaited<ReturnType<typeof listen>>;

it('passes each event to the listeners of its wallet, its account and its payment', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const listeners = ['wal_1', 'acc_1', 'lntx_1', 'wal_2'].map((topic) => listen(feed, topic));
  const [wallet, account, payment, other] = (await Promise.all(listeners)) as [Listened, Listened, Listened, Listened];
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
  const all = await Promise.all(Array.from({ length: 1000 }, () => listen(feed, 'wal_1')));
  expect(feed.countListeners()).toBe(1000);
  await expect.poll(() => log.reads).toBe(1);
  const event = log.append();
  commit();
  await expect.poll(() => all.every(({ ids }) => ids.includes(event.id))).toBe(true);
  expect(log.reads).toBeLessThanOrEqual(3);
  for (const { stop } of all) stop();
  for (const { stop } of all) stop();
  expect(feed.countListeners()).toBe(0);
  commit();
  await delay(50);
  const { reads } = log;
  commit();
  await delay(50);
  expect(log.reads).toBe(reads);
});

it('misses nothing from the moment at which it listens, also while events are appended', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  for (let round = 0; round < 30; round++) {
    log.append();
    commit();
    const { ids, stop } = await listen(feed, 'wal_1');
    const expected = [log.append().id, log.append().id];
    commit();
    await expect.poll(() => ids.slice(-expected.length)).toEqual(expected);
    if (round % 3 === 0) stop();
  }
});

it('continues after an error, and with the oldest event when those before it have expired', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const { ids } = await listen(feed, 'wal_1');
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
  await expect(listen(feed, 'wal_1')).rejects.toThrow('the database is away');
  expect(feed.countListeners()).toBe(0);
  log.newest = newest;
  const { ids } = await listen(feed, 'wal_1');
  const event = log.append();
  commit();
  await expect.poll(() => ids).toEqual([event.id]);
});

it('keeps at most 200 new events for a slow listener, and reports that it has lost some', async () => {
  const log = new LogTwin();
  const { feed, commit } = feedOn(log);
  const stop = new AbortController();
  const listener = await feed.listen('wal_1', { signal: stop.signal, types: new Set(['wallet_send'] as const) });
  const all = await listen(feed, 'wal_1');
  /** Waits until the feed has passed on all events of the log. */
  const passed = async () => {
    commit();
    await expect.poll(() => all.ids.at(-1)).toBe(log.events.at(-1)?.id);
  };
  const sent = Array.from({ length: 150 }, () => [log.append('wallet_receive'), log.append('wallet_send')][1]?.id);
  await passed();
  expect((await listener.take()).events.map(({ id }) => id)).toEqual(sent);
  const more = Array.from({ length: 250 }, () => log.append('wallet_send').id);
  await passed();
  all.stop();
  const { events, hasLost } = await listener.take();
  expect(events.map(({ id }) => id)).toEqual(more.slice(0, 200));
  expect(hasLost).toBe(true);
  const taken = listener.take();
  stop.abort();
  expect(await taken).toEqual({ events: [], hasLost: false });
  expect(feed.countListeners()).toBe(0);
});

it('waits no longer for events than it may', async () => {
  const log = new LogTwin();
  const { feed } = feedOn(log);
  const listener = await feed.listen('wal_1', { signal: new AbortController().signal });
  expect(await listener.take(1)).toEqual({ events: [], hasLost: false });
  listener.stop();
  expect(feed.countListeners()).toBe(0);
});
