import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { Agent, createServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TLSSocket } from 'node:tls';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NotSent, requestOverHttps } from '../../src/core/lightning/https-request.ts';
import { freePort } from '../support/free-port.ts';
import { fixtureFile } from './lnd/recordings.ts';

const [cert, key] = ['tls.cert', 'tls.key'].map((name) => readFileSync(fixtureFile(name)));
const NEVER = new AbortController().signal;

/** Listens until the test has finished. */
async function listen(server: Server): Promise<number> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Returns a function that sends requests to a port over connections that are used again. */
function sender(port: number, maxSockets = Number.POSITIVE_INFINITY) {
  const agent = new Agent({ keepAlive: true, maxSockets, checkServerIdentity: () => undefined });
  onTestFinished(() => agent.destroy());
  const options = { host: '127.0.0.1', port, agent, ca: cert, method: 'POST', path: '/' };
  const send = (body: string, signal = NEVER) => requestOverHttps(options, body, signal);
  return Object.assign(send, { freeSockets: () => Object.values(agent.freeSockets).flat() as TLSSocket[] });
}

type Send = ReturnType<typeof sender>;

/** Aborts a request before it gets a connection, and returns the connection, which another request may use. */
async function connectionOfAborted(send: Send): Promise<TLSSocket> {
  const abort = new AbortController();
  const rejected = rejection(send('aborted', abort.signal));
  abort.abort();
  expect(await rejected).toBeInstanceOf(NotSent);
  await expect.poll(() => send.freeSockets()).toHaveLength(1);
  return send.freeSockets()[0] as TLSSocket;
}

function rejection(request: Promise<unknown>): Promise<Error> {
  return request.then(
    () => Promise.reject(new Error('it was answered')),
    (error) => error,
  );
}

