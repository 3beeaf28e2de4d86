import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { newLogin } from '../support/browser.ts';

const PUBLIC = 'https://wallets.example.com';

// What a browser sends, and whether a session may change something with it.
const HEADERS = [
  ['a page of the service', { 'sec-fetch-site': 'same-origin', origin: PUBLIC }, true],
  ['a page of the service, without Origin', { 'sec-fetch-site': 'same-origin' }, true],
  ['a page of the service, in a browser without Sec-Fetch-Site', { origin: PUBLIC }, true],
  ['a page of another site', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, false],
  ['a page of another site with a forged Origin', { 'sec-fetch-site': 'cross-site', origin: PUBLIC }, false],
  ['a page of another host of the site', { 'sec-fetch-site': 'same-site', origin: 'https://blog.example.com' }, false],
  ['a typed address', { 'sec-fetch-site': 'none' }, false],
  ['a page of another site, without Sec-Fetch-Site', { origin: 'https://evil.example' }, false],
  ['a page with the same host, over http', { origin: 'http://wallets.example.com' }, false],
  ['a page with the same host and another port', { origin: `${PUBLIC}:8443` }, false],
  ['a sandboxed page', { origin: 'null' }, false],
  ['a program', {}, false],
] as const;

onFakeNode(
  'a request with a session from',
  ({ client }) => {
    it.each(HEADERS)('A6: %s changes something only if the page belongs to the service', async (_, headers, isAllowed) => {
      const { browser } = await newLogin(client, {}, '__Host-satchel_session');
      const cookie = browser.cookie;
      const send = (method: string, path: string, json?: object) => client.request(method, path, { json, headers: { cookie, ...headers } });
      const wallet = (await client.request('POST', '/v1/wallet', { json: {}, headers: { cookie, 'sec-fetch-site': 'same-origin' } })).body;
      // A GET without a side effect may be a navigation of any kind. The cookie is SameSite=Strict, and no other page can read the response.
      expect((await send('GET', '/v1/wallets')).status).toBe(200);
      const changes = [
        await send('POST', '/v1/wallet', {}),
        await send('PATCH', `/v1/wallet/${wallet.id}`, { user_label: 'x' }),
        await send('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=5`),
        await send('GET', `/v1/wallet/${wallet.id}/lnurl/withdraw-static?num_satoshis=5`),
        await send('POST', '/v1/session/linked-keys', {}),
        await send('POST', '/v1/session/passkeys/options', {}),
        await send('DELETE', '/v1/session'),
      ];
      expect(changes.map(({ status }) => status < 300)).toEqual(Array(changes.length).fill(isAllowed));
      if (!isAllowed) expect(changes.map(({ body }) => body.type)).toEqual(Array(changes.length).fill('forbidden'));
    });

    it.each(HEADERS)('A6: %s logs in only if the page belongs to the service', async (_, headers, isAllowed) => {
      const { email, password } = await newLogin(client, {}, '__Host-satchel_session');
      for (const [path, json] of [
        ['/v1/session', { email, password }],
        ['/v1/session/lnurl-auth', undefined],
        ['/v1/session/passkey/options', undefined],
        ['/v1/session/lnurl-auth/wlg_x', { token: 'x' }],
        ['/v1/session/passkey', { credential: {} }],
        ['/v1/session/recovery', { email, code: 'x' }],
        ['/v1/session/setup', { token: 'x', password: 'a long password' }],
        ['/v1/session/setup/passkey/options', { token: 'x' }],
        ['/v1/session/setup/passkey', { token: 'x', credential: {} }],
      ] as const) {
        const { status, body } = await client.request('POST', path, { json, headers });
        expect([path, body.type === 'forbidden', status === 403]).toEqual([path, !isAllowed, !isAllowed]);
      }
    });

    it('another site gets no cookie, and may not read responses with credentials', async () => {
      const { email, password } = await newLogin(client, {}, '__Host-satchel_session');
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      const response = await client.request('POST', '/v1/session', { json: { email, password }, headers: foreign });
      expect(response.body).toMatchObject({ status: 403, type: 'forbidden' });
      expect(response.headers.get('set-cookie')).toBeNull();
      for (const method of ['OPTIONS', 'GET', 'POST'])
        expect(
          (await client.request(method, '/v1/session', { headers: foreign })).headers.get('access-control-allow-credentials'),
        ).toBeNull();
    });

    it.each(['/v1/session/lnurl-auth', '/v1/session/passkey/options'])('another site does not begin a login with POST %s', async (path) => {
      const foreign = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      expect((await client.request('POST', path, { headers: foreign })).body).toMatchObject({ status: 403, type: 'forbidden' });
      expect((await client.request('POST', path, { headers: { 'sec-fetch-site': 'same-origin' } })).status).toBe(201);
    });

    it('has a cookie that only this host can set, and only over https', async () => {
      const { email, password, browser } = await newLogin(client, {}, '__Host-satchel_session');
      const response = await client.request('POST', '/v1/session', { json: { email, password }, headers: { origin: PUBLIC } });
      expect(response.headers.get('set-cookie')).toMatch(/^__Host-satchel_session=\w{43}; Path=\/; .*HttpOnly; SameSite=Strict; Secure$/);
      const cookie = `satchel_session=${browser.secret}`;
      expect((await client.request('GET', '/v1/session', { headers: { cookie } })).status).toBe(401);
    });
  },
  { PUBLIC_URL: PUBLIC, ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' },
);
