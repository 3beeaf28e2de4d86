import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { NodeUnavailable } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { orderFor, type SharedSubject } from './subject.ts';

export function identityContract({ subject, reopened }: SharedSubject): void {
  describe('the node', () => {
    it('reports its key, with which it signs invoices, and its network', async () => {
      const { node } = await subject();
      const { pubkey, network, software, cannotSend } = await node.info();
      const { paymentRequest } = await nodeInvoice(node, { amountMsat: msat(1_000), description: 'tea', expirySeconds: 60 });
      expect(decodeBolt11(paymentRequest)).toMatchObject({ payee: pubkey, network });
      expect(software).toMatch(/\w/);
      expect(cannotSend).toBeUndefined();
    });

    it('belongs to the first ledger that claims it, also after a restart, until another ledger replaces that one', async ({ skip }) => {
      const { node } = await subject();
      if (!node.claimForLedger) return skip('this node cannot store the id of a ledger');
      expect(await node.claimForLedger('lnd_one', undefined)).toBe('lnd_one');
      expect(await node.claimForLedger('lnd_one', undefined)).toBe('lnd_one');
      expect(await node.claimForLedger('lnd_two', undefined)).toBe('lnd_one');
      expect(await node.claimForLedger('lnd_two', 'lnd_three')).toBe('lnd_one');
      const { node: again } = await reopened();
      expect(await again.claimForLedger?.('lnd_two', undefined)).toBe('lnd_one');
      expect(await again.claimForLedger?.('lnd_two', 'lnd_one')).toBe('lnd_two');
      expect(await again.claimForLedger?.('lnd_one', undefined)).toBe('lnd_two');
    });

    it('reports the same identity and balance after a restart', async () => {
      const { node } = await subject();
      const [info, balance] = [await node.info(), await node.balance()];
      const { node: again } = await reopened();
      // The chain may have grown meanwhile.
      expect({ ...(await again.info()), chain: info.chain }).toEqual(info);
      expect(await again.balance()).toEqual(balance);
    });

    it('is unavailable after it was closed, and can be closed twice', async () => {
      const { node } = await subject();
      await reopened();
      await node.close();
      await expect(nodeInvoice(node, { description: '', expirySeconds: 60 })).rejects.toThrow(NodeUnavailable);
      await expect(node.pay(await orderFor(await subject()))).rejects.toThrow(NodeUnavailable);
    });
  });

  describe('a route', () => {
    it('leads to its destination, and its amounts and fees add up', async ({ skip }) => {
      const { node, control } = await subject();
      if (!node.queryRoutes) return skip('this node does not report routes');
      const { nodes } = await control.describe();
      const amountMsat = msat(123_456);
      const before = await node.balance();
      for (const [name, hopCount] of [
        ['alice', 1],
        ['carol', 2],
      ] as const) {
        const pubkey = nodes.find((one) => one.name === name)?.pubkey as string;
        const [route] = await node.queryRoutes({ destination: pubkey, amountMsat });
        if (!route) throw new Error(`no route to ${name}`);
        expect(route.hops).toHaveLength(hopCount);
        expect(route.hops.at(-1)).toMatchObject({ pubkey, forwardMsat: amountMsat, feeMsat: 0 });
        expect(route.hops.reduce((sum, hop) => sum + hop.feeMsat, 0)).toBe(route.feesMsat);
        expect(route.totalMsat).toBe(amountMsat + route.feesMsat);
        expect(route.feesMsat > 0).toBe(hopCount > 1);
        expect((route.hops[0]?.forwardMsat ?? 0) + (route.hops[0]?.feeMsat ?? 0)).toBe(route.totalMsat);
        expect(route.hops.every((hop) => hop.expiryHeight > 0 && hop.expiryHeight <= route.timeLock)).toBe(true);
        expect(route.hops.every((hop) => /^[1-9][0-9]*$/.test(hop.shortChannelId))).toBe(true);
      }
      expect(await node.balance()).toEqual(before);
    });

    it('does not exist to an unknown node, and for more than the node has', async ({ skip }) => {
      const { node, control } = await subject();
      if (!node.queryRoutes) return skip('this node does not report routes');
      const { nodes, unreachablePubkey } = await control.describe();
      expect(await node.queryRoutes({ destination: unreachablePubkey, amountMsat: msat(123_456) })).toEqual([]);
      const alice = nodes.find((one) => one.name === 'alice')?.pubkey as string;
      expect(await node.queryRoutes({ destination: alice, amountMsat: msat(2 ** 52) })).toEqual([]);
    });
  });
}
