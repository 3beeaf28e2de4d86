import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the figures of payments', ({ client, neighbour, net }) => {
  const pay = (id: string, payment_request: string) =>
    client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json: { payment_request } });

  it('have what came in and went out over Lightning, without transfers and internal payments, and failures by reason', async () => {
    const [wallet, other] = [await client.wallet(1_000), await client.wallet()];
    expect((await pay(wallet.id, net.outside.invoice({ amountMsat: 200_000, script: { fee: 3_000 } }).paymentRequest)).status).toBe(201);
    for (const fail of ['NO_ROUTE', 'NO_ROUTE', 'TIMEOUT'] as const)
      expect((await pay(wallet.id, net.outside.invoice({ amountMsat: 50_000, script: { fail } }).paymentRequest)).status).toBe(400);
    const transfer = { dest_wallet_id: other.id, num_satoshis: 10 };
    await client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: client.secretKey, json: transfer });
    const { payment_request: own } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 20 });
    expect((await pay(wallet.id, own)).status).toBe(201);
    await expect.poll(async () => (await client.get('/v1/operator/figures')).status).toBe('complete');
    for (const period of ['day', 'month', 'year']) {
      const { flow, before, failed_count, failures, from, until } = await client.get(`/v1/operator/figures?period=${period}`);
      expect(flow).toEqual({ in_msat: 1_000_000, in_count: 1, out_msat: 200_000, out_count: 1, routing_msat: 3_000, earned_msat: 0 });
      expect(before).toMatchObject({ in_count: 0, out_count: 0 });
      expect(failed_count).toBe(3);
      expect(failures.map(({ count }: { count: number }) => count)).toEqual([2, 1]);
      expect([from % 3600, until % 3600]).toEqual([0, 0]);
    }
  });

  it('are for operators alone', async () => {
    const { status } = await neighbour.request('GET', '/v1/operator/figures', { key: neighbour.secretKey });
    expect(status).toBe(403);
  });
});
