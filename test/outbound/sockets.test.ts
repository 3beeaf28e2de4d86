import type { AddressInfo } from 'node:net';
import { createServer, type Server } from 'node:net';
import { afterEach, expect, it } from 'vitest';
import { closeListeners, createWorld, failure, listen, listenTls, PUBLIC, trustTestAuthority } from './world.ts';

closeListeners();
trustTestAuthority();

const servers: Server[] = [];

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

/** Starts a server that sends a text to each connection, and ends it. */
async function greeter(): Promise<number> {
  const server = createServer((socket) => socket.on('error', () => undefined).end('hello'));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const neverCalled = async (): Promise<never> => {
  throw new Error('the task was called');
};

it('passes a connection to a public host to the task over TLS, and closes it after the task', async () => {
  const internet = await listenTls(() => undefined);
  const { outbound, sockets, connected } = createWorld({ names: { 'pay.test': [[PUBLIC]] }, internet });
  expect(await outbound.withSocket('wss://pay.test/path', {}, async (socket) => socket.writable)).toBe(true);
  expect(connected).toEqual([{ addresses: [PUBLIC], port: 443 }]);
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true]);
});

it('refuses a server whose certificate is for another host', async () => {
  const internet = await listenTls(() => undefined);
  const { outbound } = createWorld({ names: { 'other.example': [[PUBLIC]] }, internet });
  expect(await failure(outbound.withSocket('wss://other.example', {}, neverCalled))).toMatchObject({ reason: 'no_valid_response' });
});

it.each(['127.0.0.1', '10.0.0.1', '169.254.169.254', '::1'])('L2: does not connect to a name that resolves to %s', async (address) => {
  const { outbound, connected } = createWorld({ names: { 'relay.test': [[PUBLIC, address]] } });
  expect(await failure(outbound.withSocket('wss://relay.test', {}, neverCalled))).toMatchObject({ reason: 'no_valid_response' });
  expect(connected).toEqual([]);
});

it.each([
  'ws://relay.test',
  'ws://127.0.0.1',
  'https://relay.test',
  'http://relay.test',
  'relay.test',
  'wss://relay.test:22',
  'wss://u:p@relay.test',
])('does not connect to %s', async (url) => {
  const { outbound, connected, resolved } = createWorld({ names: { 'relay.test': [[PUBLIC]] } });
  expect(await failure(outbound.withSocket(url, {}, neverCalled))).toMatchObject({ reason: 'invalid_url' });
  expect([connected, resolved]).toEqual([[], []]);
});

it('connects to an allowed host without TLS', async () => {
  const port = await greeter();
  const { outbound } = createWorld({ allow: `127.0.0.1:${port}` });
  const text = await outbound.withSocket(`ws://127.0.0.1:${port}`, {}, async (socket) => (await socket.toArray()).join(''));
  expect(text).toBe('hello');
});

it('O1: rejects with the same error for a task that fails and for one that takes too long', async () => {
  const { port } = await listen(() => undefined);
  const { outbound, sockets } = createWorld({ allow: '127.0.0.0/8' });
  const url = `ws://127.0.0.1:${port}`;
  const failed = outbound.withSocket(url, {}, async () => Promise.reject(new Error('unexpected')));
  expect(await failure(failed)).toMatchObject({ name: 'OutboundError', reason: 'no_valid_response' });
  const late = outbound.withSocket(url, { timeoutMs: 20 }, (socket, signal) =>
    new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))).finally(() => socket.destroy()),
  );
  expect(await failure(late)).toMatchObject({ reason: 'timed_out' });
  expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
});
