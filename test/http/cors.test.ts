import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('CORS', (service) => {
  const preflight = (path: string, method: string, headers?: string) =>
    service.client.request('OPTIONS', path, {
      headers: {
        origin: 'https://shop.example',
        'access-control-request-method': method,
        ...(headers && { 'access-control-request-headers': headers }),
      },
    });

  it.each([
    ['/v1/wallets', 'GET', 'x-api-key'],
    ['/v1/wallet', 'POST', 'authorization,content-type,idempotency-key'],
    ['/v1/wallet/waka_1/withdraw', 'POST', 'X-Api-Key, X-LNPAY-ASYNC'],
    ['/v1/user/wallet/waka_1', 'GET', 'x-api-key'],
    ['/v1/lntx/lntx_1', 'DELETE', 'x-api-key'],
    ['/v1/wallet/wal_1/lnurl-process', 'GET', 'x-anything'],
    ['/v1/lntx/lntx_1/qr.svg', 'GET', 'x-api-key'],
  ])('allows a preflight of %s %s without a key, with the requested headers', async (path, method, headers) => {
    const response = await preflight(path, method, headers);
    expect(response.status).toBe(204);
    expect(response.headers.get('access-control-allow-origin')).toBe('*');
    expect(response.headers.get('access-control-allow-methods')?.split(', ')).toContain(method);
    expect(response.headers.get('access-control-allow-headers')).toBe(headers);
    expect(response.headers.get('access-control-max-age')).toBe('600');
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect(response.text).toBe('');
  });

  it('does not repeat an invalid list of header names', async () => {
    expect((await preflight('/v1/wallets', 'GET', 'x; <script>')).headers.get('access-control-allow-headers')).toBeNull();
  });

  it('allows no preflight for an unknown address or another method of a route', async () => {
    expect((await preflight('/v1/nothing', 'GET')).status).toBe(404);
    const playground = await preflight('/playground/pay', 'POST', 'x-api-key');
    expect(playground.status).toBe(405);
    expect(playground.headers.get('access-control-allow-origin')).toBeNull();
  });

  it('exposes responses, errors and their headers, and requires no cookie', async () => {
    const wallet = await service.client.wallet(10);
    const list = await service.client.request('GET', `/v1/wallet/${wallet.id}/transactions`, { key: service.client.secretKey });
    const refused = await service.client.request('GET', '/v1/wallets', { headers: { origin: 'null' } });
    const missing = await service.client.request('GET', '/v1/nothing');
    const lnurl = await service.client.request('GET', `/v1/wallet/${wallet.id}/lnurl-process?ott=x`);
    for (const { headers } of [list, refused, missing, lnurl]) {
      expect(headers.get('access-control-allow-origin')).toBe('*');
      expect(headers.get('access-control-allow-credentials')).toBeNull();
      expect(headers.get('access-control-expose-headers')).toBe('*');
    }
  });

  it('sends headers against sniffing, frames and referrers', async () => {
    for (const path of ['/v1/wallets', '/healthz', '/nothing']) {
      const { headers } = await service.client.request('GET', path);
      expect(headers.get('x-content-type-options')).toBe('nosniff');
      expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
      expect(headers.get('referrer-policy')).toBe('no-referrer');
    }
  });
});
