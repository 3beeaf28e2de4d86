import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('history', ({ client }) => {
  it('returns the whole history once through cursors, newest first, without totals', async () => {
    const [a, b] = [await client.wallet(1000), await client.wallet()];
    for (let i = 1; i <= 6; i++) await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: i });
    const path = `/v1/wallet/${a.id}/transactions`;
    const all = await client.get(path);
    expect(all).toHaveLength(7);
    const walked: string[] = [all[0].id];
    let response = await client.request('GET', `${path}?per-page=2&after=${all[0].id}`, { key: client.secretKey });
    for (;;) {
      expect(response.headers.get('x-pagination-total-count')).toBeNull();
      walked.push(...response.body.map(({ id }: { id: string }) => id));
      const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
      if (next === undefined) break;
      response = await client.request('GET', path + next, { key: client.secretKey });
    }
    expect(walked).toEqual(all.map(({ id }: { id: string }) => id));
  });

  it('rejects a cursor of another wallet, or one together with a page', async () => {
    const [a, b] = [await client.wallet(10), await client.wallet(10)];
    const [other] = await client.get(`/v1/wallet/${b.id}/transactions`);
    const request = (query: string) => client.request('GET', `/v1/wallet/${a.id}/transactions?${query}`, { key: client.secretKey });
    expect((await request(`after=${other.id}`)).body).toMatchObject({ status: 400, type: 'validation_failed' });
    expect((await request('after=nonsense')).status).toBe(400);
    expect((await request(`after=${other.id}&page=1`)).body.message).toContain('not both');
  });

  it('returns a statement as CSV with every row of the period, oldest first, and labels that no spreadsheet runs', async () => {
    const [a, b] = [await client.wallet(1000), await client.wallet()];
    await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 100, memo: '=1+1, "quoted"' });
    const response = await fetch(`${client.url}/v1/wallet/${a.id}/statement`, { headers: { 'x-api-key': client.secretKey } });
    expect(response.headers.get('content-type')).toContain('text/csv');
    const [header, deposit, transfer, end] = (await response.text()).split('\r\n');
    expect(header).toBe(
      'time,id,type,label,msat,sat,balance_after_msat,payment_hash,counterparty,withdraw_link,amount,currency,rate,rate_at,rate_source',
    );
    expect(deposit).toMatch(/,ln_deposit,Playground,1000000,1000,1000000,[0-9a-f]{64},,,,,,,$/);
    expect(transfer).toMatch(/,ln_transfer_out,"'=1\+1, ""quoted""",-100000,-100,900000,,wal_\w+,,,,,,$/);
    expect(end).toBe('');
    const before = await fetch(`${client.url}/v1/wallet/${a.id}/statement?to=1000`, { headers: { 'x-api-key': client.secretKey } });
    expect((await before.text()).split('\r\n')).toHaveLength(2);
  });
});
