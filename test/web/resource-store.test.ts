import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Event } from '../../client/satchel.js';
import { createResourceStore, type ResourceUser } from '../../web/src/api/resource-store.ts';

const EVENT_DELAY_MS = 150;
const STALLED_MS = 15_000;
const event = (name: string) => ({ event: { name } }) as Event;
const isNamed = (name: string) => (happened: Event) => happened.event.name === name;

let isVisible = true;
let errors: unknown[] = [];

beforeEach(() => {
  vi.useFakeTimers();
  isVisible = true;
  errors = [];
});
afterEach(() => {
  vi.useRealTimers();
});

function newStore() {
  return createResourceStore({ onError: (error) => errors.push(error), isVisible: () => isVisible });
}

/** A server whose requests wait until the test answers them. */
function newServer() {
  const requests: { signal: AbortSignal; answer: (data: unknown) => Promise<void>; fail: (error: unknown) => Promise<void> }[] = [];
  const load = (signal: AbortSignal) => {
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const settle = async (end: () => void) => {
      end();
      await vi.advanceTimersByTimeAsync(0);
    };
    requests.push({ signal, answer: (data) => settle(() => resolve(data)), fail: (error) => settle(() => reject(error)) });
    return promise;
  };
  const request = (index: number) => requests[index] ?? expect.fail(`there is no request ${index}`);
  return { load, request, count: () => requests.length };
}

function newUser(load: ResourceUser['load'], options: Partial<ResourceUser> = {}): ResourceUser & { changes: () => number } {
  const onChange = vi.fn();
  return { load, onChange, changes: () => onChange.mock.calls.length, ...options };
}

describe('a resource', () => {
  it('is loaded with one request for several components, and each shows it', async () => {
    const [store, server] = [newStore(), newServer()];
    const [a, b] = [newUser(server.load), newUser(server.load)];
    store.use('wallets', a);
    store.use('wallets', b);
    expect(server.count()).toBe(1);
    expect(store.read('wallets')).toMatchObject({ isLoading: true });
    const before = b.changes();
    await server.request(0).answer(['one']);
    expect(store.read('wallets')).toMatchObject({ data: ['one'], isLoading: false, loadedAt: Date.now() });
    expect(b.changes()).toBeGreaterThan(before);
    expect(a.changes()).toBeGreaterThanOrEqual(b.changes());
  });

  it('keeps its request when one of two components is gone, whichever began it', async () => {
    const [store, server] = [newStore(), newServer()];
    const leave = store.use('wallets', newUser(server.load));
    const stays = newUser(server.load);
    const leaveSecond = store.use('wallets', newUser(server.load));
    store.use('wallets', stays);
    leave();
    leaveSecond();
    expect(server.request(0).signal.aborted).toBe(false);
    await server.request(0).answer(1);
    expect(store.read('wallets').data).toBe(1);
    store.reload('wallets');
    expect(server.count()).toBe(2);
  });

  it('is loaded at most twice a second while many events arrive, and once more after the last one', async () => {
    const store = newStore();
    const requested: { key: string; at: number }[] = [];
    const keys = ['wallet', 'transactions', 'sum'];
    for (const key of keys) {
      const load = async () => requested.push({ key, at: Date.now() });
      store.use(key, newUser(load, { isAffected: isNamed('wallet_receive') }));
    }
    await vi.advanceTimersByTimeAsync(5000);
    requested.length = 0;
    let lastEvent = 0;
    for (let count = 0; count < 200; count++) {
      await vi.advanceTimersByTimeAsync(100);
      lastEvent = Date.now();
      store.receive(event('wallet_receive'));
    }
    expect(requested.length).toBeLessThanOrEqual(40);
    await vi.advanceTimersByTimeAsync(5000);
    for (const key of keys) expect(requested.filter((one) => one.key === key && one.at > lastEvent).length).toBeGreaterThan(0);
    const atOnce = requested.length;
    store.receive(event('wallet_receive'));
    await vi.advanceTimersByTimeAsync(EVENT_DELAY_MS);
    expect(requested).toHaveLength(atOnce + keys.length);
  });

  it('aborts its request when the last component is gone, without an error', async () => {
    const [store, server] = [newStore(), newServer()];
    const leave = store.use('wallets', newUser(server.load));
    leave();
    expect(server.request(0).signal.aborted).toBe(true);
    await server.request(0).fail(server.request(0).signal.reason);
    expect(store.read('wallets')).toEqual({ isLoading: false });
    expect(errors).toEqual([]);
  });

  it('is loaded again when a component shows it later, which shows the old data until then', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('wallets', newUser(server.load))();
    const leave = store.use('wallets', newUser(server.load));
    await server.request(1).answer('old');
    leave();
    store.use('wallets', newUser(server.load));
    expect(store.read('wallets')).toMatchObject({ data: 'old', isLoading: true });
    await server.request(2).answer('new');
    expect(store.read('wallets').data).toBe('new');
  });

  it('keeps its data after a failure, and forgets the failure after a success', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('wallets', newUser(server.load));
    await server.request(0).answer(1);
    store.reload('wallets');
    const failure = new TypeError('Failed to fetch');
    await server.request(1).fail(failure);
    expect(store.read('wallets')).toMatchObject({ data: 1, error: failure, isLoading: false });
    expect(errors).toEqual([failure]);
    store.reload('wallets');
    await server.request(2).answer(2);
    expect(store.read('wallets')).toEqual({ data: 2, loadedAt: Date.now(), isLoading: false });
  });

  it('is loaded once more when it changed during a request, however often', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('wallets', newUser(server.load));
    store.reload('wallets');
    store.reload('wallets');
    expect(server.count()).toBe(1);
    await server.request(0).answer('before the change');
    expect(server.count()).toBe(2);
    await server.request(1).answer('after the change');
    expect(store.read('wallets').data).toBe('after the change');
    expect(server.count()).toBe(2);
  });

  it('does not wait for a request that has probably lost its connection', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('wallets', newUser(server.load));
    vi.advanceTimersByTime(STALLED_MS);
    store.reload('wallets');
    expect(server.request(0).signal.aborted).toBe(true);
    await server.request(1).answer('new');
    await server.request(0).answer('old');
    expect(store.read('wallets').data).toBe('new');
  });

  it('is loaded by the newest of its components', async () => {
    const [store, old, present] = [newStore(), newServer(), newServer()];
    store.use('wallets', newUser(old.load));
    await old.request(0).answer(1);
    store.use('wallets', newUser(present.load));
    expect([old.count(), present.count()]).toEqual([1, 1]);
  });
});

