import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { parseAllowList } from '../../src/core/outbound/addresses.ts';
import { openConnection, systemNetwork } from '../../src/core/outbound/connect.ts';
import { Outbound } from '../../src/core/outbound/outbound.ts';
import { readTarget } from '../../src/core/outbound/target.ts';
import { answerJson, closeListeners, createWorld, failure, listen, listenRaw, listenTls, PUBLIC, trustTestAuthority } from './world.ts';

closeListeners();
trustTestAuthority();
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const never = new AbortController().signal;
const rules = { allow: parseAllowList(''), proxy: undefined };
const namedTarget = (host: string, allow = '') => readTarget(`https://${host}/`, { ...rules, allow: parseAllowList(allow) });

describe('a name that changes its address', () => {
  it('O3: is resolved once, and the socket gets the checked address', async () => {
    const internet = await listenTls(answerJson('public'));
    const { outbound, resolved, connected } = createWorld({ names: { 'pay.test': [[PUBLIC], ['127.0.0.1']] }, internet });
    expect((await outbound.getJson('https://pay.test/')).body).toBe('public');
    expect(resolved).toEqual(['pay.test']);
    expect(connected).toEqual([{ addresses: [PUBLIC], port: 443 }]);
  });

  it('is refused as soon as its address is private', async () => {
    const internet = await listenTls(answerJson('public'));
    const { outbound, connected } = createWorld({ names: { 'pay.test': [[PUBLIC], ['127.0.0.1']] }, internet });
    await outbound.getJson('https://pay.test/');
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
    expect(connected).toHaveLength(1);
  });
});

describe('a name with several public addresses', () => {
  it('is tried at six of them', async () => {
    const addresses = Array.from({ length: 50 }, (_, index) => `93.184.215.${index}`);
    const { outbound, connected } = createWorld({ names: { 'pay.test': [addresses] } });
    await failure(outbound.getJson('https://pay.test/'));
    expect(connected).toEqual([{ addresses: addresses.slice(0, 6), port: 443 }]);
  });

  it('is refused for a private address after the first six', async () => {
    const addresses = [...Array.from({ length: 50 }, (_, index) => `93.184.215.${index}`), '10.0.0.1'];
    const { outbound, connected } = createWorld({ names: { 'pay.test': [addresses] } });
    await failure(outbound.getJson('https://pay.test/'));
    expect(connected).toEqual([]);
  });

  it('is refused without any', async () => {
    const { outbound, connected } = createWorld({ names: { 'pay.test': [[]] } });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
    expect(connected).toEqual([]);
  });
});

describe('an address of this machine', () => {
  it.each([
    [443, true],
    [8443, false],
  ])('is reached on port %i: %s', async (port, isReached) => {
    const { outbound, connected } = createWorld({ names: { 'pay.test': [[PUBLIC]] }, own: ['10.0.0.1', PUBLIC] });
    await failure(outbound.getJson(`https://pay.test:${port}/`));
    await failure(outbound.getJson(`https://${PUBLIC}:${port}/`));
    expect(connected.length > 0).toBe(isReached);
  });

  it('can be allowed', async () => {
    const { outbound, connected } = createWorld({ names: { 'pay.test': [[PUBLIC]] }, own: [PUBLIC], allow: PUBLIC });
    await failure(outbound.getJson('https://pay.test:8443/'));
    expect(connected).toHaveLength(1);
  });

  it('is known to the system', () => {
    expect(systemNetwork.ownAddresses()).toContain('127.0.0.1');
  });
});

describe('TLS', () => {
  const names = { 'pay.test': [[PUBLIC]], 'sub.pay.test': [[PUBLIC]], 'other.test': [[PUBLIC]], 'a.b.pay.test': [[PUBLIC]] };

  it.each(['pay.test', 'PAY.test', 'sub.pay.test', PUBLIC])('accepts the certificate of %s', async (host) => {
    const internet = await listenTls(answerJson('secure'));
    const { outbound } = createWorld({ names, internet });
    expect((await outbound.getJson(`https://${host}/`)).body).toBe('secure');
  });

  it.each([
    ['another name', 'other.test', 'server.pem'],
    ['another level of names', 'a.b.pay.test', 'server.pem'],
    ['another address', '93.184.215.15', 'server.pem'],
    ['an expired certificate', 'pay.test', 'expired.pem'],
    ['a certificate of itself', 'pay.test', 'self-signed.pem'],
  ])('refuses %s before anything is sent', async (_what, host, certificate) => {
    const internet = await listenTls(answerJson('secure'), certificate);
    const { outbound } = createWorld({ names, internet });
    expect((await failure(outbound.getJson(`https://${host}/secret`))).reason).toBe('no_valid_response');
    expect(internet.connections).toBe(1);
    expect(internet.paths).toEqual([]);
    await expect.poll(() => internet.open.size).toBe(0);
  });

  it('is verified although the environment turns that off', async () => {
    vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined);
    vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0');
    const internet = await listenTls(answerJson('secure'));
    const { outbound } = createWorld({ names, internet });
    expect((await failure(outbound.getJson('https://other.test/'))).reason).toBe('no_valid_response');
    expect(internet.paths).toEqual([]);
  });

  it('is verified for allowed hosts, too', async () => {
    const listener = await listenTls(answerJson('secure'), 'self-signed.pem');
    const { outbound } = createWorld({ allow: '127.0.0.1' });
    expect((await failure(outbound.getJson(`https://127.0.0.1:${listener.port}/`))).reason).toBe('no_valid_response');
    expect(listener.paths).toEqual([]);
  });

  it.each([
    ['plain HTTP', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}'],
    ['other bytes', '\0'.repeat(1000)],
    ['a fatal alert', Buffer.from([21, 3, 3, 0, 2, 2, 40])],
    ['nothing', ''],
  ])('ends when the server sends %s', async (_what, bytes) => {
    const internet = await listenRaw((socket) => socket.resume().end(bytes));
    const { outbound } = createWorld({ names, internet });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
    await expect.poll(() => internet.open.size).toBe(0);
  });
});

