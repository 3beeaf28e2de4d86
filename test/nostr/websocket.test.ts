import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import fc from 'fast-check';
import { afterEach, expect, it, vi } from 'vitest';
import { acceptValue, openWebSocket, WebSocketConnection } from '../../src/core/nostr/websocket.ts';
import { FrameReader, Opcode, writeFrame } from '../../src/core/nostr/websocket-frames.ts';

const LIMITS = { maxMessageBytes: 1000, maxUnsentBytes: 100_000 };
const closers: (() => void)[] = [];

afterEach(() => {
  for (const close of closers.splice(0)) close();
});

function until(assertion: () => void): Promise<void> {
  return vi.waitFor(assertion, { timeout: 150_000, interval: 5 });
}

/** Starts a server that passes each upgraded socket on after the handshake, or answers with another text instead. */
async function serve(onSocket: (socket: Socket, head: Buffer) => void, answer?: (accept: string) => string): Promise<URL> {
  const server = createServer((_, response) => response.writeHead(404).end());
  server.on('upgrade', ({ headers }: IncomingMessage, socket: Socket, head: Buffer) => {
    closers.push(() => socket.destroy());
    socket.on('error', () => undefined);
    const accept = acceptValue(headers['sec-websocket-key'] ?? '');
    socket.write(answer?.(accept) ?? switching(accept), 'latin1');
    onSocket(socket, head);
  });
  closers.push(() => server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return new URL(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/path?query`);
}

function switching(accept: string): string {
  return `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`;
}

/** Connects, and records the texts and the end. */
async function connect(url: URL) {
  const texts: string[] = [];
  const end = Promise.withResolvers<Error | undefined>();
  const connection = await openWebSocket(url, { ...LIMITS, signal: new AbortController().signal });
  closers.push(() => connection.end());
  connection.listen({ onText: (text) => texts.push(text), onEnd: end.resolve });
  return { connection, texts, ended: end.promise };
}

it.each([true, false])('reads messages from any chunks (masked: %s)', (isMasked) => {
  const texts = fc.array(fc.string({ unit: 'binary', maxLength: 200 }), { maxLength: 6 });
  fc.assert(
    fc.property(texts, fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (messages, sizes) => {
      const bytes = Buffer.concat(messages.map((text) => writeFrame(Opcode.text, Buffer.from(text), isMasked)));
      const reader = new FrameReader({ isMasked, maxMessageBytes: 1000 });
      const read: string[] = [];
      for (let at = 0, turn = 0; at < bytes.length; turn += 1) {
        const size = sizes[turn % sizes.length] as number;
        for (const { payload } of reader.read(bytes.subarray(at, at + size))) read.push(payload.toString());
        at += size;
      }
      expect(read).toEqual(messages.map((text) => text.toWellFormed()));
    }),
  );
});

it.each([125, 126, 65_535, 65_536, 200_000])('reads a message of %i bytes', (length) => {
  const reader = new FrameReader({ isMasked: true, maxMessageBytes: 200_000 });
  const [message] = reader.read(writeFrame(Opcode.text, Buffer.alloc(length, 'x'), true));
  expect(message?.payload.equals(Buffer.alloc(length, 'x'))).toBe(true);
});

it('joins the frames of a message, with a ping between them', () => {
  const first = writeFrame(Opcode.text, Buffer.from('one '), false);
  first.writeUInt8(Opcode.text, 0);
  const ping = writeFrame(Opcode.ping, Buffer.from('p'), false);
  const last = writeFrame(Opcode.continuation, Buffer.from('message'), false);
  const messages = [...new FrameReader({ isMasked: false, maxMessageBytes: 1000 }).read(Buffer.concat([first, ping, last]))];
  expect(messages.map(({ opcode, payload }) => [opcode, payload.toString()])).toEqual([
    [Opcode.ping, 'p'],
    [Opcode.text, 'one message'],
  ]);
});

function frame(first: number, length: number): Buffer {
  const whole = writeFrame(Opcode.text, Buffer.alloc(length), false);
  whole.writeUInt8(first, 0);
  return whole;
}

it.each<[string, Buffer]>([
  ['a message that is too long', frame(0x81, 1001)],
  ['a message whose stated length is 2^63', Buffer.from('817f8000000000000000', 'hex')],
  ['frames that are too long together', Buffer.concat([frame(0x01, 600), frame(0x80, 600)])],
  ['a thousand frames of nothing', Buffer.concat([frame(0x01, 0), ...Array.from({ length: 1000 }, () => frame(0x00, 0))])],
  ['a masked frame from a server', writeFrame(Opcode.text, Buffer.from('x'), true)],
  ['a compressed frame', frame(0xc1, 5)],
  ['a binary frame', frame(0x82, 5)],
  ['an unknown opcode', frame(0x83, 5)],
  ['an unknown control frame', frame(0x8b, 5)],
  ['a long ping', frame(0x89, 126)],
  ['a ping of several frames', frame(0x09, 5)],
  ['a continuation of nothing', frame(0x80, 5)],
  ['a new message within a message', Buffer.concat([frame(0x01, 5), frame(0x81, 5)])],
])('ends the connection after %s', async (_, bytes) => {
  const { ended, texts } = await connect(await serve((socket) => socket.write(bytes)));
  expect(await ended).toBeInstanceOf(Error);
  expect(texts).toEqual([]);
});

it('reads a message that arrives with the handshake', async () => {
  const answer = (accept: string) =>
    `${switching(accept)}${writeFrame(Opcode.text, Buffer.from('["AUTH","x"]'), false).toString('latin1')}`;
  const { texts } = await connect(await serve(() => undefined, answer));
  await until(() => expect(texts).toEqual(['["AUTH","x"]']));
});

it('answers pings, and ends without an error when the server closes the connection', async () => {
  const received: Buffer[] = [];
  const url = await serve((socket) => {
    socket.on('data', (chunk) => received.push(chunk));
    socket.write(Buffer.concat([writeFrame(Opcode.ping, Buffer.from('abc'), false), writeFrame(Opcode.close, Buffer.alloc(0), false)]));
  });
  const { ended } = await connect(url);
  expect(await ended).toBeUndefined();
  const reader = new FrameReader({ isMasked: true, maxMessageBytes: 1000 });
  await until(() =>
    expect([...reader.read(Buffer.concat(received.splice(0)))][0]).toEqual({ opcode: Opcode.pong, payload: Buffer.from('abc') }),
  );
});

it('ends the connection to a server that does not read', async () => {
  const { connection, ended } = await connect(await serve((socket) => socket.pause()));
  let hasEnded = false;
  void ended.then(() => {
    hasEnded = true;
  });
  const text = 'x'.repeat(50_000);
  while (!hasEnded) {
    connection.send(text);
    await new Promise(setImmediate);
  }
  expect((await ended)?.message).toContain('does not read');
});

it.each<[string, string]>([
  ['another status', 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'],
  ['a redirect', 'HTTP/1.1 302 Found\r\nlocation: ws://127.0.0.1/\r\ncontent-length: 0\r\n\r\n'],
  ['a wrong accept value', switching('wrong')],
  ['no HTTP', 'SSH-2.0-OpenSSH\r\n'],
])('does not connect to a server that answers with %s', async (_, answer) => {
  await expect(
    connect(
      await serve(
        () => undefined,
        () => answer,
      ),
    ),
  ).rejects.toThrow();
});

it('does not connect to a server that closes the connection, or to none', async () => {
  const url = await serve(
    (socket) => socket.destroy(),
    () => '',
  );
  await expect(connect(url)).rejects.toThrow();
  for (const close of closers.splice(0)) close();
  await expect(connect(url)).rejects.toThrow();
});

it('stops waiting for the handshake when the signal aborts', async () => {
  const stop = new AbortController();
  const url = await serve(
    () => stop.abort(new Error('too late')),
    () => '',
  );
  await expect(openWebSocket(url, { ...LIMITS, signal: stop.signal })).rejects.toThrow();
});

it("exchanges messages with Node's WebSocket", async () => {
  const received: string[] = [];
  const url = await serve((socket, head) => {
    const connection = new WebSocketConnection(socket, { ...LIMITS, maxMessageBytes: 100_000, isClient: false, head });
    connection.listen({ onText: (text) => connection.send(text), onEnd: () => received.push('end') });
  });
  const socket = new WebSocket(url);
  await once(socket, 'open');
  for (const text of ['ä', 'x'.repeat(126), 'y'.repeat(70_000)]) {
    socket.send(text);
    const [message] = (await once(socket, 'message')) as [MessageEvent];
    expect(message.data).toBe(text);
  }
  socket.close();
  const [close] = (await once(socket, 'close')) as [CloseEvent];
  expect(close.wasClean).toBe(true);
  await until(() => expect(received).toEqual(['end']));
});
