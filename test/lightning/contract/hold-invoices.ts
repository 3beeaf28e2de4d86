import { randomBytes } from 'node:crypto';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { msat } from '../../../src/core/kernel/money.ts';
import { HashUsed, type LightningNode } from '../../../src/core/lightning/node.ts';
import { DEADLINE_MS, type SharedSubject, type Subject, settlementOf, sha256 } from './subject.ts';

const AMOUNT = msat(7_001);

type HoldingNode = Required<Pick<LightningNode, 'createHoldInvoice' | 'settleHoldInvoice'>> & LightningNode;

/** Returns the subject if its node has hold invoices; otherwise the test is skipped. */
async function holding(opened: Promise<Subject>, skip: TestContext['skip']): Promise<Subject & { readonly node: HoldingNode }> {
  const { node, control } = await opened;
  if (!(await node.info()).capabilities.holdInvoices) skip('this node has no hold invoices');
  return { node: node as HoldingNode, control };
}

/** A new preimage, and a request for a hold invoice of its hash. */
function newRequest() {
  const preimage = randomBytes(32).toString('hex');
  const paymentHash = sha256(preimage);
  return { preimage, paymentHash, request: { paymentHash, amountMsat: AMOUNT, description: 'tea', expirySeconds: 600 } };
}

async function waitUntilHeld(node: LightningNode, paymentHash: string): Promise<void> {
  const isHeld = async () => (await node.lookupInvoice(paymentHash))?.state === 'held';
  await vi.waitUntil(isHeld, { timeout: DEADLINE_MS, interval: 50 });
}

/** Waits for the end of what another node pays. A control may return from a payment that is held. */
async function endAtPayer(control: Subject['control'], paymentHash: string) {
  const find = async () =>
    (await control.payments(0, 10_000)).find(({ direction, paymentHash: hash, state }) => {
      return direction === 'sent' && hash === paymentHash && state !== 'pending';
    });
  return (await vi.waitUntil(find, { timeout: DEADLINE_MS, interval: 50 })).state;
}

export function holdInvoiceContract({ subject, reopened }: SharedSubject): void {
  describe('a hold invoice', () => {
    it('holds its payment until it is settled with the preimage, also after a restart', async ({ skip }) => {
      const { node, control } = await holding(subject(), skip);
      const { preimage, paymentHash, request } = newRequest();
      const before = await node.balance();
      const { paymentRequest } = await node.createHoldInvoice(request);
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
      const paying = control.payInvoice({ paymentRequest, from: 'carol' });
      await waitUntilHeld(node, paymentHash);
      const { node: again, control: now } = await holding(reopened(), skip);
      expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'held', amountMsat: AMOUNT, blocksLeft: expect.any(Number) });
      expect(await again.settleHoldInvoice(preimage)).toBe('settled');
      expect(await again.settleHoldInvoice(preimage)).toBe('settled');
      await paying;
      expect(await endAtPayer(now, paymentHash)).toBe('succeeded');
      expect(await settlementOf(again, paymentHash)).toMatchObject({ amountMsat: AMOUNT, preimage, keysend: false });
      expect(await again.lookupInvoice(paymentHash)).toEqual({ state: 'settled', amountMsat: AMOUNT, preimage });
      expect(await again.cancelInvoice(paymentHash)).toBe('settled');
      expect((await again.balance()).localMsat - before.localMsat).toBe(AMOUNT);
    });

    it('returns its payment when it is cancelled, and cannot be settled then', async ({ skip }) => {
      const { node, control } = await holding(subject(), skip);
      const { preimage, paymentHash, request } = newRequest();
      const before = await node.balance();
      const { paymentRequest } = await node.createHoldInvoice(request);
      const paying = control.payInvoice({ paymentRequest, from: 'alice' });
      await waitUntilHeld(node, paymentHash);
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
      await paying;
      expect(await endAtPayer(control, paymentHash)).toBe('failed');
      expect(await node.settleHoldInvoice(preimage)).toBe('cancelled');
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'cancelled' });
      expect(await node.balance()).toEqual(before);
    });

    it('is not settled before a payment has arrived', async ({ skip }) => {
      const { node } = await holding(subject(), skip);
      const { preimage, paymentHash, request } = newRequest();
      expect(await node.settleHoldInvoice(preimage)).toBe('unknown');
      await node.createHoldInvoice(request);
      expect(await node.settleHoldInvoice(preimage)).toBe('open');
      expect(await node.lookupInvoice(paymentHash)).toEqual({ state: 'open' });
      expect(await node.cancelInvoice(paymentHash)).toBe('cancelled');
    });

    it('cannot have the payment hash of another invoice', async ({ skip }) => {
      const { node } = await holding(subject(), skip);
      const { preimage, request } = newRequest();
      await node.createHoldInvoice(request);
      await expect(node.createHoldInvoice(request)).rejects.toThrow(HashUsed);
      const own = { preimage: sha256(preimage), description: '', expirySeconds: 600 };
      await node.createInvoice(own);
      await expect(node.createHoldInvoice({ ...request, paymentHash: sha256(own.preimage) })).rejects.toThrow(HashUsed);
    });
  });
}
