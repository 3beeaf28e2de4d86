import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('the export of the transactions of an account', ({ client, net }) => {
  async function rows(query: string): Promise<string[][]> {
    const { text } = await client.request('GET', `/v1/wallet-transactions/export?${query}`, { key: client.secretKey });
    return text
      .trim()
      .split('\r\n')
      .slice(1)
      .map((line) => line.split(','));
  }

  async function fail(walletId: string): Promise<void> {
    const { paymentRequest } = net.outside.invoice({ amountMsat: 7000, script: { fail: 'NO_ROUTE' } });
    const { status } = await client.request('POST', `/v1/wallet/${walletId}/withdraw`, {
      json: { payment_request: paymentRequest },
      key: client.secretKey,
    });
    expect(status).toBe(400);
  }

  it('has the transactions that the list with the same filters has, newest first, in more than one page', async () => {
    const [a, b] = [await client.wallet(1000), await client.wallet()];
    for (let count = 0; count < 60; count++)
      await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 1, memo: `order ${count}` });
    await fail(a.id);
    for (const filters of [
      'status=all',
      'status=settled',
      'status=failed',
      `status=all&wallet_id=${b.id}`,
      'label=order',
      'type=ln_deposit',
    ]) {
      const listed: string[] = [];
      for (let after = ''; ; after = `&after=${listed.at(-1)}`) {
        const page = await client.get(`/v1/wallet-transactions?per-page=100&${filters}${after}`);
        listed.push(...page.map(({ id }: { id: string }) => id));
        if (page.length < 100) break;
      }
      expect((await rows(filters)).map(([, id]) => id)).toEqual(listed);
      expect((await rows(`${filters}&order=asc`)).map(([, id]) => id)).toEqual(listed.toReversed());
    }
  });

  it('names the wallet and the status, and books nothing for a payment that failed', async () => {
    const wallet = await client.wallet(100);
    await fail(wallet.id);
    const [failed, deposit] = await rows(`wallet_id=${wallet.id}&status=all`);
    expect(failed?.slice(2)).toEqual(expect.arrayContaining([wallet.id, 'failed', '-7000', '-7']));
    expect(failed?.[8]).toBe('');
    expect(deposit?.slice(2, 5)).toEqual([wallet.id, 'settled', 'ln_deposit']);
    expect(deposit?.[8]).toBe('100000');
  });

  it('neutralizes labels that a spreadsheet would run as formulas', async () => {
    const [from, to] = [await client.wallet(100), await client.wallet()];
    await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1, memo: '=1+1' });
    expect((await rows(`wallet_id=${to.id}`))[0]?.[5]).toBe("'=1+1");
  });

  it('is refused with a wallet of another account, with a filter that does not exist, and with a wallet key', async () => {
    const own = await client.wallet(1);
    const request = (query: string, key = client.secretKey) => client.request('GET', `/v1/wallet-transactions/export?${query}`, { key });
    expect((await request('wallet_id=wal_0000000000000000000000')).status).toBe(404);
    expect((await request('statu=all')).status).toBe(400);
    expect((await request('', own.admin)).status).toBe(403);
  });

  it('counts all pending, failed and settled transactions of a list without reading them', async () => {
    const wallet = await client.wallet(1000);
    for (let count = 0; count < 3; count++) await fail(wallet.id);
    for (const [status, total] of Object.entries({ all: '4', settled: '1', failed: '3', pending: '0' })) {
      const path = `/v1/wallet/${wallet.id}/transactions?status=${status}`;
      const { headers } = await client.request('GET', `${path}&count=1&per-page=1`, { key: client.secretKey });
      expect([status, headers.get('x-pagination-total-count')]).toEqual([status, total]);
      const pages = await Promise.all([1, 2].map((page) => client.get(`${path}&per-page=2&page=${page}`)));
      expect(pages.flat()).toEqual(await client.get(`${path}&per-page=4`));
    }
  });
});