describe('an event', () => {
  it('loads what it affects, once for several events and components', async () => {
    const [store, server, other] = [newStore(), newServer(), newServer()];
    for (let users = 0; users < 2; users += 1) store.use('alerts', newUser(server.load, { isAffected: isNamed('alert_raised') }));
    store.use('keys', newUser(other.load, { isAffected: isNamed('key_created') }));
    await server.request(0).answer(0);
    await other.request(0).answer(0);
    store.receive(event('alert_raised'));
    store.receive(event('alert_raised'));
    vi.advanceTimersByTime(EVENT_DELAY_MS);
    expect([server.count(), other.count()]).toEqual([2, 1]);
  });

  it('during a request loads again after it, because the request may have read the old state', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('alerts', newUser(server.load, { isAffected: () => true }));
    store.receive(event('alert_raised'));
    vi.advanceTimersByTime(EVENT_DELAY_MS);
    expect(server.count()).toBe(1);
    await server.request(0).answer('old');
    expect(server.count()).toBe(2);
  });

  it('loads nothing that no component shows', async () => {
    const [store, server] = [newStore(), newServer()];
    const leave = store.use('alerts', newUser(server.load, { isAffected: () => true }));
    await server.request(0).answer(0);
    store.receive(event('alert_raised'));
    leave();
    store.receive(event('alert_raised'));
    store.reloadAll();
    store.reload('alerts');
    vi.advanceTimersByTime(EVENT_DELAY_MS);
    expect(server.count()).toBe(1);
  });
});

describe('missed events', () => {
  it('load everything that is shown again, also what is being loaded', async () => {
    const [store, loaded, loading] = [newStore(), newServer(), newServer()];
    store.use('wallets', newUser(loaded.load));
    store.use('keys', newUser(loading.load));
    await loaded.request(0).answer(1);
    store.reloadAll();
    await loading.request(0).answer('maybe old');
    expect([loaded.count(), loading.count()]).toEqual([2, 2]);
  });
});

describe('an interval', () => {
  it('is the shortest of all components, and loads only while the tab is visible and no request waits', async () => {
    const [store, server] = [newStore(), newServer()];
    store.use('nodes', newUser(server.load, { everyMs: 10_000 }));
    const leave = store.use('nodes', newUser(server.load, { everyMs: 1_000 }));
    vi.advanceTimersByTime(3_000);
    expect(server.count()).toBe(1);
    await server.request(0).answer(0);
    vi.advanceTimersByTime(1_000);
    expect(server.count()).toBe(2);
    await server.request(1).answer(0);
    isVisible = false;
    vi.advanceTimersByTime(5_000);
    expect(server.count()).toBe(2);
    isVisible = true;
    leave();
    vi.advanceTimersByTime(9_999);
    expect(server.count()).toBe(2);
    vi.advanceTimersByTime(1);
    expect(server.count()).toBe(3);
  });

  it('follows a change of a component', async () => {
    const [store, server] = [newStore(), newServer()];
    const user = newUser(server.load);
    store.use('nodes', user);
    await server.request(0).answer(0);
    user.everyMs = 1_000;
    store.schedule('nodes');
    vi.advanceTimersByTime(1_000);
    expect(server.count()).toBe(2);
  });
});

describe('the end of a session', () => {
  it('forgets all data, and what is still being loaded', async () => {
    const [store, server] = [newStore(), newServer()];
    const user = newUser(server.load);
    store.use('wallets', user);
    await server.request(0).answer('of the old account');
    store.reload('wallets');
    store.clear();
    expect(store.read('wallets')).toEqual({ isLoading: false });
    await server.request(1).answer('of the old account, late');
    expect(store.read('wallets')).toEqual({ isLoading: false });
    store.reload('wallets');
    await server.request(2).answer('of the new account');
    expect(store.read('wallets').data).toBe('of the new account');
  });
});

it('the data of the hundred resources that were used last is kept', async () => {
  const store = newStore();
  for (let index = 0; index < 120; index += 1) {
    const leave = store.use(
      `wallet ${index}`,
      newUser(async () => index),
    );
    await vi.advanceTimersByTimeAsync(0);
    leave();
  }
  expect(store.read('wallet 19').data).toBeUndefined();
  expect(store.read('wallet 20').data).toBe(20);
  expect(store.read('wallet 119').data).toBe(119);
});
