import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { NodeUnavailable } from '../../src/core/lightning/node.ts';
import { createPayerLimits, inOrderOfCancellation } from '../../src/features/lnurl/pay/payer-limits.ts';
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

it('C4: cancels the next invoice of a full link when the node does not confirm the cancellation of the oldest', async () => {
  const open = ['1', '2', '3', '4', '5'];
  const asked: string[] = [];
  const database = {
    first: async () => ({ n: open.length }),
    all: async () => open.map((id) => ({ id, payer_networks: 'a a1' })),
  };
  const invoices = {
    find: async (id: string) => ({ id }),
    async cancel({ id }: { id: string }) {
      asked.push(id);
      if (Number(id) <= 3) throw new NodeUnavailable('no response');
      open.splice(open.indexOf(id), 1);
      return { id };
    },
  };
  const options = { database, invoices, clock: systemClock, maxOpenInvoices: 4, secretKey: new Uint8Array(32) };
  const limits = createPayerLimits(options as never);
  const create = () => limits.createInSlot({ ledgerAccount: 1 } as never, async () => ({ id: 'new' }) as never);
  await expect(create()).rejects.toBeInstanceOf(NodeUnavailable);
  // Those that were not confirmed are not tried first again.
  await expect(create()).resolves.toEqual({ id: 'new' });
  await expect(create()).resolves.toEqual({ id: 'new' });
  expect(asked).toEqual(['1', '2', '3', '4', '5']);
});
