import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { InvalidConfig } from '../../src/settings.ts';
import { answerJson, closeListeners, createWorld, failure, listen } from './world.ts';

closeListeners();

describe('OUTBOUND_ALLOW', () => {
  const { outboundAllow: allow } = readConfig({
    OUTBOUND_ALLOW: ' Pay.LAN:8080, hooks.lan ,10.0.0.0/8,192.168.1.7, fd00::/8 ,::1,[::2]:3000,127.0.0.1:0443,bücher.test,[fd01::1]',
  });

  it.each([
    ['pay.lan', 8080, true],
    ['pay.lan', 8081, false],
    ['a.pay.lan', 8080, false],
    ['hooks.lan', 80, true],
    ['hooks.lan', 443, true],
    ['hooks.lan.test', 443, false],
    ['::2', 3000, true],
    ['::2', 3001, false],
    ['127.0.0.1', 443, true],
    ['127.0.0.1', 80, false],
    ['xn--bcher-kva.test', 443, true],
    ['', 443, false],
  ])('allows host %s with port %i: %s', (host, port, isAllowed) => {
    expect(allow.hasHost(host, port)).toBe(isAllowed);
  });

  it.each([
    ['10.0.0.0', true],
    ['10.255.255.255', true],
    ['11.0.0.0', false],
    ['192.168.1.7', true],
    ['192.168.1.8', false],
    ['fdff::1', true],
    ['fe00::1', false],
    ['::1', true],
    ['::2', false],
    ['127.0.0.1', false],
    ['hooks.lan', false],
    ['', false],
  ])('allows address %s: %s', (address, isAllowed) => {
    expect(allow.hasAddress(address)).toBe(isAllowed);
  });

  it('L2: allows nothing by default', () => {
    for (const settings of [{}, { OUTBOUND_ALLOW: '' }, { OUTBOUND_ALLOW: ' ' }]) {
      const { outboundAllow } = readConfig(settings);
      expect(outboundAllow.hasRanges || outboundAllow.hasHost('localhost', 80) || outboundAllow.hasAddress('127.0.0.1')).toBe(false);
    }
  });

  it('compares addresses with ranges of their own family only', () => {
    const mapped = readConfig({ OUTBOUND_ALLOW: '::ffff:0:0/96' }).outboundAllow;
    expect(mapped.hasAddress('10.0.0.1')).toBe(false);
    expect(readConfig({ OUTBOUND_ALLOW: '::/0' }).outboundAllow.hasAddress('10.0.0.1')).toBe(false);
  });

  it.each([
    'http://pay.lan',
    'pay.lan/path',
    'user@pay.lan',
    'pay.lan?x',
    'pay.lan:0',
    'pay.lan:65536',
    'pay.lan:http',
    'pay.lan:',
    'pay.lan.',
    'pay lan',
    '10.0.0.0/33',
    '10.0.0.0/',
    '10.0.0.0/8/8',
    'fd00::/129',
    'fe80::1%eth0',
    'fd00::1:',
    '[fd00::1',
    '*',
    ',',
    'hooks.lan,',
    'hooks.lan,,pay.lan',
  ])('rejects %s', (text) => {
    expect(() => readConfig({ OUTBOUND_ALLOW: text })).toThrow(InvalidConfig);
    expect(() => readConfig({ OUTBOUND_ALLOW: text })).toThrow(
      /^OUTBOUND_ALLOW: entry [12] must be a host, a host:port or an address range; /,
    );
  });
});

