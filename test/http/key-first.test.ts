import { request as httpRequest } from 'node:http';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('authentication before validation', (service) => {
  it.each([
    ['POST', '/v1/wallet', '{"user_label":5}'],
    ['POST', '/v1/wallet', '{not json'],
    ['POST', '/v1/wallet/wal_1/withdraw', '{"fee_limit_msat":-1,"nonsense":1}'],
    ['POST', '/v1/wallet/wal_1/invoice', '{"num_satoshis":"x"}'],
    ['POST', '/playground/invoice', '{"hold":7}'],
    ['GET', '/v1/wallets?page=0', undefined],
    ['GET', '/v1/wallet/wal_1/transactions?status=x', undefined],
  ])('%s %s %s without a key returns 401, whatever else is wrong', async (method, path, json) => {
    const options = { headers: { 'content-type': 'application/json' }, ...(json !== undefined && { json }) };
    expect(await service.client.request(method, path, options)).toMatchObject({ status: 401, body: { type: 'unauthorized' } });
    const unknown = await service.client.request(method, path, { ...options, key: `sak_${'0'.repeat(30)}` });
    expect(unknown).toMatchObject({ status: 401, body: { type: 'unauthorized' } });
    const right = await service.client.request(method, path, { ...options, key: service.client.secretKey });
    expect(right).toMatchObject({ status: 400 });
  });

  it('requires no key on a public LNURL route', async () => {
    expect((await service.client.request('GET', '/v1/wallet/x/lnurl-process?ott=x')).body).toMatchObject({ status: 'ERROR' });
  });

  it('ignores the case of header names', async () => {
    const statusWith = (name: string, value: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const asking = httpRequest(`${service.client.url}/v1/wallets`, { headers: { [name]: value } }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode));
        });
        asking.on('error', reject).end();
      });
    for (const name of ['x-api-key', 'X-API-KEY', 'X-Api-Key']) expect(await statusWith(name, service.client.secretKey), name).toBe(200);
    for (const scheme of ['Bearer', 'bearer', 'BEARER']) {
      expect(await statusWith('AUTHORIZATION', `${scheme} ${service.client.secretKey}`), scheme).toBe(200);
    }
  });

  it('accepts only true and false as booleans in a form', async () => {
    const invoice = (form: string) => service.client.request('POST', '/playground/invoice', { key: service.client.secretKey, form });
    for (const value of ['true', 'false', '']) expect((await invoice(`num_satoshis=5&hold=${value}`)).status, value).toBe(200);
    for (const value of ['yes', 'TRUE', '1', 'toString', '__proto__']) {
      expect(await invoice(`num_satoshis=5&hold=${value}`), value).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
    }
    const held = await invoice('num_satoshis=5&hold=true');
    const wallet = await service.client.wallet(100);
    const paying = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: wallet.admin,
      json: { payment_request: held.body.payment_request },
      headers: { prefer: 'respond-async' },
    });
    expect(paying.status).toBe(202);
    await service.client.decideHold(held.body.payment_hash, 'settle');
  });
});
