import { createHash, randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import type { FakeNetwork } from '../../devnet/fake/fake.ts';
import type { FakeNodeApp } from '../support/app.ts';

/** Lets money arrive for no wallet, and waits until it is in suspense. @returns its payment hash */
export async function unmatchedMoney({ net, suspenseMsat }: FakeNodeApp, amountMsat: number): Promise<string> {
  const before = await suspenseMsat();
  const paymentHash = sendUnmatched(net, amountMsat);
  await expect.poll(suspenseMsat).toBe(before + amountMsat);
  return paymentHash;
}

/** Lets money arrive for no wallet. @returns its payment hash */
export function sendUnmatched(net: FakeNetwork, amountMsat: number): string {
  const preimage = randomBytes(32);
  const paymentHash = createHash('sha256').update(preimage).digest('hex');
  const settlement = { paymentHash, preimage: preimage.toString('hex'), amountMsat, settledAt: 1, keysend: false, customRecords: {} };
  net.tell({ type: 'settlement', ...settlement } as Parameters<typeof net.tell>[0]);
  net.addFunds(amountMsat);
  return paymentHash;
}
