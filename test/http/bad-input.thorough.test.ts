import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { type Bolt11Draft, type Bolt11Field, encodeBolt11, featureWords, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { onFakeNode } from '../support/app.ts';
import { forgeAmount, forgeWords, SPEC_PAYEE, SPEC_PRIVATE_KEY } from '../support/bolt11-forgery.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

const MAX_SAT = 9_007_199_254_740;
/** The JSON text of a value, and the expected result. `ok`: the value is valid, so the balance decides. */
const AMOUNTS: readonly [text: string, verdict: 'ok' | 'zero' | 'invalid' | 'too large'][] = [
  ['1', 'ok'],
  ['"5"', 'ok'],
  ['1e3', 'ok'],
  ['1000.0', 'ok'],
  ['"0000000000000005"', 'ok'],
  ['2147483648', 'ok'],
  [String(MAX_SAT), 'ok'],
  ['null', 'invalid'],
  ['""', 'invalid'],
  ['0', 'zero'],
  ['-0', 'zero'],
  ['"0"', 'zero'],
  ['-1', 'invalid'],
  ['1.5', 'invalid'],
  ['0.1', 'invalid'],
  ['-1e300', 'invalid'],
  ['"-5"', 'invalid'],
  ['"+5"', 'invalid'],
  ['" 5"', 'invalid'],
  ['"5 "', 'invalid'],
  ['"1e3"', 'invalid'],
  ['"0x10"', 'invalid'],
  ['"5.0"', 'invalid'],
  ['"٥"', 'invalid'],
  ['"5\\u0000"', 'invalid'],
  ['"NaN"', 'invalid'],
  ['"Infinity"', 'invalid'],
  ['"99999999999999999"', 'invalid'],
  ['true', 'invalid'],
  ['false', 'invalid'],
  ['[]', 'invalid'],
  ['[5]', 'invalid'],
  ['{}', 'invalid'],
  [String(MAX_SAT + 1), 'too large'],
  ['2100000000000000', 'too large'],
  ['9007199254740992', 'too large'],
  ['"9007199254740992"', 'too large'],
  ['1e300', 'too large'],
];

onFakeNode('F8: amounts', ({ client }) => {
  let wallet: TestWallet;
  let other: TestWallet;
  let alice: string;
  let amountless: string;

  beforeAll(async () => {
    [wallet, other] = [await client.wallet(500), await client.wallet()];
    alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    amountless = (await client.post('/playground/invoice', { memo: 'any' })).payment_request;
  });

  const post = (path: string, json: unknown) => client.request('POST', `/v1/wallet/${wallet.id}${path}`, { key: client.secretKey, json });
  const untouched = async () => expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 500, pending_msat: 0 });

  function expectRefused(response: HttpResponse, field: string, verdict: string): void {
    const type = verdict === 'too large' ? 'limit_exceeded' : 'validation_failed';
    expect(response.body).toMatchObject({ status: 400, name: 'Bad Request', type, message: expect.stringContaining(field) });
  }

  it.each(AMOUNTS)('rejects %s as num_satoshis of a payment: %s', async (text, verdict) => {
    // The balance is 500 sat: an amount that is valid as a number is rejected for lack of money, and nothing moves.
    const small = verdict === 'ok' && Number(JSON.parse(text)) <= 5;
    const keysend = (field: string) => `{"dest_pubkey":"${alice}","fee_limit_msat":0,"num_satoshis":${field}}`;
    const transfer = (field: string) => `{"dest_wallet_id":"${other.id}","num_satoshis":${field}}`;
    const withdraw = (field: string) => `{"payment_request":"${amountless}","num_satoshis":${field}}`;
    for (const [path, body] of [
      ['/keysend', keysend],
      ['/transfer', transfer],
      ['/withdraw', withdraw],
    ] as const) {
      if (small) continue;
      const response = await post(path, body(text));
      if (verdict === 'ok') expect(response.body).toMatchObject({ status: 400, type: 'insufficient_balance' });
      else expectRefused(response, 'num_satoshis', verdict);
    }
    await untouched();
  });

  it.each(AMOUNTS)('rejects %s as num_satoshis of an invoice and of a withdraw link: %s', async (text, verdict) => {
    const value = verdict === 'ok' ? Number(JSON.parse(text)) : 0;
    const [invoice, link] = [await post('/invoice', `{"num_satoshis":${text}}`), await post('/lnurl/withdraw', `{"num_satoshis":${text}}`)];
    if (verdict === 'ok') {
      expect(invoice.body).toMatchObject({ num_satoshis: value, settled: 0 });
      expect(link.body).toMatchObject({ num_satoshis: value });
    } else {
      if (verdict === 'zero') expect(invoice.body).toMatchObject({ num_satoshis: 0, settled: 0 });
      else expectRefused(invoice, 'num_satoshis', verdict);
      // A link for zero must not become a link for the whole balance.
      expectRefused(link, 'num_satoshis', verdict);
    }
    await untouched();
  });

  it('accepts only digits as a number in a query and in a form', async () => {
    for (const text of ['-1', '1.5', '1e3', '0x10', '%2B5', '%205', 'NaN', '0', 'true', '5&num_satoshis=6', '99999999999999999']) {
      const response = await client.request('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=${text}`, {
        key: client.secretKey,
      });
      expectRefused(response, 'num_satoshis', 'invalid');
      const body = `dest_wallet_id=${other.id}&num_satoshis=${text}`;
      expectRefused(
        await client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: client.secretKey, form: body }),
        'num_satoshis',
        'invalid',
      );
    }
    await untouched();
  });

  it('names the valid values in the error', async () => {
    const base = `/v1/wallet/${wallet.id}`;
    const digits = 'Write it with at most 16 digits, without sign, fraction or unit, and send it once.';
    const wrong: [method: string, path: string, sent: { json?: unknown; form?: string }, message: string][] = [
      ['PATCH', base, { form: 'status=foo' }, '`status` must be one of active, inactive.'],
      ['GET', `${base}/transactions?status=foo`, {}, 'Query parameter `status` must be one of settled, pending, failed, open, all.'],
      ['POST', `${base}/keys`, { form: 'kind=foo' }, '`kind` must be one of wallet_admin, wallet_invoice, wallet_read.'],
      ['POST', '/playground/keysend', { json: { num_satoshis: 1, from: 'bob' } }, '`from` must be one of alice, carol.'],
      ['POST', `${base}/invoice`, { form: 'num_satoshis=-3' }, `\`num_satoshis\` must be a whole number of satoshis, 0 or more. ${digits}`],
      ['GET', '/v1/wallets?page=1.5', {}, `Query parameter \`page\` must be a whole number, 1 or more. ${digits}`],
    ];
    for (const [method, path, sent, message] of wrong) {
      const { body } = await client.request(method, path, { key: client.secretKey, ...sent });
      expect(body, path).toMatchObject({ status: 400, type: 'validation_failed', message });
    }
  });

  it('F3: rejects a negative, malformed or unlimited fee limit on every route', async () => {
    for (const [text, verdict] of AMOUNTS.filter(([, verdict]) => verdict === 'invalid')) {
      expectRefused(
        await post('/keysend', `{"dest_pubkey":"${alice}","num_satoshis":1,"fee_limit_msat":${text}}`),
        'fee_limit_msat',
        verdict,
      );
      expectRefused(
        await post('/withdraw', `{"payment_request":"${amountless}","num_satoshis":1,"fee_limit_msat":${text}}`),
        'fee_limit_msat',
        verdict,
      );
    }
    for (const text of ['9007199254740992', '1e300']) {
      expectRefused(
        await post('/keysend', `{"dest_pubkey":"${alice}","num_satoshis":1,"fee_limit_msat":${text}}`),
        'fee_limit_msat',
        'too large',
      );
    }
    await untouched();
  });
});

