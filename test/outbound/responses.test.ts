import type { Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { GetOptions } from '../../src/core/outbound/outbound.ts';
import { answerJson, closeListeners, createWorld, failure, type Listener, listen, listenRaw } from './world.ts';

closeListeners();

/** Requests JSON from a listener over plain HTTP, without a time limit: other limits must end the request. */
function getFrom({ port }: Listener, options?: GetOptions) {
  return createWorld({ allow: '127.0.0.1', timeout: () => new AbortController().signal }).outbound.getJson(
    `http://127.0.0.1:${port}/`,
    options,
  );
}

/** Starts a server that sends these bytes after the request and ends the connection. */
function listenOnce(...parts: readonly (string | Buffer)[]): Promise<Listener> {
  return listenRaw((socket) => {
    socket.once('data', () => {
      for (const part of parts) socket.write(part);
      socket.end();
    });
  });
}

/** Starts a server that sends a first part, and a unit again and again until the client closes the connection. */
function listenEndless(first: string, unit: string): Promise<Listener> {
  const repeated = unit.repeat(Math.ceil(4096 / unit.length));
  return listenRaw((socket) => {
    const send = () => {
      while (!socket.destroyed && socket.write(repeated));
    };
    socket.on('drain', send);
    socket.once('data', () => {
      socket.write(first);
      send();
    });
  });
}

function reply(body: string | Buffer, headers = ''): (string | Buffer)[] {
  return [`HTTP/1.1 200 OK\r\n${headers}content-length: ${Buffer.byteLength(body)}\r\n\r\n`, body];
}

const CHUNKED = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n';
const json = (length: number) => JSON.stringify('x'.repeat(length - 2));
const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('an endless response', () => {
  it.each([
    ['body', 'HTTP/1.1 200 OK\r\n\r\n', ' '],
    ['body with a length', 'HTTP/1.1 200 OK\r\ncontent-length: 9007199254740991\r\n\r\n', ' '],
    ['body in chunks', CHUNKED, '5\r\n     \r\n'],
    ['body in chunks of a byte', CHUNKED, '1\r\n \r\n'],
    ['chunk', `${CHUNKED}fffffff\r\n`, ' '],
    ['chunk extension', `${CHUNKED}5;`, 'a=b;'],
    ['trailer', `${CHUNKED}2\r\n{}\r\n0\r\n`, 'x-trailer: value\r\n'],
    ['list of headers', 'HTTP/1.1 200 OK\r\n', 'x-header: value\r\n'],
    ['list of empty headers', 'HTTP/1.1 200 OK\r\n', 'a:\r\n'],
    ['header name', 'HTTP/1.1 200 OK\r\n', 'aaaaaaaa'],
    ['header value', 'HTTP/1.1 200 OK\r\nx: ', 'aaaaaaaa'],
    ['reason phrase', 'HTTP/1.1 200 ', 'OK '],
    ['number of interim responses', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['number of early hints', '', 'HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n'],
    ['list of headers of an interim response', 'HTTP/1.1 103 Early Hints\r\n', 'x-header: value\r\n'],
    ['stream of line breaks', '', '\r\n'],
    ['stream of other bytes', '', '\0'],
  ])('O1: with an endless %s is ended', async (_what, first, repeated) => {
    const listener = await listenEndless(first, repeated);
    expect((await failure(getFrom(listener))).reason).toBe('no_valid_response');
    await expect.poll(() => listener.open.size).toBe(0);
  });
});

describe('the length of the headers', () => {
  const withHeaders = (length: number) => listenOnce(...reply('{}', `a: ${'b'.repeat(length)}\r\n`));

  it('is at most 16 kB', async () => {
    expect((await getFrom(await withHeaders(16_000))).body).toEqual({});
    expect((await failure(getFrom(await withHeaders(16_384)))).reason).toBe('no_valid_response');
  });

  it('does not include the body', async () => {
    const listener = await listenOnce(Buffer.concat(reply(json(65_000)).map((part) => Buffer.from(part))));
    expect((await getFrom(listener)).body).toHaveLength(64_998);
  });
});

describe('the length of a body', () => {
  it('is at most 65,536 bytes', async () => {
    expect((await getFrom(await listenOnce(...reply(json(65_536))))).body).toHaveLength(65_534);
    expect((await failure(getFrom(await listenOnce(...reply(json(65_537)))))).reason).toBe('no_valid_response');
    expect((await failure(getFrom(await listenOnce(...reply(json(1_000_000)))))).reason).toBe('no_valid_response');
  });

  it('is limited without a content-length, too', async () => {
    const head = 'HTTP/1.1 200 OK\r\n\r\n';
    expect((await getFrom(await listenOnce(head, json(65_536)))).body).toHaveLength(65_534);
    expect((await failure(getFrom(await listenOnce(head, json(65_537))))).reason).toBe('no_valid_response');
  });

  it('can be limited by the caller', async () => {
    expect((await failure(getFrom(await listenOnce(...reply('[1,2]')), { maxBytes: 4 }))).reason).toBe('no_valid_response');
    expect((await getFrom(await listenOnce(...reply('[1,2]')), { maxBytes: 5 })).body).toEqual([1, 2]);
    expect((await getFrom(await listenOnce(...reply(json(100_000))), { maxBytes: 100_000 })).body).toHaveLength(99_998);
  });
});

describe('an encoded body', () => {
  const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));

  it.each([
    ['gzip bomb', bomb, 'gzip'],
    ['gzip', gzipSync('{}'), 'gzip'],
    ['gzip in upper case', gzipSync('{}'), 'GZIP'],
    ['x-gzip', gzipSync('{}'), 'x-gzip'],
    ['deflate', deflateSync('{}'), 'deflate'],
    ['brotli', brotliCompressSync('{}'), 'br'],
    ['gzip twice', gzipSync(gzipSync('{}')), 'gzip, gzip'],
    ['gzip after identity', gzipSync('{}'), 'identity, gzip'],
    ['an unknown encoding', Buffer.from('{}'), 'unknown'],
  ])('(%s) is refused', async (_what, body, encoding) => {
    const listener = await listenOnce(...reply(body, `content-encoding: ${encoding}\r\n`));
    expect((await failure(getFrom(listener))).reason).toBe('no_valid_response');
  });

  it('is not decoded without its header or as a transfer encoding', async () => {
    expect((await failure(getFrom(await listenOnce(...reply(gzipSync('{}')))))).reason).toBe('not_json');
    const chunk = gzipSync('{}');
    const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: gzip, chunked\r\n\r\n';
    const listener = await listenOnce(head, `${chunk.length.toString(16)}\r\n`, chunk, '\r\n0\r\n\r\n');
    expect((await failure(getFrom(listener))).reason).toBe('not_json');
  });

  it('is accepted as identity', async () => {
    expect((await getFrom(await listenOnce(...reply('{}', 'content-encoding: identity\r\n')))).body).toEqual({});
  });
});

