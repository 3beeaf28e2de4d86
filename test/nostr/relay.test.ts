import { createHash } from 'node:crypto';
import { afterEach, expect, it, vi } from 'vitest';
import { type DevnetRelay, type RelayBehavior, startRelay } from '../../devnet/relay.ts';
import { createNostrCrypto } from '../../src/core/nostr/crypto-pool.ts';
import { type NostrEvent, publicKeyOf, signEvent } from '../../src/core/nostr/event.ts';
import { connectRelay, type Relay, type RelayFilter, type RelayOptions, RelayUnavailable } from '../../src/core/nostr/relay.ts';
import { freePort } from '../support/free-port.ts';

const SECRET = new Uint8Array(32).fill(1);
const TIMING = {
  connectMs: 2000,
  answerMs: 300,
  storedMs: 60_000,
  maxMessages: 2000,
  busyMs: 1000,
  idleMs: 60_000,
  minBackoffMs: 10,
  maxBackoffMs: 40,
};
const KEY_BYTES = 64;

const closers: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startTestRelay(behavior: Partial<RelayBehavior> = {}): Promise<DevnetRelay> {
  const relay = await startRelay({ port: await freePort(), ...behavior });
  closers.push(() => relay.stop());
  return relay;
}

interface TestConnection {
  readonly relay: Relay;
  readonly log: string[];
  stop(): Promise<void>;
}

function connect(relay: DevnetRelay, options: Partial<RelayOptions> = {}): TestConnection {
  const stop = new AbortController();
  const log: string[] = [];
  const write = (fields: object, message: string) => log.push(`${message} ${JSON.stringify(fields)}`);
  const connected = connectRelay({
    url: relay.url,
    signal: stop.signal,
    log: { info: write, warn: write, error: write },
    ...options,
    timing: { ...TIMING, ...options.timing },
  });
  const end = () => {
    stop.abort();
    return connected.ended;
  };
  closers.push(end);
  return { relay: connected, log, stop: end };
}

/** Subscribes, and records the contents of events and how often all stored events have arrived. */
function follow({ relay }: TestConnection, filters: () => readonly RelayFilter[] = () => [{ kinds: [1] }]) {
  const contents: string[] = [];
  const record = { contents, stored: 0 };
  const subscription = relay.subscribe({
    filters,
    onEvent: ({ content }) => contents.push(content),
    onStored: () => {
      record.stored += 1;
    },
  });
  return { record, subscription };
}

function until(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 150_000, interval: 5 });
}

let time = 1_700_000_000;

function note(content: string, tags: readonly (readonly string[])[] = []): NostrEvent {
  time += 1;
  return signEvent({ kind: 1, created_at: time, tags, content }, SECRET);
}

function key(index: number): string {
  return index.toString(16).padStart(KEY_BYTES, '0');
}

it('delivers stored events, then new ones, and publishes', async () => {
  const server = await startTestRelay();
  server.store(note('stored'));
  const connection = connect(server);
  const { record, subscription } = follow(connection);
  expect(subscription.isActive).toBe(false);
  await until(() => expect(record).toEqual({ contents: ['stored'], stored: 1 }));
  expect(subscription.isActive).toBe(true);
  expect(await connection.relay.publish(note('new'))).toEqual({ accepted: true, message: '' });
  expect(record.contents).toEqual(['stored', 'new']);
  subscription.end();
  await connection.relay.publish(note('after the end'));
  expect(record.contents).toEqual(['stored', 'new']);
  expect(server.requests()).toEqual([]);
});

it('connects again after a restart of the relay, and renews its subscriptions with new filters', async () => {
  const server = await startTestRelay();
  const connection = connect(server);
  let since = 0;
  const { record } = follow(connection, () => [{ kinds: [1], since }]);
  await until(() => expect(record.stored).toBe(1));
  await server.stop();
  await until(() => expect(connection.relay.status()).toMatchObject({ connected: false, lastError: expect.any(String) }));
  await expect(connection.relay.publish(note('lost'))).rejects.toThrow(RelayUnavailable);
  server.store(note('while it was away'));
  since = 5;
  await server.start();
  await until(() => expect(record).toEqual({ contents: ['while it was away'], stored: 2 }));
  expect(server.requests()).toEqual([[{ kinds: [1], since: 5 }]]);
  expect(connection.relay.status().connected).toBe(true);
});

