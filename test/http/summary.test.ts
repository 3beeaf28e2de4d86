import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const HOUR = 3600;

onFakeNode('sums', (service) => {
  const read = (path: string, key = service.client.secretKey) => service.client.request('GET', path, { key });
  const thisHour = () => Math.floor(Date.now() / 1000 / HOUR) * HOUR;

  it('adds up what arrived, left, was paid as fees and failed, for a wallet and for the account', async () => {
    const [a, b] = [await service.client.wallet(100), await service.client.wallet()];
    await service.client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 7 });
    const paid = service.net.outside.invoice({ amountMsat: 10_000, script: { fee: 1000 } });
    await service.client.post(`/v1/wallet/${a.id}/withdraw`, { payment_request: paid.paymentRequest });
    const refused = service.net.outside.invoice({ amountMsat: 10_000, script: { fail: 'NO_ROUTE' } });
    await service.client.request('POST', `/v1/wallet/${a.id}/withdraw`, {
      key: service.client.secretKey,
      json: { payment_request: refused.paymentRequest, fee_limit_msat: 0 },
    });
    const from = thisHour() - HOUR;
    const { status, body } = await read(`/v1/wallet/${a.id}/summary?from=${from}&interval=hour`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      in_msat: 100_000,
      in_count: 1,
      out_count: 2,
      out_msat: 17_000,
      fees_msat: 1000,
      failed_count: 1,
      balance_msat: 82_000,
    });
    const buckets = (body as { buckets: { in_msat: number; out_msat: number; balance_msat: number }[] }).buckets;
    expect(buckets.reduce((sum, bucket) => sum + bucket.in_msat, 0)).toBe(100_000);
    expect(buckets.at(-1)?.balance_msat).toBe(82_000);
    const ofB = await read(`/v1/wallet/${b.id}/summary`);
    expect(ofB.body).toMatchObject({ in_msat: 7000, in_count: 1, out_msat: 0, fees_msat: 0, balance_msat: 7000, buckets: [] });
    const ofAccount = await read(`/v1/account/summary?wallet_id=${b.id}`);
    expect(ofAccount.body).toMatchObject({ in_msat: 7000, balance_msat: 7000 });
    const all = await read('/v1/account/summary');
    const wallets = await read('/v1/wallets?per-page=100');
    const sum = (wallets.body as { balance_msat: number }[]).reduce((total, wallet) => total + wallet.balance_msat, 0);
    expect(all.body).toMatchObject({ balance_msat: sum, wallets: (wallets.body as unknown[]).length });
  });

  it('has a bucket for each day and month, also for those without bookings, and their balances', async () => {
    const wallet = await service.client.wallet(5);
    const until = Math.floor(Date.now() / 1000 / 86_400) * 86_400 + 86_400;
    const days = await read(`/v1/wallet/${wallet.id}/summary?from=${until - 3 * 86_400}&until=${until}&interval=day`);
    const buckets = (days.body as { buckets: { start: number; balance_msat: number; in_count: number }[] }).buckets;
    expect(buckets.map(({ start }) => start)).toEqual([until - 3 * 86_400, until - 2 * 86_400, until - 86_400]);
    expect(buckets.map(({ balance_msat }) => balance_msat).at(-1)).toBe(5000);
    const months = await read(`/v1/wallet/${wallet.id}/summary?from=${until - 90 * 86_400}&until=${until}&interval=month`);
    const balances = (months.body as { buckets: { balance_msat: number }[] }).buckets.map(({ balance_msat }) => balance_msat);
    expect(balances.length).toBeGreaterThanOrEqual(3);
    expect(balances[0]).toBe(0);
    expect(balances.at(-1)).toBe(5000);
  });

  it('rejects periods that are not whole hours, end before they begin, or are too long for their interval', async () => {
    const wallet = await service.client.wallet();
    for (const query of [
      'from=1',
      'until=7201',
      'from=7200&until=3600',
      'from=0&interval=hour',
      'from=0&interval=day',
      'from=0&interval=month',
      'interval=week',
      'from=-3600',
    ])
      expect((await read(`/v1/wallet/${wallet.id}/summary?${query}`)).status, query).toBe(400);
  });

  it.each([
    ['hour', 24, 24],
    ['day', 30, 31],
    ['month', 12, 13],
  ])('has a default period for each %s of an interval', async (interval, least, most) => {
    const wallet = await service.client.wallet(5);
    for (const path of ['/v1/account/summary', `/v1/wallet/${wallet.id}/summary`]) {
      const { status, body } = await read(`${path}?interval=${interval}`);
      expect([status, body.buckets.at(-1).balance_msat]).toEqual([200, body.balance_msat + body.pending_msat]);
      expect(body.buckets.length).toBeGreaterThanOrEqual(least);
      expect(body.buckets.length).toBeLessThanOrEqual(most);
    }
    const until = 86_400 * 20_000;
    const { body } = await read(`/v1/account/summary?interval=${interval}&until=${until}`);
    expect(body.buckets.at(-1).start).toBeLessThan(until);
  });

  it('shows no sums of other accounts', async () => {
    const wallet = await service.client.wallet(5);
    const { body } = await service.client.request('POST', '/v1/accounts', { key: service.client.secretKey, json: { role: 'member' } });
    const other = JSON.stringify(body).match(/sak_\w+/)?.[0] ?? '';
    expect(other).not.toBe('');
    expect((await read(`/v1/account/summary?wallet_id=${wallet.id}`, other)).status).toBe(404);
    expect((await read('/v1/account/summary', other)).body).toMatchObject({ balance_msat: 0, in_msat: 0, wallets: 0 });
  });
});
