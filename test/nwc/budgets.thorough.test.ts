import { beforeAll, expect, it, onTestFinished } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const [BUDGET_MSAT, AMOUNT_MSAT, PAYMENTS, FIT] = [100_000, 10_000, 50, 10];

onFakeNode(
  'the budget of an app',
  ({ client, net, problems }) => {
    let wallet: TestWallet;
    let shop: TestWallet;
    const balanceOf = async ({ id }: TestWallet): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;
    const invoice = (amountMsat = AMOUNT_MSAT): string => net.outside.invoice({ amountMsat, memo: 'fee=0' }).paymentRequest;
    const shopInvoice = async (): Promise<string> =>
      (await client.post(`/v1/wallet/${shop.id}/invoice`, { num_satoshis: AMOUNT_MSAT / 1000 })).payment_request;

    beforeAll(async () => {
      wallet = await client.wallet(10_000);
      shop = await client.wallet();
    });

    /** Sends the payments at the same time. @returns the codes of their responses, and what the budget has shown meanwhile */
    async function payAtOnce(method: string, orders: readonly object[]) {
      const app = await connectApp(client, wallet.id, { budget_msat: BUDGET_MSAT, budget_period: 'day' });
      onTestFinished(() => app.close());
      const events = orders.map((params) => app.request(method, params));
      const used: number[] = [];
      let isDone = false;
      const watching = (async () => {
        while (!isDone) used.push((await app.call('get_budget')).result.used_budget);
      })();
      await Promise.all(events.map((event) => app.send(event)));
      const answers: Json[] = await Promise.all(events.map((event) => app.responseTo(event)));
      isDone = true;
      await watching;
      return { app, codes: answers.map(({ error }) => error?.code ?? 'paid'), used };
    }

    const inOrder = (codes: readonly string[]) => codes.toSorted().toReversed();
    const exactlyFit = [...Array(FIT).fill('paid'), ...Array(PAYMENTS - FIT).fill('QUOTA_EXCEEDED')];

    it('allows exactly what fits of 50 payments at the same time to a wallet of this service, which have no fee', async () => {
      const before = [await balanceOf(wallet), await balanceOf(shop)] as const;
      const invoices: string[] = [];
      for (let i = 0; i < PAYMENTS; i += 1) invoices.push(await shopInvoice());
      const { app, codes, used } = await payAtOnce(
        'pay_invoice',
        invoices.map((one) => ({ invoice: one })),
      );
      expect(inOrder(codes)).toEqual(exactlyFit);
      expect((await app.call('get_budget')).result.used_budget).toBe(BUDGET_MSAT);
      const { key_id } = await client.get(`/v1/connections/${app.id}`);
      expect(await client.get(`/v1/keys/${key_id}`)).toMatchObject({ num_paid: FIT, paid_msat: BUDGET_MSAT });
      expect(Math.max(...used)).toBeLessThanOrEqual(BUDGET_MSAT);
      expect([await balanceOf(wallet), await balanceOf(shop)]).toEqual([before[0] - BUDGET_MSAT, before[1] + BUDGET_MSAT]);
      expect(await codeOf(app, 'pay_invoice', { invoice: invoice(1) })).toBe('QUOTA_EXCEEDED');
      expect(await problems()).toEqual([]);
    });

    it('allows exactly what fits of 50 payments at the same time that forbid fees', async () => {
      const before = await balanceOf(wallet);
      const orders = Array.from({ length: PAYMENTS }, () => ({ payment: invoice(), max_fee: 0 }));
      const { app, codes, used } = await payAtOnce('pay', orders);
      expect(inOrder(codes)).toEqual(exactlyFit);
      await expect.poll(() => balanceOf(wallet)).toBe(before - BUDGET_MSAT);
      expect((await app.call('get_budget')).result.used_budget).toBe(BUDGET_MSAT);
      expect(Math.max(...used)).toBeLessThanOrEqual(BUDGET_MSAT);
      expect(await codeOf(app, 'pay', { payment: invoice(1), max_fee: 0 })).toBe('QUOTA_EXCEEDED');
      expect(await problems()).toEqual([]);
    });

    it('is never exceeded by fee reserves of 50 payments at the same time, and can then be used up', async () => {
      const before = await balanceOf(wallet);
      const orders = Array.from({ length: PAYMENTS }, () => ({ invoice: invoice() }));
      const { app, codes, used } = await payAtOnce('pay_invoice', orders);
      expect(new Set(codes)).toEqual(new Set(['paid', 'QUOTA_EXCEEDED']));
      // A fee reserve may need budget while its payment runs, so a payment may be refused that would fit later.
      const paid = codes.filter((code) => code === 'paid').length;
      expect(paid).toBeLessThanOrEqual(FIT);
      for (let i = paid; i < FIT; i++) expect(await codeOf(app, 'pay_invoice', { invoice: invoice() })).toBeUndefined();
      expect(await balanceOf(wallet)).toBe(before - BUDGET_MSAT);
      expect(Math.max(...used)).toBeLessThanOrEqual(BUDGET_MSAT);
      expect((await app.call('get_budget')).result.used_budget).toBe(BUDGET_MSAT);
      expect(await codeOf(app, 'pay_invoice', { invoice: invoice(1000) })).toBe('QUOTA_EXCEEDED');
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
  QUICK,
);
