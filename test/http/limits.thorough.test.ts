import { connect } from 'node:net';
import { expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { TokenBuckets } from '../../src/http/limits/token-buckets.ts';
import { InvalidConfig } from '../../src/settings.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse } from '../support/client.ts';

const statusesOf = (responses: HttpResponse[]) => [...new Set(responses.map(({ status }) => status))].toSorted();
const times = (n: number, one: (i: number) => Promise<HttpResponse>) => Promise.all(Array.from({ length: n }, (_, i) => one(i)));

/** A rate so low that after the last token, one of a few concurrent requests is always rejected. */
const FEW = {
  RATE_LIMIT_PER_SECOND: '1',
  RATE_LIMIT_BURST: '60',
  ADDRESS_RATE_LIMIT_PER_SECOND: '1',
  ADDRESS_RATE_LIMIT_BURST: '30',
  TRUST_PROXY: '127.0.0.1',
};
const A_FEW = 5;

onFakeNode(
  'limits',
  (service) => {
    const from = (ip: string) => ({ 'x-forwarded-for': ip });
    const request = (path: string, key?: string, headers: Record<string, string> = {}) =>
      service.client.request('GET', path, { key, headers });

    it('returns Retry-After to a key over its rate limit, and accepts other keys', async () => {
      const [noisy, quiet] = [await service.client.wallet(), await service.client.wallet()];
      const path = `/v1/wallet/${noisy.id}`;
      await request(path, noisy.read);
      const responses = await times(100, () => request(path, noisy.read));
      expect(statusesOf(responses)).toEqual([200, 429]);
      const refused = responses.find(({ status }) => status === 429);
      expect(refused?.body).toMatchObject({ name: 'Too Many Requests', status: 429, type: 'rate_limited' });
      expect(refused?.headers.get('retry-after')).toMatch(/^[1-9][0-9]*$/);
      expect((await request(`/v1/wallet/${quiet.id}`, quiet.read)).status).toBe(200);
    });

    it.each([
      ['waka_', 'wa_', 'admin'],
      ['waki_', 'wi_', 'invoice'],
      ['wakr_', 'wr_', 'read'],
    ] as const)('counts one key once, spelt with %s and %s', async (long, short, kind) => {
      const wallet = await service.client.wallet();
      const spellings = [wallet[kind], wallet[kind].replace(long, short)];
      const path = `/v1/wallet/${wallet.id}/transactions`;
      for (const key of spellings) expect((await request(path, key)).status).toBe(200);
      expect(statusesOf(await times(100, (i) => request(path, spellings[i % 2])))).toEqual([200, 429]);
    });

    it('charges unknown keys to their address, which stops guessing with a new key each time', async () => {
      const guesses = [];
      for (let i = 0; i < 60; i++) guesses.push(await request('/v1/wallets', `sak_${String(i).padStart(30, '0')}`, from('203.0.113.1')));
      expect(statusesOf(guesses)).toEqual([401, 429]);
      expect(statusesOf(await times(A_FEW, () => request('/v1/wallets', undefined, from('203.0.113.1'))))).toContain(429);
      expect((await request('/v1/wallets', undefined, from('203.0.113.2'))).status).toBe(401);
    });

    it('charges a key that only identifies a wallet in links to the address of the client', async () => {
      const { id, lnurlPay } = await service.client.wallet();
      const responses = [];
      for (let i = 0; i < 60; i++) responses.push(await request(`/v1/wallet/${id}`, lnurlPay, from('203.0.113.6')));
      expect(statusesOf(responses)).toEqual([403, 429]);
      expect((await request(`/v1/wallet/${id}`, lnurlPay, from('203.0.113.7'))).status).toBe(403);
    });

    it('accepts a known key from an address whose rate is exhausted', async () => {
      const wallet = await service.client.wallet();
      const path = `/v1/wallet/${wallet.id}`;
      expect((await request(path, wallet.admin, from('203.0.113.3'))).status).toBe(200);
      await times(60, () => request('/v1/wallets', undefined, from('203.0.113.3')));
      expect((await request(path, wallet.admin, from('203.0.113.3'))).status).toBe(200);
    });

    it('returns LNURL errors on public LNURL routes, with any key', async () => {
      const lnurl = (i: number) => request('/v1/wallet/x/lnurl-process?ott=x', `sak_${i}`, from('203.0.113.4'));
      const responses = await times(60, lnurl);
      expect(statusesOf(responses)).toEqual([200]);
      expect(responses.filter(({ body }) => /too many/i.test(body.reason)).length).toBeGreaterThanOrEqual(25);
    });

    it('limits all addresses of an IPv6 network together', async () => {
      const responses = await times(60, (i) => request('/v1/wallets', undefined, from(`2001:db8:0:1::${i.toString(16)}`)));
      expect(statusesOf(responses)).toEqual([401, 429]);
      expect((await request('/v1/wallets', undefined, from('2001:db8:0:2::1'))).status).toBe(401);
    });

    it('never limits monitoring requests', async () => {
      expect(statusesOf(await times(60, () => request('/healthz', undefined, from('203.0.113.5'))))).toEqual([200]);
    });

    it('charges a made-up key to its address on routes that look up no key', async () => {
      // The first response takes seconds on a busy machine, in which an address would earn tokens.
      await request('/docs');
      const responses = await times(60, (i) => request('/docs', `sak_${i}`, from('203.0.113.8')));
      expect(statusesOf(responses)).toEqual([200, 429]);
      expect(statusesOf(await times(A_FEW, () => request('/docs', undefined, from('203.0.113.8'))))).toContain(429);
    });

    it('charges made-up keys with an Idempotency-Key to their address, on routes that look up no key too', async () => {
      const post = (path: string, ip: string) => (i: number) =>
        service.client.request('POST', path, { key: `sak_${i}`, json: {}, headers: { 'idempotency-key': `${i}`, ...from(ip) } });
      expect(statusesOf(await times(60, post('/v1/wallet', '203.0.113.14')))).toEqual([401, 429]);
      expect(statusesOf(await times(60, post('/v1/wallets', '203.0.113.15')))).toEqual([405, 429]);
    });

    it('returns the token of the address to a key that turns out to be valid', async () => {
      const wallets = await Promise.all(Array.from({ length: 40 }, () => service.client.wallet()));
      // More keys than the address has tokens: none of them uses one up.
      const responses = [];
      for (const { id, read } of wallets) responses.push(await request(`/v1/wallet/${id}`, read, from('203.0.113.9')));
      expect(statusesOf(responses)).toEqual([200]);
    });

    it('does not let a stranger use up the rate of a public API key', async () => {
      const { publicKey } = service.client;
      const wallet = await service.client.wallet();
      const path = `/v1/wallet/${wallet.admin}`;
      expect((await request(path, publicKey, from('203.0.113.10'))).status).toBe(200);
      expect(statusesOf(await times(100, () => request('/v1/lntx/unknown', publicKey, from('203.0.113.11'))))).toEqual([404, 429]);
      expect((await request(path, publicKey, from('203.0.113.10'))).status).toBe(200);
      expect((await request('/v1/lntx/unknown', publicKey, from('203.0.113.12'))).status).toBe(404);
    });

    it('counts a public API key by the access key in the path, together with that key alone', async () => {
      const { publicKey } = service.client;
      const [noisy, quiet] = [await service.client.wallet(), await service.client.wallet()];
      const read = ({ admin }: { admin: string }, ip: string) => request(`/v1/wallet/${admin}`, publicKey, from(ip));
      for (const wallet of [noisy, quiet]) expect((await read(wallet, '203.0.113.13')).status).toBe(200);
      expect(statusesOf(await times(100, (i) => read(noisy, `203.0.113.${100 + i}`)))).toEqual([200, 429]);
      expect(statusesOf(await times(A_FEW, () => request(`/v1/wallet/${noisy.id}`, noisy.admin)))).toContain(429);
      expect((await read(quiet, '203.0.113.13')).status).toBe(200);
    });

    it('charges requests with an Idempotency-Key that are rejected before they do anything', async () => {
      const wallet = await service.client.wallet();
      const path = `/v1/wallet/${wallet.id}/invoice`;
      const post = (json: unknown, key: string) =>
        service.client.request('POST', path, { key: wallet.admin, json, headers: { 'idempotency-key': key } });
      const made = await post({ num_satoshis: 1 }, 'once');
      expect(made.status).toBe(201);
      expect(statusesOf(await times(100, (i) => post({ num_satoshis: 'one' }, `wrong ${i}`)))).toEqual([400, 429]);
      // Another body under a used key is no replay.
      expect(statusesOf(await times(A_FEW, () => post({ num_satoshis: 2 }, 'once')))).toContain(429);
      expect(await post({ num_satoshis: 1 }, 'once')).toMatchObject({ status: 201, body: { id: made.body.id } });
    });

    it('charges nothing for a replay', async () => {
      const wallet = await service.client.wallet();
      const post = () =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
          key: wallet.admin,
          json: { num_satoshis: 1 },
          headers: { 'idempotency-key': 'once' },
        });
      expect(statusesOf(await times(100, post))).toEqual([201]);
      expect((await request(`/v1/wallet/${wallet.id}`, wallet.admin)).status).toBe(200);
    });

    it('never limits a retry under an Idempotency-Key: its first request may have been paid', async () => {
      const wallet = await service.client.wallet();
      const post = (headers: Record<string, string>) =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/invoice`, { key: wallet.admin, json: { num_satoshis: 1 }, headers });
      const made = await post({ 'idempotency-key': 'once' });
      expect(made.status).toBe(201);
      await times(100, () => request(`/v1/wallet/${wallet.id}`, wallet.admin));
      expect(statusesOf(await times(A_FEW, () => post({})))).toContain(429);
      expect(await post({ 'idempotency-key': 'once' })).toMatchObject({ status: 201, body: { id: made.body.id } });
      const others = await times(A_FEW, (i) => post({ 'idempotency-key': `something new ${i}` }));
      expect(others).toContainEqual(expect.objectContaining({ status: 429, body: expect.objectContaining({ type: 'rate_limited' }) }));
    });

    it('does not claim that nothing was done when a retry comes from an exhausted address', async () => {
      // Earlier tests have used up the rate of the secret key.
      await service.restart();
      const payers = [];
      for (let i = 0; i < A_FEW; i++) {
        const wallet = await service.client.wallet(1_000);
        const { paymentRequest } = service.net.outside.invoice({ amountMsat: 1_000 });
        const pay = () =>
          service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
            key: wallet.admin,
            json: { payment_request: paymentRequest },
            headers: { 'idempotency-key': 'once', ...from('203.0.113.16') },
          });
        expect((await pay()).status).toBe(201);
        payers.push(pay);
      }
      // Since its restart the service has not seen the keys. The address may gain a token in between, so there are several tries.
      await service.restart();
      const responses = [];
      for (const pay of payers) {
        await times(60, () => request('/v1/wallets', undefined, from('203.0.113.16')));
        responses.push(await pay());
      }
      const refused = responses.find(({ status }) => status === 429);
      expect(refused?.body.message).toBe(
        'Too many requests. This request was not executed; an earlier request with the same Idempotency-Key may have been. Send it again after Retry-After seconds.',
      );
      expect(await service.problems()).toEqual([]);
    });
  },
  FEW,
);

onFakeNode(
  'bounds',
  (service) => {
    const { net } = service;
    const request = (path: string, headers: Record<string, string> = {}) =>
      service.client.request('GET', path, { key: service.client.secretKey, headers });

    it('limits the length and number of queries, and the number of fields', async () => {
      expect((await request(`/v1/wallets?x=${'y'.repeat(12_000)}`)).body).toMatchObject({ status: 413, type: 'payload_too_large' });
      expect((await request(`/v1/wallets?${'x=y&'.repeat(120)}`)).body).toMatchObject({ status: 413, type: 'payload_too_large' });
      const fields = (n: number) => Array.from({ length: n }, (_, i) => `f${i}`);
      expect((await request(`/v1/wallets?fields=${fields(50).join(',')}`)).status).toBe(200);
      for (const comma of [',', '%2C', '%2c']) {
        expect((await request(`/v1/wallets?fields=${fields(51).join(comma)}`)).body).toMatchObject({
          status: 400,
          type: 'validation_failed',
        });
      }
      const lnurl = await request(`/v1/wallet/x/lnurl-process?ott=${'y'.repeat(12_000)}`);
      expect(lnurl).toMatchObject({ status: 200, body: { status: 'ERROR' } });
    });

    it('limits the open requests of a key, and accepts more when they end', async () => {
      const wallet = await service.client.wallet(1000);
      await request('/v1/wallets');
      const held = Array.from({ length: 5 }, () => net.outside.invoice({ amountMsat: 1000, script: { hold: true } }));
      const waiting = held.map(({ paymentRequest }) =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
          key: service.client.secretKey,
          json: { payment_request: paymentRequest },
        }),
      );
      await expect.poll(async () => (await request('/v1/wallets')).status).toBe(429);
      // None of the waiting requests was rejected, and another key works.
      expect((await service.client.request('GET', `/v1/wallet/${wallet.id}`, { key: wallet.read })).status).toBe(200);
      for (const { paymentHash } of held) {
        // This throws until the payment has arrived there.
        await expect.poll(() => net.outside.resolveHold(paymentHash, 'settle') ?? 'settled').toBe('settled');
      }
      expect(statusesOf(await Promise.all(waiting))).toEqual([201]);
      expect((await request('/v1/wallets')).status).toBe(200);
    });

    it('returns 202 at once for retries of an open payment beyond the limit', async () => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1000, script: { hold: true } });
      const pay = (headers: Record<string, string> = {}) =>
        service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
          key: wallet.admin,
          json: { payment_request: paymentRequest },
          headers: { 'idempotency-key': 'once', ...headers },
        });
      expect((await pay({ prefer: 'respond-async' })).status).toBe(202);
      const responses: HttpResponse[] = [];
      const all = times(20, async () => {
        const response = await pay();
        responses.push(response);
        return response;
      });
      await expect.poll(() => responses.length).toBeGreaterThanOrEqual(15);
      expect(statusesOf(responses)).toEqual([202]);
      await expect.poll(() => net.outside.resolveHold(paymentHash, 'settle') ?? 'settled').toBe('settled');
      expect(statusesOf(await all)).toEqual([201, 202]);
      expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
      // The waiting requests no longer count.
      await expect
        .poll(async () => (await service.client.request('GET', `/v1/wallet/${wallet.id}`, { key: wallet.admin })).status)
        .toBe(200);
    });

    it('ignores X-Forwarded-For unless the operator trusts a proxy', async () => {
      const guess = (i: number) => service.client.request('GET', '/v1/wallets', { headers: { 'x-forwarded-for': `203.0.113.${i}` } });
      expect(statusesOf(await times(60, guess))).toEqual([401, 429]);
    });

    it('sends Strict-Transport-Security behind https', async () => {
      expect((await request('/healthz')).headers.get('strict-transport-security')).toBe('max-age=31536000');
    });
  },
  {
    MAX_REQUESTS_AT_ONCE: '5',
    ADDRESS_RATE_LIMIT_PER_SECOND: '1',
    ADDRESS_RATE_LIMIT_BURST: '30',
    PUBLIC_URL: 'https://wallet.example.com',
  },
);

onFakeNode(
  'connections',
  (service) => {
    it('beyond the limit are closed, and open ones continue', async () => {
      const { hostname, port } = new URL(service.client.url);
      const open = () => {
        const socket = connect(Number(port), hostname);
        const closed = new Promise<string>((resolve) => socket.on('error', () => undefined).on('close', () => resolve('closed')));
        return { socket, closed };
      };
      const first = Array.from({ length: 3 }, open);
      await Promise.all(first.map(({ socket }) => new Promise((resolve) => socket.once('connect', resolve))));
      expect(await open().closed).toBe('closed');
      first[0]?.socket.write('GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      const response = await new Promise<string>((resolve) => first[0]?.socket.once('data', (data) => resolve(String(data))));
      expect(response).toContain('200 OK');
      for (const { socket } of first) socket.destroy();
    });
  },
  { MAX_CONNECTIONS: '3' },
);

it('refills a bucket up to its burst, and limits the number of buckets', () => {
  let now = 0;
  const buckets = new TokenBuckets({ perSecond: 2, burst: 3 }, 10, () => now);
  expect([1, 2, 3, 4].map(() => buckets.takeToken('a'))).toEqual([true, true, true, false]);
  buckets.returnToken('a');
  expect([buckets.takeToken('a'), buckets.takeToken('a')]).toEqual([true, false]);
  now = 500;
  expect([buckets.takeToken('a'), buckets.takeToken('a')]).toEqual([true, false]);
  now = 1e9;
  expect([1, 2, 3, 4].map(() => buckets.takeToken('a'))).toEqual([true, true, true, false]);
  for (let i = 0; i < 1000; i++) buckets.takeToken(`b${i}`);
  expect(buckets.size).toBe(10);
  const none = new TokenBuckets({ perSecond: 0, burst: 1 }, 10, () => now);
  expect(Array.from({ length: 100 }, () => none.takeToken('a'))).not.toContain(false);
});

it.each(['yes', '0', '10', '127.0.0.1/0', '127.0.0.1/33', '10.0.0.0/8,', 'loopback', '::1/129', '1.2.3'])(
  'TRUST_PROXY=%s is refused at the start',
  (value) => {
    expect(() => readConfig({ TRUST_PROXY: value })).toThrow(InvalidConfig);
  },
);

it('accepts a number of proxies or a list of networks as TRUST_PROXY', () => {
  expect(readConfig({ TRUST_PROXY: '2' }).trustProxy).toBe(2);
  expect(readConfig({ TRUST_PROXY: '127.0.0.1, 10.0.0.0/8,::1' }).trustProxy).toEqual(['127.0.0.1', '10.0.0.0/8', '::1']);
  expect(readConfig({}).trustProxy).toBeUndefined();
});

onFakeNode(
  'logins without a limit for addresses',
  ({ client }) => {
    it('are limited: the settings are independent', async () => {
      const json = { email: 'ada@example.com', password: 'a wrong password' };
      const logIn = () => client.request('POST', '/v1/session', { json, headers: { 'sec-fetch-site': 'same-origin' } });
      const statuses = (await Promise.all(Array.from({ length: 12 }, logIn))).map(({ status }) => status);
      expect(statuses.sort()).toEqual([...Array(10).fill(401), 429, 429]);
      const many = await Promise.all(Array.from({ length: 40 }, () => client.request('GET', '/v1/account')));
      expect(new Set(many.map(({ status }) => status))).toEqual(new Set([401]));
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '0', ADDRESS_RATE_LIMIT_BURST: '5' },
);