onFakeNode('F3: a fee limit of zero', ({ client }) => {
  it('allows no fee: a direct payment succeeds, and one that needs a fee fails and costs nothing', async () => {
    const wallet = await client.wallet(10_000);
    const { nodes } = await client.get('/playground');
    const pubkeyOf = (wanted: string) => nodes.find(({ name }: Json) => name === wanted).pubkey;
    const keysend = (name: string, fee: string) =>
      client.request('POST', `/v1/wallet/${wallet.id}/keysend`, {
        key: client.secretKey,
        json: `{"dest_pubkey":"${pubkeyOf(name)}","num_satoshis":5000,"fee_limit_msat":${fee}}`,
      });
    for (const zero of ['0', '"0"', '-0']) {
      const behind = await keysend('carol', zero);
      const message = 'Failure reason: FAILURE_REASON_NO_ROUTE. No route was found within the fee limit of 0 msat.';
      expect(behind.body).toMatchObject({ status: 400, type: 'payment_failed', message });
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 10_000, pending_msat: 0 });
    }
    expect((await keysend('alice', '0')).body).toMatchObject({ num_satoshis: -5000, lnTx: { fee_msat: 0 } });
  });
});

onFakeNode('texts and records', ({ client }) => {
  let wallet: TestWallet;
  let alice: string;

  beforeAll(async () => {
    wallet = await client.wallet(1000);
    alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
  });

  const post = (path: string, json: unknown) => client.request('POST', path, { key: client.secretKey, json });
  const invoice = (json: unknown) => post(`/v1/wallet/${wallet.id}/invoice`, json);
  const keysend = (json: object) => post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: alice, num_satoshis: 1, ...json });
  const untouched = async () => expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });

  function expectInvalid(response: HttpResponse, field: string): void {
    expect(response.body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringContaining(field) });
  }

  it('limits a memo to 639 bytes, and returns it uncut and unchanged', async () => {
    for (const memo of [
      'm'.repeat(639),
      'ü'.repeat(319),
      '😀'.repeat(159),
      'line\nbreak\t"quoted"\\ \u202e',
      '\ufeffmark',
      "'; DROP TABLE invoice; --",
    ]) {
      const made = await invoice({ memo });
      expect(made.body).toMatchObject({ memo });
      expect((await client.get(`/v1/lntx/${made.body.id}`)).memo).toBe(memo);
    }
    for (const memo of ['m'.repeat(640), 'ü'.repeat(320), '😀'.repeat(160), 'a\u0000b', '"\\ud800"', '"\\udc00x"']) {
      const text = memo.startsWith('"') ? memo : JSON.stringify(memo);
      expectInvalid(await invoice(`{"memo":${text}}`), 'memo');
      expectInvalid(await post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, `{"num_satoshis":1,"memo":${text}}`), 'memo');
    }
    for (const memo of [5, true, ['a'], { a: 1 }]) expectInvalid(await invoice({ memo }), 'memo');
  });

  it('limits a user_label to 255 characters', async () => {
    for (const user_label of ['l'.repeat(255), 'ü'.repeat(255), '<script>alert(1)</script>']) {
      expect((await post('/v1/wallet', { user_label })).body).toMatchObject({ user_label });
    }
    for (const text of [JSON.stringify('l'.repeat(256)), '"a\\u0000"', '"\\ud83d"', '5', '{}']) {
      expectInvalid(await post('/v1/wallet', `{"user_label":${text}}`), 'user_label');
    }
    expectInvalid(await post('/v1/wallet', { ln_node_id: 'lnd_other' }), 'ln_node_id');
  });

  it('limits passThru to 4 kB', async () => {
    const sized = (bytes: number) => ({ a: 'x'.repeat(bytes - '{"a":""}'.length) });
    const made = await invoice({ passThru: sized(4096) });
    expect((await client.get(`/v1/lntx/${made.body.id}`)).passThru).toEqual(sized(4096));
    expectInvalid(await invoice({ passThru: sized(4097) }), 'passThru');
    expectInvalid(await keysend({ passThru: sized(4097) }), 'passThru');
    // Invalid text is returned unchanged because it is stored as JSON.
    const odd = await invoice('{"passThru":{"nul":"\\u0000","lone":"\\ud800"}}');
    expect((await client.get(`/v1/lntx/${odd.body.id}`)).passThru).toEqual({ nul: '\u0000', lone: '\ud800' });
    await untouched();
  });

  it('accepts up to 64 custom_records with application TLV types and 1,100 bytes', async () => {
    const bad: object[] = ['1', '65535', '0', '-65536', '065536', 'abc', '65536.5', '1e9', '99999999999999999999', ' 65536', ''].map(
      (type) => ({ [type]: 'x' }),
    );
    for (const custom_records of [
      ...bad,
      { '5482373484': 'x' },
      { '65536': 'x'.repeat(1101) },
      { '65536': 'ü'.repeat(551) },
      { '65536': 'x'.repeat(600), '65537': 'x'.repeat(501) },
      Object.fromEntries(Array.from({ length: 65 }, (_, i) => [String(65_536 + i), ''])),
    ]) {
      expectInvalid(await keysend({ custom_records }), 'custom_records');
    }
    for (const text of ['[]', '5', '"x"', '{"65536":"\\ud800"}']) {
      expectInvalid(
        await post(`/v1/wallet/${wallet.id}/keysend`, `{"dest_pubkey":"${alice}","num_satoshis":1,"custom_records":${text}}`),
        'custom_records',
      );
    }
    await untouched();
    const custom_records = { '65536': 'x'.repeat(1093), '9007199254740991': 'a\u0000ü' };
    const sent = await keysend({ custom_records });
    expect(sent.body.lnTx.custom_records).toMatchObject(custom_records);
    await post(`/playground/fund`, { wallet_id: wallet.id, num_satoshis: 1 });
    await untouched();
  });

  it('accepts only a valid public key of another node for a keysend', async () => {
    const { nodes } = await client.get('/playground');
    const ours = nodes.find(({ name }: Json) => name === 'hub').pubkey;
    // No point of the curve has x = 5.
    const offCurve = `02${'5'.padStart(64, '0')}`;
    for (const dest_pubkey of [
      ours,
      ours.toUpperCase(),
      offCurve,
      alice.slice(2),
      `${alice}00`,
      alice.slice(0, -1),
      `04${alice.slice(2)}`,
      `0x${alice}`,
      'alice',
      `02${'g'.repeat(64)}`,
      `02${'0'.repeat(64)}`,
      `02${'f'.repeat(64)}`,
    ]) {
      expectInvalid(await keysend({ dest_pubkey }), 'dest_pubkey');
    }
    await untouched();
  });

  it('accepts a description_hash of 32 bytes in hex or in base64', async () => {
    const bytes = createHash('sha256').update('a long description').digest();
    for (const description_hash of [
      bytes.toString('hex'),
      bytes.toString('hex').toUpperCase(),
      bytes.toString('base64'),
      bytes.toString('base64url'),
    ]) {
      const made = await invoice({ description_hash, memo: 'kept' });
      expect(made.body).toMatchObject({ description_hash: bytes.toString('hex'), memo: 'kept' });
    }
    for (const description_hash of [
      bytes.toString('hex').slice(1),
      `${bytes.toString('hex')}0`,
      'g'.repeat(64),
      bytes.subarray(1).toString('base64'),
      `${bytes.toString('base64').slice(0, 42)}!=`,
      5,
    ]) {
      expectInvalid(await invoice({ description_hash }), 'description_hash');
    }
  });

  it('limits an expiry to between a minute and a year', async () => {
    for (const expiry of [60, 31_536_000, '3600']) expect((await invoice({ expiry })).body).toMatchObject({ expiry: Number(expiry) });
    for (const expiry of [59, -1, 1.5, 31_536_001, '1e3', true]) expectInvalid(await invoice({ expiry }), 'expiry');
    for (const uses of [0, -1, 1.5, 1_000_001, 'x']) {
      expectInvalid(await post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 1, uses }), 'uses');
    }
  });
});

