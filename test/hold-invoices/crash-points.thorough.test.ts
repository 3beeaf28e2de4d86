import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import { type HoldInvoice, holdInvoice, TIMING } from './harness.ts';

type Decision = 'settle' | 'cancel';
type Payer = 'outside' | 'inside';

/** The numbers of statements before which the connection breaks. Background jobs run statements, too. */
const POINTS = [0, 1, 2, 3, 4, 6, 9, 14];

const CASES: [Decision, Payer][] = [
  ['settle', 'outside'],
  ['cancel', 'outside'],
  ['settle', 'inside'],
  ['cancel', 'inside'],
];

/** Returns a hold invoice of 5 sat whose payment waits. */
async function held(service: FakeNodeApp, payer: Payer): Promise<HoldInvoice & { balanceOfPayer: () => Promise<number> }> {
  const { client } = service;
  const hold = await holdInvoice(service);
  const wallet = await client.wallet(20);
  if (payer === 'outside') await hold.pay();
  else {
    const json = { payment_request: hold.invoice.payment_request };
    await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers: { prefer: 'respond-async' } });
  }
  await hold.until('held');
  return { ...hold, balanceOfPayer: async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat };
}

async function crashDuring(service: FakeNodeApp, decision: Decision, payer: Payer, point: number): Promise<void> {
  const hold = await held(service, payer);
  let count = 0;
  service.connectionFailsAt = () => count++ >= point;
  const first = await hold[decision]();
  // The service writes nothing more before it is restarted.
  service.connectionFailsAt = () => true;
  await service.restart(() => {
    service.connectionFailsAt = undefined;
  });
  // What was confirmed is not decided otherwise.
  if (first.status < 300) expect((await hold[decision === 'settle' ? 'cancel' : 'settle']()).status).toBe(400);
  expect([200, 202]).toContain((await hold[decision]()).status);
  const isSettled = decision === 'settle';
  await hold.until(isSettled ? 'settled' : 'cancelled');
  expect(await hold.balance()).toBe(isSettled ? 5000 : 0);
  if (payer === 'outside') expect(hold.payer()).toBe(isSettled ? 'succeeded' : 'failed');
  else expect(await hold.balanceOfPayer()).toBe(isSettled ? 15_000 : 20_000);
  expect(await service.problems()).toEqual([]);
}

onFakeNode(
  'a service that crashes during a decision about a hold invoice',
  (service) => {
    it.each(CASES)('C6: completes the decision to %s a payment from %s', { timeout: 300_000 }, async (decision, payer) => {
      for (const point of POINTS) await crashDuring(service, decision, payer, point);
    });
  },
  {},
  { ...TIMING, holds: { roundMs: 200, heldEvery: 1 } },
);
