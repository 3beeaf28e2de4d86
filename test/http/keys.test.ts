import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';

const SECRET = /^(sak|waka|waki|wakr)_[0-9A-Za-z]{28}$/;

onFakeNode('keys', ({ client, neighbour }) => {
  const request = (method: string, path: string, json?: object, key = client.secretKey): Promise<HttpResponse> =>
    client.request(method, path, { key, ...(json && { json }) });
  const listed = async (path: string, id: string): Promise<Json> =>
    (await client.get(`${path}?per-page=100`)).find((key: Json) => key.id === id);

  it('returns the id and the public key of the account', async () => {
    const account = await client.get('/v1/account');
    expect(account).toMatchObject({ id: expect.stringMatching(/^acc_/), created_at: expect.any(Number), public_key: client.publicKey });
    expect((await neighbour.get('/v1/account')).public_key).toBe(neighbour.publicKey);
  });

  it('A4: returns a secret only in the response that creates it, which forbids storage', async () => {
    const wallet = await client.wallet();
    const secrets: string[] = [client.secretKey, wallet.admin, wallet.invoice, wallet.read];
    for (const [path, kind] of [
      ['/v1/keys', 'secret_api'],
      [`/v1/wallet/${wallet.id}/keys`, 'wallet_admin'],
      [`/v1/wallet/${wallet.id}/keys`, 'wallet_invoice'],
      [`/v1/user/wallet/${wallet.id}/keys`, 'wallet_read'],
    ]) {
      const made = await request('POST', `${path}`, { kind, user_label: 'till' });
      expect(made).toMatchObject({ status: 201, body: { kind, user_label: 'till', status: 'active', key: expect.stringMatching(SECRET) } });
      const rotated = await request('POST', `${path}/${made.body.id}/rotate`, { overlap_seconds: 600 });
      for (const { headers, body } of [made, rotated]) {
        expect(headers.get('cache-control')).toBe('no-store');
        expect(body.hint).toBe(`${body.key.split('_')[0]}_…${body.key.slice(-4)}`);
        secrets.push(body.key);
      }
    }
    const responses = [
      await request('GET', '/v1/keys'),
      await request('GET', `/v1/wallet/${wallet.id}/keys`),
      await request('GET', '/v1/account'),
      await request('DELETE', `/v1/wallet/${wallet.id}/keys/${secrets[4]}`),
      await request('POST', `/v1/keys/${secrets[4]}/rotate`),
      await request('POST', '/v1/keys', { kind: secrets[4] }),
    ];
    for (const { text } of responses) for (const secret of secrets) expect(text).not.toContain(secret.split('_')[1]);
    expect(new Set(secrets).size).toBe(12);
  });

  it('lists only the keys of their owner, newest first, with their permissions', async () => {
    const [wallet, sibling] = [await client.wallet(), await client.wallet()];
    const expires_at = Math.floor(Date.now() / 1000) + 3600;
    const limits = { expires_at, budget_msat: 5_000, budget_period: 'week', max_payment_msat: 1_000 };
    const made = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', user_label: 'phone', ...limits });
    const keys: Json[] = await client.get(`/v1/wallet/${wallet.admin}/keys`);
    expect(keys.map(({ kind }) => kind)).toEqual([
      'wallet_admin',
      'wallet_lnurl_pay',
      'wallet_lnurl_withdraw',
      'wallet_read',
      'wallet_invoice',
      'wallet_admin',
    ]);
    expect(keys[0]).toEqual({
      id: made.id,
      created_at: made.created_at,
      kind: 'wallet_admin',
      wallet_id: wallet.id,
      user_label: 'phone',
      hint: made.hint,
      status: 'active',
      revoked_at: null,
      replaced_by: null,
      last_used_at: null,
      budget_spent_msat: 0,
      budget_pending_msat: 0,
      max_out_day_msat: null,
      max_out_month_msat: null,
      max_payments_per_minute: null,
      max_pending: null,
      out_day_msat: null,
      out_month_msat: null,
      payments_this_minute: null,
      pending_payments: null,
      ...limits,
    });
    expect(keys[1].hint).toBe(wallet.lnurlPay);
    const account: Json[] = await client.get('/v1/keys?per-page=100');
    expect(new Set(account.map(({ kind }) => kind))).toEqual(new Set(['secret_api', 'public_api']));
    const others = [...(await client.get(`/v1/wallet/${sibling.id}/keys`)), ...(await neighbour.get('/v1/keys')), ...account];
    expect(others.filter(({ id }) => keys.some((key) => key.id === id))).toEqual([]);
    expect((await request('GET', `/v1/wallet/${wallet.id}/keys?per-page=2&count=1`)).headers.get('x-pagination-total-count')).toBe('6');
  });

  it('accepts both keys during an overlapping rotation, then only the new one, with the same permissions', async () => {
    const wallet = await client.wallet();
    const path = `/v1/wallet/${wallet.id}/keys`;
    const old = await client.post(path, { kind: 'wallet_read', user_label: 'display' });
    const replacement = await client.post(`${path}/${old.id}/rotate`, { overlap_seconds: 600 });
    expect(replacement).toMatchObject({ kind: 'wallet_read', user_label: 'display', expires_at: null });
    const statusWith = async (key: string) => (await request('GET', `/v1/wallet/${wallet.id}`, undefined, key)).status;
    expect([await statusWith(old.key), await statusWith(replacement.key)]).toEqual([200, 200]);
    expect(await listed(path, old.id)).toMatchObject({ status: 'active', replaced_by: replacement.id });
    const overlap = (await listed(path, old.id)).expires_at - replacement.created_at;
    expect(Math.abs(overlap - 600)).toBeLessThanOrEqual(1);
    expect((await request('POST', `${path}/${old.id}/rotate`)).body).toMatchObject({ status: 409, type: 'key_unusable' });
    const last = await client.post(`${path}/${replacement.id}/rotate`);
    expect(await listed(path, replacement.id)).toMatchObject({ status: 'revoked', replaced_by: last.id });
    await expect.poll(() => statusWith(replacement.key)).toBe(401);
    expect(await statusWith(last.key)).toBe(200);
  });

  it('A3: does not find a key of another wallet or account under any path', async () => {
    const [wallet, sibling] = [await client.wallet(), await client.wallet()];
    const [{ id: siblings }] = await client.get(`/v1/wallet/${sibling.id}/keys`);
    const theirs = await neighbour.wallet();
    const unknown = 'key_0000000000000000000000';
    const { body: nothing } = await request('DELETE', `/v1/keys/${unknown}`);
    expect(nothing).toMatchObject({ status: 404, type: 'not_found' });
    const paths = [`/v1/keys/${siblings}`, `/v1/wallet/${wallet.id}/keys/${siblings}`, `/v1/wallet/${theirs.id}/keys/${siblings}`];
    for (const path of paths) {
      for (const response of [await request('DELETE', path), await request('POST', `${path}/rotate`)]) {
        expect({ ...response.body, request_id: 0 }).toEqual({ ...nothing, request_id: 0 });
      }
    }
    expect(await listed(`/v1/wallet/${sibling.id}/keys`, siblings)).toMatchObject({ status: 'active' });
  });

  it('R8: lets a key that expires create none that outlives it, and a limited key none at all, nor a wallet, whose keys have no limit', async () => {
    const soon = Math.floor(Date.now() / 1000) + 3600;
    const { key } = await client.post('/v1/keys', { expires_at: soon });
    const make = async (by: string, json: object) => (await request('POST', '/v1/keys', json, by)).status;
    expect([await make(key, {}), await make(key, { expires_at: soon + 1 }), await make(key, { expires_at: soon })]).toEqual([
      403, 403, 201,
    ]);
    const permanent = await client.post('/v1/keys', {});
    expect((await request('POST', `/v1/keys/${permanent.id}/rotate`, {}, key)).status).toBe(403);
    // A wallet remains, and so do its keys to the money.
    const made = await request('POST', '/v1/wallet', {}, key);
    expect((await client.get(`/v1/wallet/${made.body.id}/keys`)).map((one: Json) => one.expires_at)).toEqual(Array(5).fill(null));
    for (const limits of [{ budget_msat: 1_000, budget_period: 'ever' }, { max_payment_msat: 1_000 }]) {
      const limited = await client.post('/v1/keys', limits);
      expect(await make(limited.key, limits)).toBe(403);
      const wallets = await client.get('/v1/wallets?per-page=100');
      for (const headers of [{}, { 'idempotency-key': 'limited' }]) {
        const refused = await client.request('POST', '/v1/wallet', { key: limited.key, json: { user_label: 'mine' }, headers });
        expect(refused).toMatchObject({ status: 403, body: { type: 'forbidden', message: expect.stringContaining('a budget or a cap') } });
      }
      expect((await client.get('/v1/wallets?per-page=100')).length).toBe(wallets.length);
      expect((await request('POST', `/v1/keys/${permanent.id}/rotate`, {}, limited.key)).status).toBe(403);
      expect((await request('DELETE', `/v1/keys/${permanent.id}`, undefined, limited.key)).status).toBe(403);
    }
  });

  it('F8 A5: returns 400 with the name of an invalid field, and creates nothing', async () => {
    const wallet = await client.wallet();
    const path = `/v1/wallet/${wallet.id}/keys`;
    const admin = { kind: 'wallet_admin' };
    const wrong: [path: string, json: object, named: string][] = [
      [path, {}, 'kind'],
      [path, { kind: 'secret_api' }, 'kind'],
      [path, { kind: 'wallet_lnurl_pay' }, 'kind'],
      ['/v1/keys', { kind: 'wallet_admin' }, 'kind'],
      ['/v1/keys', { kind: "'; DROP TABLE access_key; --" }, 'kind'],
      [path, { ...admin, budget_msat: 1000 }, 'budget_period'],
      [path, { ...admin, budget_period: 'day' }, 'budget_msat'],
      [path, { ...admin, budget_msat: 1000, budget_period: 'year' }, 'period'],
      [path, { ...admin, budget_msat: 0, budget_period: 'day' }, 'budget_msat'],
      [path, { ...admin, budget_msat: -1, budget_period: 'day' }, 'budget_msat'],
      [path, { ...admin, budget_msat: 1.5, budget_period: 'day' }, 'budget_msat'],
      [path, { ...admin, budget_msat: 2 ** 53, budget_period: 'day' }, 'budget_msat'],
      [path, { ...admin, max_payment_msat: 0 }, 'max_payment_msat'],
      [path, { kind: 'wallet_read', max_payment_msat: 5 }, 'wallet_read'],
      [path, { ...admin, expires_at: 1 }, 'expires_at'],
      [path, { ...admin, expires_at: 4_000_000_000, expiry: 60 }, 'expiry'],
      [path, { ...admin, user_label: 'a\u0000b' }, 'user_label'],
      [path, { ...admin, labl: 'a' }, 'labl'],
    ];
    const before = await client.get(path);
    for (const [to, json, named] of wrong) {
      const { body } = await request('POST', to, json);
      expect([named, body]).toMatchObject([named, { status: 400, message: expect.stringContaining(named) }]);
    }
    for (const overlap_seconds of [-1, 0.5, 'x', 30 * 86_400 + 1]) {
      const { body } = await request('POST', `${path}/${before[4].id}/rotate`, { overlap_seconds });
      expect(body).toMatchObject({ status: 400, type: 'validation_failed' });
    }
    for (const { id } of before.filter(({ kind }: Json) => kind.startsWith('wallet_lnurl'))) {
      expect((await request('DELETE', `${path}/${id}`)).body).toMatchObject({ status: 409, type: 'key_unusable' });
      expect((await request('POST', `${path}/${id}/rotate`)).body).toMatchObject({ status: 409, type: 'key_unusable' });
    }
    for (const id of ["' OR 1=1 --", '%00', '../keys', 'key_0" OR ""="']) {
      expect([400, 404]).toContain((await request('DELETE', `${path}/${encodeURIComponent(id)}`)).status);
    }
    expect(await client.get(path)).toEqual(before);
  });

  it('A3: ends a withdraw link when the key that made it is revoked, but not when it is rotated', async () => {
    const wallet = await client.wallet(100);
    const path = `/v1/wallet/${wallet.id}/keys`;
    const maker = await client.post(path, { kind: 'wallet_admin' });
    const link = (await request('POST', `/v1/wallet/${maker.key}/lnurl/withdraw`, { num_satoshis: 10, uses: 5 }, maker.key)).body;
    const step = link.url.slice(client.url.length);
    const claim = async () => {
      const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 10 });
      return (await request('GET', `${step}&pr=${payment_request}`)).body;
    };
    expect(await claim()).toEqual({ status: 'OK' });
    const replacement = await client.post(`${path}/${maker.id}/rotate`);
    expect(await claim()).toEqual({ status: 'OK' });
    expect((await request('DELETE', `${path}/${replacement.id}`)).body).toMatchObject({ status: 'revoked' });
    expect(await claim()).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('revoked') });
    expect((await request('GET', step)).body).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('revoked') });
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(80);
  });

  it('applies the limits of the key in the path to a public API key, and those of the secret key otherwise', async () => {
    const [wallet, friend] = [await client.wallet(100), await client.wallet()];
    const { key } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', max_payment_msat: 5_000 });
    const send = async (by: string, path: string) =>
      (await request('POST', `/v1/wallet/${path}/transfer`, { dest_wallet_id: friend.id, num_satoshis: 6 }, by)).status;
    expect([await send(client.publicKey, key), await send(key, wallet.id), await send(key, wallet.admin)]).toEqual([400, 400, 400]);
    expect([await send(client.publicKey, wallet.admin), await send(client.secretKey, key)]).toEqual([201, 201]);
  });

  it('W5: creates a key once under one Idempotency-Key, and a new one for each rotation', async () => {
    const wallet = await client.wallet();
    const path = `/v1/wallet/${wallet.id}/keys`;
    const once = (to: string, json: object = {}) =>
      client.request('POST', to, { key: client.secretKey, json, headers: { 'idempotency-key': 'again' } });
    const [first, second] = [await once(path, { kind: 'wallet_read' }), await once(path, { kind: 'wallet_read' })];
    expect(second).toMatchObject({ status: 201, body: first.body });
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    const other = await client.post(path, { kind: 'wallet_read' });
    const rotated = [];
    for (const id of [first.body.id, first.body.id, other.id]) rotated.push((await once(`${path}/${id}/rotate`)).body);
    expect(rotated[1]).toEqual(rotated[0]);
    expect(rotated[2]).toMatchObject({ kind: 'wallet_read', key: expect.not.stringContaining(rotated[0].key) });
    expect(await listed(path, other.id)).toMatchObject({ status: 'revoked', replaced_by: rotated[2].id });
    expect(await client.get(path)).toHaveLength(5 + 4);
  });

  // Last, because it ends one of the neighbour's keys.
  it('rejects revoking the last secret API key, or the last one without expiry and budget, also for two at once', async () => {
    const secret = (await neighbour.get('/v1/keys')).find(({ kind }: Json) => kind === 'secret_api');
    const revoke = (id: string, key = neighbour.secretKey) => neighbour.request('DELETE', `/v1/keys/${id}`, { key });
    const refused = { status: 409, body: { type: 'last_key', name: 'Conflict' } };
    expect(await revoke(secret.id)).toMatchObject(refused);
    await neighbour.post('/v1/keys', { expiry: 3600 });
    await neighbour.post('/v1/keys', { budget_msat: 1, budget_period: 'day' });
    expect(await revoke(secret.id)).toMatchObject(refused);
    const second = await neighbour.post('/v1/keys', {});
    const both = await Promise.all([revoke(secret.id, second.key), revoke(second.id)]);
    // The second request is rejected, or uses the key that was just revoked.
    expect(both.filter(({ status }) => status === 200)).toHaveLength(1);
    const lives = async (key: string) => (await neighbour.request('POST', '/v1/keys', { key, json: { expiry: 60 } })).status === 201;
    expect([await lives(neighbour.secretKey), await lives(second.key)].sort()).toEqual([false, true]);
  });
});

