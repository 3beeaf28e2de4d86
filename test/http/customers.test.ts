import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';

onFakeNode('the page of a customer', (app) => {
  const { client, neighbour, net, rows, problems } = app;
  const request = (method: string, path: string, json?: object, key = client.secretKey): Promise<HttpResponse> =>
    client.request(method, path, { key, json });
  const idOf = async (of = neighbour): Promise<string> => (await of.get('/v1/account')).id;
  const read = async (path: string) => client.get(`/v1/accounts/${await idOf()}${path}`);
  const PATHS = ['', '/summary', '/wallets', '/wallet-transactions', '/sessions', '/keys', '/notes'];

  it('shows operators what the owner reads, in pages and without secrets', async () => {
    const wallets = [await neighbour.wallet(1000), await neighbour.wallet(20)];
    const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000, script: { fee: 0 } });
    await neighbour.post(`/v1/wallet/${wallets[0]?.id}/withdraw`, { payment_request: paymentRequest });
    expect(await read('/summary')).toEqual(await neighbour.get('/v1/account/summary'));
    expect(await read('/summary')).toMatchObject({ balance_msat: 1_015_000, wallets: 2, out_msat: 5_000 });
    expect(await read('/wallets')).toEqual(await neighbour.get('/v1/wallets'));
    const transactions: Json[] = await read('/wallet-transactions');
    expect(transactions).toEqual(await neighbour.get('/v1/wallet-transactions'));
    expect(await read(`/wallet-transactions?per-page=1&after=${transactions[0]?.id}`)).toEqual([transactions[1]]);
    expect(await read('/wallets?per-page=1')).toHaveLength(1);
    expect(await read('/keys')).toEqual(await neighbour.get('/v1/keys'));
    expect(await read('/sessions')).toEqual([]);
    const everything = JSON.stringify(await Promise.all(PATHS.map(read)));
    for (const secret of [neighbour.secretKey, wallets[0]?.admin ?? '', wallets[1]?.read ?? ''])
      expect(everything).not.toContain(secret.slice(4));
    expect(await problems()).toEqual([]);
  });

  it('is only for operators, and finds no unknown account', async () => {
    const [own, other] = [await idOf(), await idOf(client)];
    for (const path of PATHS.slice(1)) {
      expect([path, (await request('GET', `/v1/accounts/acc_unknown${path}`)).status]).toEqual([path, 404]);
      for (const id of [own, other])
        expect([path, (await request('GET', `/v1/accounts/${id}${path}`, undefined, neighbour.secretKey)).status]).toEqual([path, 403]);
    }
    for (const [method, path] of [
      ['POST', '/notes'],
      ['DELETE', '/notes/note_1'],
    ] as const)
      expect(
        (await request(method, `/v1/accounts/${own}${path}`, method === 'POST' ? { note: 'x' } : undefined, neighbour.secretKey)).status,
      ).toBe(403);
    expect(await rows('SELECT id FROM account_note')).toEqual([]);
  });

  it('has notes of operators, which the owner never sees and the audit log does not repeat', async () => {
    const id = await idOf();
    const add = (note: string, headers = {}) =>
      client.request('POST', `/v1/accounts/${id}/notes`, { key: client.secretKey, json: { note }, headers });
    const first = await add('Asked about a fee.\nTicket 4471 🦊');
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ account_id: id, author: await idOf(client), note: 'Asked about a fee.\nTicket 4471 🦊' });
    const twice = [await add('second', { 'idempotency-key': 'n' }), await add('second', { 'idempotency-key': 'n' })];
    expect(twice[0]?.body).toEqual(twice[1]?.body);
    expect(await read('/notes')).toEqual([twice[0]?.body, first.body]);
    expect(await read(`/notes?per-page=1&after=${twice[0]?.body.id}`)).toEqual([first.body]);
    for (const note of ['', '  ', 'x'.repeat(2001), '🦊'.repeat(2001)]) expect((await add(note)).body).toMatchObject({ status: 400 });
    expect((await add('🦊'.repeat(2000))).status).toBe(201);
    const remove = (note: string, headers = {}) =>
      client.request('DELETE', `/v1/accounts/${id}/notes/${note}`, { key: client.secretKey, headers });
    const removed = [await remove(first.body.id, { 'idempotency-key': 'd' }), await remove(first.body.id, { 'idempotency-key': 'd' })];
    expect(removed.map(({ status, body }) => [status, body])).toEqual([200, 200].map((status) => [status, { id: first.body.id }]));
    expect((await remove(first.body.id)).status).toBe(404);
    expect((await request('DELETE', `/v1/accounts/${await idOf(client)}/notes/${twice[0]?.body.id}`)).status).toBe(404);
    const actions: Json[] = await client.get(`/v1/operator/actions?account_id=${id}`);
    expect(actions.map(({ kind }) => kind)).toEqual(['delete_note', 'add_note', 'add_note', 'add_note']);
    expect(JSON.stringify(actions)).not.toContain('4471');
    const visible = await Promise.all(['/v1/account', '/v1/events', '/v1/search?q=4471'].map((path) => neighbour.get(path)));
    expect(JSON.stringify(visible)).not.toMatch(/4471|note_/);
  });
});

