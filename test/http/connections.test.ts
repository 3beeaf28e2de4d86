import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { type ConnectionName, limitConnectionsPerAddress, remoteNetwork } from '../../src/http/limits/connections.ts';
import { createServer as createSatchelServer } from '../../src/http/server.ts';

const open: { port: number; sockets: Socket[]; close?: () => unknown } = { port: 0, sockets: [] };
afterEach(async () => {
  for (const socket of open.sockets.splice(0)) socket.destroy();
  await open.close?.();
});

async function listen(most: number, owner: ConnectionName): Promise<void> {
  const server = createServer((_request, response) => response.end('here'));
  limitConnectionsPerAddress(server, most, owner);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  Object.assign(open, { port: (server.address() as AddressInfo).port, close: () => server.close() });
}

/** Opens a connection. Returns it with a function that sends a request on it; undefined instead of a response when it was closed. */
function connected() {
  const socket = connect(open.port, '127.0.0.1');
  open.sockets.push(socket);
  return {
    socket,
    request: () =>
      new Promise<string>((resolve) => {
        socket.on('error', () => resolve('')).once('close', () => resolve(''));
        socket.once('data', (data) => resolve(String(data)));
        socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      }),
  };
}

it('limits the connections of one address, accepts other addresses, and accepts it again when it has closed one', async () => {
  let owner: string | undefined = 'one';
  await listen(3, () => owner);
  const first = [connected(), connected(), connected()] as const;
  for (const { request } of first) expect(await request()).toContain('200 OK');
  expect(await connected().request()).toBe('');
  owner = 'another';
  expect(await connected().request()).toContain('200 OK');
  owner = 'one';
  // It stays rejected however often it tries: a rejected connection is not counted when it opens or closes.
  for (let i = 0; i < 5; i++) expect(await connected().request()).toBe('');
  first[0].socket.destroy();
  await expect.poll(() => connected().request()).toContain('200 OK');
  expect(await first[1].request()).toContain('200 OK');
});

it('counts an IPv6 network as one address, and local connections not at all', () => {
  const owner = (remoteAddress: string | undefined) => remoteNetwork({ remoteAddress });
  expect(owner('203.0.113.1')).not.toBe(owner('203.0.113.2'));
  expect(owner('2001:db8:0:1::1')).toBe(owner('2001:db8:0:1:ffff::2'));
  expect(owner('2001:db8:0:1::1')).not.toBe(owner('2001:db8:0:2::1'));
  expect(owner('::ffff:203.0.113.1')).not.toBe(owner('::ffff:203.0.113.2'));
  for (const local of ['127.0.0.1', '127.3.2.1', '::1', '::ffff:127.0.0.1', undefined]) expect(owner(local)).toBeUndefined();
  expect(owner('::1:2')).toBeDefined();
});

it('closes a connection without a complete request, and sends the error object if one has begun', async () => {
  const app = createSatchelServer(pino({ level: 'silent' }), () => undefined, { headersTimeoutMs: 100 });
  await app.listen({ host: '127.0.0.1', port: 0 });
  Object.assign(open, { port: (app.server.address() as AddressInfo).port, close: app.close });
  expect(await text(connected().socket)).toBe('');
  const { socket } = connected();
  socket.write('GET /v1/wallets HTTP/1.1\r\nHost: x\r\n');
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"type":"malformed_body"/s);
});
