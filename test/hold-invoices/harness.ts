import { randomBytes } from 'node:crypto';
import { expect } from 'vitest';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import type { JobTiming } from '../../src/jobs.ts';
import type { FakeNodeApp } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** Every round looks up all hold invoices. */
export const TIMING: JobTiming = {
  holds: { roundMs: 20, heldEvery: 1 },
  arriving: { roundMs: 20, alertEvery: 2, waitSeconds: () => 0 },
  probe: { againMs: 1, arrivalMs: 1 },
  resumeMs: 100,
};

export type HoldInvoice = Awaited<ReturnType<typeof holdInvoice>>;

/** Creates a hold invoice of a wallet, or of a new one. */
export async function holdInvoice(
  { client, net }: Pick<FakeNodeApp, 'client' | 'net'>,
  fields: Json = { num_satoshis: 5 },
  ofWallet?: TestWallet,
) {
  const wallet = ofWallet ?? (await client.wallet());
  const preimage = randomBytes(32).toString('hex');
  const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { ...fields, hold_hash: paymentHashOf(preimage) });
  const read = (): Promise<Json> => client.get(`/v1/lntx/${invoice.id}`);
  return {
    wallet,
    preimage,
    invoice,
    hash: paymentHashOf(preimage),
    read,
    until: (status: string) => expect.poll(async () => (await read()).status).toBe(status),
    pay: (amountMsat?: number) =>
      net.outside.pay({ paymentRequest: invoice.payment_request, ...(amountMsat !== undefined && { amountMsat }) }),
    settle: (json: Json = { preimage }) => client.request('POST', `/v1/lntx/${invoice.id}/settle`, { key: client.secretKey, json }),
    cancel: () => client.request('POST', `/v1/lntx/${invoice.id}/cancel`, { key: client.secretKey, json: {} }),
    balance: async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat as number,
    events: async () =>
      (await client.get(`/v1/wallet/${wallet.id}/events`)).map(({ event }: { event: { name: string } }) => event.name) as string[],
    payer: () => net.outside.payments().findLast(({ paymentHash }) => paymentHash === paymentHashOf(preimage))?.state,
  };
}
