import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { InvalidConfig } from '../../src/settings.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, TestWallet } from '../support/client.ts';

onFakeNode(
  'the limit on open invoices',
  (service, dialect) => {
    const invoice = (wallet: TestWallet, json: object = { num_satoshis: 1 }): Promise<HttpResponse> =>
      service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.invoice, json });

    /** Creates the maximum of invoices, one after the other, so that the count is exact. */
    async function fill(wallet: TestWallet): Promise<string[]> {
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) {
        const { status, body } = await invoice(wallet);
        expect(status).toBe(201);
        ids.push(body.id);
      }
      return ids;
    }

    it('rejects an invoice above the limit of a wallet, names the remedy, and leaves other wallets alone', async () => {
      const [full, other] = [await service.client.wallet(), await service.client.wallet()];
      await fill(full);
      for (let i = 0; i < 3; i++) {
        const { status, body } = await invoice(full);
        expect({ status, type: body.type }).toEqual({ status: 429, type: 'too_many_invoices' });
        expect(body.message).toMatch(/5 open invoices.*DELETE \/v1\/lntx.*expiry/s);
      }
      expect((await invoice(other)).status).toBe(201);
      // The rejected requests stored nothing, so the number of open invoices equals the number returned.
      expect(await service.problems()).toEqual([]);
    });

    it('does not count cancelled and paid invoices', async () => {
      const [wallet, payer] = [await service.client.wallet(), await service.client.wallet(100)];
      const [cancelled = '', paid = ''] = await fill(wallet);
      expect((await invoice(wallet)).status).toBe(429);
      expect((await service.client.request('DELETE', `/v1/lntx/${cancelled}`, { key: wallet.invoice })).status).toBe(200);
      expect((await invoice(wallet)).status).toBe(201);
      expect((await invoice(wallet)).status).toBe(429);
      const { payment_request } = await service.client.get(`/v1/lntx/${paid}`);
      await service.client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request });
      expect((await invoice(wallet)).status).toBe(201);
      expect((await invoice(wallet)).status).toBe(429);
      expect(await service.problems()).toEqual([]);
    });

    it('does not count expired invoices', async () => {
      const wallet = await service.client.wallet();
      const ids = await fill(wallet);
      expect((await invoice(wallet)).status).toBe(429);
      await service.execute('UPDATE invoice SET expires_at = created_at - 1 WHERE id = $1', ids[0] ?? '');
      expect((await invoice(wallet)).status).toBe(201);
      expect((await invoice(wallet)).status).toBe(429);
    });

    it('holds for many requests at once', async () => {
      const wallet = await service.client.wallet();
      const responses = await Promise.all(Array.from({ length: 40 }, () => invoice(wallet)));
      const made = responses.filter(({ status }) => status === 201).length;
      expect(responses.filter(({ status }) => status === 429)).toHaveLength(40 - made);
      expect(made).toBeGreaterThanOrEqual(5);
      // PostgreSQL may run two batches that do not see each other.
      if (dialect === 'sqlite') expect(made).toBe(5);
      expect((await invoice(wallet)).status).toBe(429);
      expect(await service.problems()).toEqual([]);
    });

    it('allows a replay under an Idempotency-Key while the wallet is at its limit', async () => {
      const wallet = await service.client.wallet();
      const once = () =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
          key: wallet.invoice,
          json: { num_satoshis: 1 },
          headers: { 'idempotency-key': 'once' },
        });
      const { body } = await once();
      for (let i = 0; i < 4; i++) await invoice(wallet);
      expect((await invoice(wallet)).status).toBe(429);
      expect(await once()).toMatchObject({ status: 201, body: { id: body.id } });
    });
  },
  { MAX_OPEN_INVOICES: '5' },
);

it('MAX_OPEN_INVOICES is a whole number, 1000 by default', () => {
  expect(readConfig({}).maxOpenInvoices).toBe(1000);
  for (const value of ['0', '-1', 'many', '1000001']) expect(() => readConfig({ MAX_OPEN_INVOICES: value })).toThrow(InvalidConfig);
});
