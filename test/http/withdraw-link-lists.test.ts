import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode('the withdraw links of an account', ({ client }) => {
  async function list(query = '', key = client.secretKey): Promise<{ ids: string[]; total: string | null }> {
    const { body, headers } = await client.request('GET', `/v1/lnurl/withdraws?count=1&${query}`, { key });
    return { ids: body.map(({ id }: Json) => id), total: headers.get('x-pagination-total-count') };
  }

  it('are those of all its wallets, newest first, in pages, by status and by wallet, and of no other account', async () => {
    const [one, two] = [await client.wallet(1000), await client.wallet(1000)];
    const create = (wallet: string): Promise<Json> => client.post(`/v1/wallet/${wallet}/lnurl/withdraw`, { num_satoshis: 10 });
    const [a, b, c] = [(await create(one.id)).id, (await create(two.id)).id, (await create(one.id)).id];
    expect(await list()).toEqual({ ids: [c, b, a], total: '3' });
    expect((await list('per-page=2')).ids).toEqual([c, b]);
    expect((await list(`per-page=2&after=${b}`)).ids).toEqual([a]);
    await client.request('DELETE', `/v1/wallet/${two.id}/lnurl/withdraws/${b}`, { key: client.secretKey });
    expect(await list('status=active')).toEqual({ ids: [c, a], total: '2' });
    expect(await list('status=ended')).toEqual({ ids: [b], total: '1' });
    expect(await list(`wallet_id=${one.id}`)).toEqual({ ids: [c, a], total: '2' });
    const { secret_key: other } = await client.post('/v1/accounts', {});
    expect((await list('', other)).ids).toEqual([]);
    const foreign = await client.request('GET', `/v1/lnurl/withdraws?wallet_id=${one.id}`, { key: other });
    expect(foreign.status).toBe(404);
  });
});
