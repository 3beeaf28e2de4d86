import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

const relay = await startRelay();
afterAll(() => relay.stop());
const settings = { NWC_RELAYS: relay.url };

const REQUESTS = 150;

describe('a service that was away', () => {
  onFakeNode(
    'and its apps',
    ({ client, net, restart, problems }) => {
      const apps: NwcApp[] = [];
      let wallet: TestWallet;

      beforeAll(async () => {
        wallet = await client.wallet(1000);
        for (let i = 0; i < 3; i++) apps.push(await connectApp(client, wallet.id));
      });

      afterAll(() => {
        for (const app of apps) app.close();
      });

      it('answers more requests than it reads at the same time', async () => {
        const requests = apps.flatMap((app) =>
          Array.from({ length: REQUESTS }, (_, i) => ({ app, event: app.request('make_invoice', { amount: 1000 + i }) })),
        );
        const { paymentRequest } = net.outside.invoice({ amountMsat: 7000, memo: 'fee=0' });
        const payment = apps[0]?.request('pay_invoice', { invoice: paymentRequest });
        await restart(() => {
          for (const { event } of requests) relay.store(event);
          if (payment) relay.store(payment);
        });
        const unanswered = () => requests.filter(({ app, event }) => app.responsesTo(event).length === 0).length;
        await vi.waitUntil(() => unanswered() === 0, { timeout: 150_000, interval: 50 });
        for (const { app, event } of requests) expect(app.responsesTo(event)).toHaveLength(1);
        if (payment) expect((await apps.at(0)?.responseTo(payment))?.result.preimage).toMatch(/^[0-9a-f]{64}$/);
        expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(993_000);
        expect(await problems()).toEqual([]);
      });

      it('answers a payment that was requested after more reads than an app may send at once', async () => {
        const [app] = apps as [NwcApp];
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 7000, memo: 'fee=0' });
        const createdAt = Math.floor(Date.now() / 1000) - 60;
        const reads = Array.from({ length: 550 }, () => app.request('get_balance', {}, { createdAt }));
        const payment = app.request('pay_invoice', { invoice: paymentRequest }, { createdAt: createdAt + 1 });
        const lookup = app.request('lookup_invoice', { payment_hash: paymentHash }, { createdAt: createdAt + 2 });
        await restart(() => {
          for (const event of [...reads, payment, lookup]) relay.store(event);
        });
        await vi.waitUntil(() => reads.every((event) => app.responsesTo(event).length === 1), { timeout: 150_000, interval: 50 });
        expect((await app.responseTo(payment)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
        expect((await app.responseTo(lookup)).result).toMatchObject({ payment_hash: paymentHash });
        expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(986_000);
        expect(await problems()).toEqual([]);
      });
    },
    settings,
    QUICK,
  );
});
