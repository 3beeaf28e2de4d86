import { get } from 'node:http';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

const FOREIGN: readonly Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
];

onFakeNode(
  'a page of another site, in a browser that has Basic credentials',
  (service) => {
    const basic = () => ({ authorization: `Basic ${Buffer.from(`${service.client.secretKey}:`).toString('base64')}` });
    const transfer = (from: string, to: string, headers: Record<string, string>) =>
      service.client.request('POST', `/v1/wallet/${from}/transfer`, { form: `dest_wallet_id=${to}&num_satoshis=1`, headers });

    it.each(FOREIGN)('moves no money with them: %j', async (headers) => {
      const [from, to] = [await service.client.wallet(10), await service.client.wallet()];
      const { status, body } = await transfer(from.id, to.id, { ...basic(), ...headers });
      expect({ status, type: body.type }).toEqual({ status: 403, type: 'forbidden' });
      expect(body.message).toMatch(/X-Api-Key/);
      expect((await service.client.get(`/v1/wallet/${from.id}`)).balance).toBe(10);
      for (const [method, path] of [
        ['PATCH', `/v1/wallet/${from.id}`],
        ['DELETE', '/v1/keys/key_unknown'],
        ['POST', '/v1/wallet'],
        ['POST', `/v1/wallet/${from.id}/lnurl/withdraw`],
        ['GET', `/v1/wallet/${from.id}/lnurl/withdraw`],
        ['GET', `/v1/user/wallet/${from.id}/lnurl/withdraw?num_satoshis=1`],
      ] as const) {
        expect((await service.client.request(method, path, { headers: { ...basic(), ...headers } })).status, `${method} ${path}`).toBe(403);
      }
      // What only reads is protected by CORS: the page cannot see the response.
      expect((await service.client.request('GET', `/v1/wallet/${from.id}`, { headers: { ...basic(), ...headers } })).status).toBe(200);
      expect(await service.problems()).toEqual([]);
    });

    it('accepts Basic credentials from programs, from pages of this service and from typed addresses', async () => {
      const [from, to] = [await service.client.wallet(10), await service.client.wallet()];
      for (const headers of [
        {},
        { origin: service.client.url },
        { origin: 'https://wallet.example.com' },
        { origin: service.client.url, 'sec-fetch-site': 'same-origin' },
        { 'sec-fetch-site': 'none' },
      ]) {
        expect((await transfer(from.id, to.id, { ...basic(), ...headers })).status, JSON.stringify(headers)).toBe(201);
      }
      expect(await service.problems()).toEqual([]);
    });

    it('accepts credentials from any page when a browser never adds them by itself', async () => {
      const [from, to] = [await service.client.wallet(10), await service.client.wallet()];
      for (const key of [{ 'x-api-key': from.admin }, { authorization: `Bearer ${from.admin}` }]) {
        expect((await transfer(from.id, to.id, { ...key, 'sec-fetch-site': 'cross-site', origin: 'https://shop.example' })).status).toBe(
          201,
        );
      }
    });

    it('never makes a browser show a password dialog', async () => {
      /** `fetch` would add headers of a browser. */
      const challenge = (headers: Record<string, string>) =>
        new Promise((resolve) => {
          get(`${service.client.url}/v1/wallets`, { headers }, (response) => resolve(response.resume().headers['www-authenticate']));
        });
      for (const headers of [
        { 'sec-fetch-mode': 'navigate' },
        { 'sec-fetch-site': 'none' },
        { origin: 'https://shop.example' },
        { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' },
        { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      ]) {
        expect(await challenge(headers), JSON.stringify(headers)).toBeUndefined();
      }
      expect(await challenge({ 'user-agent': 'curl/8.5.0', accept: '*/*' })).toBe('Basic realm="api"');
    });
  },
  { PUBLIC_URL: 'https://wallet.example.com' },
);
