import { channel } from 'node:diagnostics_channel';
import { pino } from 'pino';
import { afterEach, expect, it } from 'vitest';
import { KEY_KINDS, type KeyKind } from '../../src/core/accounts/keys.ts';
import { outsideRequest } from '../../src/core/kernel/booking-mark.ts';
import { lndhubRoutes } from '../../src/features/lndhub/routes.ts';
import { createServer } from '../../src/http/server.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse } from '../support/client.ts';
import { BASE, SETTINGS } from './app.ts';
import { LNDHUB_ROUTES, type LndhubRoute } from './route-table.ts';

type Headers = Record<string, string>;

const KEYED = LNDHUB_ROUTES.filter(({ needsKey }) => needsKey);

it('A2: the table of routes has all routes of wallet apps', async () => {
  const added = new Set<string>();
  const app = createServer(pino({ level: 'silent' }), (server) => {
    server.addHook('onRoute', ({ method, url, config }) => {
      if (config?.acceptsUntypedJson && method !== 'HEAD') added.add(`${method} ${url}`);
    });
    lndhubRoutes(server, { rateLimit: { perSecond: 0, burst: 1 } } as Parameters<typeof lndhubRoutes>[1]);
  });
  await app.ready();
  expect([...added].sort()).toEqual(['GET /getinfo', ...LNDHUB_ROUTES.map(({ method, path }) => `${method} ${BASE}${path}`)].sort());
  await app.close();
});