onFakeNode('the status and label of a wallet', ({ client, neighbour }) => {
  const patch = (wallet: string, json: object) => client.request('PATCH', `/v1/wallet/${wallet}`, { key: client.secretKey, json });

  it('stops all payments of an inactive wallet, credits it, and allows payments when it is active again', async () => {
    const [wallet, friend] = [await client.wallet(100), await client.wallet(100)];
    const { nodes } = await client.get('/playground');
    const alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
    const invoice = async () => (await client.post('/playground/invoice', { num_satoshis: 10 })).payment_request;
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 10 });
    const claim = async () => client.request('GET', `${link.url.slice(client.url.length)}&pr=${await invoice()}`);
    const request = (path: string, json: object) =>
      client.request('POST', `/v1/wallet/${wallet.admin}/${path}`, { key: wallet.admin, json });
    const ways = async () => [
      await request('withdraw', { payment_request: await invoice() }),
      await request('keysend', { dest_pubkey: alice, num_satoshis: 10 }),
      await request('transfer', { dest_wallet_id: friend.id, num_satoshis: 10 }),
      await request('lnurl/withdraw', { num_satoshis: 10 }),
    ];
    expect(await patch(wallet.id, { status: 'inactive' })).toMatchObject({ status: 200, body: { statusType: { name: 'inactive' } } });
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 100, statusType: { name: 'inactive' } });
    for (const { body } of await ways()) expect(body).toMatchObject({ status: 400, type: 'wallet_inactive' });
    expect((await claim()).body).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('inactive') });
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 5 });
    await client.post(`/v1/wallet/${friend.id}/transfer`, { dest_wallet_id: wallet.id, num_satoshis: 5 });
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 110, pending_msat: 0 });
    await patch(wallet.id, { status: 'active' });
    for (const { status } of await ways()) expect(status).toBe(201);
    expect((await claim()).body).toEqual({ status: 'OK' });
  });

  it('changes a label or a status alone, and rejects other fields', async () => {
    const wallet = await client.wallet();
    const { body } = await patch(wallet.read, { user_label: 'tea money' });
    expect(body).toMatchObject({ id: wallet.id, user_label: 'tea money', statusType: { name: 'active' } });
    expect((await patch(wallet.id, { status: 'inactive' })).body).toMatchObject({ user_label: 'tea money' });
    expect((await client.get('/v1/wallets')).find(({ id }: Json) => id === wallet.id)).toMatchObject({ user_label: 'tea money' });
    for (const json of [{ status: 'gone' }, { balance: 5 }, { user_label: 'a\u0000' }])
      expect((await patch(wallet.id, json)).status).toBe(400);
    const theirs = await neighbour.wallet();
    expect((await patch(theirs.id, { user_label: 'mine' })).status).toBe(404);
  });
});
