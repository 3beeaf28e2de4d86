import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { loginTo } from '../support/browser.ts';
import type { Client, Json } from '../support/client.ts';

const NONE = { currency: null, per_btc: null, set_at: null };
const EUR = { currency: 'EUR', per_btc: '61234.50' };
const PATH = '/v1/operator/fiat-rate';

onFakeNode('the fiat rate', (service, dialect) => {
  const { client, rows } = service;
  const read = (at: Client = client) => at.get('/v1/fiat-rate');
  const change = (method: 'PUT' | 'DELETE', json?: object, key: string = randomUUID(), at: Client = client) =>
    at.request(method, PATH, { key: at.secretKey, headers: { 'idempotency-key': key }, ...(json && { json }) });
  const set = (json: object, key?: string, at?: Client) => change('PUT', json, key, at);
  const remove = (key?: string) => change('DELETE', undefined, key);
  const changes = async () => (await rows('SELECT count(*) AS n FROM fiat_rate'))[0]?.n as number;

  it('is null until an operator sets it, and null again after it is removed', async () => {
    expect(await read()).toEqual(NONE);
    const { status, body } = await set(EUR);
    expect([status, body]).toEqual([200, { ...EUR, set_at: expect.any(Number) }]);
    expect(Math.abs(body.set_at - Date.now() / 1000)).toBeLessThan(3600);
    expect(await read()).toEqual(body);
    expect((await set({ currency: 'JPY', per_btc: '14500000' })).body).toMatchObject({ currency: 'JPY', per_btc: '14500000' });
    expect(await read()).toMatchObject({ currency: 'JPY', per_btc: '14500000' });
    expect(await remove()).toMatchObject({ status: 200, body: NONE });
    expect(await read()).toEqual(NONE);
    expect(await remove()).toMatchObject({ status: 200, body: NONE });
  });

  it('is read with any key and any session, but not with the key of a link or without a key', async () => {
    await set(EUR);
    const wallet = await client.wallet();
    const { id } = await service.neighbour.get('/v1/account');
    const { browser } = await loginTo(client, id);
    const { secretKey, publicKey } = service.neighbour;
    for (const key of [client.secretKey, client.publicKey, secretKey, publicKey, wallet.admin, wallet.invoice, wallet.read])
      expect((await client.request('GET', '/v1/fiat-rate', { key })).body).toMatchObject(EUR);
    expect((await browser.send('GET', '/v1/fiat-rate')).body).toMatchObject(EUR);
    expect((await client.request('GET', '/v1/fiat-rate', { key: wallet.lnurlPay })).status).toBe(403);
    expect((await client.request('GET', '/v1/fiat-rate', { key: undefined })).status).toBe(401);
    expect((await client.request('PUT', PATH, { key: secretKey, json: EUR })).status).toBe(403);
    expect((await browser.send('PUT', PATH, { currency: 'EUR', per_btc: '1' })).status).toBe(403);
    expect((await browser.send('DELETE', PATH)).status).toBe(403);
    expect(await read()).toMatchObject(EUR);
  });

  const RATE = '`per_btc` must be a string with a decimal number above 0';
  const CURRENCY = '`currency` must be an ISO 4217 code';
  it.each<[name: string, json: Json, message: string]>([
    ['a negative rate', { per_btc: '-61234.50' }, RATE],
    ['0', { per_btc: '0' }, RATE],
    ['0 with decimals', { per_btc: '0.00000000' }, RATE],
    ['an exponent', { per_btc: '1e9' }, RATE],
    ['hexadecimal digits', { per_btc: '0x10' }, RATE],
    ['16 digits before the point', { per_btc: '1000000000000000' }, RATE],
    ['9 digits after the point', { per_btc: '1.000000001' }, RATE],
    ['a long text', { per_btc: '1'.repeat(10_000) }, RATE],
    ['a leading zero', { per_btc: '061234' }, RATE],
    ['no digit before the point', { per_btc: '.5' }, RATE],
    ['no digit after the point', { per_btc: '5.' }, RATE],
    ['a comma', { per_btc: '61234,50' }, RATE],
    ['groups of digits', { per_btc: '61 234.50' }, RATE],
    ['a line break', { per_btc: '61234.50\n' }, RATE],
    ['other digits of Unicode', { per_btc: '٣٤٥' }, RATE],
    ['words for no number', { per_btc: 'NaN' }, RATE],
    ['infinity', { per_btc: 'Infinity' }, RATE],
    ['a number of JSON, which may have lost digits', { per_btc: 61234.5 }, RATE],
    ['markup', { per_btc: '<b>1</b>' }, RATE],
    ['an object', { per_btc: { '1': 1 } }, RATE],
    ['no rate', { per_btc: null }, '`per_btc`'],
    ['an unknown currency', { currency: 'ABC' }, CURRENCY],
    ['bitcoin', { currency: 'BTC' }, CURRENCY],
    ['small letters', { currency: 'eur' }, CURRENCY],
    ['two letters', { currency: 'EU' }, CURRENCY],
    ['a symbol', { currency: '€' }, CURRENCY],
    ['markup as the currency', { currency: '<i>' }, CURRENCY],
    ['a name of every object', { currency: 'constructor' }, CURRENCY],
    ['no currency', { currency: '' }, '`currency`'],
    ['an unknown field', { set_at: 1 }, '`set_at`'],
  ])('is not set to %s', async (_name, json, message) => {
    const [before, recorded] = [await read(), await changes()];
    const { body } = await set({ ...EUR, ...json });
    expect(body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringContaining(message) });
    expect([await read(), await changes()]).toEqual([before, recorded]);
  });

  it.each([
    { currency: 'EUR', per_btc: '0.00000001' },
    { currency: 'IRR', per_btc: '999999999999999.99999999' },
    { currency: 'KWD', per_btc: '18000.1230' },
  ])('is stored digit by digit: %j', async (rate) => {
    await set(rate);
    expect(await read()).toMatchObject(rate);
  });

  it('changes once per Idempotency-Key: a late repetition neither restores nor removes a rate', async () => {
    await remove();
    const before = await changes();
    const responses = await Promise.all(Array.from({ length: 20 }, () => set(EUR, 'first')));
    for (const { status, body } of responses) expect([status, body]).toEqual([200, responses[0]?.body]);
    expect(responses.filter((one) => one.headers.get('idempotency-replayed') === 'true')).toHaveLength(19);
    await remove('second');
    expect(await changes()).toBe(before + 2);
    expect((await set(EUR, 'first')).body).toMatchObject(EUR);
    expect(await read()).toEqual(NONE);
    expect((await set({ ...EUR, per_btc: '1' }, 'first')).body).toMatchObject({ status: 422, type: 'idempotency_mismatch' });
    await set({ currency: 'USD', per_btc: '70000' });
    expect((await remove('second')).body).toEqual(NONE);
    expect(await read()).toMatchObject({ currency: 'USD' });
    expect(await changes()).toBe(before + 3);
  });

  it('is among the actions of operators, with the caller', async () => {
    await remove();
    const { body } = await set(EUR);
    await remove();
    const { id } = await client.get('/v1/account');
    const { nodes } = await client.get('/v1/operator/overview');
    await client.request('POST', `/v1/operator/nodes/${nodes[0].id}/activate`, { key: client.secretKey, json: { reason: 'a test' } });
    const [last, removal, setting]: Json[] = await client.get('/v1/operator/actions');
    expect(last).toMatchObject({ kind: 'activate', reason: 'a test' });
    const record = { status: 'done', requested_by: expect.stringMatching(new RegExp(`^key_\\w+ of ${id}$`)), reason: '' };
    expect(removal).toMatchObject({ ...record, kind: 'remove_fiat_rate', subject: '', target: '', answer: 'No fiat value is shown.' });
    expect(setting).toEqual({
      ...record,
      id: expect.stringMatching(/^opa_/),
      kind: 'set_fiat_rate',
      subject: 'EUR',
      target: '61234.50',
      account_id: null,
      actor_id: id,
      origin: '127.0.0.1',
      changes: [
        { field: 'currency', before: null, after: 'EUR' },
        { field: 'per_btc', before: null, after: '61234.50' },
      ],
      answer: '1 BTC is shown as 61234.50 EUR.',
      requested_at: body.set_at,
      ended_at: body.set_at,
      evidence: null,
      payment_id: null,
    });
    expect(await client.get(`/v1/operator/actions/${setting?.id}`)).toEqual(setting);
    const { headers } = await client.request('GET', '/v1/operator/actions?per-page=2&count=1', { key: client.secretKey });
    const total = Number((await rows('SELECT count(*) AS n FROM operator_record'))[0]?.n);
    expect(headers.get('x-pagination-total-count')).toBe(String(total));
  });

  it('changes no amount', async () => {
    const { id } = await client.wallet(1_000);
    const before = await client.get(`/v1/wallet/${id}`);
    await set({ currency: 'USD', per_btc: '0.01' });
    expect(await client.get(`/v1/wallet/${id}`)).toEqual(before);
    expect(await service.problems()).toEqual([]);
  });

  if (dialect === 'postgres')
    it('is the same on all instances, at once', async () => {
      const other = await service.another();
      for (let round = 1; round <= 10; round++) {
        const [from, to] = round % 2 === 0 ? [client, other] : [other, client];
        expect((await set({ currency: 'CHF', per_btc: String(round) }, undefined, from)).status).toBe(200);
        expect(await read(to)).toMatchObject({ currency: 'CHF', per_btc: String(round) });
        expect(await read(from)).toEqual(await read(to));
      }
      await Promise.all([set(EUR), set({ currency: 'USD', per_btc: '1' }, undefined, other)]);
      expect(await read()).toEqual(await read(other));
    });
});
