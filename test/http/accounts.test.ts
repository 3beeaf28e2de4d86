import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json } from '../support/client.ts';

onFakeNode('accounts', (app) => {
  const { client, neighbour, rows, execute, problems } = app;
  const request = (method: string, path: string, json?: object, key = client.secretKey): Promise<HttpResponse> =>
    client.request(method, path, { key, json });
  const change = (id: string, json: object, key = client.secretKey) => request('PATCH', `/v1/accounts/${id}`, json, key);
  const ownId = async (of: Client): Promise<string> => (await of.get('/v1/account')).id;
  let emails = 0;
  const newEmail = () => `person${++emails}@example.com`;

  it('makes the first account the operator and others members', async () => {
    expect(await client.get('/v1/account')).toMatchObject({ role: 'operator', status: 'active', max_wallets: 0, has_password: false });
    expect(await neighbour.get('/v1/account')).toMatchObject({ role: 'member', public_key: neighbour.publicKey });
  });

  it('creates an account whose keys work, once per Idempotency-Key', async () => {
    const email = newEmail();
    const headers = { 'idempotency-key': `create ${email}` };
    const create = () =>
      client.request('POST', '/v1/accounts', { key: client.secretKey, json: { email: email.toUpperCase(), max_wallets: 3 }, headers });
    const [first, second] = [await create(), await create()];
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ role: 'member', status: 'active', email, max_wallets: 3, num_wallets: 0 });
    expect(second.body).toEqual(first.body);
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const { id, secret_key, public_key } = first.body;
    expect((await request('GET', '/v1/account', undefined, secret_key)).body).toMatchObject({ id, public_key });
    expect((await request('POST', '/v1/wallet', {}, secret_key)).status).toBe(201);
    expect((await request('GET', `/v1/accounts/${id}`)).body).toMatchObject({ id, num_wallets: 1 });
    const [newest] = (await request('GET', '/v1/accounts?per-page=1')).body;
    expect(newest).toMatchObject({ id, email });
    expect(newest).not.toHaveProperty('secret_key');
    expect(JSON.stringify(await rows('SELECT * FROM operator_record'))).not.toContain(secret_key.slice(4));
  });

  it('rejects an e-mail of another account, and an unknown account', async () => {
    const email = newEmail();
    await client.post('/v1/accounts', { email });
    const second = await request('POST', '/v1/accounts', { email: email.toUpperCase() });
    expect(second.body).toMatchObject({ status: 409, type: 'email_taken' });
    expect((await change('acc_unknown', { status: 'frozen', reason: 'test' })).status).toBe(404);
    expect((await request('GET', '/v1/accounts/acc_unknown')).status).toBe(404);
  });

  it('lists the changes of an account with their authors and reasons, newest first, and shows an open setup link', async () => {
    const { id, setup_expires_at } = await client.post('/v1/accounts', { invite: true, max_wallets: 3, reason: 'a new customer' });
    expect((await request('GET', `/v1/accounts/${id}`)).body.setup_expires_at).toBe(setup_expires_at);
    expect((await request('GET', `/v1/accounts/${await ownId(neighbour)}`)).body.setup_expires_at).toBeNull();
    await change(id, { status: 'frozen', reason: 'reported as stolen' });
    await client.post(`/v1/accounts/${id}/setup-link`, { reason: 'lost' });
    const list = async (query = '') => request('GET', `/v1/operator/actions?account_id=${id}${query}`);
    const { body, headers } = await list();
    expect(body.map(({ kind, changes, reason }: Json) => [kind, changes, reason])).toEqual([
      ['create_setup_link', [], 'lost'],
      ['change_account', [{ field: 'status', before: 'active', after: 'frozen' }], 'reported as stolen'],
      ['create_account', [{ field: 'max_wallets', before: null, after: '3' }], 'a new customer'],
    ]);
    const [newest] = body;
    const actor = await ownId(client);
    expect(newest).toMatchObject({ status: 'done', subject: id, account_id: id, actor_id: actor, origin: '127.0.0.1' });
    expect(newest.requested_by).toMatch(new RegExp(`^key_\\w+ of ${actor}$`));
    expect(headers.has('x-pagination-total-count')).toBe(false);
    expect((await list('&count=1')).headers.get('x-pagination-total-count')).toBe('3');
    expect((await list(`&per-page=1&after=${newest.id}`)).body).toEqual([body[1]]);
    expect((await list('&order=asc')).body).toEqual(body.toReversed());
    expect((await request('GET', '/v1/operator/actions?account_id=acc_unknown')).body).toEqual([]);
    for (const key of [neighbour.secretKey, client.publicKey])
      expect((await request('GET', `/v1/operator/actions?account_id=${id}`, undefined, key)).status).toBe(403);
  });

  it('lets only an operator list, create, read and change accounts', async () => {
    const id = await ownId(neighbour);
    const wallet = await client.wallet();
    const { key: limited } = await client.post('/v1/keys', { max_payment_msat: 1000 });
    for (const key of [neighbour.secretKey, neighbour.publicKey, client.publicKey, wallet.admin, limited]) {
      const statuses = [
        await request('GET', '/v1/accounts', undefined, key),
        await request('POST', '/v1/accounts', {}, key),
        await request('GET', `/v1/accounts/${id}`, undefined, key),
        await change(id, { role: 'operator' }, key),
      ].map(({ status }) => status);
      expect(statuses).toEqual([403, 403, 403, 403]);
    }
    expect(await neighbour.get('/v1/account')).toMatchObject({ role: 'member' });
  });

  it('gives a new operator the rights of one, and takes them away with the role', async () => {
    const { id, secret_key } = await client.post('/v1/accounts', { role: 'operator' });
    const list = () => request('GET', '/v1/accounts', undefined, secret_key);
    expect((await list()).status).toBe(200);
    expect((await change(id, { role: 'member' }, secret_key)).status).toBe(200);
    expect((await list()).status).toBe(403);
  });

  it('keeps the last active operator, also when two operators demote each other at once', async () => {
    const own = await ownId(client);
    for (const changes of [{ role: 'member' }, { status: 'frozen', reason: 'test' }])
      expect((await change(own, changes)).body).toMatchObject({ status: 409, type: 'last_operator' });
    const { id, secret_key } = await client.post('/v1/accounts', { role: 'operator' });
    const both = await Promise.all([change(id, { role: 'member' }), change(own, { status: 'frozen', reason: 'test' }, secret_key)]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 403]);
    // Restores the first account.
    if (both[1]?.status === 200) await change(own, { status: 'active', reason: 'test' }, secret_key);
    expect((await change(id, { role: 'member' })).status).toBe(200);
  });

  it('keeps the last operator who can log in or has a key, also when others are only invited', async () => {
    const own = await ownId(client);
    const { id } = await client.post('/v1/accounts', { role: 'operator', email: 'invited@example.com', invite: true });
    for (const changes of [{ role: 'member' }, { status: 'frozen', reason: 'test' }])
      expect((await change(own, changes)).body).toMatchObject({ status: 409, type: 'last_operator' });
    expect((await change(id, { role: 'member' })).status).toBe(200);
  });

  it('rejects unknown values by name', async () => {
    const id = await ownId(neighbour);
    for (const [json, name] of [
      [{ role: 'admin' }, 'role'],
      [{ status: 'ended', reason: 'test' }, 'status'],
      [{ email: 'nobody' }, 'email'],
      [{ max_wallets: -1 }, 'max_wallets'],
      [{ max_wallets: null }, 'max_wallets'],
    ] as const) {
      const { body } = await change(id, json);
      expect(body).toMatchObject({ status: 400, type: 'validation_failed' });
      expect(body.message).toContain(`\`${name}\``);
    }
  });

  it('records each change with the key, its account and the reason', async () => {
    const { id } = await client.post('/v1/accounts', { reason: 'a new customer' });
    await change(id, { max_wallets: 2, reason: 'as agreed' });
    const recorded: Json[] = await rows('SELECT * FROM operator_record WHERE account_id = $1 ORDER BY id', id);
    expect(recorded.map(({ reason }) => reason)).toEqual(['a new customer', 'as agreed']);
    expect(recorded[1]).toMatchObject({ actor: await ownId(client), changes: '[{"field":"max_wallets","before":"0","after":"2"}]' });
    expect(recorded[1].requested_by).toMatch(/^key_/);
  });

  it('never changes or deletes a record', async () => {
    for (const change of ["UPDATE operator_record SET reason = ''", 'DELETE FROM operator_record'])
      await expect(execute(change)).rejects.toThrow('never');
  });

  it('creates no more wallets than the account may have, also at the same time', async () => {
    const { secret_key } = await client.post('/v1/accounts', { max_wallets: 2 });
    const made = await Promise.all(Array.from({ length: 5 }, () => request('POST', '/v1/wallet', {}, secret_key)));
    expect(made.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409, 409]);
    expect(made.find(({ status }) => status === 409)?.body).toMatchObject({ type: 'too_many_wallets' });
    expect((await request('GET', '/v1/wallets', undefined, secret_key)).body).toHaveLength(2);
  });

  it('keeps the books balanced', async () => {
    expect(await problems()).toEqual([]);
  });
});

