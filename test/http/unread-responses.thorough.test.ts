import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import type { App } from '../../src/http/app-type.ts';
import type { Credential } from '../../src/http/auth/access.ts';
import { createServer } from '../../src/http/server.ts';

/** Larger than the socket buffers of the operating system. */
const LARGE = 'x'.repeat(40_000_000);
const opened: { app?: App; sockets: Socket[] } = { sockets: [] };

afterEach(async () => {
  for (const socket of opened.sockets.splice(0)) socket.destroy();
  await opened.app?.close();
});

async function serve(maxUnsentBytes: number, idleTimeoutMs = 60_000) {
  let begun = 0;
  const register = (app: App) => {
    app.addHook('onSend', async (_request, _reply, payload) => {
      if (payload === LARGE) begun += 1;
    });
    // Every key is valid.
    app.addHook('onRequest', async (request) => {
      const text = String(request.headers['x-api-key']);
      request.credential = { text, key: { accountId: text } } as Credential;
    });
    app.get('/v1/large', (_request, reply) => reply.type('application/octet-stream').send(LARGE));
    app.get('/v1/small', (_request, reply) => reply.type('text/plain').send('small'));
    app.post('/v1/large', (_request, reply) => reply.type('application/octet-stream').send(LARGE));
  };
  const app = createServer(pino({ level: 'silent' }), register, { maxUnsentBytes, idleTimeoutMs });
  await app.listen({ host: '127.0.0.1', port: 0 });
  opened.app = app;
  const { port } = app.server.address() as AddressInfo;
  const connections: Socket[] = [];
  app.server.on('connection', (socket) => connections.push(socket));

  /** Sends a request and reads nothing of its response. @returns when the service has closed the connection */
  async function neglect(key: string, method = 'GET'): Promise<{ socket: Socket; closed: Promise<string> }> {
    const socket = connect(port, '127.0.0.1').on('error', () => undefined);
    opened.sockets.push(socket);
    await once(socket, 'connect');
    const accepted = () => connections.find(({ remotePort }) => remotePort === socket.localPort);
    await expect.poll(accepted).toBeDefined();
    const closed = new Promise<string>((resolve) => accepted()?.once('close', () => resolve('closed')));
    socket.pause();
    const before = begun;
    socket.write(`${method} /v1/large HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${key}\r\nContent-Length: 0\r\n\r\n`);
    await expect.poll(() => begun).toBe(before + 1);
    return { socket, closed };
  }

  async function request(path: string, key: string, method = 'GET'): Promise<number> {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { 'x-api-key': key } });
    await response.text();
    return response.status;
  }
  return { neglect, request };
}

it('rejects reads of a key with too many unread bytes, until it reads them or disconnects', async () => {
  const { neglect, request } = await serve(50_000_000);
  const { socket } = await neglect('sak_one');
  expect(await request('/v1/large', 'sak_one')).toBe(429);
  // Small responses fit, another key is not affected, and a request that changes something succeeds.
  expect(await request('/v1/small', 'sak_one')).toBe(200);
  expect(await request('/v1/large', 'sak_two')).toBe(200);
  expect(await request('/v1/large', 'sak_one', 'POST')).toBe(200);
  socket.destroy();
  await expect.poll(() => request('/v1/large', 'sak_one')).toBe(200);
});

it('sends a single response of any size', async () => {
  const { request } = await serve(1_000_000);
  expect(await request('/v1/large', 'sak_one')).toBe(200);
  expect(await request('/v1/large', 'sak_one')).toBe(200);
});

it('drops the oldest unread response when all callers together exceed the limit', async () => {
  const { neglect } = await serve(10_000_000);
  const oldest = await neglect('sak_one');
  await neglect('sak_two');
  expect(await oldest.closed).toBe('closed');
});

it('never drops the response of a request that changed something', async () => {
  const { neglect } = await serve(10_000_000);
  const changed = await neglect('sak_one', 'POST');
  const read = await neglect('sak_two');
  await neglect('sak_three');
  expect(await Promise.race([changed.closed.then(() => 'changed'), read.closed.then(() => 'read')])).toBe('read');
});

it('closes a connection whose client reads nothing of a response', async () => {
  const { neglect } = await serve(100_000_000, 100);
  const { closed } = await neglect('sak_one');
  expect(await closed).toBe('closed');
});
