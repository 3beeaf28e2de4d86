import { expect, it } from 'vitest';
import { createAppLoginLimits } from '../../src/features/lndhub/login-limits.ts';
import { forwardedAddress, networkOf, networksOf, plainAddress, sharesOf, withBlock } from '../../src/http/limits/addresses.ts';
import { normalizeForwarded, trustedProxies } from '../../src/http/limits/forwarded.ts';
import { AddressBuckets } from '../../src/http/limits/token-buckets.ts';

it.each([
  ['203.0.113.8', '203.0.113.8'],
  ['203.0.113.8:40000', '203.0.113.8'],
  [' 203.0.113.8:_port ', '203.0.113.8'],
  ['"203.0.113.8:40000"', '203.0.113.8'],
  ['2001:DB8::1', '2001:db8:0:0:0:0:0:1'],
  ['2001:0db8:0:0::1', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]', '2001:db8:0:0:0:0:0:1'],
  ['[2001:db8::1]:40000', '2001:db8:0:0:0:0:0:1'],
  ['"[2001:db8::1]:40000"', '2001:db8:0:0:0:0:0:1'],
  ['fe80::1%eth0', 'fe80:0:0:0:0:0:0:1'],
  ['[fe80::1%eth0]:80', 'fe80:0:0:0:0:0:0:1'],
  ['::ffff:203.0.113.8', '203.0.113.8'],
  ['::FFFF:cb00:7108', '203.0.113.8'],
  ['[::ffff:203.0.113.8]:40000', '203.0.113.8'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['64:ff9b::203.0.113.8', '64:ff9b:0:0:0:0:cb00:7108'],
])('reads the address in %s', (entry, address) => {
  expect(forwardedAddress(entry)).toBe(address);
});

it.each([
  'unknown',
  '_hidden',
  '_SEVKISEK',
  '',
  '-',
  'localhost',
  '203.0.113',
  '203.0.113.256',
  '203.000.113.8',
  '203.0.113.8:',
  '203.0.113.8:400000',
  '203.0.113.8:40000:1',
  '[203.0.113.8]:80',
  '[2001:db8::1',
  '2001:db8::1]:80',
  '[]:80',
  '[unknown]',
  '2001:db8:::1',
  'acc_1/wal_2',
  '203.0.113.8/24',
])('finds no address in "%s"', (entry) => {
  expect(forwardedAddress(entry)).toBeUndefined();
});

it('writes each IPv6 address in one form', () => {
  const forms = ['2001:db8:0:0:1::', '2001:DB8::1:0:0:0', '2001:0db8:0000::0001:0000:0000:0000'];
  expect(new Set(forms.map(plainAddress))).toEqual(new Set(['2001:db8:0:0:1:0:0:0']));
  expect(new Set(forms.map(networkOf)).size).toBe(1);
});

/** Returns the header after the rewriting, the address that Fastify then reads, and the entries that were reported. */
function rewritten(header: string | undefined, peer: string, trusted: number | readonly string[]) {
  const headers: Record<string, string | undefined> = { 'x-forwarded-for': header };
  const reported: string[] = [];
  const raw = { headers, socket: { remoteAddress: peer } } as unknown as Parameters<typeof normalizeForwarded>[0];
  normalizeForwarded(raw, trustedProxies(trusted), (entry, proxy) => reported.push(`${entry} from ${proxy}`));
  return [headers['x-forwarded-for'], reported];
}

it('keeps the entries that trusted proxies have added', () => {
  expect(rewritten(undefined, '10.0.0.1', 1)).toEqual([undefined, []]);
  expect(rewritten('203.0.113.8:40000', '10.0.0.1', 1)).toEqual(['203.0.113.8', []]);
  expect(rewritten('198.51.100.1, 203.0.113.8:40000', '10.0.0.1', 1)).toEqual(['203.0.113.8', []]);
  expect(rewritten('198.51.100.1:1, [2001:db8::1]:2', '10.0.0.1', 2)).toEqual(['198.51.100.1, 2001:db8:0:0:0:0:0:1', []]);
  expect(rewritten('198.51.100.1, 10.0.0.2:443', '::ffff:10.0.0.1', ['10.0.0.0/8'])).toEqual(['198.51.100.1, 10.0.0.2', []]);
  expect(rewritten('198.51.100.1', '192.0.2.1', ['10.0.0.0/8', 'fd00::/8'])).toEqual(['', []]);
  expect(rewritten('198.51.100.1', 'fd00::7', ['10.0.0.0/8', 'fd00::/8'])).toEqual(['198.51.100.1', []]);
});

it('reports an entry of a trusted proxy that is no address, and not what clients write', () => {
  expect(rewritten('198.51.100.1, unknown', '10.0.0.1', 2)).toEqual(['', ['unknown from 10.0.0.1']]);
  expect(rewritten('garbage, 203.0.113.8', '10.0.0.1', 1)).toEqual(['203.0.113.8', []]);
  expect(rewritten('garbage, 10.0.0.2', '10.0.0.1', 2)).toEqual(['10.0.0.2', ['garbage from 10.0.0.2']]);
  expect(rewritten('garbage', '192.0.2.1', ['10.0.0.0/8'])).toEqual(['', []]);
});

const RATE = { perSecond: 1, burst: 5 };

it('limits the networks of an address, too', () => {
  const admittedOf = (ips: readonly string[]) => {
    const buckets = new AddressBuckets(RATE, 100_000, () => 0);
    return ips.filter((ip) => buckets.takeToken(ip)).length;
  };
  const many = (ipOf: (i: number) => string) => Array.from({ length: 2000 }, (_, i) => ipOf(i));
  expect(admittedOf(many(() => '203.0.113.8'))).toBe(5);
  expect(admittedOf(many((i) => `203.0.113.${i % 256}`))).toBe(320);
  expect(admittedOf(many((i) => `2001:db8:1:2::${i.toString(16)}`))).toBe(5);
  expect(admittedOf(many((i) => `2001:db8:1:${i.toString(16)}::1`))).toBe(20);
  expect(admittedOf(many((i) => `2001:db8:${i.toString(16)}::1`))).toBe(320);
  expect(admittedOf(many((i) => `2001:${i.toString(16)}::1`))).toBe(2000);
});

it('takes nothing from an address whose network is exhausted, and gives tokens back to all networks', () => {
  const buckets = new AddressBuckets(RATE, 100_000, () => 0);
  for (let i = 0; i < 20; i++) expect(buckets.takeToken(`2001:db8:1:${i}::1`)).toBe(true);
  expect(buckets.takeToken('2001:db8:1:77::1')).toBe(false);
  expect(buckets.isEmpty('2001:db8:1:77::1')).toBe(true);
  buckets.returnToken('2001:db8:1:0::1');
  for (let i = 0; i < 5; i++) {
    expect(buckets.takeToken('2001:db8:1:77::1')).toBe(true);
    buckets.returnToken('2001:db8:1:1::1');
  }
});

it('lets a customer with 65,536 networks create few LNDhub wallets', () => {
  const limits = createAppLoginLimits({ isUnlimited: false }, () => 0);
  const created = Array.from({ length: 1000 }, (_, i) => `2001:db8:1:${i.toString(16)}::1`).filter((ip) => {
    try {
      limits.admitCreation({ ip } as never);
      return true;
    } catch {
      return false;
    }
  });
  expect(created).toHaveLength(20);
  expect(() => limits.admitCreation({ ip: '2001:db8:2::1' } as never)).not.toThrow();
});

it('names the shares and the blocks of an address', () => {
  expect(sharesOf('2001:db8::1').map(({ name }) => name)).toEqual(['2001:db8:0:0', '2001:db8:0', '2001:db8']);
  expect(sharesOf('acc_1/wal_2')).toEqual([{ name: 'acc_1/wal_2', times: 1 }]);
  expect(withBlock(networksOf('203.0.113.8'))).toEqual(['203', '203.0.113', '203.0.113.8']);
  expect(withBlock(networksOf('2001:db8::1'))[0]).toBe('2001');
});
