import { describe, expect, it } from 'vitest';
import { orderFor, paySuccessfully, type SharedSubject } from './subject.ts';

export function channelContract({ subject }: SharedSubject): void {
  describe('a channel', () => {
    it('is listed with its peer, and with what can be sent and received over it', async ({ skip }) => {
      const { node, control } = await subject();
      if (!node.listChannels) return skip('this node does not list its channels');
      const alice = (await control.describe()).nodes.find(({ name }) => name === 'alice')?.pubkey;
      const channels = await node.listChannels();
      expect(channels.length).toBeGreaterThan(0);
      expect(new Set(channels.map(({ id }) => id)).size).toBe(channels.length);
      for (const { peerPubkey, peerAlias, state, capacityMsat = 0, spendableMsat, receivableMsat, isPrivate } of channels) {
        expect([peerPubkey, state, isPrivate]).toEqual([alice, 'active', false]);
        expect(peerAlias ?? 'alice').toBe('alice');
        expect(spendableMsat).toBeGreaterThan(0);
        expect(receivableMsat).toBeGreaterThan(0);
        expect(spendableMsat + receivableMsat).toBeLessThanOrEqual(capacityMsat);
      }
    });

    it('is described by the control of a test network with the same amounts', async ({ skip }) => {
      const { node, control } = await subject();
      const { channels, nodes } = await control.describe();
      const [own] = (await node.listChannels?.()) ?? [];
      if (!channels || !own) return skip('this network does not report its channels');
      const { pubkey } = await node.info();
      const ownName = nodes.find((one) => one.pubkey === pubkey)?.name;
      const toAlice = channels.find(({ nodes: [from] }) => from === ownName);
      expect(toAlice?.nodes).toEqual([ownName, 'alice']);
      expect(channels.at(-1)?.nodes).toEqual(['alice', 'carol']);
      const difference = (a: number, b: number) => Math.abs(a - b) / (own.capacityMsat ?? 1);
      for (const { capacityMsat, spendableMsat } of channels) {
        expect(capacityMsat).toBe(own.capacityMsat);
        for (const amount of spendableMsat) expect(amount).toBeGreaterThan(0);
      }
      expect(difference(toAlice?.spendableMsat[0] ?? 0, own.spendableMsat)).toBeLessThan(0.01);
      expect(difference(toAlice?.spendableMsat[1] ?? 0, own.receivableMsat)).toBeLessThan(0.01);
    });

    it('can send as much less after a payment as the receiver got, and receive as much more', async ({ skip }) => {
      const { node, control } = await subject();
      const { listChannels } = node;
      if (!listChannels) return skip('this node does not list its channels');
      const sums = async () => {
        const channels = (await listChannels.call(node)) ?? [];
        const sum = (of: 'spendableMsat' | 'receivableMsat') => channels.reduce((total, one) => total + one[of], 0);
        return [sum('spendableMsat'), sum('receivableMsat')] as const;
      };
      const [spendable, receivable] = await sums();
      const amountMsat = 5_000_000;
      await paySuccessfully(node, await orderFor({ control }, { amountMsat }));
      // The HTLC may be removed a moment after the payment has ended. Reserves for fees change with the fee rate, by some satoshis.
      const error = async () => {
        const now = await sums();
        return Math.max(Math.abs(now[0] - (spendable - amountMsat)), Math.abs(now[1] - (receivable + amountMsat)));
      };
      await expect.poll(error).toBeLessThan(amountMsat / 50);
    });
  });
}