describe('a request over HTTPS', () => {
  it('was not sent if no program listens', async () => {
    const error = await rejection(sender(await freePort())('hello'));
    expect(error).toBeInstanceOf(NotSent);
    expect(error).toMatchObject({ cause: { code: 'ECONNREFUSED' } });
  });

  it('was not sent if the certificate is another one', async () => {
    let requests = 0;
    const port = await listen(createServer({ cert, key }, () => (requests += 1)));
    const agent = new Agent();
    const request = requestOverHttps({ host: '127.0.0.1', port, agent, method: 'POST', path: '/' }, 'hello', NEVER);
    expect(await rejection(request)).toBeInstanceOf(NotSent);
    expect(requests).toBe(0);
  });

  it('was not sent if the signal aborts before the TLS handshake has ended, and the error has its reason', async () => {
    let received = '';
    const port = await listen(createTcpServer((socket) => socket.on('data', (data) => (received += data))));
    const abort = new AbortController();
    const request = sender(port)('hello', abort.signal);
    const rejected = rejection(request);
    await expect.poll(() => received.length).toBeGreaterThan(0);
    abort.abort(new Error('the time is up'));
    const error = await rejected;
    expect(error).toBeInstanceOf(NotSent);
    expect(error.message).toBe('the time is up');
    expect(received).not.toContain('hello');
  });

  it('was not sent if the signal has aborted before', async () => {
    let requests = 0;
    const port = await listen(createServer({ cert, key }, () => (requests += 1)));
    expect(await rejection(sender(port)('hello', AbortSignal.abort()))).toBeInstanceOf(NotSent);
    expect(requests).toBe(0);
  });

  it('may have been sent if the connection breaks after the TLS handshake', async () => {
    const server = createServer({ cert, key });
    server.on('secureConnection', (socket) => socket.destroy());
    expect(await rejection(sender(await listen(server))('hello'))).not.toBeInstanceOf(NotSent);
  });

  it('may have been sent if the signal aborts while it waits for the response', async () => {
    const received = Promise.withResolvers<string>();
    const send = sender(await listen(createServer({ cert, key }, (request) => received.resolve(text(request)))));
    const abort = new AbortController();
    const rejected = rejection(send('hello', abort.signal));
    expect(await received.promise).toBe('hello');
    abort.abort(new Error('the time is up'));
    const error = await rejected;
    expect(error).not.toBeInstanceOf(NotSent);
    expect(error.message).toBe('the time is up');
  });

  it('may have been sent if a connection that was used before breaks', async () => {
    let answered = 0;
    const server = createServer({ cert, key }, (request, response) => {
      if (answered > 0) request.socket.destroy();
      else response.end('hello');
      answered += 1;
    });
    const send = sender(await listen(server));
    expect(await text(await send('first'))).toBe('hello');
    expect(await rejection(send('second'))).not.toBeInstanceOf(NotSent);
  });

  it('may have been sent if it waited for the connection of another one, which then breaks', async () => {
    let received = 0;
    const server = createServer({ cert, key }, (request, response) => {
      if (received > 0) request.socket.destroy();
      else response.end('hello');
      received += 1;
    });
    const send = sender(await listen(server), 1);
    const first = send('first');
    const second = rejection(send('second'));
    expect(await text(await first)).toBe('hello');
    expect(await second).not.toBeInstanceOf(NotSent);
    expect(received).toBe(2);
  });

  it('may have been sent if it used the connection of one that was aborted before connecting, and it then breaks', async () => {
    const server = createServer({ cert, key }, (request) => request.socket.destroy());
    const send = sender(await listen(server));
    const socket = await connectionOfAborted(send);
    await expect.poll(() => socket.authorized).toBe(true);
    expect(await rejection(send('hello'))).not.toBeInstanceOf(NotSent);
  });

  it('may take longer than connecting if it uses the connection of one that was aborted before connecting', async () => {
    const received = Promise.withResolvers<ServerResponse>();
    const server = createServer({ cert, key }, (_, response) => received.resolve(response));
    const send = sender(await listen(server));
    const socket = await connectionOfAborted(send);
    await expect.poll(() => socket.authorized).toBe(true);
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const sent = send('hello');
    const response = await received.promise;
    expect(send.freeSockets()).toEqual([]);
    vi.advanceTimersByTime(60_000);
    response.end('paid');
    expect(await text(await sent)).toBe('paid');
  });

  it('was not sent if the connection of one that was aborted before is still connecting when it breaks', async () => {
    let connections = 0;
    const handshake = Promise.withResolvers<Socket>();
    const server = createTcpServer((socket) => {
      connections += 1;
      socket.once('data', () => handshake.resolve(socket));
    });
    const send = sender(await listen(server));
    const socket = await connectionOfAborted(send);
    const rejected = rejection(send('hello'));
    await expect.poll(() => send.freeSockets()).toEqual([]);
    (await handshake.promise).destroy();
    expect(await rejected).toBeInstanceOf(NotSent);
    expect([connections, socket.destroyed]).toEqual([1, true]);
  });

  it('may have been sent after the handshake if the connection of one that was aborted before was still connecting', async () => {
    const handshake = Promise.withResolvers<void>();
    const server = createServer({ cert, key }, (request) => request.socket.destroy());
    const port = await listen(createTcpServer((socket) => void handshake.promise.then(() => server.emit('connection', socket))));
    const send = sender(port);
    await connectionOfAborted(send);
    const rejected = rejection(send('hello'));
    handshake.resolve();
    expect(await rejected).not.toBeInstanceOf(NotSent);
  });

  it('leaves no listener on a connection that other requests use after it', async () => {
    const sockets = new Set<Socket>();
    const send = sender(await listen(createServer({ cert, key }, (_, response) => response.end('hello'))), 1);
    const listeners: number[] = [];
    const requests = Array.from({ length: 5 }, async () => {
      const response = await send('hello');
      sockets.add(response.socket);
      listeners.push(response.socket.listenerCount('close'));
      await text(response);
    });
    await Promise.all(requests);
    expect(sockets.size).toBe(1);
    expect(new Set(listeners).size).toBe(1);
  });

  it('does not break the connection when its signal aborts after its end, because another request may use it', async () => {
    const second = Promise.withResolvers<void>();
    let connections = 0;
    const server = createServer({ cert, key }, async (request, response) => {
      const body = await text(request);
      if (body === 'second') await second.promise;
      response.end(body);
    });
    server.on('secureConnection', () => (connections += 1));
    const send = sender(await listen(server));
    const abort = new AbortController();
    expect(await text(await send('first', abort.signal))).toBe('first');
    const waiting = send('second');
    abort.abort();
    second.resolve();
    expect(await text(await waiting)).toBe('second');
    expect(connections).toBe(1);
  });
});
