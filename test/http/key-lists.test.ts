import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'lists of keys and connections',
  ({ client, execute }) => {
    async function list(path: string): Promise<{ ids: string[]; total: string | null }> {
      const { body, headers } = await client.request('GET', `${path}${path.includes('?') ? '&' : '?'}count=1`, { key: client.secretKey });
      return { ids: body.map(({ id }: Json) => id), total: headers.get('x-pagination-total-count') };
    }

    it('of a wallet have the keys of a status, and count them', async () => {
      const wallet = await client.wallet();
      const path = `/v1/wallet/${wallet.id}/keys`;
      const create = (fields: object): Promise<Json> => client.post(path, { kind: 'wallet_read', ...fields });
      const [lasting, expired, revoked] = [await create({}), await create({}), await create({})];
      await execute('UPDATE access_key SET created_at = 1, expires_at = 2 WHERE id = $1', expired.id);
      await client.request('DELETE', `${path}/${revoked.id}`, { key: client.secretKey });
      expect((await list(`${path}?status=expired`)).ids).toEqual([expired.id]);
      expect(await list(`${path}?status=revoked`)).toEqual({ ids: [revoked.id], total: '1' });
      expect(await list(`${path}?status=ended`)).toEqual({ ids: [revoked.id, expired.id], total: '2' });
      const active = await list(`${path}?status=active`);
      expect(active.ids).toContain(lasting.id);
      expect(active.ids).not.toContain(expired.id);
      expect(Number(active.total)).toBe(active.ids.length);
      expect((await client.request('GET', `${path}?status=gone`, { key: client.secretKey })).status).toBe(400);
    });

    it('of all wallets have the keys with a label, in pages', async () => {
      const [one, two] = [await client.wallet(), await client.wallet()];
      const create = (wallet: string, label: string): Promise<Json> =>
        client.post(`/v1/wallet/${wallet}/keys`, { kind: 'wallet_invoice', user_label: label });
      const created = [await create(one.id, 'Till'), await create(two.id, 'Shop'), await create(one.id, 'Kiosk')]
        .map(({ id }) => id)
        .reverse();
      await create(one.id, '');
      const first = await client.request('GET', '/v1/keys?of=wallets&per-page=2&count=1', { key: client.secretKey });
      expect(first.body.map(({ id }: Json) => id)).toEqual(created.slice(0, 2));
      expect(first.headers.get('x-pagination-total-count')).toBe('3');
      expect((await list(`/v1/keys?of=wallets&after=${created[1]}`)).ids).toEqual([created[2]]);
      await client.request('DELETE', `/v1/wallet/${two.id}/keys/${created[1]}`, { key: client.secretKey });
      expect((await list('/v1/keys?of=wallets&status=active')).ids).toEqual([created[0], created[2]]);
      expect((await list(`/v1/keys?of=wallets&wallet_id=${one.id}`)).ids).toEqual([created[0], created[2]]);
      expect((await client.request('GET', `/v1/keys?wallet_id=${one.id}`, { key: client.secretKey })).status).toBe(400);
      expect((await client.get('/v1/keys')).every(({ kind }: Json) => kind.endsWith('_api'))).toBe(true);
    });

    it('of connections have those of all wallets of the account, and of no other account', async () => {
      const [one, two] = [await client.wallet(), await client.wallet()];
      const connect = (wallet: string): Promise<Json> => client.post(`/v1/wallet/${wallet}/connections`, { user_label: 'App' });
      const [first, second] = [await connect(one.id), await connect(two.id)];
      expect(await list('/v1/connections')).toEqual({ ids: [second.id, first.id], total: '2' });
      expect((await client.get(`/v1/connections/${first.id}`)).wallet_id).toBe(one.id);
      expect((await list(`/v1/connections?wallet_id=${two.id}`)).ids).toEqual([second.id]);
      await client.request('DELETE', `/v1/wallet/${one.id}/connections/${first.id}`, { key: client.secretKey });
      expect((await list('/v1/connections?status=active')).ids).toEqual([second.id]);
      expect((await list('/v1/connections?status=ended')).ids).toEqual([first.id]);
      const { secret_key: other } = await client.post('/v1/accounts', {});
      expect((await client.request('GET', '/v1/connections', { key: other })).body).toEqual([]);
      expect((await client.request('GET', '/v1/keys?of=wallets', { key: other })).body).toEqual([]);
      expect((await client.request('GET', `/v1/connections/${first.id}`, { key: other })).status).toBe(404);
      expect((await client.request('GET', '/v1/connections/nwc_nothing', { key: client.secretKey })).status).toBe(404);
    });
  },
  { NWC_RELAYS: 'ws://127.0.0.1:1' },
);
