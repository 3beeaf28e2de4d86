import { beforeAll, expect, it } from 'vitest';
import { servedApi } from '../openapi/conformance/operations.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** Values that are invalid for some field, by type, size or format. */
const WRONG_VALUES: readonly unknown[] = [null, '', -1, 0, 1.5, 1e300, 1, true, 'x', '+5', 'é', 'x'.repeat(9000), [], [1], {}, { a: 1 }];
/** Words that only a validation library writes. */
const JARGON = /must match|must NOT|>=|<=|pattern|instance|schema|must be (string|object|integer|boolean|array|null)\b/;
const SETTINGS = { RATE_LIMIT_PER_SECOND: '100000', RATE_LIMIT_BURST: '1000000' };

onFakeNode(
  'messages of rejected requests',
  (service) => {
    let wallet: TestWallet;
    let keyId: string;

    beforeAll(async () => {
      wallet = await service.client.wallet(1000);
      keyId = (await service.client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read' })).id;
    });

    const request = (method: string, path: string, json?: unknown, key = service.client.secretKey) =>
      service.client.request(method, path, { key, ...(json !== undefined && { json }) });
    const messageOf = async (path: string, json?: object) => {
      const { status, body } = await request(json ? 'POST' : 'GET', path.replace('WALLET', wallet.id), json);
      expect(status).toBe(400);
      return body.message;
    };

    it('contain the name of the field and no jargon, for every field of every route', async () => {
      const { paths, components } = await servedApi(service.client);
      const resolve = (schema: Json): Json => (schema?.$ref ? components.schemas[schema.$ref.split('/').at(-1)] : schema);
      let rejected = 0;
      for (const [path, methods] of Object.entries(paths as Record<string, Record<string, Json>>)) {
        const url = path.replace('{key}', wallet.id).replace('{id}', keyId).replace('{hash}', 'ab'.repeat(32));
        for (const [method, operation] of Object.entries(methods)) {
          const content = operation.requestBody?.content['application/json'];
          for (const name of Object.keys(resolve(content?.schema)?.properties ?? {})) {
            for (const value of WRONG_VALUES) {
              const { status, body } = await request(method.toUpperCase(), url, { ...content.example, [name]: value });
              if (status !== 400 || body.type !== 'validation_failed') continue;
              // An accepted value before this one has stored a contact with the address of the example.
              if (body.message.startsWith('`ln_address` is already')) continue;
              rejected++;
              expect([method, path, name, value, body.message]).toEqual([
                method,
                path,
                name,
                value,
                // An item of a list has its number.
                expect.stringMatching(new RegExp(`\`${name}(\\[0\\])?\``)),
              ]);
              expect(body.message).not.toMatch(JARGON);
            }
          }
          for (const { name, in: place } of (operation.parameters ?? []).map((one: Json) => (one.$ref ? {} : one))) {
            if (method !== 'get' || place !== 'query' || path.includes('lnurl-process')) continue;
            for (const value of ['-1', '1.5', 'x', '', 'x'.repeat(9000)]) {
              const { status, body } = await request('GET', `${url}?${name}=${value}`);
              if (status !== 400) continue;
              rejected++;
              expect([path, name, value, body.message]).toEqual([path, name, value, expect.stringMatching(/`[\w.-]+`/)]);
              expect(body.message).not.toMatch(JARGON);
            }
          }
        }
      }
      expect(rejected).toBeGreaterThan(300);
    });

    it.each([
      ['/v1/wallet/WALLET/invoice', { num_satoshis: -1 }, '`num_satoshis` must be a whole number of satoshis, 0 or more.'],
      ['/v1/wallet/WALLET/invoice', { expiry: 59 }, '`expiry` must be a whole number of seconds, from 60 to 31536000 (0: the default).'],
      [
        '/v1/wallet/WALLET/invoice',
        { passThru: 5 },
        '`passThru` must be an object, or the JSON text of one. In a form, send `passThru[name]=value`.',
      ],
      [
        '/v1/wallet/WALLET/transfer',
        { dest_wallet_id: 'x', num_satoshis: 0 },
        '`num_satoshis` must be a whole number of satoshis, 1 or more.',
      ],
      [
        '/v1/wallet/WALLET/keysend',
        { dest_pubkey: 'alice', num_satoshis: 1 },
        '`dest_pubkey` must be a public key: 66 hexadecimal characters that begin with 02 or 03.',
      ],
      [
        '/v1/wallet/WALLET/keysend',
        { dest_pubkey: `02${'1'.repeat(64)}`, num_satoshis: 1, fee_limit_msat: -1 },
        '`fee_limit_msat` must be a whole number of millisatoshis, 0 or more.',
      ],
      [
        '/v1/keys',
        { budget_msat: 5 },
        '`budget_msat` and `budget_period` go together: send both. The period is one of day, week, month, ever.',
      ],
    ])('%s %o: the rule with its unit', async (path, json, message) => {
      expect(await messageOf(path, json)).toBe(message);
    });

    it.each([
      ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', /^`payment_request` must be a BOLT11 invoice.*Bitcoin address/],
      ['lnbc1nonsense', /^`payment_request` must be a BOLT11 invoice/],
    ])('names the kind of the text that was sent as an invoice: %s', async (text, message) => {
      expect(await messageOf('/v1/wallet/WALLET/withdraw', { payment_request: text })).toMatch(message);
      const decoding = await request('GET', `/v1/node/default/payments/decodeinvoice?payment_request=${encodeURIComponent(text)}`);
      expect([decoding.status, decoding.body.message]).toEqual([400, expect.stringMatching(message)]);
    });

    it.each([
      ['alice@example.com', /^`payment_request` must be a BOLT11 invoice.*Lightning address/],
      ['LNURL1DP68GURN8GHJ7', /^`payment_request` must be a BOLT11 invoice.*LNURL/],
      ['lightning:lnurl1dp68gurn8ghj7', /^`payment_request` must be a BOLT11 invoice.*LNURL/],
    ])('names the kind of the text that was sent to be decoded: %s', async (text, message) => {
      const decoding = await request('GET', `/v1/node/default/payments/decodeinvoice?payment_request=${encodeURIComponent(text)}`);
      expect([decoding.status, decoding.body.message]).toEqual([400, expect.stringMatching(message)]);
    });

    it('requires the amount for an address, and names what is wrong with an LNURL', async () => {
      const withdraw = (payment_request: string) => messageOf('/v1/wallet/WALLET/withdraw', { payment_request });
      expect(await withdraw('alice@example.com')).toBe(
        '`num_satoshis` or `num_msat` must be given for a Lightning address or an LNURL, which has no amount.',
      );
      expect(await withdraw('LNURL1DP68GURN8GHJ7')).toMatch(/^This is neither an LNURL nor a Lightning address.*bech32/);
    });

    it('explains that a public API key needs an access key in the path', async () => {
      const { client } = service;
      const response = await request('POST', `/v1/wallet/${wallet.id}/invoice`, {}, client.publicKey);
      expect(response.status).toBe(403);
      expect(response.body.message).toMatch(/public API key.*access key in the path/);
      expect((await request('POST', `/v1/wallet/${wallet.admin}/invoice`, {}, client.publicKey)).status).toBe(201);
    });

    it('names the keys that have a missing permission', async () => {
      const response = await request('POST', `/v1/wallet/${wallet.read}/invoice`, {}, wallet.read);
      expect(response.body).toMatchObject({
        status: 403,
        message: 'The key lacks the permission wallet_deposit. Use a key that begins with sak_, waka_ or waki_.',
      });
    });
  },
  SETTINGS,
);

onFakeNode('passThru of old clients', (service) => {
  it('is read from a query as base64 or as plain JSON', async () => {
    const { client } = service;
    const wallet = await client.wallet(1000);
    const passThru = { order: '17', note: 'ü' };
    const text = JSON.stringify(passThru);
    for (const sent of [text, ` ${text}`, Buffer.from(text).toString('base64'), Buffer.from(text).toString('base64url')]) {
      const query = new URLSearchParams({ num_satoshis: '1', passThru: sent });
      const response = await client.request('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw?${query}`, { key: client.secretKey });
      expect(response.status).toBe(200);
      const { paymentRequest } = service.net.outside.invoice({ amountMsat: 1000 });
      await client.request('GET', `${response.body.url.slice(client.url.length)}&pr=${paymentRequest}`);
      const rows = () => client.get(`/v1/wallet/${wallet.id}/transactions?status=all&type=ln_lnurl_withdraw`);
      await expect.poll(async () => (await rows())[0]?.passThru).toMatchObject(passThru);
    }
    for (const wrong of ['[1]', '"x"', '5', 'eA==', '{"a":', 'x']) {
      const query = new URLSearchParams({ num_satoshis: '1', passThru: wrong });
      const response = await client.request('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw?${query}`, { key: client.secretKey });
      expect([wrong, response.body]).toMatchObject([wrong, { status: 400, message: expect.stringContaining('`passThru`') }]);
    }
    expect(await service.problems()).toEqual([]);
  });

  it('contains the method of a withdrawal by default, and stays unchanged when it was sent', async () => {
    const { client, net } = service;
    const wallet = await client.wallet(1000);
    const pay = (fields: object) => {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
      return client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest, ...fields });
    };
    const plain = await pay({});
    expect(plain).toMatchObject({ passThru: { method: 'api' }, lnTx: { passThru: { method: 'api' } } });
    expect((await client.get(`/v1/lntx/${plain.lnTx.id}`)).passThru).toEqual({ method: 'api' });
    expect((await pay({ passThru: { a: 1 } })).passThru).toEqual({ a: 1 });
    const payee = await client.wallet();
    const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1 });
    expect((await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request })).passThru).toEqual({ method: 'api' });
    expect((await client.get(`/v1/wallet/${payee.id}/transactions`))[0].passThru).toEqual({});
    const rows = await client.get(`/v1/wallet/${wallet.id}/transactions?type=ln_withdrawal`);
    expect(rows.map((row: Json) => row.passThru)).toEqual([{ method: 'api' }, { a: 1 }, { method: 'api' }]);
    expect(await service.problems()).toEqual([]);
  });
});
