import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'lines of a payout beyond the payments per minute',
  ({ client, net, rows, execute, problems }) => {
    async function order(walletId: string, limit: number): Promise<() => Promise<Json>> {
      const { key } = await client.post(`/v1/wallet/${walletId}/keys`, { kind: 'wallet_admin', max_payments_per_minute: limit });
      const other = await client.wallet();
      const invoices = [1, 2].map((sat) => net.outside.invoice({ amountMsat: sat * 1000, script: { fee: 0 } }));
      const lines = [...invoices.map(({ paymentRequest: destination }) => ({ destination })), { destination: other.id, num_satoshis: 3 }];
      const headers = { 'idempotency-key': randomUUID() };
      const { body, status } = await client.request('POST', `/v1/wallet/${walletId}/payouts`, { key, json: { lines }, headers });
      expect(status).toBe(201);
      return () => client.get(`/v1/wallet/${walletId}/payouts/${body.id}`);
    }

    it('wait for the next minute', async () => {
      const wallet = await client.wallet(100);
      const read = await order(wallet.id, 1);
      const { id } = await read();
      const pending = () => rows("SELECT due_at_ms FROM payout_line WHERE payout_id = $1 AND state = 'pending'", id);
      for (const paid of [1, 2, 3]) {
        await expect.poll(async () => (await read()).num_paid).toBeGreaterThanOrEqual(paid);
        const isPostponed = ({ due_at_ms }: Json) => due_at_ms > 0 && due_at_ms % 60_000 === 0;
        await expect.poll(async () => (await pending()).every(isPostponed)).toBe(true);
        expect((await read()).num_failed).toBe(0);
        // The next minute begins.
        await execute('UPDATE spending_limit SET minute_start = 0 WHERE minute_start > 0');
        await execute("UPDATE payout_line SET due_at_ms = 0 WHERE state = 'pending'");
      }
      await expect.poll(async () => (await read()).status).toBe('finished');
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(94);
      expect(await problems()).toEqual([]);
    });

    it('fail if no minute has room for a payment', async () => {
      const wallet = await client.wallet(100);
      const limits = { max_payments_per_minute: 0 };
      await client.request('PUT', `/v1/wallets/${wallet.id}/limits`, { key: client.secretKey, json: limits });
      const read = await order(wallet.id, 5);
      await expect.poll(async () => (await read()).num_failed).toBe(3);
      expect((await read()).lines[0].failure_reason).toBe('spending_limit_exceeded');
    });
  },
  {},
  { payouts: { pollMs: 10, retryMs: 20 } },
);
