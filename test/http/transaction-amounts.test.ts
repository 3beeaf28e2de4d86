import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

onFakeNode('lists of transactions by amount', (service) => {
  const { net } = service;
  const request = (path: string): Promise<HttpResponse> => service.client.request('GET', path, { key: service.client.secretKey });
  let wallet: TestWallet;
  let other: TestWallet;
  let path: string;
  const amounts = async (query: string, base = path): Promise<number[]> => {
    const { status, body, text } = await request(`${base}?${query}`);
    if (status !== 200) throw new Error(text);
    return body.map((row: Json) => row.num_satoshis);
  };

  beforeAll(async () => {
    const { client } = service;
    [wallet, other] = [await client.wallet(1000), await client.wallet()];
    path = `/v1/wallet/${wallet.id}/transactions`;
    const send = (more: object) => client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, ...more });
    await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 154, memo: 'open' });
    await send({ num_satoshis: 154, memo: 'exact' });
    await client.post(`/v1/wallet/${other.id}/transfer`, { dest_wallet_id: wallet.id, num_satoshis: 154, memo: 'back' });
    for (let count = 0; count < 4; count++) await send({ num_msat: 20_400, memo: 'fraction' });
    const { paymentRequest } = net.outside.invoice({ amountMsat: 154_000, script: { fail: 'NO_ROUTE' } });
    const json = { payment_request: paymentRequest };
    const failed = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { json, key: client.secretKey });
    expect(failed.body.type).toBe('payment_failed');
  });

  it('have the transactions of an exact amount in both directions and every status', async () => {
    expect(await amounts('min_satoshis=154&max_satoshis=154')).toEqual([154, -154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&order=asc')).toEqual([-154, 154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&status=all')).toEqual([-154, 154, -154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&status=failed')).toEqual([-154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&status=open')).toEqual([154]);
    expect(await amounts('min_satoshis=155&status=open')).toEqual([]);
    expect(await amounts('min_satoshis=154&max_satoshis=154', '/v1/wallet-transactions')).toEqual([154, -154, 154, -154]);
    expect(await amounts(`min_satoshis=154&max_satoshis=154&wallet_id=${other.id}`, '/v1/wallet-transactions')).toEqual([-154, 154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&label=back')).toEqual([154]);
    expect(await amounts('min_satoshis=154&max_satoshis=154&to=1000')).toEqual([]);
  });

  it('compare what they show, so that fractions of satoshis are rounded as in the rows', async () => {
    for (const base of [path, `/v1/wallet/${other.id}/transactions`, '/v1/wallet-transactions']) {
      const all = await amounts('status=all', base);
      expect(new Set(all.map(Math.abs))).toEqual(expect.objectContaining(new Set([20, 21])));
      for (const [min, max] of [
        [0, 0],
        [20, 20],
        [21, 21],
        [20, 154],
        [154, 1000],
      ] as const) {
        const expected = all.filter((sats) => Math.abs(sats) >= min && Math.abs(sats) <= max);
        expect(await amounts(`status=all&min_satoshis=${min}&max_satoshis=${max}`, base), `${min} to ${max}`).toEqual(expected);
      }
      expect(await amounts('status=all&min_satoshis=21', base)).toEqual(all.filter((sats) => Math.abs(sats) >= 21));
      expect(await amounts('status=all&max_satoshis=20', base)).toEqual(all.filter((sats) => Math.abs(sats) <= 20));
    }
  });

  it('have the same transactions in pages, in numbers and as CSV', async () => {
    const query = 'status=all&min_satoshis=20&max_satoshis=154';
    const { body } = await request(`/v1/wallet-transactions?${query}`);
    const ids = body.map(({ id }: Json) => id);
    expect(ids).toHaveLength(13);
    const paged: string[] = [];
    for (let after = ''; ; after = `&after=${paged.at(-1)}`) {
      const page = await request(`/v1/wallet-transactions?${query}&per-page=5${after}`);
      paged.push(...page.body.map(({ id }: Json) => id));
      if (!page.headers.get('link')?.includes('rel="next"')) break;
      expect(page.headers.get('link')).toContain('min_satoshis=20');
    }
    expect(paged).toEqual(ids);
    const second = await request(`/v1/wallet-transactions?${query}&per-page=5&page=2`);
    expect(second.headers.get('x-pagination-total-count')).toBe('13');
    expect(second.body.map(({ id }: Json) => id)).toEqual(ids.slice(5, 10));
    const csv = await request(`/v1/wallet-transactions/export?${query}`);
    const lines = csv.text.trim().split('\r\n').slice(1);
    expect(lines.map((line) => line.split(',')[1])).toEqual(ids);
  });

  it('have the transactions of a payment hash only if the amount is in the range', async () => {
    const [failed] = (await request(`${path}?status=failed`)).body;
    const hash = `status=failed&payment_hash=${failed.lnTx.r_hash_decoded}`;
    expect(await amounts(`${hash}&min_satoshis=154`)).toEqual([-154]);
    expect(await amounts(`${hash}&min_satoshis=155`)).toEqual([]);
  });

  it.each([
    ['min_satoshis=2&max_satoshis=1', '`min_satoshis` must not be greater than `max_satoshis`.'],
    ['min_satoshis=-1', '`min_satoshis`'],
    ['max_satoshis=1.5', '`max_satoshis`'],
    ['max_satoshis=9007199254741', '`max_satoshis`'],
    ['min_satoshis=', '`min_satoshis`'],
    ['min_satoshis=1&min_satoshis=2', 'min_satoshis'],
  ])('reject %s', async (query, message) => {
    for (const base of [path, '/v1/wallet-transactions', '/v1/wallet-transactions/export']) {
      const { status, body } = await request(`${base}?${query}`);
      expect(status).toBe(400);
      expect(body.message).toContain(message);
    }
  });

  it('accept the largest amount', async () => {
    expect(await amounts('max_satoshis=9007199254740')).toHaveLength(7);
    expect(await amounts('min_satoshis=9007199254740')).toEqual([]);
  });
});