onFakeNode('a frozen account', ({ client, neighbour, net, problems }) => {
  it('A7: sends no money in any way, reads, and sends and receives again when it is active', async () => {
    const [wallet, other] = [await neighbour.wallet(1000), await neighbour.wallet()];
    const key = neighbour.secretKey;
    const link = await neighbour.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 10 });
    const outside = () => net.outside.invoice({ amountMsat: 5_000 }).paymentRequest;
    const alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    const path = `/v1/wallet/${wallet.id}`;
    const ways = async () => [
      await client.request('POST', `${path}/withdraw`, { key, json: { payment_request: outside() } }),
      await client.request('POST', `${path}/keysend`, { key: wallet.admin, json: { dest_pubkey: alice, num_satoshis: 5 } }),
      await client.request('POST', `${path}/transfer`, { key, json: { dest_wallet_id: other.id, num_satoshis: 5 } }),
      await client.request('POST', `${path}/lnurl/withdraw`, { key, json: { num_satoshis: 5 } }),
    ];
    const { id } = await neighbour.get('/v1/account');
    const set = (status: string) =>
      client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { status, reason: 'test' } });

    expect((await set('frozen')).body).toMatchObject({ id, status: 'frozen' });
    for (const { body } of await ways()) expect(body).toMatchObject({ status: 400, type: 'wallet_inactive' });
    const claim = new URL(link.url);
    claim.searchParams.set('pr', outside());
    expect((await client.request('GET', `${claim.pathname}${claim.search}`)).body).toMatchObject({ status: 'ERROR' });
    expect(await neighbour.get(path)).toMatchObject({ balance: 1000, pending_msat: 0 });
    expect(await neighbour.get('/v1/account')).toMatchObject({ status: 'frozen' });
    const fund = () => client.request('POST', '/playground/fund', { key, json: { wallet_id: wallet.id, num_satoshis: 7 } });
    expect((await fund()).body).toMatchObject({ status: 403, type: 'account_restricted' });
    await set('receive_only');
    for (const { body } of await ways()) expect(body).toMatchObject({ status: 400, type: 'wallet_inactive' });
    expect((await fund()).status).toBeLessThan(300);
    expect(await neighbour.get(path)).toMatchObject({ balance: 1007 });

    await set('active');
    expect((await ways()).map(({ status }) => status)).toEqual([201, 201, 201, 201]);
    expect(await problems()).toEqual([]);
  });

  it('completes payments that were pending before', async () => {
    const { id, secret_key: key } = await client.post('/v1/accounts', {});
    const wallet = (await client.request('POST', '/v1/wallet', { key, json: {} })).body;
    await client.request('POST', '/playground/fund', { key, json: { wallet_id: wallet.id, num_satoshis: 100 } });
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 5, hold: true });
    const sent = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key,
      json: { payment_request },
      headers: { prefer: 'respond-async' },
    });
    expect(sent.status).toBe(202);
    await client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { status: 'frozen', reason: 'test' } });
    await client.decideHold(payment_hash, 'settle');
    const status = async () => (await client.request('GET', `/v1/lntx/${sent.body.lnTx.id}`, { key })).body.status;
    await expect.poll(status).toBe('settled');
    expect(await problems()).toEqual([]);
  });
});
