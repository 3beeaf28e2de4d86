import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { eventsOf, eventsOfWallet, nameOf } from '../support/events.ts';

onFakeNode('the events of a wallet', ({ client, problems }) => {
  const change = async (id: string, json: object) => client.request('PATCH', `/v1/wallet/${id}`, { key: client.secretKey, json });

  it('begin with its creation, which has the wallet and no key', async () => {
    const wallet = await client.wallet();
    const [created, ...others] = await eventsOfWallet(client, wallet);
    expect(others).toEqual([]);
    expect(created.event).toEqual({ type: 'wallet', name: 'wallet_created', display_name: 'Wallet Created' });
    expect(created.data).toEqual({ wal: await client.get(`/v1/wallet/${wallet.id}`) });
  });

  it('have one creation for requests with the same Idempotency-Key, also at once', async () => {
    const create = () =>
      client.request('POST', '/v1/wallet', { key: client.secretKey, json: {}, headers: { 'idempotency-key': 'one wallet' } });
    const made = await Promise.all([create(), create(), create()]);
    const ids = new Set(made.map(({ body }) => body.id));
    expect(ids.size).toBe(1);
    await create();
    const [id = ''] = ids;
    expect((await eventsOf(client, `/v1/events?wallet_id=${id}`)).map(nameOf)).toEqual(['wallet_created']);
  });

  it('have no creation for a rejected request', async () => {
    const before = (await eventsOf(client)).length;
    for (const json of [{ user_label: 'x'.repeat(256) }, { ln_node_id: 'lnd_unknown' }, { nothing: 1 }])
      expect((await client.request('POST', '/v1/wallet', { key: client.secretKey, json })).status).toBe(400);
    expect(await eventsOf(client)).toHaveLength(before);
  });

  it('have one for each change, and none for a request that changes nothing', async () => {
    const wallet = await client.wallet();
    expect((await change(wallet.id, { user_label: 'new' })).body.user_label).toBe('new');
    const { updated_at } = await client.get(`/v1/wallet/${wallet.id}`);
    for (const json of [{ user_label: 'new' }, { status: 'active' }, { user_label: 'new', status: 'active' }, {}])
      expect(await change(wallet.id, json)).toMatchObject({ status: 200, body: { user_label: 'new', updated_at } });
    await change(wallet.id, { status: 'inactive', user_label: 'new' });
    await change(wallet.id, { status: 'off' });
    const events = await eventsOfWallet(client, wallet);
    expect(events.map(nameOf)).toEqual(['wallet_created', 'wallet_updated', 'wallet_updated']);
    expect(events.at(-1).data.wal).toMatchObject({ id: wallet.id, user_label: 'new', statusType: { name: 'inactive' } });
    expect(await problems()).toEqual([]);
  });
});

onFakeNode('the events of keys', (service) => {
  const { client } = service;
  const keyEvents = async (): Promise<Json[]> => (await eventsOf(client)).filter(({ event }) => event.type === 'account');

  it('are those of the account, for its own keys and those of wallets, and contain no secret', async () => {
    const wallet = await client.wallet();
    expect(await keyEvents()).toEqual([]);
    const idempotent = { key: client.secretKey, json: { user_label: 'shop' }, headers: { 'idempotency-key': 'a key' } };
    const shop = (await client.request('POST', '/v1/keys', idempotent)).body;
    await client.request('POST', '/v1/keys', idempotent);
    const till = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read', user_label: 'till' });
    const events = await keyEvents();
    expect(events.map(({ event }) => event)).toEqual(Array(2).fill({ type: 'account', name: 'key_created', display_name: 'Key Created' }));
    const shown = ({ id, kind, wallet_id, user_label, hint }: Json) => ({ id, kind, wallet_id, user_label, hint });
    expect(events.map(({ data }) => data)).toEqual([{ key: shown(shop) }, { key: shown(till) }]);
    expect(JSON.stringify(events)).not.toContain(shop.key.slice(4));
    expect(JSON.stringify(events)).not.toContain(till.key.slice(5));
    // Other keys of the wallet do not read about it.
    expect((await eventsOfWallet(client, wallet)).map(nameOf)).toEqual(['wallet_created']);
  });

  it('have one revocation, also if it is repeated, and none if it is rejected', async () => {
    const before = (await keyEvents()).length;
    const { id } = await client.post('/v1/keys', { user_label: 'old' });
    const revoke = (one: string) => client.request('DELETE', `/v1/keys/${one}`, { key: client.secretKey });
    const [revoked] = await Promise.all([revoke(id), revoke(id)]);
    expect(revoked?.body.status).toBe('revoked');
    const [last] = (await client.get('/v1/keys')).filter((key: Json) => key.status === 'active' && key.kind === 'secret_api').slice(-1);
    expect((await revoke('key_0Vbb5dZq00hT3mVxLu0fF7')).status).toBe(404);
    expect(last).toBeDefined();
    const events = (await keyEvents()).slice(before);
    expect(events.map((event) => [nameOf(event), event.data.key.id])).toEqual([
      ['key_created', id],
      ['key_revoked', id],
    ]);
  });

  it('have the new key of a rotation, and the old key if it is revoked at once', async () => {
    const before = (await keyEvents()).length;
    const { id } = await client.post('/v1/keys', { user_label: 'rotating' });
    const second = await client.post(`/v1/keys/${id}/rotate`, { overlap_seconds: 60 });
    const third = await client.post(`/v1/keys/${second.id}/rotate`, {});
    const again = await client.request('POST', `/v1/keys/${second.id}/rotate`, { key: client.secretKey, json: {} });
    expect(again.status).toBe(409);
    const events = (await keyEvents()).slice(before);
    expect(events.map((event) => [nameOf(event), event.data.key.id])).toEqual([
      ['key_created', id],
      ['key_created', second.id],
      ['key_created', third.id],
      ['key_revoked', second.id],
    ]);
  });
});

onFakeNode('events whose transaction fails', (service) => {
  const { client } = service;

  it('W3: are rolled back with the change, wherever the transaction fails', async () => {
    const wallet = await client.wallet();
    const before = (await eventsOf(client)).length;
    const requests: [string, string, object][] = [
      ['POST', '/v1/wallet', {}],
      ['PATCH', `/v1/wallet/${wallet.id}`, { user_label: 'changed' }],
      ['POST', '/v1/keys', {}],
      ['POST', `/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5 }],
    ];
    for (const failing of ['event_insert', 'event_insert_one', 'event_insert_many', 'COMMIT']) {
      service.connectionFailsAt = (name) => name === failing;
      for (const [method, path, json] of requests) await client.request(method, path, { key: client.secretKey, json });
      service.connectionFailsAt = undefined;
    }
    const added = (await eventsOf(client)).slice(before);
    const wallets: Json[] = await client.get('/v1/wallets');
    const keys: Json[] = await client.get('/v1/keys');
    // A change exists exactly if its event exists.
    expect(added.filter((event) => nameOf(event) === 'wallet_created')).toHaveLength(wallets.length - 1);
    expect(added.filter((event) => nameOf(event) === 'key_created')).toHaveLength(keys.length - 2);
    expect(added.filter((event) => nameOf(event) === 'wallet_updated')).toHaveLength(
      (await client.get(`/v1/wallet/${wallet.id}`)).user_label === 'changed' ? 1 : 0,
    );
    expect(added.filter((event) => nameOf(event) === 'invoice_created')).toHaveLength(
      (await client.get(`/v1/wallet/${wallet.id}/transactions?status=open`)).length,
    );
  });
});