onFakeNode(
  'the credentials of wallet apps',
  (service) => {
    const { client, net } = service;
    afterEach(() => {
      service.beforeTransaction = undefined;
    });

    /** Sends a valid request. */
    async function send({ method, path }: LndhubRoute, headers: Headers): Promise<HttpResponse> {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000 });
      const { r_hash_decoded: hash } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 1 });
      const url = BASE + path.replace(':hash', hash) + (path.endsWith('invoice') && method === 'GET' ? `?invoice=${paymentRequest}` : '');
      const bodies: Record<string, object> = {
        '/payinvoice': { invoice: paymentRequest },
        '/keysend': { destination: alice, amount: 1 },
        '/addinvoice': { amt: 1 },
      };
      return client.request(method, url, { headers, json: bodies[path] });
    }
    let wallet: Awaited<ReturnType<typeof client.wallet>>;
    let alice = '';

    async function prepare(): Promise<void> {
      wallet = await client.wallet(1000);
      const { nodes } = await client.get('/playground');
      alice = nodes.find(({ name }: { name: string }) => name === 'alice').pubkey;
    }
    const bearer = (token: string): Headers => ({ authorization: `Bearer ${token}` });
    async function tokenOf(key: string): Promise<Record<'access_token' | 'refresh_token', string>> {
      return (await client.request('POST', `${BASE}/auth`, { json: { login: 'admin', password: key } })).body;
    }
    /** The ways to send a key. */
    const FORMS: Record<string, (key: string) => Promise<Headers>> = {
      key: async (key) => bearer(key),
      token: async (key) => bearer((await tokenOf(key)).access_token),
      'login and key': async (key) => bearer(Buffer.from(`admin:${key}`).toString('base64')),
    };

    it('A2: each key of a wallet does what its kind permits, in each form, and nothing else', async () => {
      await prepare();
      const keys: [KeyKind, string][] = [
        ['wallet_admin', wallet.admin],
        ['wallet_invoice', wallet.invoice],
        ['wallet_read', wallet.read],
      ];
      const wrong: string[] = [];
      for (const [kind, key] of keys) {
        const permissions: readonly string[] = KEY_KINDS[kind].permissions;
        for (const [form, headersOf] of Object.entries(FORMS)) {
          const headers = await headersOf(key);
          for (const route of KEYED) {
            const { status, body } = await send(route, headers);
            const isPermitted = route.permission === 'none' || permissions.includes(route.permission);
            const expected = isPermitted ? [200, undefined] : [403, 2];
            if (status !== expected[0] || body.code !== expected[1]) wrong.push(`${kind} ${form} ${route.path}: ${status}`);
          }
        }
      }
      expect(wrong).toEqual([]);
      expect(await service.problems()).toEqual([]);
    });

    it('A1: no other credential is accepted', async () => {
      await prepare();
      const { access_token, refresh_token } = await tokenOf(wallet.admin);
      const [header, claims, signature] = access_token.split('.');
      const other = Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(claims ?? '', 'base64url').toString()), exp: 9e9 }));
      const credentials: Record<string, [Headers, number]> = {
        nothing: [{}, 401],
        'an unknown key': [bearer(`waka_${'0'.repeat(28)}`), 401],
        'a refresh token': [bearer(refresh_token), 401],
        'a token without a signature': [bearer(`${header}.${claims}.`), 401],
        'a token with other claims': [bearer(`${header}.${other.toString('base64url')}.${signature}`), 401],
        'a token without an algorithm': [bearer(`${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${claims}.`), 401],
        'a key in another header': [{ 'x-api-key': wallet.admin }, 401],
        'a key as a user name': [{ authorization: `Basic ${Buffer.from(`${wallet.admin}:`).toString('base64')}` }, 401],
        'a key of the account': [bearer(client.secretKey), 403],
        'a public key': [bearer(client.publicKey), 403],
        'a key in links': [bearer(wallet.lnurlWithdraw), 403],
      };
      const wrong: string[] = [];
      for (const [name, [headers, expected]] of Object.entries(credentials))
        for (const route of KEYED) {
          const { status, body } = await send(route, headers);
          const code = expected === 401 ? 1 : 2;
          if (status !== expected || body.code !== code) wrong.push(`${name} ${route.path}: ${status} ${body.code}`);
        }
      expect(wrong).toEqual([]);
      for (const password of [client.secretKey, client.publicKey, wallet.lnurlPay])
        expect((await client.request('POST', `${BASE}/auth`, { json: { login: 'admin', password } })).status).toBe(403);
      expect((await client.request('GET', '/v1/wallets', { headers: bearer(access_token) })).status).toBe(401);
      expect((await client.request('GET', `/v1/wallet/${wallet.id}`, { headers: bearer(access_token) })).status).toBe(401);
    });

    it('A3: after a revocation, the first request with each form of the key fails', async () => {
      await prepare();
      const wrong: string[] = [];
      for (const [form, headersOf] of Object.entries(FORMS))
        for (const route of KEYED) {
          const { id, key } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
          const headers = await headersOf(key);
          const before = await send(route, headers);
          await client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${id}`, { key: client.secretKey });
          const after = await send(route, headers);
          if (before.status !== 200 || after.status !== 401 || after.body.code !== 1)
            wrong.push(`${form} ${route.path}: ${before.status} ${after.status}`);
        }
      expect(wrong).toEqual([]);
      const { id, key } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
      const { refresh_token } = await tokenOf(key);
      const refresh = () => client.request('POST', `${BASE}/auth`, { json: { refresh_token } });
      expect((await refresh()).status).toBe(200);
      await client.request('DELETE', `/v1/wallet/${wallet.id}/keys/${id}`, { key: client.secretKey });
      expect(await refresh()).toMatchObject({ status: 401, body: { code: 1 } });
      expect((await client.request('POST', `${BASE}/auth`, { json: { login: 'admin', password: key } })).body.code).toBe(1);
    });

    it('A3: a key that is revoked while its request runs changes nothing', async () => {
      await prepare();
      const handlerStarts = channel('tracing:fastify.request.handler:start');
      const changing = KEYED.filter(({ method }) => method === 'POST');
      expect(changing.length).toBeGreaterThan(2);
      for (const route of changing) {
        const { id, key } = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
        const { access_token } = await tokenOf(key);
        const before = await client.get(`/v1/wallet/${wallet.id}`);
        let isRunning = false;
        const noteStart = (message: unknown) => {
          isRunning ||= (message as { request: { url: string } }).request.url.startsWith(BASE);
        };
        let ending: Promise<void> | undefined;
        handlerStarts.subscribe(noteStart);
        service.beforeTransaction = () => {
          if (isRunning) ending ??= outsideRequest(() => service.execute('UPDATE access_key SET revoked_at = 1 WHERE id = $1', id));
          return ending;
        };
        const response = await send(route, bearer(access_token));
        handlerStarts.unsubscribe(noteStart);
        service.beforeTransaction = undefined;
        expect([route.path, response.status, response.body.code, ending !== undefined]).toEqual([route.path, 401, 1, true]);
        const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
        expect([balance_msat, pending_msat]).toEqual([before.balance_msat, 0]);
      }
      expect(await service.problems()).toEqual([]);
    });

    it('rejects logins of an address after ten failures in a minute', async () => {
      const wallets = await client.wallet();
      const tryLogin = (password: string) => client.request('POST', `${BASE}/auth`, { json: { login: 'admin', password } });
      for (let i = 0; i < 20; i++) expect((await tryLogin(wallets.admin)).status).toBe(200);
      const failures = await Promise.all(Array.from({ length: 30 }, () => tryLogin('waka_wrong')));
      expect(failures.filter(({ status, body }) => status === 429 && body.code === 6).length).toBeGreaterThanOrEqual(15);
      expect((await tryLogin(wallets.admin)).body.code).toBe(6);
    });
  },
  SETTINGS,
);
