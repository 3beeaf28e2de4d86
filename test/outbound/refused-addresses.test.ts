import { isIP } from 'node:net';
import { describe, expect, it } from 'vitest';
import { answerJson, closeListeners, createWorld, failure, type Listener, listen, PUBLIC } from './world.ts';

closeListeners();

const MESSAGE = 'The service at rebound.test could not be reached or gave no valid response.';

/** Each special range with its first and last address, or typical ones. */
const SPECIAL: readonly (readonly [range: string, ...addresses: string[]])[] = [
  ['this network 0.0.0.0/8', '0.0.0.0', '0.0.0.1', '0.255.255.255'],
  ['private 10.0.0.0/8', '10.0.0.0', '10.1.2.3', '10.255.255.255'],
  ['shared 100.64.0.0/10', '100.64.0.0', '100.100.100.200', '100.127.255.255'],
  ['loopback 127.0.0.0/8', '127.0.0.1', '127.0.0.2', '127.255.255.254'],
  ['Azure platform', '168.63.129.16'],
  ['link-local 169.254.0.0/16', '169.254.0.1', '169.254.169.254', '169.254.255.255'],
  ['private 172.16.0.0/12', '172.16.0.0', '172.17.0.1', '172.31.255.255'],
  ['protocol assignments 192.0.0.0/24', '192.0.0.0', '192.0.0.8', '192.0.0.170', '192.0.0.192', '192.0.0.255'],
  ['documentation 192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['AS112 192.31.196.0/24', '192.31.196.0', '192.31.196.255'],
  ['AMT 192.52.193.0/24', '192.52.193.0', '192.52.193.255'],
  ['6to4 relays 192.88.99.0/24', '192.88.99.0', '192.88.99.2', '192.88.99.255'],
  ['private 192.168.0.0/16', '192.168.0.0', '192.168.1.1', '192.168.255.255'],
  ['AS112 192.175.48.0/24', '192.175.48.0', '192.175.48.255'],
  ['benchmarks 198.18.0.0/15', '198.18.0.0', '198.19.255.255'],
  ['documentation 198.51.100.0/24', '198.51.100.0', '198.51.100.255'],
  ['documentation 203.0.113.0/24', '203.0.113.0', '203.0.113.255'],
  ['multicast 224.0.0.0/4', '224.0.0.0', '224.0.0.251', '239.255.255.255'],
  ['reserved 240.0.0.0/4', '240.0.0.0', '255.255.255.254'],
  ['broadcast', '255.255.255.255'],
  ['unspecified ::', '::'],
  ['loopback ::1', '::1'],
  ['IPv4-compatible ::/96', '::2', '::7f00:1', '::127.0.0.1', '::a00:1'],
  ['IPv4-mapped ::ffff:0:0/96', '::ffff:127.0.0.1', '::ffff:7f00:1', '::ffff:10.0.0.1', '::ffff:93.184.215.14', '0:0:0:0:0:ffff:127.0.0.1'],
  ['IPv4-translated ::ffff:0:0:0/96', '::ffff:0:127.0.0.1'],
  ['NAT64 64:ff9b::/96', '64:ff9b::', '64:ff9b::7f00:1', '64:ff9b::10.0.0.1', '64:ff9b::5db8:d70e'],
  ['local NAT64 64:ff9b:1::/48', '64:ff9b:1::', '64:ff9b:1:ffff:ffff:ffff:ffff:ffff'],
  ['discard-only 100::/64', '100::', '100::1', '100::ffff:ffff:ffff:ffff'],
  ['dummy prefix 100:0:0:1::/64', '100:0:0:1::1'],
  ['IETF protocols 2001::/23', '2001:1::1', '2001:1::2', '2001:3::1', '2001:4:112::1', '2001:1ff:ffff::1'],
  ['Teredo 2001::/32', '2001::', '2001:0:4136:e378:8000:63bf:3fff:fdd2'],
  ['benchmarks 2001:2::/48', '2001:2::1'],
  ['ORCHID 2001:10::/28', '2001:10::1', '2001:1f:ffff::1'],
  ['ORCHIDv2 2001:20::/28', '2001:20::1', '2001:2f:ffff::1'],
  ['drones 2001:30::/28', '2001:30::1'],
  ['documentation 2001:db8::/32', '2001:db8::', '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['6to4 2002::/16', '2002::', '2002:7f00:1::1', '2002:a00:1::', '2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['AS112 2620:4f:8000::/48', '2620:4f:8000::1'],
  ['documentation 3fff::/20', '3fff::', '3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['unassigned', '4000::1', '1::1', '200::1', '400::1', '8000::1', 'e000::1'],
  ['segment routing 5f00::/16', '5f00::1'],
  ['unique local fc00::/7', 'fc00::', 'fd00:ec2::254', 'fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['link-local fe80::/10', 'fe80::1', 'febf::1', 'fe80::1%eth0', 'fe80::1%lo'],
  ['site-local fec0::/10', 'fec0::1', 'feff::1'],
  ['multicast ff00::/8', 'ff00::', 'ff02::1', 'ff0e::1', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff'],
  ['public with a zone', '2606:4700::1111%eth0'],
  ['no address', '', 'localhost', '127.1', '2130706433', '0x7f000001', '0177.0.0.1', '127.0.0.1 ', '93.184.215.14:80'],
];

const SPECIAL_ADDRESSES = SPECIAL.flatMap(([range, ...addresses]) => addresses.map((address) => [address, range] as const));

describe('a name that resolves to a special address', () => {
  it.each(SPECIAL_ADDRESSES)('L2: %s (%s) is refused without a connection', async (address) => {
    const { outbound, resolved, connected } = createWorld({ names: { 'rebound.test': [[address]] } });
    const error = await failure(outbound.getJson('https://rebound.test/'));
    expect(error).toMatchObject({ name: 'OutboundError', reason: 'no_valid_response', message: MESSAGE });
    expect(resolved).toEqual(['rebound.test']);
    expect(connected).toEqual([]);
  });

  it.each(SPECIAL_ADDRESSES)('L2: %s (%s) is refused among public addresses', async (address) => {
    const positions = [
      [address, PUBLIC],
      [PUBLIC, address],
      [PUBLIC, '2606:4700::1111', address],
    ];
    for (const answer of positions) {
      const { outbound, connected } = createWorld({ names: { 'rebound.test': [answer] } });
      expect((await failure(outbound.getJson('https://rebound.test/'))).message).toBe(MESSAGE);
      expect(connected).toEqual([]);
    }
  });
});

describe('a URL with a special address', () => {
  const literals = SPECIAL_ADDRESSES.filter(([address]) => isIP(address) > 0 && !address.includes('%')).map(
    ([address, range]) => [address.includes(':') ? `[${address}]` : address, range] as const,
  );

  it.each(literals)('L2: %s (%s) is refused without a connection', async (host) => {
    const { outbound, resolved, connected } = createWorld();
    const error = await failure(outbound.getJson(`https://${host}:8443/`));
    expect(error.reason).toBe('no_valid_response');
    expect((await failure(outbound.post(`https://${host}/`, { headers: {}, body: '' }))).reason).toBe('no_valid_response');
    expect(resolved).toEqual([]);
    expect(connected).toEqual([]);
  });
});

describe('the address next to a special range', () => {
  it.each([
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '168.63.129.15',
    '168.63.129.17',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '2001:200::',
    '2001:db7:ffff::1',
    '2001:db9::',
    '2001:ffff::1',
    '2003::',
    '2606:4700::1111',
    '3ffe:ffff::1',
    '3fff:1000::',
  ])('%s is public', async (address) => {
    const { outbound, connected } = createWorld({ names: { 'pay.test': [[address]] } });
    await failure(outbound.getJson('https://pay.test/'));
    expect(connected).toEqual([{ addresses: [address], port: 443 }]);
  });
});

/** URLs that lead to a local listener unless they are refused. PORT is its port. */
const TRICKS: readonly (readonly [trick: string, url: string])[] = [
  ['loopback', 'https://127.0.0.1:PORT/'],
  ['another loopback address', 'https://127.0.0.2:PORT/'],
  ['IPv6 loopback', 'https://[::1]:PORT/'],
  ['long IPv6 loopback', 'https://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/'],
  ['a decimal address', 'https://2130706433:PORT/'],
  ['an octal address', 'https://0177.0.0.1:PORT/'],
  ['an octal number', 'https://017700000001:PORT/'],
  ['a hexadecimal address', 'https://0x7f.0.0.1:PORT/'],
  ['a hexadecimal number', 'https://0x7f000001:PORT/'],
  ['mixed bases', 'https://0x7f.0.0.01:PORT/'],
  ['two parts', 'https://127.1:PORT/'],
  ['three parts', 'https://127.0.1:PORT/'],
  ['leading zeros', 'https://127.000.000.001:PORT/'],
  ['a dot after an address', 'https://127.0.0.1.:PORT/'],
  ['zero', 'https://0:PORT/'],
  ['the unspecified address', 'https://0.0.0.0:PORT/'],
  ['the unspecified IPv6 address', 'https://[::]:PORT/'],
  ['percent-encoded digits', 'https://%31%32%37.0.0.1:PORT/'],
  ['percent-encoded dots', 'https://127%2E0%2E0%2E1:PORT/'],
  ['ideographic dots', 'https://127。0。0。1:PORT/'],
  ['full-width digits', 'https://１２７.0.0.1:PORT/'],
  ['circled digits', 'https://①②⑦.⓪.⓪.①:PORT/'],
  ['a mapped address', 'https://[::ffff:127.0.0.1]:PORT/'],
  ['a mapped address in hexadecimal', 'https://[::ffff:7f00:1]:PORT/'],
  ['a compatible address', 'https://[::127.0.0.1]:PORT/'],
  ['NAT64', 'https://[64:ff9b::127.0.0.1]:PORT/'],
  ['backslashes', 'https:\\\\127.0.0.1:PORT\\'],
  ['a backslash before another host', 'https://127.0.0.1:PORT\\@pay.test:22/'],
  ['missing slashes', 'https:127.0.0.1:PORT/'],
  ['more slashes', 'https:////127.0.0.1:PORT/'],
  ['tabs and line breaks', 'ht\ttps://127.0.\n0.1:PORT/'],
  ['spaces around it', '  https://127.0.0.1:PORT/  '],
  ['an empty user', 'https://@127.0.0.1:PORT/'],
  ['a zero before the port', 'https://127.0.0.1:0PORT/'],
  ['localhost', 'https://localhost:PORT/'],
  ['upper case', 'https://LOCALHOST:PORT/'],
  ['full-width letters', 'https://ｌｏｃａｌｈｏｓｔ:PORT/'],
  ['circled letters', 'https://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ:PORT/'],
  ['a soft hyphen', 'https://local\u00adhost:PORT/'],
  ['a percent-encoded letter', 'https://%6cocalhost:PORT/'],
  ['a name under localhost', 'https://pay.localhost:PORT/'],
  ['a name that contains an address', 'https://127.0.0.1.nip.test:PORT/'],
  ['a public name of loopback', 'https://localtest.test:PORT/'],
  ['a single label', 'https://intranet:PORT/'],
];

/** The same for URLs that break a rule. */
const INVALID: readonly (readonly [trick: string, url: string, message: RegExp])[] = [
  ['plain HTTP', 'http://pay.test:PORT/', /begin with https/],
  ['plain HTTP to loopback', 'http://127.0.0.1:PORT/', /begin with https/],
  ['upper-case plain HTTP', 'HTTP://pay.test:PORT/', /begin with https/],
  ['file', 'file:///etc/passwd', /begin with https/],
  ['gopher', 'gopher://127.0.0.1:PORT/_x', /begin with https/],
  ['ftp', 'ftp://127.0.0.1:PORT/', /begin with https/],
  ['dict', 'dict://127.0.0.1:PORT/', /begin with https/],
  ['data', 'data:application/json,{}', /begin with https/],
  ['blob', 'blob:https://pay.test/x', /begin with https/],
  ['javascript', 'javascript:1', /begin with https/],
  ['web sockets', 'wss://pay.test:PORT/', /begin with https/],
  ['a scheme of a wallet', 'lnurlp://pay.test/', /begin with https/],
  ['no scheme', 'pay.test:PORT/', /begin with https/],
  ['no scheme, with slashes', '//pay.test/', /complete and valid/],
  ['no host', 'https:///', /complete and valid/],
  ['nothing', '', /complete and valid/],
  ['a user', 'https://user@127.0.0.1:PORT/', /user name or a password/],
  ['a password', 'https://:secret@127.0.0.1:PORT/', /user name or a password/],
  ['a name as a user', 'https://pay.test@127.0.0.1:PORT/', /user name or a password/],
  ['a percent-encoded user', 'https://pay.test%2f@127.0.0.1:PORT/', /user name or a password/],
  ['a name with a dot at its end', 'https://pay.test.:PORT/', /without a dot/],
  ['localhost with a dot at its end', 'https://localhost.:PORT/', /without a dot/],
  ['an empty label', 'https://pay..test:PORT/', /letters, digits/],
  ['other characters', "https://pay'test:PORT/", /letters, digits/],
  ['a wildcard', 'https://*.test:PORT/', /letters, digits/],
  ['a long label', `https://${'a'.repeat(64)}.test:PORT/`, /letters, digits/],
  ['a long name', `https://${'a.'.repeat(127)}test:PORT/`, /letters, digits/],
  ['an IPv6 zone', 'https://[fe80::1%25lo]:PORT/', /complete and valid/],
  ['an IPv6 zone of loopback', 'https://[::1%lo]:PORT/', /complete and valid/],
  ['an address of five parts', 'https://127.0.0.1.1:PORT/', /complete and valid/],
  ['a part above 255', 'https://127.0.0.256:PORT/', /complete and valid/],
  ['a number above 32 bits', 'https://6425673729:PORT/', /complete and valid/],
  ['an encoded null', 'https://127.0.0.1%00.pay.test:PORT/', /complete and valid/],
  ['a line break in the host', 'https://pay.test%0d%0aHost:PORT/', /complete and valid/],
  ['port 0', 'https://pay.test:0/', /port/],
  ['the port of SSH', 'https://pay.test:22/', /port/],
  ['the port of mail', 'https://pay.test:25/', /port/],
  ['the port of plain HTTP', 'https://pay.test:80/', /port/],
  ['the last reserved port', 'https://pay.test:1023/', /port/],
  ['a port above 65535', 'https://pay.test:65536/', /complete and valid/],
  ['a negative port', 'https://pay.test:-1/', /complete and valid/],
  ['a long URL', `https://pay.test/${'a'.repeat(8000)}`, /at most 8000/],
];

describe('a URL that tries to reach this machine', () => {
  async function loopbackListeners(): Promise<[Listener, Listener]> {
    const first = await listen(answerJson({}), '0.0.0.0');
    return [first, await listen(answerJson({}), '::1')];
  }

  const names = {
    '127.0.0.1.nip.test': [['127.0.0.1']],
    'localtest.test': [['::1', '127.0.0.1']],
    intranet: [['127.0.0.1']],
    localhost: [['127.0.0.1']],
    'pay.localhost': [['127.0.0.1']],
    'pay.test': [['127.0.0.1']],
    'pay.test.': [['127.0.0.1']],
  };

  it.each(TRICKS)('L2: by %s is refused: %s', async (_trick, url) => {
    for (const listener of await loopbackListeners()) {
      const { outbound, connected } = createWorld({ names });
      const error = await failure(outbound.getJson(url.replace('PORT', String(listener.port))));
      expect(error.reason).toBe('no_valid_response');
      expect(error.message).toMatch(/^The service at \S+ could not be reached or gave no valid response\.$/);
      expect(connected).toEqual([]);
      expect(listener.connections).toBe(0);
    }
  });

  it.each(INVALID)('by %s is invalid: %s', async (_trick, url, message) => {
    for (const listener of await loopbackListeners()) {
      const { outbound, resolved, connected, log } = createWorld({ names });
      const error = await failure(outbound.getJson(url.replace('PORT', String(listener.port))));
      expect(error.reason).toBe('invalid_url');
      expect(error.message).toMatch(message);
      expect({ resolved, connected, log }).toEqual({ resolved: [], connected: [], log: [] });
      expect(listener.connections).toBe(0);
    }
  });
});