describe('a broken response', () => {
  const rows: readonly (readonly [what: string, ...parts: string[]])[] = [
    ['nothing'],
    ['half a status line', 'HTTP/1.1 2'],
    ['headers that break off', 'HTTP/1.1 200 OK\r\ncontent-le'],
    ['a body that breaks off', 'HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\n{}'],
    ['a chunk that breaks off', `${CHUNKED}a\r\n{}`],
    ['chunks without an end', `${CHUNKED}2\r\n{}\r\n`],
    ['a chunk length that is no number', `${CHUNKED}zz\r\n{}\r\n0\r\n\r\n`],
    ['a negative chunk length', `${CHUNKED}-2\r\n{}\r\n0\r\n\r\n`],
    ['a chunk length above 64 bits', `${CHUNKED}fffffffffffffffff\r\n{}\r\n0\r\n\r\n`],
    ['a chunk that is longer than its length', `${CHUNKED}1\r\n{}\r\n0\r\n\r\n`],
    ['two lengths', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ncontent-length: 3\r\n\r\n{} '],
    ['a length and chunks', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n'],
    ['a negative length', 'HTTP/1.1 200 OK\r\ncontent-length: -2\r\n\r\n{}'],
    ['a length that is no number', 'HTTP/1.1 200 OK\r\ncontent-length: two\r\n\r\n{}'],
    ['a header without a colon', 'HTTP/1.1 200 OK\r\nheader\r\ncontent-length: 2\r\n\r\n{}'],
    ['a space in a header name', 'HTTP/1.1 200 OK\r\na b: c\r\ncontent-length: 2\r\n\r\n{}'],
    ['a null in a header', 'HTTP/1.1 200 OK\r\na: \0\r\ncontent-length: 2\r\n\r\n{}'],
    ['a folded header', 'HTTP/1.1 200 OK\r\na: b\r\n c\r\ncontent-length: 2\r\n\r\n{}'],
    ['HTTP/0.9', '{"tag":"payRequest"}'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['an unknown version', 'HTTP/9.9 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
    ['a request', 'GET / HTTP/1.1\r\nhost: a\r\n\r\n'],
    ['a status that is no number', 'HTTP/1.1 abc OK\r\ncontent-length: 2\r\n\r\n{}'],
    ['SSH', 'SSH-2.0-OpenSSH_9.9\r\n'],
    ['SMTP', '220 mail.test ESMTP\r\n'],
    ['Redis', "-ERR unknown command 'GET'\r\n"],
    ['another protocol', 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n{}'],
    ['only an interim response', 'HTTP/1.1 100 Continue\r\n\r\n'],
  ];

  it.each(rows)('with %s is refused', async (_what, ...parts) => {
    const listener = await listenOnce(...parts);
    const error = await failure(getFrom(listener));
    expect(error).toMatchObject({ name: 'OutboundError', reason: 'no_valid_response' });
    expect(error.message).toBe(`The service at 127.0.0.1:${listener.port} could not be reached or gave no valid response.`);
    await expect.poll(() => listener.open.size).toBe(0);
  });

  it.each([
    ['before the request', (socket: Socket) => socket.destroy()],
    ['before the request with a reset', (socket: Socket) => socket.resetAndDestroy()],
    ['after the request with a reset', (socket: Socket) => socket.once('data', () => socket.resetAndDestroy())],
    [
      'in the body with a reset',
      (socket: Socket) =>
        socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{}', () => socket.resetAndDestroy())),
    ],
  ])('that ends %s is refused', async (_when, onConnection) => {
    expect((await failure(getFrom(await listenRaw(onConnection)))).reason).toBe('no_valid_response');
  });
});

describe('a body that is not JSON', () => {
  it.each<[string, string | Buffer]>([
    ['nothing', ''],
    ['white space', ' \r\n'],
    ['HTML', '<!doctype html><title>Login</title>'],
    ['a form', 'status=OK'],
    ['an unquoted key', '{status:"OK"}'],
    ['single quotes', "{'status':'OK'}"],
    ['a comma too much', '{"status":"OK",}'],
    ['a comment', '{} // OK'],
    ['two values', '{}{}'],
    ['half an object', '{"status":"OK"'],
    ['NaN', 'NaN'],
    ['a number with a leading zero', '01'],
    ['a line break in a string', '"a\nb"'],
    ['invalid UTF-8', Buffer.from([0x22, 0xff, 0x22])],
    ['UTF-8 that breaks off', Buffer.from([0x22, 0xc3, 0x22])],
    ['an encoded surrogate', Buffer.from([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ['UTF-16', Buffer.from('\ufeff{}', 'utf16le')],
    ['33 levels of arrays', nested(33)],
    ['33 levels with a value', `${'['.repeat(33)}1${']'.repeat(33)}`],
    ['33 levels of objects', `${'{"a":'.repeat(32)}{}${'}'.repeat(32)}`],
    ['30,000 levels', nested(30_000)],
    ['65,536 opening brackets', '['.repeat(65_536)],
  ])('(%s) is refused', async (_what, body) => {
    const listener = await listenOnce(...reply(body));
    const error = await failure(getFrom(listener));
    expect(error).toMatchObject({ reason: 'not_json' });
    expect(error.message).toBe(`The service at 127.0.0.1:${listener.port} could not be reached or gave no valid response.`);
  });

  it.each([204, 304])('(status %i without a body) is refused', async (status) => {
    const listener = await listen((_request, response) => response.writeHead(status).end());
    expect((await failure(getFrom(listener))).reason).toBe('not_json');
  });
});

describe('a JSON body', () => {
  it.each([
    ['a scalar', '7', 7],
    ['null', 'null', null],
    ['a byte order mark', '\ufeff{"a":1}', { a: 1 }],
    ['letters outside of ASCII', '{"memo":"Zürich ⚡"}', { memo: 'Zürich ⚡' }],
    ['32 levels', nested(32), JSON.parse(nested(32))],
    ['32 levels with a value', `${'['.repeat(32)}1${']'.repeat(32)}`, JSON.parse(`${'['.repeat(32)}1${']'.repeat(32)}`)],
  ])('with %s is returned', async (_what, body, value) => {
    expect((await getFrom(await listenOnce(...reply(body)))).body).toEqual(value);
  });

  it('may arrive in chunks', async () => {
    expect((await getFrom(await listenOnce(`${CHUNKED}1;a=b\r\n{\r\n1\r\n}\r\n0\r\nx: y\r\n\r\n`))).body).toEqual({});
  });

  it('may follow interim responses', async () => {
    const listener = await listenOnce('HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(3), ...reply('{}'));
    expect((await getFrom(listener)).body).toEqual({});
  });

  it('needs no content type', async () => {
    const listener = await listen((_request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('{}'));
    expect((await getFrom(listener)).body).toEqual({});
  });

  it('cannot change prototypes', async () => {
    const { body } = await getFrom(await listenOnce(...reply('{"__proto__":{"polluted":true}}')));
    expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
    expect('polluted' in {}).toBe(false);
  });

  it('ends at its length: what follows is ignored', async () => {
    const listener = await listenOnce(...reply('{}'), 'HTTP/1.1 200 OK\r\n\r\n{"second":true}');
    expect((await getFrom(listener)).body).toEqual({});
  });

  it('does not wait until the server closes the connection', async () => {
    const listener = await listen(answerJson({}));
    expect((await getFrom(listener)).body).toEqual({});
    await expect.poll(() => listener.open.size).toBe(0);
  });
});
