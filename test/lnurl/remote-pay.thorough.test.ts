import { createCipheriv, createHash, randomBytes } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { encodeBolt11, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { hangUp, METADATA, RemoteService, type Reply, raw, redirect } from './payee.ts';

reloadModulesAfterFile();

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

interface InvoiceChanges {
  readonly amountMsat?: number | undefined;
  readonly hashed?: string;
  readonly preimage?: string;
  readonly hold?: boolean;
}

/** An invoice of an outside node for a callback's query. */
function invoiceFor({ net }: FakeNodeApp, query: URLSearchParams, changes: InvoiceChanges = {}): string {
  const { hashed = METADATA, ...rest } = changes;
  const amountMsat = 'amountMsat' in changes ? changes.amountMsat : Number(query.get('amount'));
  const order = { ...rest, descriptionHash: hashOf(hashed) };
  return net.outside.invoice(amountMsat === undefined ? { ...order, amountMsat: 0 } : { ...order, amountMsat }).paymentRequest;
}

const SETTINGS = { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '5' };

onFakeNode(
  'paying LNURLs and addresses',
  (app) => {
    const { client, net, problems } = app;
    const payee = RemoteService.ofSuite();
    let wallet: TestWallet;

    beforeEach(async () => {
      wallet ??= await client.wallet(100_000);
      payee.requests = [];
      payee.parameters = () => payee.payParameters();
      payee.callback = (query) => ({ pr: invoiceFor(app, query), routes: [] });
    });

    const post = (path: string, json: object, headers: Record<string, string> = {}, key = client.secretKey): Promise<HttpResponse> =>
      client.request('POST', `/v1/wallet/${wallet.id}${path}`, { key, json, headers });
    const pay = (json: object, headers: Record<string, string> = {}, key?: string) =>
      post('/lnurlp/pay', { ln_address: payee.address, amt_msat: 10_000, ...json }, headers, key);

    /** All that a payment could change. */
    async function moneyState(): Promise<Json> {
      const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
      const rows = await client.get(`/v1/wallet/${wallet.id}/transactions?status=all&fields=id,status`);
      return { balance_msat, pending_msat, rows, sent: net.outside.payments().length };
    }

    /** Expects that a request is refused before anything is held. */
    async function expectRefused(run: () => Promise<HttpResponse>, type: string, message: RegExp = /./): Promise<void> {
      const before = await moneyState();
      const response = await run();
      expect(response.body).toMatchObject({ status: 400, type, message: expect.stringMatching(message) });
      expect(response.body).not.toHaveProperty('wtx_id');
      expect(await moneyState()).toEqual(before);
    }

    describe('a payment', () => {
      it('of an address pays exactly the amount, with the fee and what the payee shows', async () => {
        payee.callback = (query) => ({
          pr: invoiceFor(app, query),
          successAction: { tag: 'message', message: 'Thanks for the \u0007 coffee' },
        });
        const before = await client.get(`/v1/wallet/${wallet.id}`);
        const { status, body } = await pay({ amt_msat: 12_345, comment: 'hi & <b>bye</b>', passThru: { order: 17 } });
        expect(status).toBe(201);
        const passThru = { ln_address: payee.address, comment: 'hi & <b>bye</b>', order: 17 };
        expect(body).toMatchObject({
          num_msat: -12_345,
          user_label: 'Coffee for Bob',
          wtxType: { layer: 'ln', name: 'ln_lnurl_pay_outbound', display_name: 'LNURL Pay Outbound' },
          passThru,
          status: 'settled',
          lnTx: {
            settled: 1,
            description_hash: hashOf(METADATA),
            payment_preimage: expect.stringMatching(/^[0-9a-f]{64}$/),
            passThru,
            success_action: { tag: 'message', message: 'Thanks for the   coffee' },
          },
        });
        const { fee_msat } = body.lnTx;
        expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(before.balance_msat - 12_345 - fee_msat);
        expect(payee.requests).toEqual(['/.well-known/lnurlp/bob', '/cb?id=7&amount=12345&comment=hi%20%26%20%3Cb%3Ebye%3C%2Fb%3E']);
        const [read] = await client.get(`/v1/wallet/${wallet.id}/transactions?type=ln_lnurl_pay_outbound`);
        expect(read).toEqual({ ...body, wal: expect.anything() });
        expect(await problems()).toEqual([]);
      });

      it('has a passThru of at most 4 kB with the fields of the service', async () => {
        const comment = '\u{1f9d9}'.repeat(20);
        const sized = (own: object, bytes: number) => ({ ...own, fill: 'x'.repeat(bytes - JSON.stringify({ ...own, fill: '' }).length) });
        const added = { ln_address: payee.address, comment };
        const room = 4096 - Buffer.byteLength(JSON.stringify(added)) + 1;
        const { status, body } = await pay({ amt_msat: 5000, comment, passThru: sized({ order: 1 }, room) });
        expect([status, Buffer.byteLength(JSON.stringify(body.passThru))]).toEqual([201, 4096]);
        expect(body.passThru).toMatchObject({ ...added, order: 1 });
        const tooLong = () => pay({ amt_msat: 5000, comment, passThru: sized({ order: 1 }, room + 1) });
        await expectRefused(
          tooLong,
          'validation_failed',
          /^`passThru` with `ln_address` and `comment` must be at most 4096 bytes of JSON\.$/,
        );
        await expectRefused(
          () => pay({ amt_msat: 5000, passThru: { fill: 'x'.repeat(4080) } }),
          'validation_failed',
          /with `ln_address` must/,
        );
        const address = { payment_request: payee.address, num_satoshis: 5, passThru: { fill: 'x'.repeat(4080) } };
        const withdraw = () => client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: address });
        await expectRefused(withdraw, 'validation_failed', /with `ln_address` must/);
      });

      it('of an LNURL works in every form, also as a form of a published client', async () => {
        const url = `${payee.url}/link?id=1`;
        for (const lnurlpay_encoded of [payee.lnurl, `lightning:${payee.lnurl.toLowerCase()}`, url.replace('http:', 'lnurlp:')]) {
          const { status, body } = await pay({ ln_address: undefined, lnurlpay_encoded });
          expect([status, body.passThru]).toEqual([201, { lnurl_domain: payee.host }]);
        }
        const form = `lnurlpay_encoded=${payee.lnurl}&amt_msat=5000&comment=hi`;
        const { status, body } = await client.request('POST', `/v1/user/wallet/${wallet.admin}/lnurlp/pay`, {
          key: client.publicKey,
          form,
        });
        expect([status, body.num_msat]).toEqual([201, -5000]);
        expect(payee.requests.at(-1)).toBe('/cb?id=7&amount=5000&comment=hi');
      });

      it('of an address or an LNURL can be sent as a withdrawal', async () => {
        for (const payment_request of [payee.address, `lightning:${payee.lnurl}`]) {
          const { status, body } = await post('/withdraw', { payment_request, num_satoshis: 7 });
          expect([status, body.num_msat, body.wtxType.name]).toEqual([201, -7000, 'ln_lnurl_pay_outbound']);
        }
        await expectRefused(
          () => post('/withdraw', { payment_request: payee.address }),
          'validation_failed',
          /`num_satoshis` or `num_msat` must be given/,
        );
        await expectRefused(
          () => post('/withdraw', { payment_request: payee.address, num_satoshis: 6000 }),
          'validation_failed',
          /`num_satoshis` must be an amount from 1 sat to 5,000 sat/,
        );
      });

      it('L6: is of the exact amount in millisatoshis, or refused', async () => {
        for (const amt_msat of [1000, 1001, 4_999_999]) expect((await pay({ amt_msat })).body.num_msat).toBe(-amt_msat);
        for (const amt_msat of [999, 5_000_001])
          await expectRefused(() => pay({ amt_msat }), 'validation_failed', /`amt_msat` must be an amount from/);
        for (const amt_msat of [0, -1, 1.5, '1e4', null])
          await expectRefused(() => pay({ amt_msat }), 'validation_failed', /`amt_msat` must be/);
      });

      it('is made once per Idempotency-Key, and the payee is not called again', async () => {
        const headers = { 'idempotency-key': 'coffee-1' };
        const first = await pay({}, headers);
        const before = await moneyState();
        payee.requests = [];
        const again = await pay({}, headers);
        expect([again.status, again.body.id, again.headers.get('idempotency-replayed')]).toEqual([201, first.body.id, 'true']);
        expect((await pay({ amt_msat: 11_000 }, headers)).status).toBe(422);
        expect([payee.requests, await moneyState()]).toEqual([[], before]);
      });

      it('is made once by two requests with one Idempotency-Key at the same time', async () => {
        const headers = { 'idempotency-key': 'coffee-2' };
        const [one, two] = await Promise.all([pay({}, headers), pay({}, headers)]);
        expect([one.status, two.status, one.body.id]).toEqual([201, 201, two.body.id]);
        expect(payee.requests).toHaveLength(2);
      });

      it('that was refused can be repeated with the same Idempotency-Key', async () => {
        const headers = { 'idempotency-key': 'coffee-3' };
        payee.callback = () => ({ status: 'ERROR', reason: 'closed' });
        await expectRefused(() => pay({}, headers), 'lnurl_refused', /closed/);
        payee.callback = (query) => ({ pr: invoiceFor(app, query) });
        expect((await pay({}, headers)).status).toBe(201);
      });

      it('responds 202 with Prefer: respond-async, and shows the success action once it is settled', async () => {
        const preimage = randomBytes(32).toString('hex');
        payee.callback = (query) => ({
          pr: invoiceFor(app, query, { hold: true, preimage }),
          successAction: { tag: 'message', message: 'ok' },
        });
        const { status, body } = await pay({}, { prefer: 'respond-async' });
        expect([status, body.status, body.lnTx.success_action]).toEqual([202, 'pending', undefined]);
        const read = () => client.get(`/v1/lntx/${body.lnTx.id}`);
        expect(await read()).not.toHaveProperty('success_action');
        await client.decideHold(body.lnTx.r_hash_decoded, 'settle');
        await expect.poll(async () => (await read()).success_action).toEqual({ tag: 'message', message: 'ok' });
        const reduced = await client.request('GET', `/v1/lntx/${body.lnTx.id}`, { key: client.publicKey });
        expect([reduced.status, reduced.body.success_action, reduced.body.passThru]).toEqual([200, undefined, null]);
      });

      it('decrypts the success action with the preimage', async () => {
        const [preimage, iv] = [randomBytes(32), randomBytes(16)];
        const cipher = createCipheriv('aes-256-cbc', preimage, iv);
        const ciphertext = Buffer.concat([cipher.update('door 1234'), cipher.final()]).toString('base64');
        const successAction = { tag: 'aes', description: 'Your code', ciphertext, iv: iv.toString('base64') };
        payee.callback = (query) => ({ pr: invoiceFor(app, query, { preimage: preimage.toString('hex') }), successAction });
        const shown = { tag: 'aes', description: 'Your code', plaintext: 'door 1234' };
        expect((await pay({})).body.lnTx.success_action).toEqual(shown);
      });

      it('commits to the payer data that the payee asked for', async () => {
        payee.parameters = () => payee.payParameters({ payerData: { name: { mandatory: true }, email: { mandatory: false } } });
        payee.callback = (query) => ({ pr: invoiceFor(app, query, { hashed: METADATA + query.get('payerdata') }) });
        expect((await pay({ payer_data: { name: 'Zoë & "co"' } })).status).toBe(201);
        expect(payee.requests.at(-1)).toBe(`/cb?id=7&amount=10000&payerdata=${encodeURIComponent('{"name":"Zoë & \\"co\\""}')}`);
        await expectRefused(() => pay({}), 'validation_failed', /`payer_data` must contain `name`/);
        await expectRefused(() => pay({ payer_data: { name: 'a', pubkey: '02' } }), 'validation_failed', /must not contain `pubkey`/);
        await expectRefused(() => pay({ payer_data: { name: 'a', age: '17' } }), 'validation_failed', /must contain only/);
        await expectRefused(() => pay({ payer_data: { name: 'a\nb' } }), 'validation_failed', /`name` in `payer_data`/);
        payee.callback = (query) => ({ pr: invoiceFor(app, query) });
        await expectRefused(() => pay({ payer_data: { name: 'a' } }), 'lnurl_refused', /does not commit/);
      });

      it('of an invoice of another wallet of this service is internal and free', async () => {
        const other = await client.wallet();
        const invoice = async (num_satoshis: number, of: TestWallet) =>
          (await client.post(`/v1/wallet/${of.id}/invoice`, { num_satoshis, description_hash: hashOf(METADATA) })).payment_request;
        payee.callback = async (query) => ({ pr: await invoice(Number(query.get('amount')) / 1000, other) });
        const { status, body } = await pay({});
        expect([status, body.lnTx.fee_msat, (await client.get(`/v1/wallet/${other.id}`)).balance]).toEqual([201, 0, 10]);
        payee.callback = async (query) => ({ pr: await invoice(Number(query.get('amount')) / 1000, wallet) });
        await expectRefused(() => pay({}), 'own_invoice');
      });

      it('needs the permission, and counts against the limits of the key', async () => {
        for (const key of [wallet.invoice, wallet.read]) expect((await pay({}, {}, key)).status).toBe(403);
        expect(payee.requests).toEqual([]);
        const { key } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', max_payment_msat: 9000 });
        await expectRefused(() => pay({}, {}, key), 'payment_cap_exceeded');
        expect((await pay({ amt_msat: 9000 }, {}, key)).status).toBe(201);
      });

      it('L7: has a comment that the payee accepts', async () => {
        const accepted = await pay({ comment: '😀'.repeat(20) });
        expect([accepted.status, accepted.body.lnTx.passThru.comment]).toEqual([201, '😀'.repeat(20)]);
        await expectRefused(() => pay({ comment: 'a\u0007b' }), 'validation_failed', /control characters/);
      });

      it('names exactly one payee', async () => {
        await expectRefused(() => pay({ lnurlpay_encoded: payee.lnurl }), 'validation_failed', /either `lnurlpay_encoded` or `ln_address`/);
        await expectRefused(() => pay({ ln_address: undefined }), 'validation_failed', /either `lnurlpay_encoded` or `ln_address`/);
        await expectRefused(() => pay({ ln_address: `lnurlw://${payee.host}/x` }), 'lnurl_invalid', /lnurl\/pull/);
      });
    });

    describe('nothing is held when step 1 returns', () => {
      const refused: readonly (readonly [string, () => Reply, string, RegExp])[] = [
        ['no JSON', () => raw('<h1>hello</h1>'), 'lnurl_unavailable', /no valid response/],
        ['1 MB', () => payee.payParameters({ x: 'x'.repeat(1_000_000) }), 'lnurl_unavailable', /no valid response/],
        ['nothing', () => hangUp(), 'lnurl_unavailable', /no valid response/],
        ['a redirect to a private address', () => redirect('http://127.0.0.2/'), 'lnurl_unavailable', /no valid response/],
        ['a redirect to a file', () => redirect('file:///etc/passwd'), 'lnurl_unavailable', /no valid response/],
        ['an array', () => [], 'lnurl_refused', /not a JSON object/],
        ['nothing in it', () => ({}), 'lnurl_refused', /no known `tag`/],
        ['a withdraw link', () => payee.payParameters({ tag: 'withdrawRequest' }), 'lnurl_invalid', /lnurl\/pull/],
        ['a login', () => payee.payParameters({ tag: 'login' }), 'lnurl_invalid', /login link/],
        ['min above max', () => payee.payParameters({ minSendable: 2, maxSendable: 1 }), 'lnurl_refused', /above/],
        ['a negative amount', () => payee.payParameters({ minSendable: -1 }), 'lnurl_refused', /`minSendable`/],
        ['a fraction', () => payee.payParameters({ maxSendable: 5000.5 }), 'lnurl_refused', /`maxSendable`/],
        ['no metadata', () => payee.payParameters({ metadata: undefined }), 'lnurl_refused', /`metadata`/],
        ['a callback to a file', () => payee.payParameters({ callback: 'file:///etc/passwd' }), 'lnurl_refused', /`callback`/],
        ['a callback without TLS', () => payee.payParameters({ callback: 'http://9.9.9.9/cb' }), 'lnurl_refused', /`callback`.*https/],
        ['a private callback', () => payee.payParameters({ callback: 'https://127.0.0.2/cb' }), 'lnurl_unavailable', /no valid response/],
        ['an error', () => ({ status: 'ERROR', reason: 'a <b>b</b>\u0000\n<script>' }), 'lnurl_refused', /refused: “a b”/],
        ['a long error', () => ({ status: 'ERROR', reason: 'y'.repeat(5000) }), 'lnurl_refused', /“y{199}…”/],
      ];

      it.each(refused)('L1: %s', async (_, reply, type, message) => {
        payee.parameters = reply;
        await expectRefused(() => pay({}), type, message);
      });
    });

    describe('nothing is held when the invoice', () => {
      const draft = { timestamp: Math.floor(Date.now() / 1000), amountMsat: 10_000, privateKey: '11'.repeat(32) };
      const fields = ordinaryFields({ paymentHash: '22'.repeat(32), paymentSecret: '33'.repeat(32), description: '' }).filter(
        ([name]) => name !== 'd',
      );
      const hashed = [...fields, ['h', Buffer.from(hashOf(METADATA), 'hex')] as const];
      const made = (more: object = {}) => encodeBolt11({ network: 'regtest', ...draft, fields: hashed, ...more });
      const refused: readonly (readonly [string, (query: URLSearchParams) => Reply, RegExp])[] = [
        ['is for more', (query) => ({ pr: invoiceFor(app, query, { amountMsat: 10_001 }) }), /10001 msat instead of 10000/],
        ['is for less', (query) => ({ pr: invoiceFor(app, query, { amountMsat: 9_999 }) }), /9999 msat instead of 10000/],
        ['has no amount', (query) => ({ pr: invoiceFor(app, query, { amountMsat: undefined }) }), /no amount instead of 10000/],
        ['is of another network', () => ({ pr: made({ network: 'bitcoin' }) }), /another Bitcoin network/],
        ['has expired', () => ({ pr: made({ timestamp: draft.timestamp - 7200 }) }), /expired/],
        ['is malformed', () => ({ pr: made().slice(0, -1) }), /no valid BOLT11 invoice/],
        ['is a number', () => ({ pr: 17 }), /no invoice in `pr`/],
        ['is missing', () => ({}), /no invoice in `pr`/],
        [
          'comes with an error',
          (query) => ({ status: 'ERROR', reason: '', pr: invoiceFor(app, query) }),
          /refused\. This request paid nothing/,
        ],
        [
          'comes with a page of another domain',
          (query) => ({ pr: invoiceFor(app, query), successAction: { tag: 'url', description: 'x', url: 'http://127.0.0.2/' } }),
          /`successAction`/,
        ],
        [
          'comes with a secret that cannot be decrypted',
          (query) => ({ pr: invoiceFor(app, query), successAction: { tag: 'aes', description: 'x', ciphertext: 'AAAA', iv: 'AAAA' } }),
          /`successAction`/,
        ],
        [
          'comes with an unknown success action',
          (query) => ({ pr: invoiceFor(app, query), successAction: { tag: 'video', url: 'x' } }),
          /`successAction`/,
        ],
      ];

      it.each(refused)('L1: %s', async (_, reply, message) => {
        payee.callback = reply;
        await expectRefused(() => pay({}), 'lnurl_refused', message);
        expect(payee.requests).toHaveLength(2);
      });

      it.each([
        ['for the metadata alone', (query: URLSearchParams) => invoiceFor(app, query)],
        ['with a plain description', () => net.outside.invoice({ amountMsat: 10_000, memo: METADATA }).paymentRequest],
      ])('L1: does not commit to the payer data that was sent: %s', async (_, made) => {
        payee.parameters = () => payee.payParameters({ payerData: { name: { mandatory: false } } });
        payee.callback = (query) => ({ pr: made(query) });
        await expectRefused(() => pay({ payer_data: { name: 'Bob' } }), 'lnurl_refused', /does not commit to .* `payer_data`/);
      });

      it.each([
        ['is not JSON', () => raw('busy', 502)],
        ['never comes', () => hangUp()],
        ['is behind a redirect to a private address', () => redirect('https://10.0.0.1/')],
      ] as const)('L1: %s', async (_, reply) => {
        payee.callback = reply;
        await expectRefused(() => pay({}), 'lnurl_unavailable', /no valid response/);
      });

      it('was paid before, by this wallet or another', async () => {
        const pr = invoiceFor(app, new URLSearchParams('amount=10000'));
        payee.callback = () => ({ pr });
        const { body } = await pay({});
        await expectRefused(() => pay({}), 'invoice_paid', new RegExp(`already paid, with ${body.lnTx.id}`));
        const other = await client.wallet(1000);
        const json = { ln_address: payee.address, amt_msat: 10_000 };
        const response = await client.request('POST', `/v1/wallet/${other.id}/lnurlp/pay`, { key: client.secretKey, json });
        expect(response.body).toMatchObject({ status: 400, type: 'invoice_paid' });
        expect(response.text).not.toContain(body.lnTx.id);
        expect(await client.get(`/v1/wallet/${other.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
      });

      it('is returned to two requests at the same time: one pays it', async () => {
        const pr = invoiceFor(app, new URLSearchParams('amount=10000'));
        payee.callback = () => ({ pr });
        const before = await moneyState();
        const responses = await Promise.all([pay({}), pay({})]);
        expect(responses.map(({ status }) => status).sort()).toEqual([201, 400]);
        expect((await moneyState()).sent).toBe(before.sent + 1);
      });
    });

    describe('the service of a payee', () => {
      it.each([
        '10.0.0.1',
        '169.254.169.254',
        '127.0.0.2',
        '[::1]',
        '2130706434',
        '0x7f000002',
        '0177.0.0.2',
        'localhost',
        '[::ffff:127.0.0.2]',
        'nothing.invalid',
      ])('L2: at %s is never reached, with an error that does not tell why', async (host) => {
        const url = `https://${host}:8443/x`;
        for (const text of [`bob@${host}:8443`, encodeLnurl(url), url.replace('https', 'lnurlp')]) {
          const { body } = await pay({ ln_address: text });
          const expected = body.type === 'lnurl_invalid' ? /must begin with https/ : /could not be reached or gave no valid response/;
          expect(body).toMatchObject({ status: 400, message: expect.stringMatching(expected) });
        }
        expect(payee.requests).toEqual([]);
      });
    });

    describe('a probe', () => {
      const probe = (text: string, key = client.secretKey) =>
        client.request('GET', `/v1/lnurlp/probe/${encodeURIComponent(text)}`, { key });

      it('returns what the payee accepts, for every key', async () => {
        payee.parameters = () => payee.payParameters({ payerData: { name: { mandatory: true } }, x: '<script>' });
        const expected = {
          tag: 'payRequest',
          domain: payee.host,
          ln_address: payee.address,
          callback: `${payee.url}/cb?id=7`,
          minSendable: 1000,
          maxSendable: 5_000_000,
          commentAllowed: 20,
          payerData: { name: { mandatory: true } },
          metadata: { text: 'Coffee for Bob', identifier: 'bob@pay.example.com', long_desc: null, image: null },
        };
        for (const key of [client.secretKey, client.publicKey, wallet.read])
          expect((await probe(payee.address, key)).body).toEqual(expected);
        expect((await probe(payee.lnurl)).body).toEqual({ ...expected, ln_address: null });
        expect((await probe(payee.address, 'sak_unknown')).status).toBe(401);
      });

      it('refuses what cannot be paid', async () => {
        expect((await probe('bob')).body).toMatchObject({ status: 400, type: 'lnurl_invalid' });
        payee.parameters = () => ({ status: 'ERROR', reason: 'unknown user' });
        expect((await probe(payee.address)).body).toMatchObject({
          status: 400,
          type: 'lnurl_refused',
          message: expect.stringMatching(/unknown user/),
        });
      });
    });

    it('leaves the ledger correct', async () => {
      expect(await problems()).toEqual([]);
    });
  },
  SETTINGS,
);
