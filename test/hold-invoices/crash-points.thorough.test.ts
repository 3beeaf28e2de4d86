import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import { type HoldInvoice, holdInvoice, TIMING } from './harness.ts';

type Decision = 'settle' | 'cancel';
type Payer = 'outside' | 'another wallet';

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

/** Fails every statement from the `point`-th on. @returns how many were run */
function crashAt(service: FakeNodeApp, point: number): () => number {
  let count = 0;
  service.connectionFailsAt = () => count++ >= point;
  return () => count;
}

onFakeNode(
  'a service that crashes during a decision about a hold invoice',
  (service) => {
    it.each([
      ['settle', 'outside'],
      ['cancel', 'outside'],
      ['settle', 'another wallet'],
      ['cancel', 'another wallet'],
    ] as [Decision, Payer][])(
      'C6: completes the decision to %s a payment of %s after each crash, when it was stored or is repeated',
      {
        timeout: 600_000,
      },
      async (decision, payer) => {
        for (let point = 0; ; point += 1) {
          const hold = await held(service, payer);
          const count = crashAt(service, point);
          const first = await hold[decision]();
          const isCrashed = count() > point;
          // The service writes nothing more.
          service.connectionFailsAt = () => true;
          await service.restart(() => {
            service.connectionFailsAt = undefined;
          });
          const opposite = decision === 'settle' ? 'cancel' : 'settle';
          // A decision that was not stored can be made otherwise. One that was confirmed cannot.
          if (first.status < 300) expect((await hold[opposite]()).status).toBe(400);
          const again = await hold[decision]();
          expect([200, 202]).toContain(again.status);
          const isSettled = decision === 'settle';
          await hold.until(isSettled ? 'settled' : 'cancelled');
          expect(await hold.balance()).toBe(isSettled ? 5000 : 0);
          if (payer === 'outside') expect(hold.payer()).toBe(isSettled ? 'succeeded' : 'failed');
          else expect(await hold.balanceOfPayer()).toBe(isSettled ? 15_000 : 20_000);
          expect(await service.problems()).toEqual([]);
          if (!isCrashed) {
            expect(point).toBeGreaterThan(3);
            return;
          }
        }
      },
    );
  },
  // No job makes progress instead of the request.
  {},
  { ...TIMING, holds: { roundMs: 200, heldEvery: 1 } },
);