const INJECTIONS: readonly string[] = [
  "'",
  "' OR '1'='1",
  '"; DROP TABLE wallet; --',
  '\\',
  '$1',
  '%',
  '_',
  '\u0000',
  'wal_\u0000',
  'waka_\u0000',
  'lntx_\u0000',
  '../',
  '../../v1/wallets',
  '..%2f..%2fetc%2fpasswd',
  '%00',
  '%2500',
  '\r\nX-Injected: 1',
  '<script>',
  'ünïcödé',
  '😀',
  '__proto__',
  'constructor',
  'wal_',
  'waka_',
  '_',
  'null',
  'undefined',
  '[object Object]',
  '{}',
  `wal_${'a'.repeat(10_000)}`,
  `waka_${'a'.repeat(10_000)}`,
  'x'.repeat(10_000),
];

onFakeNode('A5: injection', ({ client }) => {
  const shown = (text: string) => JSON.stringify(text.length > 40 ? `${text.slice(0, 20)}… (${text.length})` : text);

  function expectClientError(response: HttpResponse): void {
    expect([400, 404]).toContain(response.status);
    expect(response.body).toMatchObject({ status: response.status, code: 0, type: expect.any(String), request_id: expect.any(String) });
    expect(response.headers.has('x-injected')).toBe(false);
  }

  it.each(INJECTIONS.map((text) => [shown(text), text]))('rejects %s in every id (400 or 404)', async (_shown, text) => {
    const key = client.secretKey;
    const id = encodeURIComponent(text);
    const wallet = await client.wallet();
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 1 });
    const requests: [method: string, path: string, json?: unknown][] = [
      ['GET', `/v1/wallet/${id}`],
      ['GET', `/v1/user/wallet/${id}/transactions`],
      ['POST', `/v1/wallet/${id}/invoice`, {}],
      ['POST', `/v1/wallet/${id}/withdraw`, { payment_request }],
      ['GET', `/v1/wallet/${id}/lnurl/withdraw`],
      ['GET', `/v1/lntx/${id}`],
      ['POST', `/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: text, num_satoshis: 1 }],
      ['POST', `/v1/wallet/${wallet.id}/withdraw`, { payment_request: text }],
      ['POST', `/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: text, num_satoshis: 1 }],
      ['POST', '/playground/fund', { wallet_id: text, num_satoshis: 1 }],
      ['POST', `/playground/hold/${id}`, { action: 'settle' }],
    ];
    for (const [method, path, json] of requests) expectClientError(await client.request(method, path, { key, json }));
  });

  it.each(INJECTIONS.map((text) => [shown(text), text]))(
    'rejects %s as a key with a 401, and as a token with an LNURL error',
    async (_shown, text) => {
      const id = encodeURIComponent(text);
      expect((await client.request('GET', `/v1/wallets?access-token=${id}`)).status).toBe(401);
      const authorization = `Basic ${Buffer.from(`${text}:`).toString('base64')}`;
      if (authorization.length < 12_000)
        expect((await client.request('GET', '/v1/wallets', { headers: { authorization } })).status).toBe(401);
      const wallet = await client.wallet(100);
      const { ott } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 10 });
      for (const path of [
        `/v1/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=${id}`,
        `/v1/wallet/${id}/lnurl-process?ott=${ott}`,
        `/v1/user/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=${ott}&k1=${id}`,
        `/v1/user/wallet/${wallet.lnurlWithdraw}/lnurl-process?ott=${ott}&pr=${id}`,
      ]) {
        const response = await client.request('GET', path);
        expect([response.status, response.body]).toEqual([200, { status: 'ERROR', reason: expect.any(String) }]);
      }
      expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 100, pending_msat: 0 });
    },
  );

  it('returns a response to raw bytes in a path', async () => {
    for (const path of [
      '/v1/wallet/%00',
      '/v1/wallet/%ff',
      '/v1/wallet/%',
      '/v1/lntx/%c3%28',
      '/v1/wallet/..%2f..%2f',
      '/v1/wallet/;a=b',
    ]) {
      expectClientError(await client.request('GET', path, { key: client.secretKey }));
    }
    expect((await client.request('GET', '/healthz')).status).toBe(200);
  });
});