it('logs a loss once, and not each attempt to connect', async () => {
  const server = await startTestRelay();
  const connection = connect(server);
  await until(() => expect(connection.relay.status().connected).toBe(true));
  await server.stop();
  const lost = () => connection.log.filter((line) => line.startsWith('a relay is not connected'));
  await until(() => expect(lost()).toHaveLength(1));
  await server.start();
  await until(() => expect(connection.relay.status().connected).toBe(true));
  expect(lost()).toHaveLength(1);
});

it('tries to connect until the relay is there', async () => {
  const server = await startTestRelay();
  await server.stop();
  const connection = connect(server);
  const { record } = follow(connection);
  await until(() => expect(connection.relay.status().lastError).toContain('ECONNREFUSED'));
  await server.start();
  await until(() => expect(record.stored).toBe(1));
});

it('connects again when the relay stalls', async () => {
  const server = await startTestRelay();
  const connection = connect(server, { timing: { idleMs: 30, answerMs: 100, storedMs: 500 } });
  const { record } = follow(connection);
  await until(() => expect(record.stored).toBe(1));
  server.behavior.isStalled = true;
  await until(() => expect(connection.relay.status().lastError).toContain('sends no messages'));
  server.behavior.isStalled = false;
  await until(() => expect(record.stored).toBeGreaterThan(1));
  expect(connection.relay.status().connected).toBe(true);
});

it('keeps a silent connection whose relay answers', async () => {
  const server = await startTestRelay();
  const connection = connect(server, { timing: { idleMs: 10, answerMs: 30_000 } });
  const { record } = follow(connection);
  await until(() => expect(server.messageCount).toBeGreaterThan(20));
  expect(server.connectionCount).toBe(1);
  expect(record.stored).toBe(1);
  expect(server.requests().length).toBeLessThan(3);
});

it('returns the reason of a relay that refuses an event', async () => {
  const server = await startTestRelay({ refuseEvents: 'rate-limited: slow\u202e down\n' });
  const connection = connect(server);
  await until(() => expect(connection.relay.status().connected).toBe(true));
  expect(await connection.relay.publish(note('x'))).toEqual({ accepted: false, message: 'rate-limited: slow down' });
  server.behavior.refuseEvents = undefined;
  const forged = { ...note('x'), content: 'y' };
  expect(await connection.relay.publish(forged)).toMatchObject({ accepted: false, message: expect.stringContaining('invalid:') });
});

it('rejects a publication without an answer, and one whose connection ends', async () => {
  const server = await startTestRelay({ sendsNoOk: true });
  const connection = connect(server);
  await until(() => expect(connection.relay.status().connected).toBe(true));
  await expect(connection.relay.publish(note('unanswered'))).rejects.toThrow(RelayUnavailable);
  const pending = connection.relay.publish(note('cut off'));
  await until(() => expect(server.events).toHaveLength(2));
  server.disconnectAll();
  await expect(pending).rejects.toThrow('the connection to the relay ended');
});

it('publishes an event once although it is published twice at the same time', async () => {
  const server = await startTestRelay();
  const connection = connect(server);
  await until(() => expect(connection.relay.status().connected).toBe(true));
  const event = note('once');
  const results = await Promise.all([connection.relay.publish(event), connection.relay.publish(event)]);
  expect(results).toEqual([
    { accepted: true, message: '' },
    { accepted: true, message: '' },
  ]);
  expect(server.messageCount).toBe(1);
});

it('connects again after a relay has closed a subscription', async () => {
  const server = await startTestRelay({ refuseRequests: 'error: shutting down' });
  const connection = connect(server);
  const { record } = follow(connection);
  await until(() => expect(connection.relay.status().lastError).toContain('error: shutting down'));
  expect(record.stored).toBe(0);
  server.behavior.refuseRequests = undefined;
  await until(() => expect(record.stored).toBe(1));
});

it('authenticates with each key when the relay requires it', async () => {
  const crypto = createNostrCrypto();
  closers.push(() => crypto.close());
  const server = await startTestRelay({ requiresAuth: true });
  server.store(note('stored'));
  const keys = [1, 2, 3].map((byte) => new Uint8Array(32).fill(byte));
  const connection = connect(server, { authentication: { crypto, keys: () => keys }, timing: { answerMs: 10_000 } });
  const { record } = follow(connection);
  await until(() => expect(record.stored).toBe(1));
  expect(new Set(server.authenticated)).toEqual(new Set(keys.map(publicKeyOf)));
  expect(await connection.relay.publish(note('new'))).toMatchObject({ accepted: true });
  expect(record.contents).toEqual(['stored', 'new']);
  expect(server.connectionCount).toBe(1);
});

