import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { type SharedSubject, settlementOf, sha256 } from './subject.ts';

export function invoiceContract({ subject, reopened }: SharedSubject): void {
  describe('an invoice', () => {
    it('has the requested amount, description, expiry and preimage', async () => {
      const { node } = await subject();
      const one = await nodeInvoice(node, { amountMsat: msat(2_001), description: 'Kaffee ☕', expirySeconds: 1234 });
      expect(decodeBolt11(one.paymentRequest)).toMatchObject({
        paymentHash: one.paymentHash,
        amountMsat: 2_001,
        description: 'Kaffee ☕',
        expirySeconds: 1234,
      });
      expect(one.paymentRequest).toBe(one.paymentRequest.toLowerCase());
      expect(sha256(one.preimage)).toBe(one.paymentHash);
    });

    it('can have no amount, and the hash of a description instead of a description', async ({ skip }) => {
      const { node } = await subject();
      if (!(await node.info()).capabilities.descriptionHashWithoutText) return skip('this node needs the text of the description');
      const descriptionHash = sha256('00');
      const { paymentRequest } = await nodeInvoice(node, { description: '', descriptionHash, expirySeconds: 60 });
      const decoded = decodeBolt11(paymentRequest);
      expect(decoded).toMatchObject({ descriptionHash });
      expect(decoded.amountMsat).toBeUndefined();
    });

    it('is created once for each preimage', async () => {
      const { node } = await subject();
      const request = { preimage: randomBytes(32).toString('hex'), amountMsat: msat(5_000), description: 'tea', expirySeconds: 60 };
      const [one, other] = await Promise.all([node.createInvoice(request), node.createInvoice(request)]);
      expect(other).toEqual(one);
      const { node: again } = await reopened();
      expect(await again.createInvoice(request)).toEqual(one);
    });

    it('is credited with the amount that arrived, and stays settled after a restart', async () => {
      const { node, control } = await subject();
      node.guardIncoming(async () => 'claim');
      const before = await node.balance();
      const { paymentRequest, paymentHash, preimage } = await nodeInvoice(node, { description: '', expirySeconds: 60 });
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
      expect(await control.payInvoice({ paymentRequest, from: 'alice', amountMsat: msat(2_345) })).toMatchObject({ state: 'succeeded' });
      expect(await settlementOf(node, paymentHash)).toMatchObject({ amountMsat: 2_345, preimage, keysend: false, customRecords: {} });
      const { node: again } = await reopened();
      expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'settled', amountMsat: 2_345, preimage });
      expect(await again.cancelInvoice(paymentHash)).toBe('settled');
      expect((await again.balance()).localMsat - before.localMsat).toBe(2_345);
    });

    it('of another node is unknown', async () => {
      const { node } = await subject();
      expect(await node.cancelInvoice('00'.repeat(32))).toBe('unknown');
      expect(await node.lookupInvoice('00'.repeat(32))).toBeUndefined();
    });

    it('cannot be paid after it was cancelled, also after a restart', async () => {
      const { node } = await subject();
      const { paymentRequest, paymentHash } = await nodeInvoice(node, { amountMsat: msat(9), description: '', expirySeconds: 600 });
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
      const { node: again, control } = await reopened();
      again.guardIncoming(async () => 'claim');
      expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
      expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'failed' });
    });
  });

  describe('an incoming keysend', () => {
    it('is reported with its preimage and records', async ({ skip }) => {
      const { node, control } = await subject();
      if (!(await node.info()).capabilities.receivesKeysend) return skip('this node does not accept keysends');
      node.guardIncoming(async () => 'claim');
      const customRecords = { '696969': '77616c6c6574', '7629169': 'ff' };
      const sent = await control.keysend({ from: 'carol', amountMsat: msat(12_345), customRecords });
      const event = await settlementOf(node, sent.paymentHash);
      expect(event).toMatchObject({ keysend: true, amountMsat: 12_345, customRecords });
      expect(sha256(event.preimage)).toBe(sent.paymentHash);
      expect(await node.lookupInvoice(sent.paymentHash)).toMatchObject({ state: 'settled', amountMsat: 12_345 });
    });
  });
}