describe('a TLS connection that is reset', () => {
  it.each<[string, (socket: Socket) => void]>([
    ['at once', (socket) => socket.resetAndDestroy()],
    ['in the handshake', (socket) => socket.once('data', () => socket.resetAndDestroy())],
  ])('%s is one more broken response', async (_when, onConnection) => {
    const internet = await listenRaw(onConnection);
    const { outbound } = createWorld({ names: { 'pay.test': [[PUBLIC]] }, internet });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
  });

  it('in the body is one more', async () => {
    const internet = await listenTls((_request, response) => {
      response.write('1', () => [...internet.open].map((socket) => socket.resetAndDestroy()));
    });
    const { outbound } = createWorld({ names: { 'pay.test': [[PUBLIC]] }, internet });
    expect((await failure(outbound.getJson('https://pay.test/'))).reason).toBe('no_valid_response');
  });
});

describe('the connections of the system', () => {
  it('try the addresses in turn', async () => {
    const { port } = await listen(answerJson({}));
    const socket = systemNetwork.connect(['127.9.8.1', '127.9.8.2', '::1', '127.0.0.1'], port);
    await once(socket, 'connect');
    expect(socket.remoteAddress).toBe('127.0.0.1');
    socket.destroy();
  });

  it('fail when no address accepts', async () => {
    const { port } = await listen(answerJson({}));
    await expect(once(systemNetwork.connect(['127.9.8.1', '127.9.8.2'], port), 'connect')).rejects.toThrow();
    await expect(once(systemNetwork.connect(['127.9.8.1'], port), 'connect')).rejects.toThrow('ECONNREFUSED');
  });

  it('serve an allowed host from end to end', async () => {
    const { port } = await listen(answerJson('here'));
    const outbound = new Outbound({ allow: parseAllowList('localhost'), proxy: undefined, log: { debug: () => undefined } });
    expect((await outbound.getJson(`http://localhost:${port}/`)).body).toBe('here');
    expect((await outbound.post(`http://localhost:${port}/`, { headers: {}, body: 'x' })).status).toBe(200);
  });
});

describe('the name resolution of the system', () => {
  function answer(four: string[] | Error, six: string[] | Error) {
    const settle = (result: string[] | Error) => (result instanceof Error ? Promise.reject(result) : Promise.resolve(result));
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation((() => settle(four)) as never);
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation((() => settle(six)) as never);
  }

  const nothing = new Error('queryA ENODATA');

  it.each<[string, string[] | Error, string[] | Error, string[]]>([
    ['both families', ['192.0.2.1', '192.0.2.2'], ['2001:db8::1'], ['192.0.2.1', '192.0.2.2', '2001:db8::1']],
    ['IPv4 alone', ['192.0.2.1'], nothing, ['192.0.2.1']],
    ['IPv6 alone', nothing, ['2001:db8::1'], ['2001:db8::1']],
  ])('returns %s', async (_what, four, six, addresses) => {
    answer(four, six);
    expect(await systemNetwork.resolve(namedTarget('pay.test'), never)).toEqual(addresses);
  });

  it('fails when both questions fail', async () => {
    answer(nothing, new Error('queryAaaa ESERVFAIL'));
    await expect(systemNetwork.resolve(namedTarget('pay.test'), never)).rejects.toThrow('ENODATA');
  });

  it('is canceled when the request ends', async () => {
    const request = new AbortController();
    const cancel = vi.spyOn(Resolver.prototype, 'cancel');
    vi.spyOn(Resolver.prototype, 'resolve4').mockImplementation(() => new Promise(() => undefined));
    vi.spyOn(Resolver.prototype, 'resolve6').mockImplementation(() => new Promise(() => undefined));
    void systemNetwork.resolve(namedTarget('pay.test'), request.signal);
    request.abort();
    expect(cancel).toHaveBeenCalledOnce();
  });

  it('reads /etc/hosts for allowed hosts only', async () => {
    answer(nothing, nothing);
    expect(await systemNetwork.resolve(namedTarget('localhost', 'localhost'), never)).toContain('127.0.0.1');
    await expect(systemNetwork.resolve(namedTarget('localhost'), never)).rejects.toThrow('ENODATA');
  });

  it('leads to no connection when the request ends meanwhile', async () => {
    const request = new AbortController();
    const connect = vi.fn(() => new Socket());
    const network = { resolve: async () => [PUBLIC], connect, ownAddresses: () => [] };
    request.abort(new Error('too late'));
    const opening = openConnection(namedTarget('pay.test'), { allow: rules.allow, proxy: undefined, network }, request.signal);
    await expect(opening).rejects.toThrow('too late');
    expect(connect).not.toHaveBeenCalled();
  });
});
