import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { servedApi } from '../openapi/conformance/operations.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

const FORM = 'application/x-www-form-urlencoded';
const MANY = { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '1000000' };

onFakeNode(
  'requests that could be misread',
  (service) => {
    let wallet: TestWallet;
    let other: TestWallet;
    let keyId: string;

    beforeAll(async () => {
      const { client } = service;
      [wallet, other] = [await client.wallet(1000), await client.wallet()];
      keyId = (await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read' })).id;
    });

    /** As `curl -d` sends it. */
    const curl = (method: string, path: string, body: string) =>
      service.client.request(method, path, {
        key: service.client.secretKey,
        form: body,
        headers: { 'content-type': FORM, 'sec-fetch-site': 'same-origin' },
      });
    const request = (method: string, path: string, json?: unknown) =>
      service.client.request(method, path, { key: service.client.secretKey, ...(json !== undefined && { json }) });
    const state = async () => ({
      wallet: await service.client.get(`/v1/wallet/${wallet.id}`),
      keys: (await service.client.get('/v1/keys?per-page=100')).length,
      walletKeys: (await service.client.get(`/v1/wallet/${wallet.id}/keys?per-page=100`)).length,
    });

    function expectRefused(response: HttpResponse, name: string, type = 'validation_failed'): void {
      expect(response.body, name).toMatchObject({ status: 400, type, message: expect.stringContaining(`\`${name}\``) });
    }

    const paths = (path: string) => path.replace('WALLET', wallet.id).replace('KEY', keyId);

    it.each([
      ['a withdraw link', 'POST', '/v1/wallet/WALLET/lnurl/withdraw', { num_satoshis: 300 }],
      ['a key with a budget', 'POST', '/v1/keys', { budget_msat: 1000, budget_period: 'day' }],
      ['a freeze', 'PATCH', '/v1/wallet/WALLET', { status: 'inactive' }],
      ['a rotation with overlap', 'POST', '/v1/wallet/WALLET/keys/KEY/rotate', { overlap_seconds: 3600 }],
      ['an invoice', 'POST', '/v1/wallet/WALLET/invoice', { num_satoshis: 20 }],
      ['a labeled wallet', 'POST', '/v1/wallet', { user_label: 'shop' }],
    ])('rejects JSON that curl sends as a form: %s', async (_name, method, path, body) => {
      const before = await state();
      for (const text of [JSON.stringify(body), ` \r\n${JSON.stringify(body)}`, JSON.stringify([body])]) {
        const response = await curl(method, paths(path), text);
        const message = 'The body looks like JSON. Send it with Content-Type: application/json.';
        expect(response.body).toMatchObject({ status: 400, type: 'malformed_body', message });
      }
      const encoded = await curl(method, paths(path), encodeURIComponent(JSON.stringify(body)));
      expect(encoded.status).toBe(400);
      expect(await state()).toEqual(before);
      expect((await request(method, paths(path), body)).status).toBeLessThan(300);
      await request('PATCH', paths('/v1/wallet/WALLET'), { status: 'active' });
    });

    it('rejects any JSON sent as a form, on every route that takes a body', async () => {
      const { paths: routes } = await servedApi(service.client);
      const bodies = Object.entries(routes as Record<string, object>).flatMap(([path, methods]) =>
        Object.keys(methods)
          .filter((method) => ['post', 'patch', 'put'].includes(method))
          .map((method) => [method.toUpperCase(), path.replace('{key}', wallet.id).replace('{id}', keyId)] as const),
      );
      expect(bodies.length).toBeGreaterThan(15);
      await fc.assert(
        fc.asyncProperty(fc.constantFrom(...bodies), fc.jsonValue(), async ([method, path], value) => {
          const { status, body } = await curl(method, path, JSON.stringify(value));
          expect([status, body.type]).toEqual([400, expect.stringMatching(/^(malformed_body|validation_failed)$/)]);
        }),
        { numRuns: 500, seed: 1 },
      );
    });

    it.each([
      ['POST', '/v1/wallet/WALLET/invoice'],
      ['POST', '/v1/wallet'],
      ['PATCH', '/v1/wallet/WALLET'],
      ['POST', '/v1/keys'],
      ['POST', '/v1/wallet/WALLET/lnurl/withdraw'],
    ])('rejects unknown names whatever their value: %s %s', async (method, path) => {
      for (const value of [null, '', 0, false, {}, []]) {
        expectRefused(await request(method, paths(path), { num_satoshi: value }), 'num_satoshi');
        expectRefused(await request(method, paths(path), { fee_limit_mast: value }), 'fee_limit_mast');
      }
      expectRefused(await curl(method, paths(path), 'fee_limit_mast='), 'fee_limit_mast');
      expectRefused(await curl(method, paths(path), 'fee_limit_mast'), 'fee_limit_mast');
      expect((await curl(method, paths(path), '=5')).status).toBe(400);
    });

    it('rejects a field that is given under two names', async () => {
      const response = await request('POST', `/v1/wallet/${wallet.id}/invoice`, { passThru: { a: 1 }, passTru: { a: 2 } });
      expectRefused(response, 'passThru');
    });

    it('rejects a body on a route that takes none', async () => {
      const response = await service.client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${keyId}`, {
        key: service.client.secretKey,
        json: { num_satoshis: 1 },
      });
      expectRefused(response, 'num_satoshis');
    });

    it.each([
      ['/v1/wallet/WALLET/lnurl/withdraw', ['num_satoshis', 'expiry', 'uses'], {}],
      ['/v1/wallet/WALLET/invoice', ['num_satoshis', 'expiry'], {}],
      ['/v1/keys', ['budget_msat', 'budget_period', 'max_payment_msat', 'expiry', 'expires_at'], {}],
      ['/v1/wallet/WALLET/keys', ['budget_msat', 'budget_period', 'max_payment_msat', 'expiry', 'expires_at'], { kind: 'wallet_admin' }],
      ['/v1/wallet/WALLET/keys/KEY/rotate', ['overlap_seconds'], {}],
      ['/v1/wallet/WALLET/withdraw', ['num_satoshis', 'fee_limit_msat'], { payment_request: 'lnbc1' }],
      ['/v1/wallet/WALLET/keysend', ['num_satoshis', 'fee_limit_msat'], { dest_pubkey: `02${'1'.repeat(64)}`, num_satoshis: 1 }],
      ['/v1/wallet/WALLET/transfer', ['num_satoshis'], { dest_wallet_id: 'wal_1' }],
    ])('rejects null and empty amounts, limits, budgets and times: %s', async (path, names, rest) => {
      const before = await state();
      for (const name of names) {
        // JSON.stringify returns this for NaN.
        expectRefused(await request('POST', paths(path), { ...rest, [name]: Number.NaN }), name);
        expectRefused(await request('POST', paths(path), { ...rest, [name]: '' }), name);
        const { [name]: _, ...others } = rest as Record<string, unknown>;
        expectRefused(await curl('POST', paths(path), `${new URLSearchParams(others as Record<string, string>)}&${name}=`), name);
      }
      expect(await state()).toEqual(before);
    });

    it('takes null and empty values of other optional fields as absent, and 0 for any amount', async () => {
      const empty = { num_satoshis: 0, expiry: 0, memo: null, description_hash: '', passThru: null };
      const made = await request('POST', `/v1/wallet/${wallet.id}/invoice`, empty);
      expect(made).toMatchObject({ status: 201, body: { num_satoshis: 0, memo: '', description_hash: null, expiry: 86_400 } });
    });

    it.each([
      'num_satoshi=3',
      'amount=3',
      'num_satoshis=',
      'uses=',
      'expiry=',
      'num_satoshis=3&fields=lnurl',
      'fields=x',
      'num_satoshis[a]=3',
    ])('rejects GET lnurl/withdraw?%s', async (query) => {
      const name = query.split('&').at(-1)?.split('=')[0] ?? '';
      expectRefused(await request('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw?${query}`), name);
    });

    it('rejects query parameters on every route that creates or changes something', async () => {
      const { paths: routes } = await servedApi(service.client);
      for (const [path, methods] of Object.entries(routes as Record<string, object>)) {
        for (const method of Object.keys(methods).filter((name) => ['post', 'patch', 'put', 'delete'].includes(name))) {
          const url = path.replace('{key}', wallet.id).replace('{id}', keyId).replace('{hash}', 'ab'.repeat(32));
          const response = await request(method.toUpperCase(), `${url}?num_satoshis=20`, method === 'delete' ? undefined : {});
          expect([method, path, response.body]).toMatchObject([
            method,
            path,
            { status: 400, message: expect.stringContaining('`num_satoshis`') },
          ]);
        }
      }
      expect(await request('PATCH', `/v1/wallet/${wallet.id}?status=inactive`, {})).toMatchObject({ status: 400 });
      const { secretKey } = service.client;
      const open = await service.client.request('POST', `/v1/wallet/${wallet.id}/invoice?access-token=${secretKey}&_=171`, { json: {} });
      expect(open.status).toBe(201);
    });

    it('reads Memo in the query of a withdraw link as memo, as a published client sends it', async () => {
      const path = `/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=1`;
      expect((await request('GET', `${path}&Memo=SatsBack`)).body).toMatchObject({ memo: 'SatsBack', num_satoshis: 1 });
      expectRefused(await request('GET', `${path}&Memo=a&memo=b`), 'memo');
    });

    it('rejects unknown query parameters on every list', async () => {
      const { paths: routes } = await servedApi(service.client);
      const lists = Object.entries(routes as Record<string, Json>).filter(
        ([, { get }]) => get?.responses['200']?.content?.['application/json']?.schema?.type === 'array',
      );
      expect(lists.length).toBeGreaterThan(5);
      const webhook = await service.client.post('/v1/webhooks', { url: 'https://example.com/', event_types: 'webhook_test' });
      const account = await service.client.get('/v1/account');
      const invoice = await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 });
      const [{ id: node }] = await service.client.get('/v1/nodes');
      const ids = { webhooks: webhook.id, accounts: account.id, lntx: invoice.id, wallets: wallet.id, nodes: node };
      for (const [path] of lists) {
        const url = path
          .replace('{key}', wallet.id)
          .replace(/(webhooks|accounts|lntx|wallets|nodes)\/\{id\}/, (_, kind: keyof typeof ids) => `${kind}/${ids[kind]}`);
        expectRefused(await request('GET', `${url}?user_label=x`), 'user_label');
        const required = path === '/v1/search' ? '&q=tea' : '';
        expect((await request('GET', `${url}?access-token=${service.client.secretKey}&_=1712&_t=${required}`)).status).toBe(200);
      }
      expectRefused(await request('GET', `/v1/wallet/${wallet.id}/statement?type=ln_deposit`), 'type');
    });

    it('ignores unknown query parameters on other reads', async () => {
      const response = await request('GET', `/v1/wallet/${wallet.id}?utm_source=x&__proto__[a]=1&num_satoshis=`);
      expect(response).toMatchObject({ status: 200, body: { id: wallet.id } });
    });

    it('rejects fields that are given twice', async () => {
      for (const path of [`/v1/wallet/${wallet.id}`, `/v1/wallet/${wallet.id}/transactions`]) {
        expectRefused(await request('GET', `${path}?fields=id&fields=balance`), 'fields');
      }
    });

    it('selects fields only where a read returns a wallet or a transaction', async () => {
      for (const path of ['/healthz', '/readyz', '/v1/account', '/openapi.json', '/v1/node/default']) {
        const [plain, selected] = [await request('GET', path), await request('GET', `${path}?fields=x`)];
        expect([path, selected.status, selected.text]).toEqual([path, plain.status, plain.text]);
      }
      expectRefused(await request('GET', '/v1/keys?fields=id'), 'fields');
      expectRefused(await request('POST', `/v1/wallet/${wallet.id}/invoice?fields=id`, {}), 'fields');
      expect((await request('GET', '/v1/wallets?fields=id')).body[0]).toEqual({ id: expect.any(String) });
    });

    it('clears a label that is changed to null or to an empty text', async () => {
      const path = `/v1/wallet/${other.id}`;
      for (const clear of [
        () => request('PATCH', path, { user_label: null }),
        () => request('PATCH', path, { user_label: '' }),
        () => curl('PATCH', path, 'user_label='),
      ]) {
        expect((await request('PATCH', path, { user_label: 'old' })).body).toMatchObject({ user_label: 'old' });
        expect((await request('PATCH', path, { status: 'active' })).body).toMatchObject({ user_label: 'old' });
        expect(await clear()).toMatchObject({ status: 200, body: { user_label: '' } });
        expect(await service.client.get(path)).toMatchObject({ user_label: '' });
      }
    });

    it('keeps the books balanced', async () => {
      expect(await service.problems()).toEqual([]);
    });
  },
  MANY,
);
