import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { closeListeners, createWorld, failure, listen, listenTls, PUBLIC, trustTestAuthority } from './world.ts';

closeListeners();
trustTestAuthority();

const names = { 'pay.test': [[PUBLIC]], 'sub.pay.test': [[PUBLIC]], 'inside.pay.test': [['127.0.0.1']], localhost: [['127.0.0.1']] };

/** Redirects each path to its location; other paths return JSON. */
function redirecting(locations: Readonly<Record<string, string>>, status = 302): RequestListener {
  return ({ url = '' }, response) => {
    const location = locations[url];
    if (location === undefined) response.end('"reached"');
    else response.writeHead(status, { location }).end('"redirected"');
  };
}

describe('a redirect of a GET request', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is followed', async (status) => {
    const internet = await listenTls(redirecting({ '/': '/next?a=b#c' }, status));
    const { outbound } = createWorld({ names, internet });
    expect(await outbound.getJson('https://pay.test/')).toEqual({ status: 200, body: 'reached' });
    expect(internet.paths).toEqual(['/', '/next?a=b']);
  });

  it.each([300, 304, 305, 306])('with status %i is a response', async (status) => {
    const internet = await listenTls(redirecting({ '/': '/next' }, status));
    const { outbound } = createWorld({ names, internet });
    await outbound.getJson('https://pay.test/').catch(() => undefined);
    expect(internet.paths).toEqual(['/']);
  });

  it('is followed without its body', async () => {
    const internet = await listenTls(({ url = '' }, response) => {
      if (url !== '/') return void response.end('"reached"');
      response.writeHead(302, { location: '/next' });
      const send = () => {
        while (!response.destroyed && response.write(' '.repeat(4096)));
      };
      response.on('drain', send);
      send();
    });
    const { outbound } = createWorld({ names, internet, timeout: () => new AbortController().signal });
    expect((await outbound.getJson('https://pay.test/')).body).toBe('reached');
    await expect.poll(() => internet.open.size).toBe(0);
  });

  it('without a location is a response', async () => {
    const internet = await listenTls((_request, response) => response.writeHead(302).end('"here"'));
    const { outbound } = createWorld({ names, internet });
    expect(await outbound.getJson('https://pay.test/')).toEqual({ status: 302, body: 'here' });
  });

  it('may lead to another public host and port', async () => {
    const internet = await listenTls(redirecting({ '/': 'https://sub.pay.test:8443/next' }));
    const { outbound, resolved, connected } = createWorld({ names, internet });
    expect((await outbound.getJson('https://pay.test/')).body).toBe('reached');
    expect(resolved).toEqual(['pay.test', 'sub.pay.test']);
    expect(connected.map(({ port }) => port)).toEqual([443, 8443]);
    expect(internet.requests.map(({ headers }) => headers.host)).toEqual(['pay.test', 'sub.pay.test:8443']);
  });

  it('is followed three times', async () => {
    const internet = await listenTls(redirecting({ '/': '/1', '/1': '/2', '/2': '/3' }));
    const { outbound } = createWorld({ names, internet });
    expect((await outbound.getJson('https://pay.test/')).body).toBe('reached');
    expect(internet.paths).toEqual(['/', '/1', '/2', '/3']);
  });

  it.each([
    ['more than three times', { '/': '/1', '/1': '/2', '/2': '/3', '/3': '/4' }],
    ['to itself', { '/': '/' }],
    ['in a circle', { '/': '/1', '/1': '/' }],
  ])('%s is refused', async (_how, locations) => {
    const internet = await listenTls(redirecting(locations));
    const { outbound } = createWorld({ names, internet });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
    expect(internet.connections).toBe(4);
  });

  it.each([
    ['loopback', 'https://127.0.0.1:PORT/'],
    ['IPv6 loopback', 'https://[::1]:PORT/'],
    ['loopback without a scheme', '//127.0.0.1:PORT/'],
    ['a decimal address', 'https://2130706433:PORT/'],
    ['a mapped address', 'https://[::ffff:127.0.0.1]:PORT/'],
    ['localhost', 'https://localhost:PORT/'],
    ['a name with a private address', 'https://inside.pay.test:PORT/'],
    ['the metadata of a cloud', 'https://169.254.169.254/latest/meta-data/'],
    ['plain HTTP', 'http://sub.pay.test/'],
    ['plain HTTP on loopback', 'http://127.0.0.1:PORT/'],
    ['a file', 'file:///etc/passwd'],
    ['gopher', 'gopher://127.0.0.1:PORT/_x'],
    ['data', 'data:application/json,"reached"'],
    ['JavaScript', 'javascript:1'],
    ['a user', 'https://user@sub.pay.test/'],
    ['a port of another protocol', 'https://sub.pay.test:25/'],
    ['an onion without a proxy', 'https://abc.onion/'],
    ['an invalid URL', 'https://'],
    ['an invalid host', 'https://a b/'],
    ['an unknown name', 'https://unknown.test/'],
    ['a long URL', `/${'a'.repeat(8000)}`],
  ])('L2: to %s is refused like every broken response', async (_what, location) => {
    const inside = await listen((_request, response) => response.end('"reached"'));
    const internet = await listenTls(redirecting({ '/': location.replace('PORT', String(inside.port)) }));
    const { outbound, connected } = createWorld({ names, internet });
    const error = await failure(outbound.getJson('https://pay.test/'));
    expect(error.reason).toBe('no_valid_response');
    expect(error.message).toBe('The service at pay.test could not be reached or gave no valid response.');
    expect(connected).toHaveLength(1);
    expect(inside.connections).toBe(0);
  });

  it('may lead to an allowed host', async () => {
    const inside = await listen((_request, response) => response.end('"inside"'));
    const internet = await listenTls(redirecting({ '/': `http://127.0.0.1:${inside.port}/` }));
    const { outbound } = createWorld({ names, internet, allow: `127.0.0.1:${inside.port}` });
    expect((await outbound.getJson('https://pay.test/')).body).toBe('inside');
  });

  it('O3: resolves a name again and checks its new address', async () => {
    const internet = await listenTls(redirecting({ '/': '/next' }));
    const { outbound, resolved, connected } = createWorld({ names: { 'pay.test': [[PUBLIC], ['127.0.0.1']] }, internet });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
    expect(resolved).toEqual(['pay.test', 'pay.test']);
    expect(connected).toEqual([{ addresses: [PUBLIC], port: 443 }]);
  });
});

describe('a redirect of a POST request', () => {
  it.each([301, 302, 303, 307, 308])('with status %i is not followed', async (status) => {
    const internet = await listenTls(redirecting({ '/hook': 'https://sub.pay.test/' }, status));
    const { outbound, connected } = createWorld({ names, internet });
    expect(await outbound.post('https://pay.test/hook', { headers: {}, body: '{}' })).toEqual({ status, text: '"redirected"' });
    expect(connected).toHaveLength(1);
  });
});
