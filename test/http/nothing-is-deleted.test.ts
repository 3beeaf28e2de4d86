import { expect, it } from 'vitest';
import { committedApi } from '../openapi/conformance/operations.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

const description: Json = committedApi();

onFakeNode('W9: nothing with a balance, a history or a pending payment can be deleted', (service) => {
  const remove = (path: string) => service.client.request('DELETE', path, { key: service.client.secretKey });
  const books = async (wallet: TestWallet) => ({
    wallet: await service.client.get(`/v1/wallet/${wallet.id}?fields=balance_msat,pending_msat,statusType`),
    lines: await service.client.get(`/v1/wallet/${wallet.id}/transactions?status=all&fields=id,num_msat,status`),
  });

  it('deletes only open invoices, links, keys, connections, webhooks, sessions, notes, contacts, notifications, fee schedules and the fiat rate', () => {
    const paths = Object.keys(description.paths).filter((path) => description.paths[path].delete);
    expect(paths.sort()).toEqual([
      '/v1/accounts/{id}/fees',
      '/v1/accounts/{id}/notes/{note}',
      '/v1/contacts/{id}',
      '/v1/keys/{id}',
      '/v1/lntx/{id}',
      '/v1/lnurlp/{id}',
      '/v1/operator/fiat-rate',
      '/v1/push-subscriptions/{id}',
      '/v1/session',
      '/v1/session/linked-keys/{id}',
      '/v1/session/passkeys/{id}',
      '/v1/sessions/{id}',
      '/v1/wallet/{key}/connections/{id}',
      '/v1/wallet/{key}/keys/{id}',
      '/v1/wallet/{key}/lnurl/withdraws/{id}',
      '/v1/wallets/{id}/fees',
      '/v1/webhooks/{id}',
    ]);
  });

  it('keeps a wallet and all its objects', async () => {
    const [wallet, empty] = [await service.client.wallet(1000), await service.client.wallet()];
    const held = service.net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
    const json = { payment_request: held.paymentRequest };
    const options = { key: service.client.secretKey, json, headers: { prefer: 'respond-async' } };
    const pending = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, options);
    expect(pending.status).toBe(202);
    const before = await books(wallet);
    expect(before.lines).toHaveLength(2);
    for (const path of [`/v1/wallet/${wallet.id}`, `/v1/user/wallet/${wallet.admin}`, `/v1/wallet/${empty.id}`, '/v1/account']) {
      expect([path, (await remove(path)).status]).toEqual([path, 405]);
    }
    const refused = await remove(`/v1/lntx/${pending.body.lnTx.id}`);
    expect(refused.status).toBeGreaterThanOrEqual(400);
    expect(await books(wallet)).toEqual(before);
    service.net.outside.resolveHold(held.paymentHash, 'cancel');
  });

  it('rejects cancelling a settled invoice, and keeps its credit', async () => {
    const wallet = await service.client.wallet();
    const { id, payment_request } = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 50 });
    await service.client.post('/playground/pay', { payment_request });
    await expect.poll(async () => (await service.client.get(`/v1/lntx/${id}`)).settled).toBe(1);
    const before = await books(wallet);
    expect((await remove(`/v1/lntx/${id}`)).status).toBe(400);
    expect(await service.client.get(`/v1/lntx/${id}`)).toMatchObject({ settled: 1, num_satoshis: 50 });
    expect(await books(wallet)).toEqual(before);
  });

  it('keeps the objects of a revoked key', async () => {
    const wallet = await service.client.wallet(100);
    const before = await books(wallet);
    const keys: Json[] = await service.client.get(`/v1/wallet/${wallet.id}/keys`);
    for (const { id } of keys) await remove(`/v1/wallet/${wallet.id}/keys/${id}`);
    expect(await books(wallet)).toEqual(before);
  });
});
