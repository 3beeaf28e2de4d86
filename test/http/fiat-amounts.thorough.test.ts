import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { RemoteService } from '../lnurl/payee.ts';
import { visit } from '../lnurl/strict-payer.ts';
import { makeStale, RateSource, setPrices, stall } from '../rates/rate-source.ts';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';

const source = await RateSource.start('50000');
afterAll(() => source.close());

const SETTINGS = {
  ...source.settings('EUR,JPY'),
  PAYMENT_WAIT_SECONDS: '20',
};
const FIELDS = ['amount', 'currency', 'rate', 'rate_at', 'rate_source'];

onFakeNode(
  'amounts in a currency',
  (service, dialect) => {
    const { client, net, rows, problems } = service;
    const setPrice = (eur: string) => setPrices(client, source, { EUR: eur, JPY: '7000000' });
    const send = (path: string, json: Json, key?: string) =>
      client.request('POST', path, { key: client.secretKey, json, ...(key !== undefined && { headers: { 'idempotency-key': key } }) });
    const fiatOf = (object: Json) => Object.fromEntries(FIELDS.map((name) => [name, object[name]]));
    const EUR_RATE = { currency: 'EUR', rate: '50000', rate_at: expect.any(Number), rate_source: source.host };
    let payer = '';
    let payee = '';
    let alice = '';
    const other = RemoteService.ofSuite();

    beforeAll(async () => {
      payer = (await client.wallet(1_000_000)).id;
      payee = (await client.wallet(10_000)).id;
      alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    });

    beforeEach(() => setPrice('50000'));

    it('are converted for an invoice, up to the next satoshi, and stored with the rate', async () => {
      const { status, body } = await send(`/v1/wallet/${payee}/invoice`, { amount: '12.34', currency: 'EUR', memo: 'coffee' });
      expect(status).toBe(201);
      const fiat = { amount: '12.34', ...EUR_RATE };
      expect(body).toMatchObject({ num_satoshis: 24_680, num_msat: 24_680_000, ...fiat });
      // 0.01 / 50000 BTC are exactly 20 satoshis; 100 yen are 1428.57…
      expect((await send(`/v1/wallet/${payee}/invoice`, { amount: '0.01', currency: 'EUR' })).body.num_msat).toBe(20_000);
      expect((await send(`/v1/wallet/${payee}/invoice`, { amount: '100', currency: 'JPY' })).body.num_msat).toBe(1_429_000);
      const stored = await client.get(`/v1/lntx/${body.id}`);
      expect(fiatOf(stored)).toEqual(fiatOf(body));
      expect((await client.get(`/v1/wallet/${payee}/transactions?status=open`))[2]).toMatchObject({
        num_satoshis: 24_680,
        ...fiat,
        lnTx: fiat,
      });
      expect(Math.abs(stored.rate_at - Date.now() / 1000)).toBeLessThan(3600);
    });

    it('are absent from objects whose amount was not requested in a currency', async () => {
      const { body } = await send(`/v1/wallet/${payee}/invoice`, { num_satoshis: 5 });
      for (const name of FIELDS) expect(body).not.toHaveProperty(name);
      const paid = await client.post(`/v1/wallet/${payer}/withdraw`, { payment_request: body.payment_request });
      for (const name of FIELDS) expect([paid, paid.lnTx].some((object) => name in object)).toBe(false);
    });

    it('are paid for an invoice without an amount', async () => {
      const { paymentRequest } = net.outside.invoice({});
      const order = { payment_request: paymentRequest, amount: '1.00', currency: 'EUR', fee_limit_msat: 0 };
      const { status, body } = await send(`/v1/wallet/${payer}/withdraw`, order);
      expect(status).toBe(201);
      const fiat = { amount: '1.00', ...EUR_RATE };
      expect(body).toMatchObject({ num_msat: -2_000_000, status: 'settled', ...fiat, lnTx: { num_msat: 2_000_000, ...fiat } });
      expect(await client.get(`/v1/lntx/${body.lnTx.id}`)).toMatchObject(fiat);
      // The same request again, without an Idempotency-Key, is the same payment, also at another rate.
      await setPrice('51000');
      const again = await send(`/v1/wallet/${payer}/withdraw`, order);
      expect([again.status, again.body.id, again.body.num_msat]).toEqual([201, body.id, -2_000_000]);
      expect((await send(`/v1/wallet/${payer}/withdraw`, { ...order, amount: '1.01' })).body).toMatchObject({
        status: 400,
        type: 'invoice_mismatch',
      });
      expect(await problems()).toEqual([]);
    });

    it('are moved by a transfer, and both sides have them', async () => {
      const key = randomUUID();
      const order = { dest_wallet_id: payee, amount: '2.5', currency: 'EUR' };
      const before = await client.get(`/v1/wallet/${payee}`);
      const { status, body } = await send(`/v1/wallet/${payer}/transfer`, order, key);
      expect(status).toBe(201);
      const fiat = { amount: '2.5', ...EUR_RATE };
      expect(body.wtx_transfer_out).toMatchObject({ num_msat: -5_000_000, ...fiat });
      expect(body.wtx_transfer_in).toMatchObject({ num_msat: 5_000_000, ...fiat });
      expect((await client.get(`/v1/wallet/${payee}/transactions?per-page=1`))[0]).toMatchObject({ num_msat: 5_000_000, ...fiat });
      await makeStale(service, source);
      const again = await send(`/v1/wallet/${payer}/transfer`, order, key);
      expect([again.status, again.headers.get('idempotency-replayed'), again.body]).toEqual([201, 'true', body]);
      expect((await client.get(`/v1/wallet/${payee}`)).balance).toBe(before.balance + 5000);
      expect(await problems()).toEqual([]);
    });

    it('are sent by a keysend, which states them in its transactions', async () => {
      const key = randomUUID();
      const order = { dest_pubkey: alice, amount: '0.50', currency: 'EUR', fee_limit_msat: 0 };
      const { status, body } = await send(`/v1/wallet/${payer}/keysend`, order, key);
      const fiat = { amount: '0.50', ...EUR_RATE };
      expect([status, body]).toEqual([201, expect.objectContaining({ num_msat: -1_000_000, ...fiat })]);
      expect(await client.get(`/v1/lntx/${body.lnTx.id}`)).toMatchObject({ num_msat: 1_000_000, ...fiat });
      await setPrice('51000');
      expect((await send(`/v1/wallet/${payer}/keysend`, order, key)).body).toEqual(body);
      expect(await problems()).toEqual([]);
    });

    it('are moved by each line of a bulk transfer, at one rate', async () => {
      const lines = [
        { dest_wallet_id: payee, amount: '0.01', currency: 'EUR' },
        { dest_wallet_id: payee, amount: '100', currency: 'JPY' },
        { dest_wallet_id: payee, num_satoshis: 3 },
      ];
      const { status, body } = await send(`/v1/wallet/${payer}/transfers`, { lines }, randomUUID());
      expect([status, body.num_msat]).toEqual([201, 20_000 + 1_429_000 + 3000]);
      const booked: Json[] = await client.get(`/v1/wallet/${payee}/transactions?per-page=3`);
      expect(booked.map(({ num_msat, amount, currency, rate }) => [num_msat, amount, currency, rate]).reverse()).toEqual([
        [20_000, '0.01', 'EUR', '50000'],
        [1_429_000, '100', 'JPY', '7000000'],
        [3000, undefined, undefined, undefined],
      ]);
      const wrong = await send(`/v1/wallet/${payer}/transfers`, { lines: [lines[0], { ...lines[0], amount: '0.001' }] }, randomUUID());
      expect(wrong.body.message).toContain('`lines[1].amount` must have at most 2 decimals');
      expect(await problems()).toEqual([]);
    });

    it('are converted when a payout is ordered, and stored with its lines and their payments', async () => {
      const { paymentRequest } = net.outside.invoice({});
      const lines = [
        { destination: payee, amount: '0.02', currency: 'EUR' },
        { destination: paymentRequest, amount: '0.03', currency: 'EUR', fee_limit_msat: 0 },
      ];
      const { status, body } = await send(`/v1/wallet/${payer}/payouts`, { lines }, randomUUID());
      expect([status, body.num_msat]).toEqual([201, 100_000]);
      await setPrice('51000');
      const read = () => client.get(`/v1/wallet/${payer}/payouts/${body.id}`);
      await expect.poll(async () => (await read()).num_paid).toBe(2);
      const done = await read();
      const [first, second] = [0.02, 0.03].map((amount) => ({ amount: String(amount), ...EUR_RATE }));
      expect(done.lines).toMatchObject([first, second]);
      for (const line of done.lines)
        expect(await client.get(`/v1/wallet-transactions/${line.wtx_id}`)).toMatchObject({ num_msat: -line.num_msat, ...fiatOf(line) });
      const report = await client.request('GET', `/v1/wallet/${payer}/payouts/${body.id}/report`, { key: client.secretKey });
      const row = /,0.02,EUR,50000,\d+,127\.0\.0\.1:\d+$/;
      // The last column is for a comment that was not sent.
      expect(report.text.split('\r\n')[1]?.replace(/,$/, '')).toMatch(row);
      const statement = await client.request('GET', `/v1/wallet/${payee}/statement`, { key: client.secretKey });
      expect(statement.text.trim().split('\r\n').at(-1)).toMatch(row);
      expect(await problems()).toEqual([]);
    });

    it('limit a withdraw link, which keeps its rate and gives it to the claim of the whole amount', async () => {
      const create = (json: Json) => send(`/v1/wallet/${payer}/lnurl/withdraw`, { fee_limit_msat: 0, ...json });
      const fiat = { amount: '0.04', ...EUR_RATE };
      const { status, body } = await create({ amount: '0.04', currency: 'EUR', uses: 2 });
      expect([status, body]).toEqual([201, expect.objectContaining({ num_satoshis: 80, num_msat: 80_000, ...fiat })]);
      await setPrice('51000');
      expect(await client.get(`/v1/wallet/${payer}/lnurl/withdraws/${body.id}`)).toMatchObject({ num_msat: 80_000, ...fiat });
      const byGet = await client.get(`/v1/wallet/${payer}/lnurl/withdraw?amount=0.04&currency=EUR&fee_limit_msat=0`);
      expect(byGet).toMatchObject({ num_satoshis: 79, amount: '0.04', rate: '51000' });
      const plain = await create({ num_satoshis: 5 });
      for (const name of FIELDS) expect(plain.body).not.toHaveProperty(name);

      const { callback, k1 } = await visit(body.url);
      const claim = async (amountMsat: number): Promise<Json> => {
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat });
        expect(await visit(`${callback}&${new URLSearchParams({ k1, pr: paymentRequest })}`)).toEqual({ status: 'OK' });
        const find = () => client.get(`/v1/wallet/${payer}/transactions?payment_hash=${paymentHash}`);
        await expect.poll(find).toHaveLength(1);
        return (await find())[0];
      };
      expect(await claim(80_000)).toMatchObject({ num_msat: -80_000, ...fiat });
      const part = await claim(10_000);
      for (const name of FIELDS) expect(part).not.toHaveProperty(name);
      expect((await create({ num_satoshis: 5, amount: '1', currency: 'EUR' })).body.message).toContain('not both');
      await expect(service.execute('UPDATE withdraw_link SET max_msat = NULL WHERE fiat IS NOT NULL')).rejects.toThrow();
      expect(await problems()).toEqual([]);
    });

    it('are requested from a withdraw link of another service', async () => {
      const terms = { minWithdrawable: 1000, maxWithdrawable: 1_000_000, defaultDescription: 'voucher' };
      other.parameters = () => ({ tag: 'withdrawRequest', callback: `${other.url}/callback`, k1: '00', ...terms });
      other.callback = () => ({ status: 'OK' });
      const { status, body } = await send(`/v1/wallet/${payee}/lnurl/pull`, { lnurl: other.lnurl, amount: '0.05', currency: 'EUR' });
      expect([status, body]).toEqual([201, expect.objectContaining({ num_msat: 100_000, amount: '0.05', ...EUR_RATE })]);
    });

    it('are refused without a valid rate, and nothing is created, paid or stored', async () => {
      await stall(source);
      await makeStale(service, source);
      const counts = async () =>
        await rows(
          'SELECT (SELECT count(*) FROM invoice) AS i, (SELECT count(*) FROM payment) AS p, (SELECT count(*) FROM ledger_transfer) AS t, ' +
            '(SELECT count(*) FROM withdraw_link) AS w, (SELECT count(*) FROM payout) AS o',
        );
      const before = await counts();
      const price = { amount: '1', currency: 'EUR' };
      const { paymentRequest } = net.outside.invoice({});
      for (const [path, json] of [
        ['invoice', price],
        ['withdraw', { ...price, payment_request: paymentRequest }],
        ['withdraw', { ...price, payment_request: 'bob@pay.example.com' }],
        ['lnurlp/pay', { ...price, ln_address: 'bob@pay.example.com' }],
        ['transfer', { ...price, dest_wallet_id: payee }],
        ['keysend', { ...price, dest_pubkey: alice }],
        ['lnurl/withdraw', price],
        ['lnurl/withdraw-static', price],
        ['lnurl/pull', { ...price, lnurl: other.lnurl }],
        ['transfers', { lines: [{ ...price, dest_wallet_id: payee }] }],
        ['payouts', { lines: [{ ...price, destination: payee }] }],
      ] as const) {
        const { status, body } = await send(`/v1/wallet/${payer}/${path}`, json, randomUUID());
        expect([path, status, body.type]).toEqual([path, 503, 'rate_unavailable']);
        expect(body.message).toContain('There is no valid rate of EUR now. Nothing was created or paid.');
      }
      expect(await counts()).toEqual(before);
      // A retry with the same key after that is the first payment.
      const key = randomUUID();
      const order = { ...price, dest_wallet_id: payee };
      expect((await send(`/v1/wallet/${payer}/transfer`, order, key)).status).toBe(503);
      expect(await counts()).toEqual(before);
      await setPrice('50000');
      const [first, second] = [
        await send(`/v1/wallet/${payer}/transfer`, order, key),
        await send(`/v1/wallet/${payer}/transfer`, order, key),
      ];
      expect([first.status, second.headers.get('idempotency-replayed'), second.body]).toEqual([201, 'true', first.body]);
      expect(await problems()).toEqual([]);
    });

    it.each<[name: string, json: Json, message: string]>([
      ['a JSON number', { amount: 12.5 }, '`amount` must be a text'],
      ['too many decimals', { amount: '12.345' }, '`amount` must have at most 2 decimals: EUR has 2 minor digits.'],
      ['decimals of a currency without', { amount: '12.5', currency: 'JPY' }, '`amount` must have no decimals'],
      ['0', { amount: '0.00' }, '`amount` must be'],
      ['a negative amount', { amount: '-1' }, '`amount` must be'],
      ['an exponent', { amount: '1e3' }, '`amount` must be'],
      ['a comma', { amount: '1,5' }, '`amount` must be'],
      ['an empty amount', { amount: '' }, '`amount` and `currency` must be sent together'],
      ['more than all bitcoins', { amount: '999999999999999' }, '`amount` must be worth at most'],
      ['a currency that is not configured', { currency: 'USD' }, '`currency` must be one of EUR, JPY.'],
      ['an unknown currency', { currency: 'ABC' }, '`currency` must be an ISO 4217 code'],
      ['a lower-case currency', { currency: 'eur' }, '`currency` must be'],
      ['no currency', { currency: null }, '`amount` and `currency` must be sent together'],
      ['an amount in satoshis, too', { num_satoshis: 5 }, 'Send either `num_satoshis` or `amount`, not both.'],
      ['an amount in millisatoshis, too', { num_msat: 5 }, 'Send either `num_msat` or `amount`, not both.'],
    ])('are refused for %s', async (_name, json, message) => {
      const { body } = await send(`/v1/wallet/${payee}/invoice`, { amount: '1', currency: 'EUR', ...json });
      expect(body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringContaining(message) });
    });

    it('use a changed rate for the next request, and leave what exists unchanged', async () => {
      const { body } = await send(`/v1/wallet/${payee}/invoice`, { amount: '10', currency: 'EUR' });
      await setPrice('40000');
      const { body: next } = await send(`/v1/wallet/${payee}/invoice`, { amount: '10', currency: 'EUR' });
      expect([body.num_satoshis, next.num_satoshis, next.rate]).toEqual([20_000, 25_000, '40000']);
      expect(await client.get(`/v1/lntx/${body.id}`)).toMatchObject({ num_satoshis: 20_000, rate: '50000' });
    });

    it('are shown in the currency that an account has chosen', async () => {
      const change = (json: Json, key = client.secretKey) => client.request('PATCH', '/v1/account', { key, json });
      expect((await client.get('/v1/account')).currency).toBeNull();
      expect((await change({ currency: 'JPY' })).body).toMatchObject({ currency: 'JPY', role: 'operator' });
      expect((await client.get('/v1/account')).currency).toBe('JPY');
      expect((await service.neighbour.get('/v1/account')).currency).toBeNull();
      for (const currency of ['USD', 'ABC', 'jpy', 5]) expect((await change({ currency })).status).toBe(400);
      expect((await change({})).status).toBe(400);
      const { admin } = await client.wallet();
      for (const key of [admin, client.publicKey]) expect((await change({ currency: 'EUR' }, key)).status).toBe(403);
      expect((await change({ currency: null })).body.currency).toBeNull();
    });

    if (dialect === 'postgres')
      it('have the same rate on all instances', async () => {
        const other = await service.another();
        const read = async (at: Client) => (await at.get('/v1/rates')).map(({ currency, rate, status }: Json) => [currency, rate, status]);
        expect(await read(other)).toEqual(await read(client));
      });
  },
  SETTINGS,
  { ratesMs: 10, rateTimeoutMs: 200, payouts: { pollMs: 10, retryMs: 20 } },
);

onFakeNode('amounts in a currency without FIAT_RATES', ({ client }) => {
  it('are refused, with the remedy', async () => {
    const { id } = await client.wallet();
    const json = { amount: '1', currency: 'EUR' };
    const { body } = await client.request('POST', `/v1/wallet/${id}/invoice`, { key: client.secretKey, json });
    expect(body).toMatchObject({
      status: 400,
      message: expect.stringContaining('this service has no rates. Its operator can set FIAT_RATES.'),
    });
    expect(await client.get('/v1/rates')).toEqual([]);
  });
});
