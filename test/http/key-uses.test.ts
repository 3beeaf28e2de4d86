import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'the last use of keys',
  (app, dialect) => {
    const { client } = app;
    const listed = async (path: string): Promise<Json[]> => client.get(`${path}?per-page=100`);
    const lastUse = async (path: string, id: string): Promise<number | null> =>
      (await listed(path)).find((key) => key.id === id)?.last_used_at;
    const revoke = async (path: string, id: string): Promise<Json> =>
      (await client.request('DELETE', `${path}/${id}`, { key: client.secretKey })).body;
    const read = async (walletId: string, key: string) => (await client.request('GET', `/v1/wallet/${walletId}`, { key })).status;

    /** Uses a new key until its use is shown. Uses from before are stored by then, because keys are stored in the order of their first use. */
    async function untilStored(walletId: string): Promise<void> {
      const path = `/v1/wallet/${walletId}/keys`;
      const made = await client.post(path, { kind: 'wallet_read' });
      await read(walletId, made.key);
      await expect.poll(() => lastUse(path, made.id)).not.toBeNull();
    }

    it('are shown for keys that were used, of a wallet and of the account, and null for the others', async () => {
      const before = Math.floor(Date.now() / 1000);
      const wallet = await client.wallet();
      const path = `/v1/wallet/${wallet.id}/keys`;
      const made = await client.post('/v1/keys', { user_label: 'shop' });
      expect(made.last_used_at).toBeNull();
      expect([await read(wallet.id, wallet.read), await read(wallet.id, made.key)]).toEqual([200, 200]);
      await untilStored(wallet.id);
      expect(await lastUse('/v1/keys', made.id)).toBeGreaterThanOrEqual(before);
      expect(await lastUse('/v1/keys', made.id)).toBeLessThanOrEqual(Date.now() / 1000);
      const used = (await listed(path)).filter(({ last_used_at }) => last_used_at !== null);
      expect(used.map(({ kind }) => kind)).toEqual(['wallet_read', 'wallet_read']);
      expect((await listed('/v1/keys')).find(({ kind }) => kind === 'public_api')?.last_used_at).toBeNull();
    });

    it('include the access key in the path of a request with the public key, but not one that only names the wallet', async () => {
      const wallet = await client.wallet();
      const path = `/v1/wallet/${wallet.id}/keys`;
      expect(await read(wallet.admin, client.publicKey)).toBe(200);
      expect(await read(wallet.read, client.secretKey)).toBe(200);
      await untilStored(wallet.id);
      const used = (await listed(path)).slice(1).filter(({ last_used_at }) => last_used_at !== null);
      expect(used.map(({ kind }) => kind)).toEqual(['wallet_admin']);
      expect((await listed('/v1/keys')).find(({ kind }) => kind === 'public_api')?.last_used_at).not.toBeNull();
    });

    it('do not change when a key is rejected because it is revoked, expired or unknown', async () => {
      const wallet = await client.wallet();
      const path = `/v1/wallet/${wallet.id}/keys`;
      const [revoked, expired] = [await client.post(path, { kind: 'wallet_read' }), await client.post(path, { kind: 'wallet_read' })];
      await revoke(path, revoked.id);
      await app.execute('UPDATE access_key SET expires_at = 1 WHERE id = $1', expired.id);
      const wrong = `${wallet.read.slice(0, -4)}${'0000'}`;
      for (const key of [revoked.key, expired.key, wrong]) expect(await read(wallet.id, key)).toBe(401);
      await untilStored(wallet.id);
      const keys = (await listed(path)).slice(1);
      expect(keys).toHaveLength(7);
      expect(keys.filter(({ last_used_at }) => last_used_at !== null)).toEqual([]);
      expect(await app.problems()).toEqual([]);
    });

    it('are kept when a key is revoked', async () => {
      const wallet = await client.wallet();
      const path = `/v1/wallet/${wallet.id}/keys`;
      const made = await client.post(path, { kind: 'wallet_read' });
      await read(wallet.id, made.key);
      await untilStored(wallet.id);
      expect(await revoke(path, made.id)).toMatchObject({ status: 'revoked', last_used_at: expect.any(Number) });
    });

    it('are stored when the service stops', async () => {
      const wallet = await client.wallet();
      await read(wallet.id, wallet.invoice);
      await app.restart();
      const [used, ...others] = (await listed(`/v1/wallet/${wallet.id}/keys`)).filter(({ last_used_at }) => last_used_at !== null);
      expect(used?.kind).toBe('wallet_invoice');
      expect(others).toEqual([]);
    });

    it.runIf(dialect === 'postgres')('are those of all instances', async () => {
      const wallet = await client.wallet();
      const other = await app.another();
      const made = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read' });
      await other.request('GET', `/v1/wallet/${wallet.id}`, { key: made.key });
      await expect.poll(() => lastUse(`/v1/wallet/${wallet.id}/keys`, made.id)).not.toBeNull();
    });
  },
  {},
  { keyUses: { roundMs: 20 } },
);