onFakeNode('invoices that must not be paid', ({ client }) => {
  let payer: TestWallet;
  const hash = () => createHash('sha256').update(randomBytes(32)).digest('hex');
  const now = () => Math.floor(Date.now() / 1000);

  beforeAll(async () => {
    payer = await client.wallet(1000);
  });

  /** A well-formed invoice of an unknown node, with the changes of a test. */
  function strange(change: Partial<Bolt11Draft> = {}): string {
    const fields = ordinaryFields({ paymentHash: hash(), paymentSecret: hash(), description: 'x' });
    return encodeBolt11({ network: 'regtest', amountMsat: 10_000, timestamp: now(), fields, privateKey: SPEC_PRIVATE_KEY, ...change });
  }

  const withdraw = (json: object) => client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: client.secretKey, json });

  /** Expects that payments and claims reject the invoice, and change nothing. */
  async function expectRefused(payment_request: string, type: string): Promise<void> {
    const before = await client.get(`/v1/wallet/${payer.id}`);
    expect((await withdraw({ payment_request })).body).toMatchObject({ status: 400, type });
    const { url } = await client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis: 100 });
    const claimed = await client.request('GET', `${url.slice(client.url.length)}&pr=${encodeURIComponent(payment_request)}`);
    expect([claimed.status, claimed.body]).toEqual([200, { status: 'ERROR', reason: expect.any(String) }]);
    expect((await client.request('GET', url.slice(client.url.length))).body).toMatchObject({ tag: 'withdrawRequest' });
    expect(await client.get(`/v1/wallet/${payer.id}`)).toEqual(before);
  }

  it('I3: returns different errors for an expired invoice, one of another network and one already paid', async () => {
    await expectRefused(strange({ timestamp: now() - 3601 }), 'invoice_expired');
    await expectRefused(strange({ network: 'bitcoin' }), 'invoice_wrong_network');
    await expectRefused(strange({ network: 'testnet' }), 'invoice_wrong_network');
    await expectRefused(strange({ network: 'signet' }), 'invoice_wrong_network');
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 10 });
    const other = await client.wallet(100);
    await client.post(`/v1/wallet/${other.id}/withdraw`, { payment_request });
    await expectRefused(payment_request, 'invoice_paid');
    const own = await client.post(`/v1/wallet/${payer.id}/invoice`, { num_satoshis: 10 });
    await expectRefused(own.payment_request, 'own_invoice');
  });

  it('I3: requires an amount for an amountless invoice, and rejects another amount for any other invoice', async () => {
    const open = await client.post('/playground/invoice', { memo: 'any' });
    await expectRefused(open.payment_request, 'invoice_amount_missing');
    const paid = await withdraw({ payment_request: open.payment_request, num_satoshis: 3 });
    expect(paid.body).toMatchObject({ num_satoshis: -3, lnTx: { num_satoshis: 3, settled: 1, memo: 'any' } });
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 10 });
    for (const num_satoshis of [9, 11]) {
      expect((await withdraw({ payment_request, num_satoshis })).body).toMatchObject({ status: 400, type: 'invoice_amount_fixed' });
    }
    expect((await withdraw({ payment_request, num_satoshis: 10 })).body).toMatchObject({ num_satoshis: -10 });
  });

  it('I3: treats upper case, `lightning:` and surrounding space as the same invoice', async () => {
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 2 });
    const ids: string[] = [];
    const upper = payment_request.toUpperCase();
    for (const text of [upper, `lightning:${payment_request}`, `LIGHTNING:${upper}`, ` ${payment_request}\n`, payment_request]) {
      const paid = await withdraw({ payment_request: text });
      expect(paid.status).toBe(201);
      ids.push(paid.body.id);
    }
    expect(new Set(ids).size).toBe(1);
    const mixed = payment_request.slice(0, 20) + payment_request.slice(20).toUpperCase();
    await expectRefused(mixed, 'invoice_undecodable');
  });

  it('I1: rejects two payment hashes, and fields of the wrong length', async () => {
    const ordinary = ordinaryFields({ paymentHash: hash(), paymentSecret: hash(), description: 'x' });
    const [p, s, d] = ordinary as [Bolt11Field, Bolt11Field, Bolt11Field];
    const short = (field: Bolt11Field): Bolt11Field => [field[0], (field[1] as Uint8Array).slice(1)];
    const h: Bolt11Field = ['h', randomBytes(32)];
    const wrong: Record<string, Bolt11Field[]> = {
      'two p': [p, ['p', randomBytes(32)], s, d],
      'the same p twice': [p, p, s, d],
      'two s': [p, s, s, d],
      'd and h': [p, s, d, h],
      'short p': [short(p), s, d],
      'short p beside a right one': [short(p), p, s, d],
      'short s': [p, short(s), d],
      'short h': [p, s, short(h)],
      'no p': [s, d],
      'no s': [p, d],
      'neither d nor h': [p, s],
      'short n': [p, s, d, ['n', randomBytes(32)]],
      'a required feature that nobody knows': [p, s, d, ['9', featureWords([8, 14, 100])]],
    };
    for (const fields of Object.values(wrong)) await expectRefused(strange({ fields }), 'invoice_undecodable');
  });

  it('rejects text that is not an invoice', async () => {
    const good = strange();
    const broken = [
      'lnbcrt',
      'lnbcrt1',
      'x',
      good.slice(0, -1),
      `${good}q`,
      good.replace('lnbcrt', 'lnbc'),
      'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080',
      good.repeat(20),
    ];
    for (const text of broken) await expectRefused(text, 'invoice_undecodable');
    await expectRefused('lnurl1dp68gurn8ghj7', 'lnurl_invalid');
    await expectRefused(strange({ amountText: '1x' }), 'invoice_undecodable');
    await expectRefused(strange({ amountText: '0' }), 'invoice_undecodable');
    await expectRefused(strange({ amountText: '1p' }), 'invoice_undecodable');
    await expectRefused(strange({ amountText: '99999999999999999999' }), 'invoice_undecodable');
    await expectRefused(strange({ signature: new Uint8Array(65) }), 'invoice_undecodable');
  });

  it('I2: never settles a forgery with a local payment hash internally', async () => {
    const payee = await client.wallet();
    const { payment_request, r_hash_decoded, id } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 50 });
    const flipFirstBit = (words: number[]) => words.with(6, (words[6] ?? 0) ^ 1);
    const fields = ordinaryFields({ paymentHash: r_hash_decoded, paymentSecret: hash(), description: 'x' });
    // When the invoice names its signer, a changed invoice no longer matches its signature.
    const named = strange({ fields: [...fields, ['n', Buffer.from(SPEC_PAYEE, 'hex')]], amountMsat: 50_000 });
    await expectRefused(forgeAmount(named, 1000), 'invoice_undecodable');
    await expectRefused(forgeAmount(named, 51_000), 'invoice_undecodable');
    await expectRefused(forgeWords(named, flipFirstBit), 'invoice_undecodable');
    // Without a named signer, the old signature is valid for another key.
    await expectRefused(forgeAmount(payment_request, 1000), 'invoice_mismatch');
    await expectRefused(forgeAmount(payment_request, 51_000), 'invoice_mismatch');
    await expectRefused(forgeWords(payment_request, flipFirstBit), 'invoice_mismatch');
    await expectRefused(strange({ fields, amountMsat: 1000 }), 'invoice_mismatch');
    await expectRefused(strange({ fields, amountMsat: 50_000 }), 'invoice_mismatch');
    expect(await client.get(`/v1/lntx/${id}`)).toMatchObject({ settled: 0, num_satoshis: 50 });
    expect((await client.get(`/v1/wallet/${payee.id}`)).balance).toBe(0);
  });
});
