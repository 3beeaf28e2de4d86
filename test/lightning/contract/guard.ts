import { describe, expect, it, type TestContext } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import type { IncomingPayment, NodeCapabilities } from '../../../src/core/lightning/node.ts';
import { nodeInvoice } from '../../support/node-invoice.ts';
import { guardOnRequest, type SharedSubject, type Subject, settlementOf, waitUntilSent } from './subject.ts';

const INVOICE = { amountMsat: msat(5_000), description: '', expirySeconds: 60 };

export function guardContract(suite: SharedSubject): void {
  keysendGuardContract(suite);
  invoiceGuardContract(suite);
}

/** Returns the subject if the node asks the guard about these payments; otherwise the test is skipped. */
async function guarded({ subject }: SharedSubject, skip: TestContext['skip'], what: 'all' | 'keysends'): Promise<Subject> {
  const opened = await subject();
  const { guards }: NodeCapabilities = (await opened.node.info()).capabilities;
  if (guards === 'none') skip('this node claims incoming payments without a guard');
  if (guards !== 'all' && what === 'all') skip('this node claims payments of invoices without a guard; cancelling protects them');
  return opened;
}

function keysendGuardContract(suite: SharedSubject): void {
  describe('the guard of keysends', () => {
    it('returns a refused keysend to its payer', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'keysends');
      const seen: IncomingPayment[] = [];
      node.guardIncoming(async (incoming) => (seen.push(incoming) > 0 ? 'refuse' : 'claim'));
      const before = await node.balance();
      const customRecords = { '696969': '00ff' };
      const sent = await control.keysend({ from: 'alice', amountMsat: msat(6_000), customRecords });
      expect(sent).toMatchObject({ state: 'failed' });
      expect(seen).toEqual([{ paymentHash: sent.paymentHash, amountMsat: 6_000, keysend: true, customRecords }]);
      expect(await node.balance()).toEqual(before);
    });

    it('is asked again after it failed', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'keysends');
      let calls = 0;
      node.guardIncoming(async () => {
        if (calls++ === 0) throw new Error('the database does not answer');
        return 'claim';
      });
      expect(await control.keysend({ from: 'alice', amountMsat: msat(6_000), customRecords: {} })).toMatchObject({ state: 'succeeded' });
      expect(calls).toBe(2);
    });
  });
}

function invoiceGuardContract(suite: SharedSubject): void {
  describe('the guard of invoices', () => {
    it('returns a refused payment to its payer, who can pay again', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'all');
      const seen: IncomingPayment[] = [];
      node.guardIncoming(async (incoming) => (seen.push(incoming) === 1 ? 'refuse' : 'claim'));
      const { paymentRequest, paymentHash } = await nodeInvoice(node, INVOICE);
      const before = await node.balance();
      expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'failed' });
      expect(await node.balance()).toEqual(before);
      expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
      expect(seen).toHaveLength(2);
      expect(seen[0]).toEqual({ paymentHash, amountMsat: 5_000, keysend: false, customRecords: {} });
    });

    it('is asked again after it failed', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'all');
      let calls = 0;
      node.guardIncoming(async () => {
        if (calls++ === 0) throw new Error('the database does not answer');
        return 'claim';
      });
      const { paymentRequest } = await nodeInvoice(node, INVOICE);
      expect(await control.payInvoice({ paymentRequest, from: 'alice' })).toMatchObject({ state: 'succeeded' });
      expect(calls).toBe(2);
    });

    it('cannot claim a payment of an invoice that was cancelled before it decided', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'all');
      const { asked, decide } = guardOnRequest(node);
      const { paymentRequest, paymentHash } = await nodeInvoice(node, INVOICE);
      const paying = control.payInvoice({ paymentRequest, from: 'carol' });
      await asked;
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
      decide('claim');
      expect(await paying).toMatchObject({ state: 'failed' });
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
    });

    it('and a cancellation at the same time never both win', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'all');
      const { asked, decide } = guardOnRequest(node);
      const { paymentRequest, paymentHash } = await nodeInvoice(node, INVOICE);
      const paying = control.payInvoice({ paymentRequest, from: 'alice' });
      await asked;
      decide('claim');
      await Promise.resolve();
      const outcome = await node.cancelInvoice(paymentHash);
      const isClaimed = (await paying).state === 'succeeded';
      expect(['cancelled', 'accepted', 'settled']).toContain(outcome);
      expect(isClaimed).toBe(outcome !== 'cancelled');
    });

    it('must be set before a payment is claimed', async ({ skip }) => {
      await guarded(suite, skip, 'all');
      const { node, control } = await suite.reopened();
      const { paymentRequest, paymentHash } = await nodeInvoice(node, INVOICE);
      const before = await node.balance();
      const paying = control.payInvoice({ paymentRequest, from: 'alice' });
      await waitUntilSent(control, paymentHash);
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
      expect(await node.balance()).toEqual(before);
      node.guardIncoming(async () => 'claim');
      expect(await settlementOf(node, paymentHash)).toMatchObject({ amountMsat: 5_000 });
      await paying;
    });

    it('is asked after a restart about payments that still wait', async ({ skip }) => {
      const { node, control } = await guarded(suite, skip, 'all');
      const { asked } = guardOnRequest(node);
      const { paymentRequest, paymentHash } = await nodeInvoice(node, INVOICE);
      const paying = control.payInvoice({ paymentRequest, from: 'alice' }).catch(() => undefined);
      await asked;
      const { node: again } = await suite.reopened();
      await paying;
      again.guardIncoming(async () => 'claim');
      expect(await settlementOf(again, paymentHash)).toMatchObject({ amountMsat: 5_000 });
    });
  });
}
