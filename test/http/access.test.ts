import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json } from '../support/client.ts';
import { rawGet } from '../support/raw-get.ts';
import { testPermissions } from './access/permissions.ts';

/** Each row of the table creates two. */
const MANY_KEYS = { MAX_ACTIVE_KEYS: '1000' };

onFakeNode(
  'permissions of each credential',
  (app) => {
    const { client } = app;
    const { key: keyOf, wallet, balance } = testPermissions(app, '/v1/wallet');

    it('A1: rejects wallet keys and public keys that list or create objects in the account', async () => {
      const others = ['pak', 'admin', 'invoice', 'read', 'lnurl-withdraw', 'lnurl-pay', 'sibling-admin'];
      for (const key of others.map(keyOf)) {
        for (const response of [
          await client.request('GET', '/v1/wallets', { key }),
          await client.request('POST', '/v1/wallet', { key, json: {} }),
        ]) {
          expect(response.body).toMatchObject({ status: 403, name: 'Forbidden', type: 'forbidden' });
        }
      }
    });

    it('rejects a public identifier that controls an outside node, and a wallet key that funds another wallet', async () => {
      const { payment_request: ours } = await client.post(`/v1/wallet/${wallet().id}/invoice`, { num_satoshis: 1 });
      const before = await balance();
      const routes: [method: string, path: string, json?: object][] = [
        ['GET', '/playground'],
        ['GET', '/playground/payments'],
        ['POST', '/playground/pay', { payment_request: ours }],
        ['POST', '/playground/fund', { wallet_id: wallet().id, num_satoshis: 1 }],
        ['POST', '/playground/keysend', { num_satoshis: 1, custom_records: { '696969': wallet().id } }],
        ['POST', '/playground/invoice', { num_satoshis: 1 }],
        ['POST', `/playground/hold/${'0'.repeat(64)}`, { action: 'cancel' }],
      ];
      for (const [method, path, json] of routes) {
        const statusFor = async (name: string) => (await client.request(method, path, { key: keyOf(name), json })).status;
        expect([path, await statusFor('nothing'), await statusFor('unknown-sak')]).toEqual([path, 401, 401]);
        expect([path, await statusFor('pak'), await statusFor('lnurl-withdraw'), await statusFor('lnurl-pay')]).toEqual([
          path,
          403,
          403,
          403,
        ]);
      }
      const fund = (name: string) =>
        client.request('POST', '/playground/fund', { key: keyOf(name), json: { wallet_id: wallet().id, num_satoshis: 1 } });
      expect([(await fund('sibling-admin')).status, (await fund('read')).status]).toEqual([404, 403]);
      expect(await balance()).toBe(before);
    });
  },
  MANY_KEYS,
);
onFakeNode('A3: objects of another account are not found', ({ client, neighbour }) => {
  const anonymous = ({ body }: HttpResponse) => ({ ...body, request_id: undefined });

  it('returns the same error for wallets, transactions and destinations of another account as for unknown ones', async () => {
    const [mine, theirs] = [await client.wallet(100), await neighbour.wallet(100)];
    const invoice = await neighbour.post(`/v1/wallet/${theirs.id}/invoice`, { num_satoshis: 5 });
    const transfer = (dest_wallet_id: string) => ({ dest_wallet_id, num_satoshis: 1 });
    const pairs: [method: string, foreign: string, unknown: string, json?: [foreign: unknown, unknown: unknown]][] = [
      ['GET', `/v1/wallet/${theirs.id}`, '/v1/wallet/wal_0000000000000000000000'],
      ['GET', `/v1/wallet/${theirs.admin}`, '/v1/wallet/waka_000000000000000000000000'],
      ['GET', `/v1/wallet/${theirs.id}/transactions`, '/v1/wallet/wal_0000000000000000000000/transactions'],
      ['GET', `/v1/wallet/${theirs.id}/statement`, '/v1/wallet/wal_0000000000000000000000/statement'],
      ['GET', `/v1/lntx/${invoice.id}`, '/v1/lntx/lntx_0000000000000000000000'],
      ['GET', `/v1/lntx/${invoice.r_hash_decoded}`, `/v1/lntx/${'0'.repeat(64)}`],
      ['GET', `/v1/wallet/${theirs.lnurlWithdraw}/lnurl/withdraw`, '/v1/wallet/waklw_000000000000000000000000/lnurl/withdraw'],
      ['POST', `/v1/wallet/${mine.id}/transfer`, `/v1/wallet/${mine.id}/transfer`, [transfer(theirs.id), transfer('wal_0')]],
      ['POST', `/v1/wallet/${mine.id}/transfer`, `/v1/wallet/${mine.id}/transfer`, [transfer(theirs.admin), transfer('waka_0')]],
      [
        'POST',
        '/playground/fund',
        '/playground/fund',
        [
          { wallet_id: theirs.id, num_satoshis: 1 },
          { wallet_id: 'wal_0', num_satoshis: 1 },
        ],
      ],
    ];
    for (const key of [client.secretKey, client.publicKey, mine.admin]) {
      for (const [method, foreign, unknown, json] of pairs) {
        const [first, second] = [
          await client.request(method, foreign, { key, json: json?.[0] }),
          await client.request(method, unknown, { key, json: json?.[1] }),
        ];
        expect(first.status).toBe(second.status);
        // A public key alone cannot transfer, whatever the destination.
        const needsMore = key === client.publicKey && unknown.endsWith('/transfer');
        expect(first.status).toBe(needsMore ? 403 : 404);
        expect(anonymous(first)).toEqual(anonymous(second));
        expect([...first.headers.keys()]).toEqual([...second.headers.keys()]);
      }
    }
    expect((await neighbour.get(`/v1/wallet/${theirs.id}`)).balance).toBe(100);
  });

  it('rejects a transaction of another wallet as a cursor, with the error for an unknown one', async () => {
    const [mine, sibling, theirs] = [await client.wallet(100), await client.wallet(100), await neighbour.wallet(100)];
    const [ours] = await client.get(`/v1/wallet/${sibling.id}/transactions`);
    const [foreign] = await neighbour.get(`/v1/wallet/${theirs.id}/transactions`);
    const after = (id: string) => client.request('GET', `/v1/wallet/${mine.id}/transactions?after=${id}`, { key: client.secretKey });
    const [unknown, ...known] = [await after(`wtx_${'0'.repeat(22)}i`), await after(ours.id), await after(foreign.id)];
    expect(unknown?.body).toMatchObject({ status: 400, type: 'validation_failed' });
    for (const response of known) expect(anonymous(response)).toEqual(anonymous(unknown as HttpResponse));
  });

  it('lists nothing of another account', async () => {
    await neighbour.wallet();
    const [mine, theirs] = [await client.get('/v1/wallets'), await neighbour.get('/v1/wallets')];
    const ids = (list: Json[]) => list.map(({ id }) => id);
    expect(ids(mine).filter((id: string) => ids(theirs).includes(id))).toEqual([]);
  });

  it('returns a transaction to a public API key alone without its preimage, its records and its passThru', async () => {
    const wallet = await client.wallet();
    const made = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, passThru: { order: 'secret' } });
    await client.post('/playground/pay', { payment_request: made.payment_request });
    const full = await client.get(`/v1/lntx/${made.id}`);
    expect(full).toMatchObject({ settled: 1, passThru: { order: 'secret' } });
    const reduced = await client.request('GET', `/v1/lntx/${made.id}`, { key: client.publicKey });
    expect(reduced.body).toEqual({ ...full, payment_preimage: null, passThru: null });
    expect(full.payment_preimage).toMatch(/^[0-9a-f]{64}$/);
  });
});

