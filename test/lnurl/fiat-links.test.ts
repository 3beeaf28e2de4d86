import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { makeStale, RateSource, setPrices, stall } from '../rates/rate-source.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { billFor, callBack, expectRefused, termsOf, visit } from './strict-payer.ts';

const source = await RateSource.start('50000');
afterAll(() => source.close());

const SETTINGS = {
  ...source.settings('EUR,JPY'),
  ADDRESS_RATE_LIMIT_PER_SECOND: '0',
};

onFakeNode(
  'a pay link in a currency',
  (service) => {
    const { client, rows, problems } = service;
    let wallet: TestWallet;
    const create = (fields: object): Promise<Json> => client.post(`/v1/wallet/${wallet.id}/lnurlp`, fields);
    const setPrice = (eur: string) => setPrices(client, source, { EUR: eur, JPY: '7000000' });

    beforeAll(async () => {
      wallet = await client.wallet();
    });
    beforeEach(() => setPrice('50000'));

    it('has limits that are converted when the payer asks', async () => {
      const link = await create({ currency: 'EUR', min_amount: '0.05', max_amount: '12.34' });
      expect(link).toMatchObject({ currency: 'EUR', min_amount: '0.05', max_amount: '12.34' });
      expect(await termsOf(link.url)).toMatchObject({ minSendable: 100_000, maxSendable: 24_680_000 });
      await setPrice('40000');
      expect(await termsOf(link.url)).toMatchObject({ minSendable: 125_000, maxSendable: 30_850_000 });
    });

    it('has one price, whose invoice has the amount, the currency and the rate', async () => {
      const link = await create({ currency: 'EUR', amount: '3.33' });
      expect(link).toMatchObject({ currency: 'EUR', min_amount: '3.33', max_amount: '3.33' });
      const terms = await termsOf(link.url);
      expect(terms).toMatchObject({ minSendable: 6_660_000, maxSendable: 6_660_000 });
      const { pr } = await billFor(terms, 6_660_000);
      await client.post('/playground/pay', { payment_request: pr });
      await expect
        .poll(async () => (await client.get(`/v1/wallet/${wallet.id}/transactions?per-page=1`))[0])
        .toMatchObject({ num_msat: 6_660_000, amount: '3.33', currency: 'EUR', rate: '50000', rate_source: source.host });
      for (const amount of [6_659_000, 6_660_001, 1000]) await expectRefused(callBack(terms, amount), /from 6660000 to 6660000/);
      expect(await problems()).toEqual([]);
    });

    it('accepts the amount of the rate before, because the payer may have seen that', async () => {
      const link = await create({ currency: 'EUR', amount: '10' });
      const terms = await termsOf(link.url);
      expect(terms.minSendable).toBe(20_000_000);
      const found = await rows('SELECT rate FROM market_rate');
      expect(found).toHaveLength(2);
      // The provider stalls from the next refresh on, so that none replaces these rates.
      source.behave = () => undefined;
      const before = source.requests;
      await expect.poll(() => source.requests).toBeGreaterThan(before);
      await service.execute(
        "UPDATE market_rate SET earlier_rate = rate, earlier_at = rate_at, earlier_source = rate_source, rate = '49000' WHERE currency = 'EUR'",
      );
      await expect.poll(async () => (await termsOf(link.url)).minSendable).toBe(20_409_000);
      await billFor(terms, 20_000_000);
    });

    it('cannot be paid without a valid rate, and its QR code stays', async () => {
      const link = await create({ currency: 'EUR', amount: '10' });
      const terms = await termsOf(link.url);
      await stall(source);
      await makeStale(service, source);
      const before = await rows('SELECT count(*) AS n FROM invoice');
      await expectRefused(visit(link.url), /no valid rate of EUR/);
      await expectRefused(callBack(terms, 20_000_000), /no valid rate of EUR/);
      expect(await rows('SELECT count(*) AS n FROM invoice')).toEqual(before);
      expect((await client.request('GET', `${new URL(link.url).pathname}/qr.svg`)).status).toBe(200);
    });

    it('gets other limits by a change, and those in millisatoshis back', async () => {
      const { id, url } = await create({ currency: 'EUR', amount: '10', lnurlp_minSendable_msat: 5000, lnurlp_maxSendable_msat: 6000 });
      const change = (fields: object): Promise<Json> => client.post(`/v1/lnurlp/${id}`, fields);
      await change({ user_label: 'tea' });
      expect(await termsOf(url)).toMatchObject({ minSendable: 20_000_000 });
      expect(await change({ currency: 'JPY', min_amount: '100', max_amount: '200' })).toMatchObject({ currency: 'JPY', min_amount: '100' });
      expect(await termsOf(url)).toMatchObject({ minSendable: 1_429_000, maxSendable: 2_858_000 });
      expect(await change({ currency: null })).toMatchObject({ currency: null, min_amount: null, max_amount: null });
      expect(await termsOf(url)).toMatchObject({ minSendable: 5000, maxSendable: 6000 });
    });

    it.each<[name: string, fields: Json, message: string]>([
      ['a currency alone', { currency: 'EUR' }, '`currency` must be sent with `amount`, or with `min_amount` and `max_amount`.'],
      ['amounts alone', { min_amount: '1', max_amount: '2' }, '`currency` must be sent with'],
      ['one limit', { currency: 'EUR', min_amount: '1' }, '`currency` must be sent with'],
      ['a price and limits', { currency: 'EUR', amount: '1', max_amount: '2' }, '`currency` must be sent with'],
      ['limits in the wrong order', { currency: 'EUR', min_amount: '2', max_amount: '1.99' }, '`min_amount` must not exceed `max_amount`.'],
      ['too many decimals', { currency: 'EUR', min_amount: '1.001', max_amount: '2' }, '`min_amount` must have at most 2 decimals'],
      ['too many decimals of the largest', { currency: 'JPY', min_amount: '1', max_amount: '2.5' }, '`max_amount` must have no decimals'],
      ['a currency that is not configured', { currency: 'USD', amount: '1' }, '`currency` must be one of EUR, JPY.'],
      ['a number', { currency: 'EUR', amount: 1 }, '`amount` must be a text'],
      ['small letters', { currency: 'eur', amount: '1' }, '`currency` must be an ISO 4217 code'],
    ])('is refused with %s', async (_name, json, message) => {
      const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/lnurlp`, { key: client.secretKey, json });
      expect(body).toMatchObject({ status: 400, message: expect.stringContaining(message) });
    });
  },
  SETTINGS,
  { ratesMs: 10, rateTimeoutMs: 200 },
);