onFakeNode('the audit log of operators', ({ client, neighbour, rows, problems }) => {
  const list = (query: string): Promise<Json[]> => client.get(`/v1/operator/actions?${query}`);
  const kinds = async (query: string) => (await list(query)).map(({ kind }) => kind);

  it('is filtered by account, operator, kind and time, in any combination', async () => {
    const { id: own } = await client.get('/v1/account');
    const { id: member } = await neighbour.get('/v1/account');
    const { id: other, secret_key: key } = await client.post('/v1/accounts', { role: 'operator', reason: 'second desk' });
    const patch = (id: string, json: object, by: string) => client.request('PATCH', `/v1/accounts/${id}`, { key: by, json });
    await patch(member, { max_wallets: 7 }, key);
    await patch(member, { status: 'receive_only', reason: 'ticket 12' }, client.secretKey);
    const { nodes } = await client.get('/v1/operator/overview');
    await client.post(`/v1/operator/nodes/${nodes[0].id}/drain`, { reason: 'repair' });
    await client.post(`/v1/operator/nodes/${nodes[0].id}/activate`, { reason: 'repaired' });
    await client.post('/v1/operator/reconciliations', { reason: 'daily' });
    const rules = { ln_out: { flat_msat: 1000 } };
    const priced = { key: client.secretKey, json: { rules, reason: 'price list' } };
    expect((await client.request('PUT', `/v1/accounts/${member}/fees`, priced)).status).toBe(200);
    expect((await list('kind=set_fees'))[0]).toMatchObject({
      ...{ subject: member, account_id: member, actor_id: own, reason: 'price list' },
      changes: [{ field: 'ln_out', before: null, after: expect.stringContaining('1000') }],
    });
    expect(await kinds('')).toEqual(['set_fees', 'reconcile', 'activate', 'drain', 'change_account', 'change_account', 'create_account']);
    expect(await kinds(`account_id=${member}`)).toEqual(['set_fees', 'change_account', 'change_account']);
    expect(await kinds(`account_id=${member}&actor_id=${other}`)).toEqual(['change_account']);
    expect(await kinds(`actor_id=${own}&kind=change_account`)).toEqual(['change_account']);
    expect(await kinds('kind=drain')).toEqual(['drain']);
    expect(await kinds(`account_id=${member}&actor_id=${other}&kind=drain`)).toEqual([]);
    const [{ requested_at: at = 0 } = {}] = await list('order=asc');
    expect(await kinds(`from=${at - 10}&until=${at + 1000}`)).toHaveLength(7);
    expect(await kinds(`until=${at - 10}`)).toEqual([]);
    expect(await kinds(`from=${at + 1000}&account_id=${member}`)).toEqual([]);
    const [first, second] = await list(`account_id=${member}&kind=change_account`);
    expect(await list(`account_id=${member}&kind=change_account&per-page=1&after=${first?.id}`)).toEqual([second]);
    expect(first).toMatchObject({
      changes: [{ field: 'status', before: 'active', after: 'receive_only' }],
      ...{ actor_id: own, origin: '127.0.0.1', reason: 'ticket 12', status: 'done', answer: '' },
    });
    expect((await client.request('GET', '/v1/operator/actions?kind=none', { key: client.secretKey })).status).toBe(400);
    expect((await rows('SELECT count(*) AS n FROM operator_record'))[0]?.n).toBe(7);
    expect(await problems()).toEqual([]);
  });
});