onFakeNode('forms of credentials', ({ client }) => {
  const basic = (user: string, password = '') => ({ authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}` });
  const statusOf = async (path: string, headers: Record<string, string> = {}) => (await client.request('GET', path, { headers })).status;

  it('accepts X-Api-Key, Bearer, access-token and the user name of HTTP Basic', async () => {
    const { secretKey } = client;
    expect(await statusOf('/v1/wallets', { 'x-api-key': secretKey })).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: `Bearer ${secretKey}` })).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: `bearer ${secretKey}` })).toBe(200);
    expect(await statusOf(`/v1/wallets?access-token=${secretKey}`)).toBe(200);
    expect(await statusOf('/v1/wallets', basic(secretKey))).toBe(200);
    expect(await statusOf('/v1/wallets', basic(secretKey, 'ignored'))).toBe(200);
    expect(await statusOf('/v1/wallets', { authorization: basic(secretKey).authorization.replace('Basic', 'BASIC') })).toBe(200);
  });

  it('ignores the case of header names, but not of keys', async () => {
    const { status } = await rawGet(`${client.url}/v1/wallets`, { 'X-API-KEY': client.secretKey });
    expect(status).toBe(200);
    expect(await statusOf('/v1/wallets', { 'x-api-key': client.secretKey.toUpperCase() })).toBe(401);
    expect(await statusOf(`/v1/wallets?Access-Token=${client.secretKey}`)).toBe(401);
  });

  it('uses the first credential found, even a wrong one', async () => {
    const { secretKey } = client;
    const inOrder: [path: string, headers: Record<string, string>][] = [
      ['/v1/wallets', { 'x-api-key': 'KEY' }],
      ['/v1/wallets', { authorization: 'Bearer KEY' }],
      ['/v1/wallets?access-token=KEY', {}],
      ['/v1/wallets', basic('KEY')],
    ];
    const fill = (text: string, key: string) => text.replace('KEY', key);
    for (const [first, [path, headers]] of inOrder.entries()) {
      for (const [laterPath, laterHeaders] of inOrder.slice(first + 1)) {
        // Bearer and Basic share one header, which holds one of them.
        if ('authorization' in headers && 'authorization' in laterHeaders) continue;
        const present = (key: string, other: string) => {
          const mine = Object.entries(headers).map(([name, value]) => [name, fill(value, key)]);
          const theirs = Object.entries(laterHeaders).map(([name, value]) => [
            name,
            value.startsWith('Basic') ? basic(other).authorization : fill(value, other),
          ]);
          const query = path.includes('?') ? fill(path, key) : fill(laterPath, other);
          return statusOf(query, Object.fromEntries([...theirs, ...mine]));
        };
        expect(await present(secretKey, 'sak_wrong')).toBe(200);
        expect(await present('sak_wrong', secretKey)).toBe(401);
      }
    }
  });

  it('offers Basic with a 401, but never opens the dialog of a browser page', async () => {
    const plain = await rawGet(`${client.url}/v1/wallets`, {});
    expect(plain.status).toBe(401);
    expect(plain.headers['www-authenticate']).toBe('Basic realm="api"');
    // Node’s fetch sends Sec-Fetch-Mode, as browsers do.
    const byFetch = await client.request('GET', '/v1/wallets');
    expect(byFetch.body).toMatchObject({ name: 'Unauthorized', status: 401, code: 0, type: 'unauthorized' });
    expect(byFetch.headers.has('www-authenticate')).toBe(false);
  });

  it('accepts the short key prefixes of old clients', async () => {
    const wallet = await client.wallet(100);
    const short = {
      admin: wallet.admin.replace('waka_', 'wa_'),
      invoice: wallet.invoice.replace('waki_', 'wi_'),
      read: wallet.read.replace('wakr_', 'wr_'),
    };
    for (const key of [client.publicKey, short.admin]) {
      expect((await client.request('GET', `/v1/wallet/${short.admin}`, { key })).body).toMatchObject({ id: wallet.id, balance: 100 });
      const made = await client.request('POST', `/v1/user/wallet/${short.admin}/invoice`, { key, json: { num_satoshis: 1 } });
      expect(made.status).toBe(201);
    }
    expect((await client.request('POST', `/v1/wallet/${short.invoice}/invoice`, { key: client.publicKey, json: {} })).status).toBe(201);
    expect((await client.request('GET', `/v1/wallet/${short.read}/transactions`, { key: client.publicKey })).body).toHaveLength(1);
    expect((await client.request('GET', `/v1/wallet/${short.read}`, { key: short.read })).status).toBe(200);
    // The secret is still bound to its kind.
    expect((await client.request('GET', `/v1/wallet/${wallet.read.replace('wakr_', 'wa_')}`, { key: client.publicKey })).status).toBe(404);
    expect((await client.request('GET', `/v1/wallet/${wallet.admin.replace('waka_', 'wal_')}`, { key: client.publicKey })).status).toBe(
      404,
    );
  });
});

onFakeNode('methods', ({ client }) => {
  it('returns 405 and the allowed methods for another method at a known address', async () => {
    const cases: [method: string, path: string, allow: string][] = [
      ['DELETE', '/v1/wallets', 'GET, HEAD'],
      ['GET', '/v1/wallet', 'POST'],
      ['PUT', '/v1/wallet/wal_0', 'GET, HEAD, PATCH'],
      ['GET', '/v1/wallet/wal_0/invoice', 'POST'],
      ['GET', '/v1/user/wallet/wal_0/keysend', 'POST'],
      ['PATCH', '/v1/wallet/wal_0/lnurl/withdraw', 'GET, POST'],
      ['POST', '/v1/lntx/lntx_0', 'DELETE, GET, HEAD'],
      ['POST', '/v1/lntx/lntx_0/qr.svg?text=1', 'GET, HEAD'],
      ['DELETE', '/v1/%77allets/', 'GET, HEAD'],
      ['PUT', '/', 'GET, HEAD'],
      ['POST', '/wallets/one/two', 'GET, HEAD'],
    ];
    for (const [method, path, allow] of cases) {
      const response = await client.request(method, path);
      expect(response.body).toMatchObject({ name: 'Method Not Allowed', status: 405, code: 0, type: 'method_not_allowed' });
      expect(response.headers.get('allow')).toBe(allow);
    }
  });

  it('returns the error object with a 404 for an unknown address', async () => {
    for (const path of ['/nothing', '/v1', '/v1/nothing', '/v2/wallets', '/v1/wallet/wal_0/nothing', '/v1//wallets']) {
      const response = await client.request('GET', path, { key: client.secretKey });
      expect([path, response.body]).toMatchObject([path, { name: 'Not Found', status: 404, code: 0, type: 'not_found' }]);
    }
    expect((await client.request('GET', '/nothing')).body.message).toContain('/docs');
  });
});