it('publishes to a relay that requires authentication', async () => {
  const crypto = createNostrCrypto();
  closers.push(() => crypto.close());
  const server = await startTestRelay({ requiresAuth: true });
  const connection = connect(server, { authentication: { crypto, keys: () => [SECRET] }, timing: { answerMs: 10_000 } });
  await until(() => expect(connection.relay.status().connected).toBe(true));
  expect(await connection.relay.publish(note('x'))).toMatchObject({ accepted: true });
});

it('does not authenticate where it is not required', async () => {
  const server = await startTestRelay({ requiresAuth: true });
  const connection = connect(server);
  await until(() => expect(connection.relay.status().connected).toBe(true));
  expect(await connection.relay.publish(note('x'))).toMatchObject({ accepted: false, message: expect.stringContaining('auth-required:') });
  follow(connection);
  await until(() => expect(connection.relay.status().lastError).toContain('auth-required:'));
  expect(server.authenticated).toEqual([]);
});

it('divides thousands of keys into requests that relays accept, and sends only the changed ones again', async () => {
  const server = await startTestRelay();
  const connection = connect(server);
  const keys = Array.from({ length: 2500 }, (_, index) => key(index));
  let since = 0;
  const { record, subscription } = follow(connection, () => [{ kinds: [1], '#p': keys, since }]);
  await until(() => expect(record.stored).toBe(1));
  const asked = () => server.requests().flat();
  expect(asked().flatMap((filter) => filter['#p'] ?? [])).toEqual(keys);
  expect(Math.max(...asked().map((filter) => filter['#p']?.length ?? 0))).toBeLessThanOrEqual(500);
  const sent = server.messageCount;
  expect(sent).toBe(server.requests().length);
  keys.push(key(2500));
  since = 9;
  subscription.renew();
  await until(() => expect(record.stored).toBe(2));
  expect(server.messageCount).toBe(sent + 1);
  server.store(note('for the new key', [['p', key(2500)]]));
  await until(() => expect(record.contents).toEqual(['for the new key']));
  keys.splice(300);
  subscription.renew();
  await until(() => expect(asked().flatMap((filter) => filter['#p'] ?? [])).toEqual(keys));
});

it('passes on each delivery of an event, and only events whose form is valid', async () => {
  const server = await startTestRelay({ deliversTwice: true });
  const connection = connect(server);
  const { record } = follow(connection);
  await until(() => expect(record.stored).toBe(1));
  const malformed = { ...note('malformed'), tags: [[]] };
  server.store(malformed);
  server.store(note('valid'));
  await until(() => expect(record.contents).toEqual(['valid', 'valid']));
});

it('reads a flood of events in parts, and loses none', async () => {
  const server = await startTestRelay();
  const contents = Array.from({ length: 300 }, (_, index) => `${index} ${'x'.repeat(3000)}`);
  const event = note('');
  for (const content of contents) server.store({ ...event, id: createHash('sha256').update(content).digest('hex'), content });
  const connection = connect(server, { timing: { maxMessages: 10, busyMs: 5 } });
  const { record } = follow(connection);
  await until(() => expect(record.stored).toBe(1));
  expect(record.contents).toEqual(contents);
  expect(server.connectionCount).toBe(1);
});

it('ends when its signal aborts, and rejects what is not answered', async () => {
  const server = await startTestRelay({ sendsNoOk: true });
  const connection = connect(server, { timing: { answerMs: 60_000 } });
  await until(() => expect(connection.relay.status().connected).toBe(true));
  const pending = connection.relay.publish(note('x'));
  await Promise.all([expect(pending).rejects.toThrow(RelayUnavailable), connection.stop()]);
  await expect(connection.relay.publish(note('y'))).rejects.toThrow(RelayUnavailable);
});

it.each(['https://relay.example', 'relay.example', ''])('refuses the URL "%s"', (url) => {
  expect(() => connect({ url } as DevnetRelay)).toThrow(TypeError);
});
