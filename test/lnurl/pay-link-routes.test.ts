import { beforeAll, describe, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { termsOf } from './strict-payer.ts';

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex').toString('base64');

onFakeNode('the owner of pay links', ({ client, neighbour, problems }) => {
  let wallet: TestWallet;
  let other: TestWallet;
  let foreign: TestWallet;

  beforeAll(async () => {
    [wallet, other, foreign] = [await client.wallet(), await client.wallet(), await neighbour.wallet()];
  });

  const send = (
    method: string,
    path: string,
    json?: object,
    key: string | undefined = client.secretKey,
    headers = {},
  ): Promise<HttpResponse> => client.request(method, path, { key, headers, ...(json && { json }) });
  const create = async (fields: object = {}): Promise<Json> => client.post(`/v1/wallet/${wallet.id}/lnurlp`, fields);

  it('gets one with each new wallet', async () => {
    const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
    expect(id).toBe(`lnurlp_${wallet.id.slice(4)}`);
    expect(await client.get(`/v1/lnurlp/${id}`)).toMatchObject({ id, wallet_id: wallet.id, user_label: '', ln_address: null });
    expect((await client.get('/v1/wallets?fields=default_lnurlpay_id'))[0]).toEqual({
      default_lnurlpay_id: expect.stringMatching(/^lnurlp_/),
    });
  });

  it('creates links as JSON and as a form, at both addresses', async () => {
    const fields = { lnurlp_minSendable_msat: '1000', lnurlp_maxSendable_msat: '5000', lnurlp_short_desc: 'tips', user_label: 'counter' };
    const form = new URLSearchParams({
      ...fields,
      passThru: '{"till":2}',
      lnurlp_successAction: '{"tag":"message","message":"Thanks"}',
    }).toString();
    const asForm = await client.request('POST', `/v1/user/wallet/${wallet.admin}/lnurlp`, { key: client.publicKey, form });
    expect(asForm.status).toBe(201);
    const url = `${client.url}/v1/wallet/${wallet.lnurlPay}/lnurlp/${asForm.body.id}`;
    expect(asForm.body).toEqual({
      id: expect.stringMatching(/^lnurlp_[0-9A-Za-z]{22}$/),
      created_at: expect.any(Number),
      updated_at: asForm.body.created_at,
      wallet_id: wallet.id,
      user_label: 'counter',
      lnurl_encoded: expect.stringMatching(/^LNURL1[02-9AC-HJ-NP-Z]+$/),
      lnurl_decoded: url,
      url,
      lnurlp_uri: null,
      page_url: `${client.url}/pay/${asForm.body.id}`,
      ln_address: null,
      lnurlp_minSendable_msat: 1000,
      lnurlp_maxSendable_msat: 5000,
      currency: null,
      min_amount: null,
      max_amount: null,
      lnurlp_short_desc: 'tips',
      lnurlp_long_desc: null,
      lnurlp_image: null,
      lnurlp_commentAllowed: 255,
      lnurlp_payerData: null,
      lnurlp_successAction: { tag: 'message', message: 'Thanks' },
      lnurlp_identifier: null,
      lnurlp_domain: null,
      nostr_pubkey: null,
      passThru: { till: 2 },
      payments: 0,
      received_msat: 0,
      last_paid_at: null,
      status: 'active',
      statusType: { type: 'lnurl', name: 'lnurl_active', display_name: 'Active' },
    });
    expect(await client.get(`/v1/lnurlp/${asForm.body.id}`)).toEqual(asForm.body);
    expect(await client.get(`/v1/lnurlp/${asForm.body.id}?fields=lnurlp_short_desc,id`)).toEqual({
      lnurlp_short_desc: 'tips',
      id: asForm.body.id,
    });
    expect(await create(fields)).toMatchObject({ lnurlp_maxSendable_msat: 5000, lnurlp_successAction: null, passThru: null });
  });

  it('changes each field by PATCH and POST, keeps the others, and removes what is sent empty', async () => {
    const {
      id,
      updated_at: _,
      ...made
    } = await create({ lnurlp_long_desc: 'long', lnurlp_image: PNG, lnurlp_identifier: 'changes', passThru: { a: 1 } });
    const changes = [
      { lnurlp_short_desc: 'new' },
      { lnurlp_minSendable_msat: 2000 },
      { lnurlp_maxSendable_msat: 9000 },
      { lnurlp_commentAllowed: 0 },
      { lnurlp_payerData: { name: { mandatory: true } } },
      { lnurlp_successAction: { tag: 'aes', description: 'd', text: 't' } },
      { user_label: 'mine' },
      { passThru: { b: [2] } },
    ];
    let expected: object = made;
    for (const [i, change] of changes.entries()) {
      expected = { ...expected, ...change };
      expect(await send(i % 2 === 0 ? 'PATCH' : 'POST', `/v1/lnurlp/${id}`, change)).toMatchObject({ status: 200, body: expected });
    }
    const empty = {
      lnurlp_long_desc: '',
      lnurlp_image: null,
      lnurlp_identifier: '',
      lnurlp_payerData: {},
      lnurlp_successAction: {},
      passThru: {},
      user_label: null,
    };
    const nothing = {
      lnurlp_long_desc: null,
      lnurlp_image: null,
      lnurlp_identifier: null,
      lnurlp_payerData: null,
      lnurlp_successAction: null,
      passThru: null,
      user_label: '',
    };
    expect((await send('PATCH', `/v1/lnurlp/${id}`, empty)).body).toMatchObject({
      ...nothing,
      lnurlp_short_desc: 'new',
      lnurlp_minSendable_msat: 2000,
    });
    expect((await send('PATCH', `/v1/lnurlp/${id}`, {})).body).toMatchObject(nothing);
  });

  it('changes a link from two requests at once without losing either', async () => {
    const { id } = await create();
    await Promise.all([
      ...Array.from({ length: 5 }, () => send('PATCH', `/v1/lnurlp/${id}`, { lnurlp_minSendable_msat: 3000 })),
      ...Array.from({ length: 5 }, () => send('PATCH', `/v1/lnurlp/${id}`, { lnurlp_short_desc: 'both' })),
    ]);
    const link = await client.get(`/v1/lnurlp/${id}`);
    expect(link).toMatchObject({ lnurlp_minSendable_msat: 3000, lnurlp_short_desc: 'both' });
    expect((await termsOf(link.url)).metadata).toBe('[["text/plain","both"]]');
  });

  it.each([
    [{ lnurlp_minSendable_msat: 999 }, 'lnurlp_minSendable_msat'],
    [{ lnurlp_minSendable_msat: 1000.5 }, 'lnurlp_minSendable_msat'],
    [{ lnurlp_minSendable_msat: null }, 'lnurlp_minSendable_msat'],
    [{ lnurlp_maxSendable_msat: 9007199254740992 }, 'lnurlp_maxSendable_msat'],
    [{ lnurlp_minSendable_msat: 5000, lnurlp_maxSendable_msat: 4999 }, 'must not exceed'],
    [{ lnurlp_short_desc: 'x'.repeat(640) }, 'lnurlp_short_desc'],
    [{ lnurlp_short_desc: '☕'.repeat(214) }, 'lnurlp_short_desc'],
    [{ lnurlp_short_desc: 'a\0' }, 'lnurlp_short_desc'],
    [{ lnurlp_long_desc: 'x'.repeat(2001) }, 'lnurlp_long_desc'],
    [{ lnurlp_long_desc: '\ud800' }, 'lnurlp_long_desc'],
    [{ lnurlp_image: 'x'.repeat(40_001) }, 'lnurlp_image'],
    [{ lnurlp_image: Buffer.from('<svg/>').toString('base64') }, 'lnurlp_image'],
    [{ lnurlp_commentAllowed: 501 }, 'lnurlp_commentAllowed'],
    [{ lnurlp_commentAllowed: -1 }, 'lnurlp_commentAllowed'],
    [{ lnurlp_payerData: { auth: { mandatory: false } } }, 'lnurlp_payerData'],
    [{ lnurlp_payerData: 'name' }, 'lnurlp_payerData'],
    [{ lnurlp_successAction: { tag: 'url', description: 'x', url: 'https://evil.example' } }, 'lnurlp_successAction'],
    [{ lnurlp_identifier: 'a b' }, 'lnurlp_identifier'],
    [{ lnurlp_identifier: 'x'.repeat(65) }, 'lnurlp_identifier'],
    [{ lnurlp_domain: 'x' }, 'lnurlp_domain'],
    [{ passThru: { x: 'y'.repeat(900) } }, 'passThru'],
    [{ lnurlp_minsendable_msat: 1000 }, 'lnurlp_minsendable_msat'],
    [{ status: 'closed' }, 'status'],
  ])('is refused %j', async (fields, message) => {
    const created = await send('POST', `/v1/wallet/${wallet.id}/lnurlp`, fields);
    expect(created).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(created.body.type).toMatch(/^(validation_failed|limit_exceeded)$/);
    const { default_lnurlpay_id: id } = await client.get(`/v1/wallet/${wallet.id}`);
    const before = await client.get(`/v1/lnurlp/${id}`);
    const changed = await send('PATCH', `/v1/lnurlp/${id}`, fields);
    expect(changed).toMatchObject({ status: 400, body: { message: expect.stringContaining(message) } });
    expect(await client.get(`/v1/lnurlp/${id}`)).toEqual(before);
  });

  describe('with another key', () => {
    it('A2: may create links with the admin key or the secret API key', async () => {
      const path = (key: string) => `/v1/wallet/${key}/lnurlp`;
      const cases: [key: string | undefined, path: string, status: number][] = [
        [client.secretKey, path(wallet.id), 201],
        [client.secretKey, path(wallet.read), 201],
        [wallet.admin, path(wallet.id), 201],
        [client.publicKey, path(wallet.admin), 201],
        [client.publicKey, path(wallet.id), 403],
        [wallet.invoice, path(wallet.id), 403],
        [wallet.read, path(wallet.id), 403],
        [client.publicKey, path(wallet.invoice), 403],
        [wallet.lnurlPay, path(wallet.id), 403],
        [other.admin, path(wallet.id), 404],
        [neighbour.secretKey, path(wallet.id), 404],
        [undefined, path(wallet.id), 401],
      ];
      for (const [key, at, status] of cases) {
        const response = await client.request('POST', at, { key, json: {} });
        expect([key, at, response.status]).toEqual([key, at, status]);
      }
    });

    it('A2: may read, change and deactivate links as its permissions allow; a public key sees no secrets', async () => {
      const secret = { tag: 'aes', description: 'd', text: 'the secret' };
      const { id } = await create({ lnurlp_successAction: secret, passThru: { note: 'own' } });
      const cases: [key: string | undefined, get: number, change: number][] = [
        [client.secretKey, 200, 200],
        [wallet.admin, 200, 200],
        [wallet.invoice, 200, 403],
        [wallet.read, 200, 403],
        [client.publicKey, 200, 403],
        [wallet.lnurlPay, 403, 403],
        [other.admin, 404, 404],
        [neighbour.secretKey, 404, 404],
        [neighbour.publicKey, 404, 404],
        [foreign.admin, 404, 404],
        ['sak_unknown', 401, 401],
        [undefined, 401, 401],
      ];
      for (const [key, get, change] of cases) {
        const results = [
          await client.request('GET', `/v1/lnurlp/${id}`, { key }),
          await client.request('PATCH', `/v1/lnurlp/${id}`, { key, json: { user_label: 'x' } }),
          await client.request('POST', `/v1/lnurlp/${id}`, { key, json: { user_label: 'x' } }),
          await client.request('DELETE', `/v1/lnurlp/${id}`, { key }),
        ];
        expect([key, ...results.map(({ status }) => status)]).toEqual([key, get, change, change, change]);
      }
      const shown = await client.request('GET', `/v1/lnurlp/${id}`, { key: client.publicKey });
      expect(shown.body).toMatchObject({ id, lnurlp_successAction: null, passThru: null });
      expect(shown.text).not.toMatch(/the secret|own/);
      expect(await client.get(`/v1/lnurlp/${id}`)).toMatchObject({ lnurlp_successAction: secret, statusType: { name: 'lnurl_inactive' } });
    });

    it('A3: gets the same 404 for an unknown link and for one of another account', async () => {
      const { id } = await create();
      const errors = await Promise.all(
        [id, `${id.slice(0, -1)}x`, 'x', 'lnurlp_', wallet.id].map((one) =>
          send('GET', `/v1/lnurlp/${one}`, undefined, neighbour.secretKey),
        ),
      );
      for (const { status, body } of errors)
        expect([status, { ...body, request_id: '' }]).toEqual([404, { ...errors[0]?.body, request_id: '' }]);
    });

    it('A1: lists the links of the account with the secret API key alone, and those of a wallet with its keys', async () => {
      for (const key of [wallet.admin, wallet.read, client.publicKey])
        expect((await send('GET', '/v1/lnurlp', undefined, key)).status).toBe(403);
      for (const key of [wallet.admin, wallet.read])
        expect((await send('GET', `/v1/wallet/${wallet.id}/lnurlp`, undefined, key)).status).toBe(200);
      expect((await send('GET', `/v1/wallet/${wallet.id}/lnurlp`, undefined, wallet.invoice)).status).toBe(403);
      expect((await send('GET', `/v1/wallet/${wallet.id}/lnurlp`, undefined, neighbour.secretKey)).status).toBe(404);
      const walletIds = new Set((await client.list('/v1/lnurlp?per-page=100')).map((link: Json) => link.wallet_id));
      expect(walletIds).toEqual(new Set([wallet.id, other.id]));
    });
  });

  it('lists links newest first, in pages and after a link, without images', async () => {
    const owner = await client.wallet();
    const ids: string[] = [(await client.get(`/v1/wallet/${owner.id}`)).default_lnurlpay_id];
    for (let i = 0; i < 6; i++) ids.unshift((await client.post(`/v1/wallet/${owner.id}/lnurlp`, { lnurlp_image: PNG })).id);
    const list = (query: string): Promise<HttpResponse> => send('GET', `/v1/wallet/${owner.id}/lnurlp${query}`);
    const idsOf = ({ body }: HttpResponse) => body.map(({ id }: Json) => id);
    const all = await list('');
    expect(idsOf(all)).toEqual(ids);
    expect(all.body.every((link: Json) => link.lnurlp_image === null)).toBe(true);
    expect((await client.get(`/v1/lnurlp/${ids[0]}`)).lnurlp_image).toBe(PNG);
    const oldest = await list('?order=asc&per-page=3&count=1');
    expect(idsOf(oldest)).toEqual(ids.toReversed().slice(0, 3));
    expect(oldest.headers.get('x-pagination-total-count')).toBe('7');
    const after = await list(`?after=${ids[2]}&per-page=3`);
    expect(idsOf(after)).toEqual(ids.slice(3, 6));
    expect(after.headers.get('link')).toMatch(/rel="next"/);
    const { id: elsewhere } = await create();
    for (const wrong of [owner.id, 'x', 'lnurlp_x']) expect((await list(`?after=${wrong}`)).status).toBe(400);
    expect((await send('GET', `/v1/lnurlp?after=${elsewhere}&per-page=1`)).body[0].id).toBe(ids[0]);
    expect((await list('?walet_id=x')).status).toBe(400);
  });

  it('W5: repeats a request with an Idempotency-Key, and gets the same link in its current state', async () => {
    const headers = { 'idempotency-key': 'one' };
    const post = (json: object): Promise<HttpResponse> => send('POST', `/v1/wallet/${wallet.id}/lnurlp`, json, client.secretKey, headers);
    const both = await Promise.all([post({ lnurlp_identifier: 'once' }), post({ lnurlp_identifier: 'once' })]);
    expect(both.map(({ status }) => status)).toEqual([201, 201]);
    expect(both[0]?.body.id).toBe(both[1]?.body.id);
    const id = both[0]?.body.id;
    const update = (json: object): Promise<HttpResponse> => send('POST', `/v1/lnurlp/${id}`, json, client.secretKey, headers);
    expect((await update({ user_label: 'a' })).status).toBe(200);
    await send('PATCH', `/v1/lnurlp/${id}`, { user_label: 'b' });
    const replay = await update({ user_label: 'a' });
    expect([replay.status, replay.body.user_label, replay.headers.get('idempotency-replayed')]).toEqual([200, 'b', 'true']);
    expect((await post({ lnurlp_identifier: 'twice' })).status).toBe(422);
    expect((await post({ lnurlp_identifier: 'once' })).body).toMatchObject({ id, user_label: 'b' });
  });

  it('leaves the books balanced', async () => {
    expect(await problems()).toEqual([]);
  });
});
