import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

onFakeNode(
  'payments that share a batch',
  (service) => {
    const withdraw = (wallet: TestWallet, payment_request: string, headers: Record<string, string> = {}) =>
      service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
        key: service.client.secretKey,
        json: { payment_request },
        headers,
      });
    const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => make(index)));

    it('R2: are decided one by one: one of ten payers pays a shared invoice, and every other invoice is paid', async () => {
      const { client } = service;
      const payee = await client.wallet();
      const payers = await many(10, () => client.wallet(200));
      const invoice = async () => (await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 })).payment_request as string;
      const [wanted, ...own] = [await invoice(), ...(await many(10, invoice))];
      const both = payers.flatMap((payer, index) => [withdraw(payer, wanted), withdraw(payer, own[index] ?? '')]);
      const outcomes = (await Promise.all(both)).map(({ status, body }) => `${status} ${body.type ?? body.status}`);
      expect(outcomes.filter((_, index) => index % 2 === 1)).toEqual(new Array(10).fill('201 settled'));
      expect(outcomes.filter((_, index) => index % 2 === 0).sort()).toEqual(['201 settled', ...new Array(9).fill('400 invoice_paid')]);
      const balances: number[] = (await many(10, (index) => client.get(`/v1/wallet/${payers[index]?.id}`))).map((one: Json) => one.balance);
      expect(balances.sort()).toEqual([0, ...new Array(9).fill(100)]);
      expect((await client.get(`/v1/wallet/${payee.id}`)).balance).toBe(1100);
      expect(await service.problems()).toEqual([]);
    });

    it('are held up to the limit of the wallet', async () => {
      const { client, net } = service;
      const wallet = await client.wallet(1000);
      const invoices = Array.from({ length: 8 }, () => net.outside.invoice({ amountMsat: 10_000, script: { hold: true } }));
      const responses = await many(8, (index) => withdraw(wallet, invoices[index]?.paymentRequest ?? '', { prefer: 'respond-async' }));
      const outcomes = responses.map(({ status, body }) => `${status} ${body.type ?? body.status}`);
      expect(outcomes.sort()).toEqual([...new Array(3).fill('202 pending'), ...new Array(5).fill(outcomes.at(-1))]);
      expect(outcomes.at(-1)).toMatch(/too_many_payments$/);
      expect(await service.problems()).toEqual([]);
    });
  },
  { MAX_PAYMENTS_IN_FLIGHT: '3' },
);