describe('OUTBOUND_PROXY', () => {
  it.each([
    ['socks5h://127.0.0.1:9050', { host: '127.0.0.1', port: 9050 }],
    ['socks5h://tor:9050/', { host: 'tor', port: 9050 }],
    ['socks5h://[::1]:9150', { host: '::1', port: 9150 }],
    ['', undefined],
  ])('reads %s', (text, proxy) => {
    expect(readConfig({ OUTBOUND_PROXY: text }).outboundProxy).toEqual(proxy);
  });

  it.each([
    '127.0.0.1:9050',
    'socks5://127.0.0.1:9050',
    'socks4://127.0.0.1:9050',
    'http://127.0.0.1:9050',
    'socks5h://127.0.0.1',
    'socks5h://:9050',
    'socks5h://127.0.0.1:0',
    'socks5h://127.0.0.1:65536',
    'socks5h://user:s3cret@127.0.0.1:9050',
    'socks5h://127.0.0.1:9050/path',
    'socks5h://127.0.0.1:9050?x',
    'socks5h://::1:9050',
  ])('rejects %s without its secrets', (text) => {
    expect(() => readConfig({ OUTBOUND_PROXY: text })).toThrow(
      new InvalidConfig('OUTBOUND_PROXY: the proxy must have the form socks5h://host:port; for example socks5h://127.0.0.1:9050.'),
    );
  });
});

describe('an allowed host', () => {
  const names = { 'pay.lan': [['127.0.0.1']], 'both.lan': [['127.0.0.1', '127.0.0.2']] };

  it.each([
    ['by its name and port', 'pay.lan:PORT', 'http://pay.lan:PORT/'],
    ['by its name', 'pay.lan', 'http://pay.lan:PORT/'],
    ['by its address and port', '127.0.0.1:PORT', 'http://127.0.0.1:PORT/'],
    ['by its address', '127.0.0.1', 'http://127.0.0.1:PORT/'],
    ['by its range', '127.0.0.0/8', 'http://127.0.0.1:PORT/'],
    ['by the range of its only address', '127.0.0.0/8', 'http://pay.lan:PORT/'],
    ['by the range of all its addresses', '127.0.0.0/8', 'http://both.lan:PORT/'],
    ['as localhost', 'localhost', 'http://localhost:PORT/'],
    ['by a number that is its address', '127.0.0.1', 'http://2130706433:PORT/'],
  ])('is reached %s over plain HTTP', async (_how, allow, url) => {
    const listener = await listen(answerJson('here'));
    const port = String(listener.port);
    const { outbound } = createWorld({ names: { ...names, localhost: [['127.0.0.1']] }, allow: allow.replace('PORT', port) });
    expect((await outbound.getJson(url.replace('PORT', port))).body).toBe('here');
  });

  it.each([
    ['another name of the address', 'other.lan:PORT', 'http://pay.lan:PORT/', 'invalid_url'],
    ['another port', 'pay.lan:1', 'http://pay.lan:PORT/', 'invalid_url'],
    ['another port over https', 'pay.lan:1', 'https://pay.lan:PORT/', 'no_valid_response'],
    ['the port of an address, for a name with that address', '127.0.0.1:PORT', 'https://pay.lan:PORT/', 'no_valid_response'],
    ['some of the addresses, over plain HTTP', '127.0.0.1/32', 'http://both.lan:PORT/', 'no_valid_response'],
    ['some of the addresses, over https', '127.0.0.1/32', 'https://both.lan:PORT/', 'no_valid_response'],
    ['the range of localhost', '127.0.0.0/8', 'http://localhost:PORT/', 'no_valid_response'],
    ['the mapped form of a range', '127.0.0.0/8', 'https://[::ffff:127.0.0.1]:PORT/', 'no_valid_response'],
    ['a range, for plain HTTP to a public name', '127.0.0.0/8', 'http://public.lan:PORT/', 'no_valid_response'],
    ['a range, for a low port of a public name', '127.0.0.0/8', 'https://public.lan:22/', 'no_valid_response'],
  ])('is not %s', async (_what, allow, url, reason) => {
    const listener = await listen(answerJson({}));
    const port = String(listener.port);
    const withPublic = { ...names, 'public.lan': [['93.184.215.14']], localhost: [['127.0.0.1']] };
    const { outbound, connected } = createWorld({ names: withPublic, allow: allow.replace('PORT', port) });
    expect((await failure(outbound.getJson(url.replace('PORT', port)))).reason).toBe(reason);
    expect(connected).toEqual([]);
    expect(listener.connections).toBe(0);
  });
});
