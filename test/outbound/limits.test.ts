import { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { OutboundError } from '../../src/core/outbound/outbound.ts';
import {
  answerJson,
  closeListeners,
  createWorld,
  failure,
  type Listener,
  listen,
  listenRaw,
  listenTls,
  PUBLIC,
  trustTestAuthority,
  type WorldOptions,
} from './world.ts';

closeListeners();
trustTestAuthority();

const names = { 'pay.test': [[PUBLIC]], 'sub.pay.test': [[PUBLIC]] };

/** Starts a request, ends its time once the condition holds, and returns its error. Another request must then find a free place. */
async function endTime(url: string, when: () => boolean, options: WorldOptions = {}): Promise<OutboundError> {
  const timeout = new AbortController();
  const limits: number[] = [];
  const { outbound, sockets, log } = createWorld({
    allow: '127.0.0.1',
    ...options,
    maxRequests: 1,
    timeout: (ms) => (limits.push(ms) === 1 ? timeout.signal : AbortSignal.abort()),
  });
  const request = failure(outbound.getJson(url));
  await expect.poll(when).toBe(true);
  timeout.abort(new Error('the time is over'));
  const error = await request;
  expect(limits).toEqual([10_000]);
  expect(log).toMatchObject([{ fields: { reason: 'timed_out', cause: 'the time is over' } }]);
  expect(sockets.filter((socket) => !socket.destroyed)).toEqual([]);
  expect((await failure(outbound.getJson(url))).reason).toBe('timed_out');
  return error;
}

describe('the time of a request', () => {
  it.each([
    ['a handshake', 'https'],
    ['headers', 'http'],
  ])('O1: ends while the server sends no %s', async (_what, scheme) => {
    const listener = await listenRaw((socket) => socket.resume());
    const error = await endTime(`${scheme}://127.0.0.1:${listener.port}/`, () => listener.connections === 1);
    expect(error.reason).toBe('timed_out');
    await expect.poll(() => listener.open.size).toBe(0);
  });

  it.each([
    ['headers', 'HTTP/1.1 200 OK\r\n', 'a: b\r\n'],
    ['one header', 'HTTP/1.1 200 OK\r\na: ', 'b'],
    ['a body', 'HTTP/1.1 200 OK\r\ncontent-length: 60000\r\n\r\n', ' '],
    ['a body without a length', 'HTTP/1.1 200 OK\r\n\r\n', ' '],
    ['chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n', '1\r\n \r\n'],
    ['interim responses', '', 'HTTP/1.1 100 Continue\r\n\r\n'],
    ['line breaks', '', '\r\n'],
  ])('O1: ends while the server sends %s slowly', async (_what, first, part) => {
    let parts = 0;
    let client = new Socket();
    // Each part is sent once the client has read the one before.
    const listener = await listenRaw((socket) => {
      socket.resume();
      socket.write(first);
      const next = () => {
        if (client.bytesRead < first.length + parts * part.length || parts > 100) return void (socket.writable && setImmediate(next));
        parts += 1;
        socket.write(part, next);
      };
      next();
    });
    const network: WorldOptions['network'] = {
      connect(_addresses, port) {
        client = new Socket().connect(port, '127.0.0.1');
        return client;
      },
    };
    const error = await endTime(`http://127.0.0.1:${listener.port}/`, () => parts > 100, { network });
    expect(error.reason).toBe('timed_out');
    await expect.poll(() => listener.open.size).toBe(0);
  });

  it('ends while the name is resolved', async () => {
    let questions = 0;
    const resolve = () => {
      questions += 1;
      return new Promise<string[]>(() => undefined);
    };
    expect((await endTime('https://pay.test/', () => questions === 1, { network: { resolve } })).reason).toBe('timed_out');
  });

  it('ends while the connection is opened', async () => {
    const opened: Socket[] = [];
    const connect = () => {
      opened.push(new Socket());
      return opened.at(-1) ?? new Socket();
    };
    const error = await endTime('https://pay.test/', () => opened.length === 1, { names, network: { connect } });
    expect(error.reason).toBe('timed_out');
    expect(opened.map(({ destroyed }) => destroyed)).toEqual([true]);
  });

  it('includes all redirects', async () => {
    const internet = await listenTls(({ url = '' }, response) => {
      if (url === '/') response.writeHead(302, { location: '/next' }).end();
    });
    const error = await endTime('https://pay.test/', () => internet.paths.length === 2, { names, internet });
    expect(error.reason).toBe('timed_out');
  });

  it('can be set by the caller', async () => {
    const limits: number[] = [];
    const timeout = (ms: number) => AbortSignal.abort(limits.push(ms));
    const { outbound, connected } = createWorld({ names, timeout });
    await failure(outbound.getJson('https://pay.test/', { timeoutMs: 3000 }));
    await failure(outbound.post('https://pay.test/', { headers: {}, body: '', timeoutMs: 5000 }));
    await failure(outbound.post('https://pay.test/', { headers: {}, body: '' }));
    expect(limits).toEqual([3000, 5000, 10_000]);
    expect(connected).toEqual([]);
  });

  it('is real by default', async () => {
    const listener = await listenRaw((socket) => socket.resume());
    const { outbound } = createWorld({ allow: '127.0.0.1' });
    const request = outbound.getJson(`http://127.0.0.1:${listener.port}/`, { timeoutMs: 50 });
    expect((await failure(request)).reason).toBe('timed_out');
  });
});

describe('a request that its caller aborts', () => {
  it('ends like every other failure', async () => {
    const caller = new AbortController();
    const listener = await listenRaw((socket) => socket.resume());
    const { outbound } = createWorld({ allow: '127.0.0.1' });
    const url = `http://127.0.0.1:${listener.port}/`;
    const requests = [
      outbound.getJson(url, { signal: caller.signal }),
      outbound.post(url, { headers: {}, body: '', signal: caller.signal }),
    ];
    await expect.poll(() => listener.connections).toBe(2);
    caller.abort();
    for (const request of requests) expect((await failure(request)).reason).toBe('no_valid_response');
    await expect.poll(() => listener.open.size).toBe(0);
  });

  it('connects nowhere when it was aborted before', async () => {
    const { outbound, connected } = createWorld({ names });
    for (const url of ['https://pay.test/', `https://${PUBLIC}/`])
      expect((await failure(outbound.getJson(url, { signal: AbortSignal.abort() }))).reason).toBe('no_valid_response');
    expect(connected).toEqual([]);
  });
});

describe('concurrent requests', () => {
  /** Starts a server that responds when the test releases it. */
  async function heldServer(): Promise<{ listener: Listener; release: () => void }> {
    const waiting: (() => void)[] = [];
    const listener = await listen((_request, response) => waiting.push(() => response.end('"done"')));
    return { listener, release: () => waiting.shift()?.() };
  }

  it('are limited per host', async () => {
    const { listener, release } = await heldServer();
    const { outbound, connected } = createWorld({ allow: '127.0.0.0/8', maxRequestsPerHost: 2 });
    const first = `http://127.0.0.1:${listener.port}/`;
    const running = [outbound.getJson(first), outbound.post(first, { headers: {}, body: '' })];
    await expect.poll(() => listener.paths.length).toBe(2);
    const error = await failure(outbound.getJson(first));
    expect(error).toMatchObject({
      reason: 'busy',
      message: 'Too many requests to other services are running. Try again later.',
    });
    expect((await failure(outbound.post(first, { headers: {}, body: '' }))).reason).toBe('busy');
    expect(connected).toHaveLength(2);
    release();
    await Promise.race(running);
    const third = outbound.getJson(first);
    await expect.poll(() => listener.paths.length).toBe(3);
    expect((await failure(outbound.getJson(first))).reason).toBe('busy');
    release();
    release();
    expect(await third).toEqual({ status: 200, body: 'done' });
    await Promise.all(running);
  });

  it('are limited in total', async () => {
    const { listener, release } = await heldServer();
    const { outbound } = createWorld({ allow: '127.0.0.0/8', maxRequests: 1 });
    const running = outbound.getJson(`http://127.0.0.1:${listener.port}/`);
    await expect.poll(() => listener.paths.length).toBe(1);
    expect((await failure(outbound.getJson(`http://127.0.0.2:${listener.port}/`))).reason).toBe('busy');
    release();
    await running;
    expect((await failure(outbound.getJson(`http://127.0.0.2:${listener.port}/`))).reason).toBe('no_valid_response');
  });

  it('may be 16 per host and 256 in total', async () => {
    const resolve = () => new Promise<string[]>(() => undefined);
    const stop = new AbortController();
    const { outbound } = createWorld({ network: { resolve } });
    const reasons: string[] = [];
    const start = (host: string) =>
      outbound.getJson(`https://${host}/`, { signal: stop.signal }).catch((error: OutboundError) => reasons.push(error.reason));
    const requests = Array.from({ length: 17 }, () => start('pay.test'));
    await expect.poll(() => reasons).toEqual(['busy']);
    for (let host = 0; host < 241; host += 1) requests.push(start(`host${host}.test`));
    await expect.poll(() => reasons).toEqual(['busy', 'busy']);
    stop.abort();
    await Promise.all(requests);
    expect(reasons.filter((reason) => reason === 'no_valid_response')).toHaveLength(256);
  });

  it('count the host of a redirect', async () => {
    const internet = await listenTls(({ url = '' }, response) => {
      if (url === '/redirect') response.writeHead(302, { location: 'https://pay.test/held' }).end();
    });
    const stop = new AbortController();
    const { outbound } = createWorld({ names, internet, maxRequestsPerHost: 1 });
    const running = failure(outbound.getJson('https://sub.pay.test/redirect', { signal: stop.signal }));
    await expect.poll(() => internet.paths).toContain('/held');
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('busy');
    expect((await failure(outbound.getJson('https://sub.pay.test/redirect'))).reason).toBe('busy');
    stop.abort();
    await running;
  });

  it('free their place after every kind of failure', async () => {
    const internet = await listenTls(({ url = '' }, response) => {
      if (url === '/json') answerJson({})({} as never, response as never);
      else if (url === '/html') response.end('<html>');
      else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.destroy();
    });
    const { outbound } = createWorld({ names: { ...names, 'private.test': [['10.0.0.1']] }, internet, maxRequests: 1 });
    for (const url of [
      'https://pay.test/html',
      'https://pay.test/loop',
      'https://pay.test/x',
      'https://unknown.test/',
      'https://private.test/',
    ])
      expect((await failure(outbound.getJson(url))).reason).toMatch(/not_json|no_valid_response/);
    expect(await outbound.getJson('https://pay.test/json')).toEqual({ status: 200, body: {} });
  });
});

describe('the log', () => {
  const secret = 's3cret';

  it('has the cause and the host of a failure, without the path and the query', async () => {
    const internet = await listenTls(({ url = '' }, response) => {
      if (url.startsWith('/redirect')) response.writeHead(302, { location: `http://127.0.0.1/${secret}?${secret}` }).end();
      else response.end(`<${secret}>`);
    });
    const { outbound, log } = createWorld({ names: { ...names, 'private.test': [['10.0.0.1']] }, internet });
    const errors = [
      await failure(outbound.getJson(`https://pay.test/${secret}?k1=${secret}#${secret}`)),
      await failure(outbound.getJson(`https://pay.test/redirect/${secret}?k1=${secret}`)),
      await failure(outbound.getJson(`https://private.test:8443/${secret}`)),
      await failure(outbound.post(`https://unknown.test/${secret}`, { headers: { authorization: secret }, body: secret })),
      await failure(outbound.getJson(`https://user:${secret}@pay.test/`)),
      await failure(outbound.getJson(`http://pay.test/${secret}`)),
      await failure(outbound.getJson(`${secret}`)),
    ];
    expect(JSON.stringify([log, errors.map(({ message, cause, stack }) => ({ message, cause, stack }))])).not.toContain(secret);
    expect(log.map(({ fields }) => fields)).toEqual([
      { host: 'pay.test', reason: 'not_json', cause: 'not_json' },
      {
        host: 'pay.test',
        reason: 'no_valid_response',
        cause: expect.stringMatching(
          /^a redirect is refused: The URL must begin with https:\/\/\. Only hosts in OUTBOUND_ALLOW may use http/,
        ),
      },
      { host: 'private.test:8443', reason: 'no_valid_response', cause: 'the address 10.0.0.1 is refused' },
      { host: 'unknown.test', reason: 'no_valid_response', cause: 'queryA ENOTFOUND unknown.test' },
    ]);
  });

  it('has the cause of each address', async () => {
    const failed = new AggregateError([new Error('connect ECONNREFUSED 192.0.2.1:443'), new Error('connect ENETUNREACH 2001:db8::1:443')]);
    const { outbound, log } = createWorld({ names, network: { connect: () => new Socket().destroy(failed) } });
    await failure(outbound.getJson('https://pay.test/'));
    expect(log.map(({ fields }) => fields.cause)).toEqual(['connect ECONNREFUSED 192.0.2.1:443; connect ENETUNREACH 2001:db8::1:443']);
  });

  it('L2: is the only difference between an unknown name, a private address and a closed port', async () => {
    const { outbound } = createWorld({ names: { 'private.test': [['10.0.0.1']], 'closed.test': [[PUBLIC]] } });
    const errors = [];
    for (const host of ['unknown.test', 'private.test', 'closed.test', '10.0.0.1', '[::1]', 'localhost'])
      errors.push({ host, ...(await failure(outbound.getJson(`https://${host}/`))) });
    for (const { host, ...error } of errors)
      expect({ host, ...error }).toEqual({ host, name: 'OutboundError', reason: 'no_valid_response' });
  });
});
