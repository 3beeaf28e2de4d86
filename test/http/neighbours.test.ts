import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode('limits on information and access', (service) => {
  it('returns to a wallet key only the id of the destination wallet of its transfer', async () => {
    const [mine, other] = [await service.client.wallet(100), await service.client.wallet(5000)];
    const json = { dest_wallet_id: other.lnurlWithdraw, num_satoshis: 1 };
    for (const [i, key] of [mine.admin, service.client.publicKey].entries()) {
      const headers = { 'Idempotency-Key': `transfer-${i}` };
      const response = await service.client.request('POST', `/v1/wallet/${mine.admin}/transfer`, { key, json, headers });
      expect(response.status).toBe(201);
      // Checks every field: one that is added to wallets must not appear here.
      expect(response.body.wtx_transfer_in).toEqual({
        id: expect.stringMatching(/^wtx_.*i$/),
        created_at: expect.any(Number),
        num_satoshis: 1,
        num_msat: 1000,
        balance_after_msat: null,
        user_label: '',
        wal: { id: other.id },
        wtxType: { layer: 'ln', name: 'ln_transfer_in', display_name: 'Transfer In' },
        lnTx: null,
        passThru: { source_wallet_id: mine.id, dest_wallet_id: other.id },
        status: 'settled',
        failure_reason: null,
      });
      expect(response.body.wtx_transfer_out.wal).toMatchObject({ id: mine.id, balance: 99 - i });
      const replayed = await service.client.request('POST', `/v1/wallet/${mine.admin}/transfer`, { key, json, headers });
      expect(replayed.headers.get('idempotency-replayed')).toBe('true');
      expect(replayed.body.wtx_transfer_in).toEqual(response.body.wtx_transfer_in);
    }
    const owner = await service.client.post(`/v1/wallet/${mine.id}/transfer`, json);
    expect(owner.wtx_transfer_in.wal).toMatchObject({ id: other.id, balance: 5003 });
  });

  it('uses the id of a wallet in the links of the response when the path names its key', async () => {
    const wallet = await service.client.wallet(100);
    const response = await service.client.request('GET', `/v1/wallet-transactions?wallet_id=${wallet.admin}&per-page=1`, {
      key: service.client.secretKey,
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('link')).toContain(wallet.id);
    expect(response.headers.get('link')).not.toContain(wallet.admin);
  });

  it('A3: a revoked secret key makes no wallet, activates none and makes no invoice from that moment', async () => {
    const { client } = service;
    const made: Json = await client.post('/v1/keys', { kind: 'secret_api' });
    const key: string = made.key ?? made.secret ?? Object.values(made).find((value) => String(value).startsWith('sak_'));
    const wallet = await client.wallet(100);
    await client.request('PATCH', `/v1/wallet/${wallet.id}`, { key, json: { status: 'inactive' } });
    expect((await client.request('DELETE', `/v1/keys/${made.id}`, { key: client.secretKey })).status).toBeLessThan(300);
    const tried = await Promise.all([
      client.request('POST', '/v1/wallet', { key, json: {} }),
      client.request('PATCH', `/v1/wallet/${wallet.id}`, { key, json: { status: 'active' } }),
      client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key, json: { num_satoshis: 5 } }),
    ]);
    expect(tried.map(({ status }) => status)).toEqual([401, 401, 401]);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).statusType.name).toBe('inactive');
  });

  it('ignores fields for responses that are not JSON', async () => {
    expect((await service.client.request('GET', '/docs?fields=a')).status).toBe(200);
  });
});

onFakeNode(
  'an Idempotency-Key without an earlier request',
  (service) => {
    it('does not lift the limits of a key', async () => {
      const wallet = await service.client.wallet();
      const read = () =>
        service.client.request('GET', `/v1/wallet/${wallet.id}`, { key: wallet.read, headers: { 'idempotency-key': 'k' } });
      // Requests count against the address until the key is known to be valid.
      expect((await read()).status).toBe(200);
      const responses = await Promise.all(Array.from({ length: 40 }, read));
      expect(responses.filter(({ status }) => status === 429).length).toBeGreaterThan(0);
    });

    it('counts towards the rate of the key, whatever the results of its requests', async () => {
      const wallet = await service.client.wallet();
      const wrong = () =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
          key: wallet.invoice,
          json: { no: 1 },
          headers: { 'idempotency-key': 'k' },
        });
      await wrong();
      await Promise.all(Array.from({ length: 40 }, wrong));
      const next = () => service.client.request('GET', `/v1/wallet/${wallet.id}/transactions`, { key: wallet.invoice });
      // The bucket may have gained a token with the seconds, but not one for each of them.
      const responses = await Promise.all(Array.from({ length: 5 }, next));
      expect(responses.map(({ status }) => status)).toContain(429);
    });
  },
  { RATE_LIMIT_PER_SECOND: '1', RATE_LIMIT_BURST: '10' },
);
