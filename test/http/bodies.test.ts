import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

const FORM = 'application/x-www-form-urlencoded';

/** Expects exactly this error object, without further fields. */
function expectError(response: HttpResponse, status: number, type: string, message: RegExp | string = /./): void {
  const text = typeof message === 'string' ? expect.stringContaining(message) : expect.stringMatching(message);
  const expected = { name: expect.any(String), message: text, code: 0, status, type, request_id: response.headers.get('x-request-id') };
  expect(response.body).toEqual(expected);
  expect(response.status).toBe(status);
  expect(response.body.request_id).toMatch(/^[0-9A-Za-z]{10,}$/);
  expect(response.headers.get('content-type')).toMatch(/^application\/json/);
  expect(response.headers.get('cache-control')).toBe('no-store');
}

onFakeNode('bodies', ({ client }) => {
  let wallet: TestWallet;
  let invoices: string;

  beforeAll(async () => {
    wallet = await client.wallet(1000);
    invoices = `/v1/user/wallet/${wallet.invoice}/invoice`;
  });

  const json = (body: unknown, path = invoices) => client.request('POST', path, { key: client.secretKey, json: body });
  const form = (body: string, path = invoices) => client.request('POST', path, { key: client.secretKey, form: body });
  /** Sends bytes with exactly these headers. `fetch` would add a Content-Type to a text. */
  const raw = (body: string | Uint8Array, type?: string, path = invoices) =>
    fetch(client.url + path, {
      method: 'POST',
      body: typeof body === 'string' ? new TextEncoder().encode(body) : Uint8Array.from(body),
      headers: { 'x-api-key': client.secretKey, ...(type !== undefined && { 'content-type': type }) },
    }).then(async (response): Promise<HttpResponse> => {
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    });

  it('accepts the same fields as JSON and as a form, and a form also without a Content-Type', async () => {
    const made = { num_satoshis: 12, memo: 'a & b + ü', expiry: 600, settled: 0 };
    const encoded = 'num_satoshis=12&memo=a+%26+b+%2B+%C3%BC&expiry=600';
    for (const response of [
      await json({ num_satoshis: 12, memo: 'a & b + ü', expiry: 600 }),
      await json({ num_satoshis: '12', memo: 'a & b + ü', expiry: '600' }),
      await form(encoded),
      await raw(encoded),
      await raw(encoded, `${FORM}; charset=utf-8`),
      await raw(JSON.stringify({ num_satoshis: 12, memo: 'a & b + ü', expiry: 600 }), 'Application/JSON; charset=utf-8'),
    ]) {
      expect(response.status).toBe(201);
      expect(response.body).toMatchObject(made);
    }
  });

  it('treats an empty body of any type as an empty object', async () => {
    const none = await fetch(client.url + invoices, { method: 'POST', headers: { 'x-api-key': client.secretKey } });
    expect([none.status, await none.json()]).toMatchObject([201, { num_satoshis: 0, memo: '', expiry: 86_400, passThru: {} }]);
    for (const type of [undefined, 'application/json', FORM]) {
      const response = await raw('', type);
      expect(response.body).toMatchObject({ num_satoshis: 0, memo: '', expiry: 86_400, passThru: {} });
    }
    expect((await raw('  \n', 'application/json')).status).toBe(201);
    expect((await json({}, '/v1/wallet')).body).toMatchObject({ user_label: '', balance: 0 });
  });

  it('takes null and "" of optional texts and objects, and 0 of an expiry, as absent', async () => {
    const absent = { memo: '', description_hash: '', expiry: 0, passThru: null };
    for (const response of [
      await json(absent),
      await json({ ...absent, num_satoshis: 0, expiry: '0' }),
      await form('memo=&description_hash=&expiry=0&passThru='),
    ]) {
      expect(response.status).toBe(201);
      expect(response.body).toMatchObject({ num_satoshis: 0, memo: '', description_hash: null, expiry: 86_400, passThru: {} });
    }
    expectError(
      await json({ dest_wallet_id: '', num_satoshis: 1 }, `/v1/wallet/${wallet.id}/transfer`),
      400,
      'validation_failed',
      'dest_wallet_id',
    );
  });

  it('accepts a nested field as a JSON object, JSON text or bracket notation, and the name passTru', async () => {
    const passThru = { ticketId: '23', seat: { row: '4' } };
    const text = encodeURIComponent(JSON.stringify(passThru));
    const brackets = 'passThru[ticketId]=23&passThru[seat][row]=4';
    for (const response of [
      await json({ passThru }),
      await json({ passThru: JSON.stringify(passThru) }),
      await json({ passTru: passThru }),
      await json({ passTru: JSON.stringify(passThru) }),
      await form(`passThru=${text}`),
      await form(`passTru=${text}`),
      await form(brackets),
      await form(brackets.replaceAll('[', '%5B').replaceAll(']', '%5D')),
      await form(brackets.replaceAll('passThru', 'passTru')),
      await raw(brackets),
    ]) {
      expect(response.status).toBe(201);
      expect(response.body.passThru).toEqual(passThru);
    }
  });

  it('accepts custom_records and lnPayParams in every form', async () => {
    const other = await client.wallet();
    const lnPayParams = { tag: 'x' };
    for (const response of [
      await json({ dest_wallet_id: other.id, num_satoshis: 1, lnPayParams }, `/v1/wallet/${wallet.id}/transfer`),
      await form(`dest_wallet_id=${other.id}&num_satoshis=1&lnPayParams[tag]=x`, `/v1/wallet/${wallet.id}/transfer`),
    ]) {
      expect(response.status).toBe(201);
      expect(response.body.passThru).toEqual({ lnPayParams, source_wallet_id: wallet.id, dest_wallet_id: other.id });
    }
    const { nodes } = await client.get('/playground');
    const alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
    for (const response of [
      await json({ dest_pubkey: alice, num_satoshis: 1, custom_records: { '696969': 'hi' } }, `/v1/wallet/${wallet.id}/keysend`),
      await json({ dest_pubkey: alice, num_satoshis: 1, custom_records: '{"696969":"hi"}' }, `/v1/wallet/${wallet.id}/keysend`),
      await form(`dest_pubkey=${alice}&num_satoshis=1&custom_records[696969]=hi`, `/v1/wallet/${wallet.id}/keysend`),
    ]) {
      expect(response.status).toBe(201);
      expect(response.body.lnTx.custom_records).toMatchObject({ '696969': 'hi' });
    }
  });

  it('names a field that must be an object and is not', async () => {
    for (const passThru of ['text', '[1]', '"x"', '5', '{"a":', [1], 5, true]) {
      expectError(await json({ passThru }), 400, 'validation_failed', 'passThru');
    }
    expectError(await form('passThru=a&passThru=b'), 400, 'validation_failed', 'passThru');
    expectError(await form('memo=a&memo=b'), 400, 'validation_failed', 'memo');
    expectError(await form('num_satoshis[a]=1'), 400, 'validation_failed', 'num_satoshis');
  });

  it('names an unknown field and never ignores it: a misspelt fee limit would cost money', async () => {
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 10 });
    const withdraw = `/v1/wallet/${wallet.id}/withdraw`;
    const before = (await client.get(`/v1/wallet/${wallet.id}`)).balance;
    expectError(await json({ payment_request, fee_limit_mast: 0 }, withdraw), 400, 'validation_failed', '`fee_limit_mast`');
    expectError(await form(`payment_request=${payment_request}&fee_limit_mast=0`, withdraw), 400, 'validation_failed', '`fee_limit_mast`');
    expectError(await json({ num_satoshi: 1 }), 400, 'validation_failed', '`num_satoshi`');
    for (const name of ['toString', 'hasOwnProperty', 'constructor']) {
      expectError(await json({ [name]: 1 }), 400, 'validation_failed', `\`${name}\``);
      expectError(await form(`${name}=1`), 400, 'validation_failed', `\`${name}\``);
    }
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: before, pending_msat: 0 });
    // A read ignores unknown fields.
    expect((await client.request('GET', `/v1/wallet/${wallet.id}?utm_source=x&__proto__[a]=1`, { key: client.secretKey })).status).toBe(
      200,
    );
  });

  it('rejects malformed JSON, and JSON that is not an object', async () => {
    for (const body of [
      '{',
      '{"a":1',
      "{'a':1}",
      '{"num_satoshis":1,}',
      'num_satoshis=1',
      '[]',
      '[{"num_satoshis":1}]',
      '1',
      '"x"',
      'null',
      'true',
      'NaN',
    ]) {
      expectError(await json(body), 400, 'malformed_body');
    }
    expectError(await raw(Uint8Array.of(0x1f, 0x8b, 8, 0), 'application/json'), 400, 'malformed_body');
  });

  it('rejects prototype keys or keeps them as plain data, and never changes a prototype', async () => {
    const polluted = '"__proto__":{"num_satoshis":7}';
    expectError(await json(`{${polluted}}`), 400, 'malformed_body');
    expectError(await json(`{"passThru":{${polluted}}}`), 400, 'malformed_body');
    expectError(await json('{"constructor":{"prototype":{"memo":"x"}}}'), 400, 'malformed_body');
    expectError(await form('__proto__[memo]=x'), 400, 'malformed_body');
    expectError(await form('passThru[__proto__][memo]=x'), 400, 'malformed_body');
    expectError(await form('%5F_proto__=x'), 400, 'malformed_body');
    expectError(await form(`passThru=${encodeURIComponent(`{${polluted}}`)}`), 400, 'validation_failed', 'passThru');
    expectError(await json({ passThru: `{${polluted}}` }), 400, 'validation_failed', 'passThru');
    const kept = await form('passThru[toString]=a&passThru[b]=c');
    expect(kept.body.passThru).toEqual({ toString: 'a', b: 'c' });
    expect((await json({})).body).toMatchObject({ num_satoshis: 0, memo: '' });
    expect(({} as Json).memo).toBeUndefined();
  });

  it('rejects deeply nested bodies', async () => {
    const nested = (depth: number): unknown => (depth === 0 ? 1 : { a: nested(depth - 1) });
    expect((await json({ passThru: nested(8) })).status).toBe(201);
    expectError(await json({ passThru: nested(9) }), 400, 'validation_failed', 'passThru');
    const abyss = `${'{"a":'.repeat(8000)}1${'}'.repeat(8000)}`;
    expectError(await json(`{"passThru":${abyss}}`), 400, 'malformed_body', '200 names');
    const lists = `${'['.repeat(30_000)}${']'.repeat(30_000)}`;
    expectError(await json(`{"passThru":{"a":${lists}}}`), 400, 'validation_failed', 'passThru');
    const keysend = `{"dest_pubkey":"${'02'.padEnd(66, '1')}","num_satoshis":1,"custom_records":{"65536":${lists}}}`;
    expectError(await json(keysend, `/v1/wallet/${wallet.id}/keysend`), 400, 'validation_failed');
    expect((await form('passThru[a][b][c][d][e]=1')).status).toBe(201);
    expectError(await form('passThru[a][b][c][d][e][f]=1'), 400, 'malformed_body');
  });

  it('rejects a form of more than 100 fields, and never truncates it', async () => {
    const fields = (count: number) => Array.from({ length: count }, (_, i) => `passThru[f${i}]=1`).join('&');
    expect(Object.keys((await form(fields(100))).body.passThru)).toHaveLength(100);
    expectError(await form(fields(101)), 400, 'malformed_body', '100');
  });

  it('rejects a body of more than 200 names before it is read, at any depth and in JSON text', async () => {
    const object = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, '":\\\\"']));
    expect((await json({ passThru: object(199) })).status).toBe(201);
    expectError(await json({ passThru: object(200) }), 400, 'malformed_body', '200 names');
    expectError(await json({ passThru: { a: [object(150), object(150)] } }), 400, 'malformed_body', '200 names');
    expect((await json({ passThru: JSON.stringify(object(200)) })).status).toBe(201);
    expectError(await json({ passThru: JSON.stringify(object(201)) }), 400, 'validation_failed', '200 names');
    expectError(await form(`passThru=${encodeURIComponent(JSON.stringify(object(201)))}`), 400, 'validation_failed', '200 names');
    expectError(await json({ passThru: `{${' '.repeat(16_384)}}` }), 400, 'validation_failed', '16384 characters');
  });

  it('rejects a body of more than 4 kB on the routes that need no key', async () => {
    const login = (bytes: number) => ({ email: 'a@example.com', password: 'p'.repeat(bytes) });
    const send = (path: string, bytes: number) =>
      client.request('POST', path, { json: login(bytes), headers: { 'sec-fetch-site': 'same-origin' } });
    expectError(await send('/v1/session', 3900), 400, 'validation_failed', 'password');
    for (const path of ['/v1/session', '/v1/session/setup', '/v1/session/passkey', '/v1/session/lnurl-auth/wlg_x'])
      expectError(await send(path, 4096), 413, 'payload_too_large');
  });

  it('returns 413 for any body of more than 64 kB', async () => {
    const body = (bytes: number) => JSON.stringify({ memo: 'm'.repeat(bytes - '{"memo":""}'.length) });
    expectError(await json(body(64 * 1024)), 400, 'validation_failed', 'memo');
    expectError(await json(body(64 * 1024 + 1)), 413, 'payload_too_large');
    expectError(await form(`memo=${'m'.repeat(64 * 1024)}`), 413, 'payload_too_large');
    expectError(await raw('m'.repeat(64 * 1024 + 1)), 413, 'payload_too_large');
  });

  it('returns 415 for a body of another type', async () => {
    for (const type of [
      'text/plain',
      'text/plain;charset=UTF-8',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonp',
      'nonsense',
    ]) {
      expectError(await raw('{"num_satoshis":1}', type), 415, 'unsupported_media_type');
    }
  });

  it('W8: returns JSON errors without any input for an unreadable address, too long a key and too large headers', async () => {
    const secret = `sak_${'s'.repeat(300)}`;
    for (const path of [
      `/v1/wallet/%zz${secret}`,
      `/v1/wallet/${secret}`,
      `/v1/wallet/${secret}/invoice/%ff`,
      `/v1/lntx/%E0%A4%A?x=${secret}`,
    ]) {
      const response = await client.request('GET', path, { key: client.secretKey });
      expect([path.slice(0, 20), response.status]).toEqual([
        path.slice(0, 20),
        expect.toSatisfy((status) => status === 400 || status === 404),
      ]);
      expectError(response, response.status, response.status === 400 ? 'malformed_body' : 'not_found');
      expect(response.text).not.toContain('sss');
    }
    const huge = await client.request('GET', '/v1/wallets', { headers: { 'x-api-key': `sak_${'s'.repeat(20_000)}` } });
    const { error, ...body } = huge.body;
    // The path is unknown, and apps that use the LNDhub API look for it.
    expect(error).toBe(true);
    expectError({ ...huge, body }, 413, 'payload_too_large');
  });
});
