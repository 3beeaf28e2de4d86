import { expect, it } from 'vitest';
import { inOrderOfCancellation } from '../../src/features/lnurl/pay/payer-limits.ts';
import { insideAddress, networksOf } from '../../src/http/limits/addresses.ts';

it.each([
  ['203.0.113.7', ['203.0.113', '203.0.113.7']],
  ['::ffff:203.0.113.7', ['203.0.113', '203.0.113.7']],
  ['2001:db8:1:2:3:4:5:6', ['2001:db8', '2001:db8:1', '2001:db8:1:2']],
  ['2001:db8::1', ['2001:db8', '2001:db8:0', '2001:db8:0:0']],
  ['::1', ['0:0', '0:0:0', '0:0:0:0']],
  [insideAddress('acc_1', 'wal_2'), ['acc_1', 'acc_1/wal_2']],
])('finds the networks of %s, the largest first', (ip, networks) => {
  expect(networksOf(ip)).toEqual(networks);
});

it('cancels the oldest invoice of the network that has most, and of its own networks that has most', () => {
  const networks = ['a a1', 'b b1', 'a a2', 'a a1', 'c c1', 'b b2'];
  const open = networks.map((payer_networks, id) => ({ id: String(id), payer_networks }));
  expect(inOrderOfCancellation(open)).toEqual(['0', '3', '1', '2', '4', '5']);
});

it('cancels the oldest invoice when no network has more than another', () => {
  const open = ['a a1', 'b b1 b11', 'c c1'].map((payer_networks, id) => ({ id: String(id), payer_networks }));
  expect(inOrderOfCancellation(open)[0]).toBe('0');
});
