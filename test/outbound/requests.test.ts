import { describe, expect, it } from 'vitest';
import { answerJson, closeListeners, createWorld, listen, listenTls, PUBLIC, trustTestAuthority } from './world.ts';

closeListeners();
trustTestAuthority();

const names = { 'pay.test': [[PUBLIC]], 'sub.pay.test': [[PUBLIC]], 'other.test': [[PUBLIC]] };

describe('a GET request', () => {
  it('returns the JSON of a public service', async () => {
    const internet = await listenTls(answerJson({ tag: 'payRequest' }));
    const { outbound, resolved, connected, log } = createWorld({ names, internet });
    expect(await outbound.getJson('https://pay.test/lnurlp/alice?amount=1000#part')).toEqual({ status: 200, body: { tag: 'payRequest' } });
    expect(internet.paths).toEqual(['/lnurlp/alice?amount=1000']);
    expect(resolved).toEqual(['pay.test']);
    expect(connected).toEqual([{ addresses: [PUBLIC], port: 443 }]);
    expect(log).toEqual([]);
  });

  it('sends the name of the host, accepts no encoding, and keeps no connection', async () => {
    const internet = await listenTls(answerJson({}));
    const { outbound } = createWorld({ names, internet });
    await outbound.getJson('https://pay.test:8443/');
    await outbound.getJson('https://sub.pay.test/');
    expect(internet.requests.map(({ headers }) => headers)).toEqual([
      { accept: 'application/json', 'accept-encoding': 'identity', connection: 'close', host: 'pay.test:8443', 'user-agent': 'satchel' },
      { accept: 'application/json', 'accept-encoding': 'identity', connection: 'close', host: 'sub.pay.test', 'user-agent': 'satchel' },
    ]);
    expect(internet.connections).toBe(2);
    await expect.poll(() => internet.open.size).toBe(0);
  });

  it.each([
    ['letters outside of ASCII', 'https://pay.test/ü x?q=ü y', '/%C3%BC%20x?q=%C3%BC%20y'],
    ['line breaks', 'https://pay.test/a\r\nX-Injected: 1', '/aX-Injected:%201'],
    ['encoded line breaks', 'https://pay.test/a%0d%0aX-Injected:%201', '/a%0d%0aX-Injected:%201'],
    ['dots', 'https://pay.test/a/../../b', '/b'],
    ['nothing', 'https://pay.test', '/'],
    ['a query alone', 'https://pay.test?a=b', '/?a=b'],
  ])('encodes a path of %s', async (_what, url, path) => {
    const internet = await listenTls(answerJson({}));
    const { outbound } = createWorld({ names, internet });
    await outbound.getJson(url);
    expect(internet.paths).toEqual([path]);
    expect(internet.requests[0]?.headers).not.toHaveProperty('x-injected');
  });

  it('returns the JSON of an error response with its status', async () => {
    const internet = await listenTls((_request, response) => response.writeHead(404).end('{"status":"ERROR","reason":"unknown user"}'));
    const { outbound } = createWorld({ names, internet });
    expect(await outbound.getJson('https://pay.test/')).toEqual({ status: 404, body: { status: 'ERROR', reason: 'unknown user' } });
  });

  it('uses plain HTTP for an allowed host', async () => {
    const listener = await listen(answerJson([1]));
    const { outbound } = createWorld({ allow: `127.0.0.1:${listener.port}` });
    expect(await outbound.getJson(`http://127.0.0.1:${listener.port}/`)).toEqual({ status: 200, body: [1] });
  });
});

describe('a POST request', () => {
  it('sends headers and body, and returns the status and the first kilobyte', async () => {
    const internet = await listenTls((_request, response) => response.writeHead(202).end('x'.repeat(5000)));
    const { outbound } = createWorld({ names, internet });
    const headers = { 'content-type': 'application/json', 'webhook-id': 'evt_1', host: 'internal', 'accept-encoding': 'gzip' };
    const response = await outbound.post('https://pay.test/hook', { headers, body: '{"memo":"ü"}' });
    expect(response).toEqual({ status: 202, text: 'x'.repeat(1024) });
    const [request] = internet.requests;
    expect(request?.body).toBe('{"memo":"ü"}');
    expect(request?.headers).toMatchObject({
      'webhook-id': 'evt_1',
      host: 'pay.test',
      'content-length': '13',
      'accept-encoding': 'identity',
    });
  });

  it('does not follow redirects', async () => {
    const internet = await listenTls((_request, response) => response.writeHead(307, { location: '/elsewhere' }).end());
    const { outbound } = createWorld({ names, internet });
    expect(await outbound.post('https://pay.test/hook', { headers: {}, body: '' })).toEqual({ status: 307, text: '' });
    expect(internet.paths).toEqual(['/hook']);
  });

  it('returns the status although the body does not end in time', async () => {
    const timeout = new AbortController();
    const listener = await listen((_request, response) => response.writeHead(200).write('ok'));
    const { outbound, sockets } = createWorld({ allow: '127.0.0.1', timeout: () => timeout.signal });
    const response = outbound.post(`http://127.0.0.1:${listener.port}/hook`, { headers: {}, body: '' });
    await expect.poll(() => sockets[0]?.bytesRead ?? 0).toBeGreaterThan(0);
    timeout.abort();
    expect(await response).toEqual({ status: 200, text: 'ok' });
  });

  it.each([
    ['breaks off', {}, 'ok'],
    ['is encoded', { 'content-encoding': 'gzip' }, ''],
  ])('returns the status although the body %s', async (_how, headers, text) => {
    const listener = await listen((_request, response) => {
      response.writeHead(201, { 'content-length': 10, ...headers }).write('ok', () => response.destroy());
    });
    const { outbound } = createWorld({ allow: '127.0.0.1' });
    expect(await outbound.post(`http://127.0.0.1:${listener.port}/hook`, { headers: {}, body: '' })).toEqual({ status: 201, text });
  });
});
