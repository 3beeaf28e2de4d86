import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeStale, RateSource, setPrices } from '../rates/rate-source.ts';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';

const source = await RateSource.start('50000');
afterAll(() => source.close());

const SETTINGS = {
  FIAT_RATES: source.entry,
  FIAT_CURRENCIES: 'EUR,JPY',
  FIAT_RATE_MAX_AGE_SECONDS: '86400',
  OUTBOUND_ALLOW: '127.0.0.1',
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

    beforeAll(async () => {
      payer = (await client.wallet(1_000_000)).id;
      payee = (await client.wallet(10_000)).id;
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

    it('are refused without a valid rate, and nothing is created, paid or stored', async () => {
      await makeStale(service, source);
      const counts = async () =>
        await rows(
          'SELECT (SELECT count(*) FROM invoice) AS i, (SELECT count(*) FROM payment) AS p, (SELECT count(*) FROM ledger_transfer) AS t',
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
      ] as const) {
        const { status, body } = await send(`/v1/wallet/${payer}/${path}`, json);
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
  { ratesMs: 10, rateTimeoutMs: 200 },
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
