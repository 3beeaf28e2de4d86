import { afterEach, expect, it, vi } from 'vitest';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { type App, onFakeNode } from '../support/app.ts';
import { Browser, codeOf, loginTo, newLogin } from '../support/browser.ts';
import type { HttpResponse, Json } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { LinkingKey } from './linking-key.ts';

reloadModulesAfterFile();
afterEach(() => vi.restoreAllMocks());

const UNLIMITED = { ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' };

/** Adds an authenticator app, and returns the recovery codes. */
async function addApp({ browser, password }: { browser: Browser; password: string }): Promise<string[]> {
  const { secret } = (await browser.send('POST', '/v1/session/totp', { current_password: password })).body;
  return (await browser.send('POST', '/v1/session/totp/confirm', { code: codeOf(secret) })).body.recovery_codes;
}

function actionsOn({ client }: Pick<App, 'client'>) {
  const begin = async (browser: Browser): Promise<Json> => (await browser.send('POST', '/v1/session/lnurl-auth')).body;
  const complete = (browser: Browser, { id, token }: Json, code?: string): Promise<HttpResponse> =>
    browser.send('POST', `/v1/session/lnurl-auth/${id}`, { token, code });
  const beginLink = (browser: Browser, json: object = {}) => browser.send('POST', '/v1/session/linked-keys', json);
  const completeLink = (browser: Browser, { id }: Json) => browser.send('POST', `/v1/session/linked-keys/${id}`);
  return {
    begin,
    complete,
    beginLink,
    completeLink,
    async logIn(wallet: LinkingKey, code?: string) {
      const browser = new Browser(client);
      const begun = await begin(browser);
      expect(await wallet.call(client.url, begun.url)).toEqual({ status: 'OK' });
      return { browser, begun, response: await complete(browser, begun, code) };
    },
    async link(browser: Browser, wallet: LinkingKey): Promise<HttpResponse> {
      const begun = (await beginLink(browser, { name: 'phone' })).body;
      await wallet.call(client.url, begun.url);
      return completeLink(browser, begun);
    },
  };
}

onFakeNode(
  'a login with a Lightning wallet',
  (app, dialect) => {
    const { client } = app;
    const { begin, complete, link, logIn, beginLink, completeLink } = actionsOn(app);

    async function linkedLogin(fields: object = {}) {
      const login = await newLogin(client, fields);
      const wallet = new LinkingKey();
      const linked = (await link(login.browser, wallet)).body;
      const codes: string[] = await addApp(login);
      // A recovery code, because each of an app is accepted once.
      return { ...login, wallet, linked, code: () => codes.shift() };
    }

    it('LUD-04: starts a session of the account to which the wallet is linked', async () => {
      const { id, wallet, linked, code } = await linkedLogin();
      expect(linked).toMatchObject({ name: 'phone', linking_key: wallet.hex, last_used_at: null });
      const browser = new Browser(client);
      const begun = await begin(browser);
      expect(decodeLnurl(begun.lnurl)).toBe(begun.url);
      expect(Object.fromEntries(new URL(begun.url).searchParams)).toMatchObject({ tag: 'login', action: 'login' });
      expect(await complete(browser, begun)).toMatchObject({ status: 202, body: { status: 'open' } });
      expect(await wallet.call(client.url, begun.url)).toEqual({ status: 'OK' });
      expect(browser.secret).toBe('');
      const { status, body } = await complete(browser, begun, code());
      expect(status).toBe(201);
      expect(body).toMatchObject({ account: { id }, session: { method: 'lnurl_auth', is_current: true } });
      expect((await browser.send('GET', '/v1/session')).body.account.id).toBe(id);
      const [used] = (await browser.send('GET', '/v1/session/linked-keys')).body;
      expect(used.last_used_at).toBeGreaterThan(0);
    });

    it('is refused for a wallet that no account has linked', async () => {
      const { response, browser } = await logIn(new LinkingKey());
      expect(response.body).toMatchObject({ status: 401, type: 'unauthorized', message: expect.stringContaining('No account has linked') });
      expect(browser.secret).toBe('');
    });

    it('is completed only by the browser that has the token, which the wallet does not get', async () => {
      const { wallet, code } = await linkedLogin();
      const begun = await begin(new Browser(client));
      expect(begun.url).not.toContain(begun.token);
      await wallet.call(client.url, begun.url);
      const k1 = new URL(begun.url).searchParams.get('k1') ?? '';
      for (const token of ['x'.repeat(43), k1, begun.id, (await begin(new Browser(client))).token]) {
        expect((await complete(new Browser(client), { ...begun, token })).body).toMatchObject({ status: 401, type: 'unauthorized' });
      }
      expect((await complete(new Browser(client), begun, code())).status).toBe(201);
    });

    it('is completed once, also by two requests at the same time', async () => {
      const { wallet, code } = await linkedLogin();
      const begun = await begin(new Browser(client));
      await wallet.call(client.url, begun.url);
      const both = await Promise.all([complete(new Browser(client), begun, code()), complete(new Browser(client), begun, code())]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect((await complete(new Browser(client), begun)).status).toBe(401);
      expect(await wallet.call(client.url, begun.url)).toMatchObject({ status: 'ERROR' });
    });

    it('belongs to the first key that signs', async () => {
      const [first, second] = [await linkedLogin(), await linkedLogin()];
      const begun = await begin(new Browser(client));
      await first.wallet.call(client.url, begun.url);
      expect(await second.wallet.call(client.url, begun.url)).toMatchObject({ status: 'ERROR' });
      expect(await first.wallet.call(client.url, begun.url)).toEqual({ status: 'OK' });
      expect((await complete(new Browser(client), begun, first.code())).body.account.id).toBe(first.id);
    });

    it('expires after five minutes; signed, after ten', async () => {
      const { wallet } = await linkedLogin();
      const [unsigned, signed] = [await begin(new Browser(client)), await begin(new Browser(client))];
      await wallet.call(client.url, signed.url);
      const now = Date.now();
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 301_000);
      expect(await wallet.call(client.url, unsigned.url)).toMatchObject({ status: 'ERROR', reason: expect.stringContaining('expired') });
      expect((await complete(new Browser(client), unsigned)).status).toBe(401);
      clock.mockImplementation(() => now + 605_000);
      expect((await complete(new Browser(client), signed)).status).toBe(401);
    });

    it('LUD-04: needs the code of an authenticator app, because a dishonest application can present a login of its own', async () => {
      const login = await newLogin(client);
      const wallet = new LinkingKey();
      await link(login.browser, wallet);
      const { response, browser: refused } = await logIn(wallet);
      const needsApp = { status: 403, type: 'forbidden', message: expect.stringContaining('add an app in the settings') };
      expect(response.body).toMatchObject(needsApp);
      expect(refused.secret).toBe('');
      const { secret } = (await login.browser.send('POST', '/v1/session/totp', { current_password: login.password })).body;
      // A seed that was not confirmed is no app.
      expect((await logIn(wallet)).response.body).toMatchObject(needsApp);
      const { recovery_codes } = (await login.browser.send('POST', '/v1/session/totp/confirm', { code: codeOf(secret) })).body;
      const { browser: other, begun, response: withoutCode } = await logIn(wallet);
      expect(withoutCode.body).toMatchObject({ status: 401, type: 'code_required' });
      expect((await complete(other, begun, '000000')).body.type).toBe('code_required');
      expect(other.secret).toBe('');
      expect((await complete(other, begun, recovery_codes[0])).status).toBe(201);
      expect((await logIn(wallet, recovery_codes[0])).response.body.type).toBe('code_required');
      await login.browser.send('POST', '/v1/session/totp/remove', { current_password: login.password, code: recovery_codes[1] });
      expect((await logIn(wallet)).response.body).toMatchObject(needsApp);
    });

    it('ends when the account of a member becomes that of an operator; other sessions continue', async () => {
      const { browser, wallet, id, code } = await linkedLogin();
      const walletSession = (await logIn(wallet, code())).browser;
      const change = (fields: object) => client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: fields });
      await change({ max_wallets: 5 });
      expect((await walletSession.send('GET', '/v1/session')).status).toBe(200);
      expect((await change({ role: 'operator' })).body.role).toBe('operator');
      const listed = (await browser.send('GET', '/v1/sessions')).body.map((one: Json) => [one.method, one.status]);
      expect(listed).toEqual([
        ['lnurl_auth', 'revoked'],
        ['setup_link', 'active'],
      ]);
    });

    it('is not possible with a wallet that was removed, also if it signed before', async () => {
      const { browser, wallet, linked } = await linkedLogin();
      const begun = await begin(new Browser(client));
      await wallet.call(client.url, begun.url);
      expect((await browser.send('DELETE', `/v1/session/linked-keys/${linked.id}`)).body).toMatchObject({ id: linked.id, name: 'phone' });
      expect((await browser.send('DELETE', `/v1/session/linked-keys/${linked.id}`)).status).toBe(404);
      expect((await complete(new Browser(client), begun)).status).toBe(401);
      expect((await browser.send('GET', '/v1/session/linked-keys')).body).toEqual([]);
    });

    it('is not possible after a setup link, which resets all logins', async () => {
      const { id, wallet } = await linkedLogin();
      await loginTo(client, id);
      expect((await logIn(wallet)).response.status).toBe(401);
    });

    it('is refused to pages of other sites', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      expect((await client.request('POST', '/v1/session/lnurl-auth', { headers })).status).toBe(403);
      const begun = await begin(new Browser(client));
      const path = `/v1/session/lnurl-auth/${begun.id}`;
      expect((await client.request('POST', path, { headers, json: { token: begun.token } })).status).toBe(403);
    });

    it('cannot be completed through a link, nor a link through a login', async () => {
      const { browser, wallet } = await linkedLogin();
      const login = await begin(browser);
      await wallet.call(client.url, login.url);
      expect((await completeLink(browser, login)).status).toBe(404);
      const begun = (await beginLink(browser)).body;
      expect(begun.token).toBeUndefined();
      await wallet.call(client.url, begun.url);
      expect((await complete(new Browser(client), { ...begun, token: begun.id })).status).toBe(401);
    });

    it('is neither begun nor signed by the challenges of applications', async () => {
      const { wallet } = await linkedLogin();
      const challenge = await client.post('/v1/lnurl-auth', { action: 'login' });
      expect(await wallet.call(client.url, challenge.url)).toEqual({ status: 'OK' });
      expect((await complete(new Browser(client), { ...challenge, token: 'x' })).status).toBe(401);
      const begun = await begin(new Browser(client));
      expect((await client.request('GET', `/v1/lnurl-auth/${begun.id}`, { key: client.secretKey })).status).toBe(404);
    });

    it('stores no secret in clear', async () => {
      const begun = await begin(new Browser(client));
      const rows = await app.rows('SELECT * FROM wallet_challenge');
      const text = rows.map((row) =>
        Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)),
      );
      for (const secret of [begun.token, new URL(begun.url).searchParams.get('k1')]) expect(JSON.stringify(text)).not.toContain(secret);
    });

    it.runIf(dialect === 'postgres')('may be begun, signed and completed at different instances', async () => {
      const { wallet, id, code } = await linkedLogin();
      const other = await app.another();
      const begun = await begin(new Browser(client));
      expect(await wallet.call(other.url, begun.url)).toEqual({ status: 'OK' });
      const both = await Promise.all([complete(new Browser(client), begun, code()), complete(new Browser(other), begun, code())]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect(both.find(({ status }) => status === 201)?.body.account.id).toBe(id);
    });
  },
  UNLIMITED,
);

onFakeNode(
  'the link of a Lightning wallet',
  (app) => {
    const { client } = app;
    const { beginLink, completeLink, link, logIn } = actionsOn(app);

    it('needs the password, or a login within ten minutes that was not with a wallet', async () => {
      const { browser, email, password } = await newLogin(client);
      const wallet = new LinkingKey();
      expect((await link(browser, wallet)).status).toBe(201);
      const [code, another] = await addApp({ browser, password });
      const byWallet = (await logIn(wallet, code)).browser;
      expect((await beginLink(byWallet)).body).toMatchObject({ status: 403, type: 'password_required' });
      expect((await beginLink(byWallet, { current_password: 'wrong' })).body).toMatchObject({ status: 403, type: 'forbidden' });
      expect((await beginLink(byWallet, { current_password: password })).status).toBe(201);
      const now = Date.now();
      const clock = vi.spyOn(Date, 'now').mockImplementation(() => now + 601_000);
      expect((await beginLink(browser)).body).toMatchObject({ status: 403, type: 'password_required' });
      const later = new Browser(client);
      await later.send('POST', '/v1/session', { email, password, code: another });
      expect((await beginLink(later)).status).toBe(201);
      clock.mockRestore();
    });

    it('needs the password if it is requested with an API key', async () => {
      const { browser, password } = await newLogin(client);
      const { key } = (await browser.send('POST', '/v1/keys', { kind: 'secret_api' })).body;
      const send = (json: object) => client.request('POST', '/v1/session/linked-keys', { key, json });
      expect((await send({})).body).toMatchObject({ status: 403, type: 'password_required' });
      expect((await send({ current_password: password })).status).toBe(201);
      expect((await client.request('POST', '/v1/session/linked-keys', { json: {} })).status).toBe(401);
    });

    it('is completed only by the session that began it, once, and replaces an earlier beginning', async () => {
      const login = await newLogin(client);
      const other = new Browser(client);
      await other.send('POST', '/v1/session', { email: login.email, password: login.password });
      const [first, second] = [(await beginLink(login.browser)).body, (await beginLink(login.browser)).body];
      const wallet = new LinkingKey();
      expect(await wallet.call(client.url, first.url)).toMatchObject({ status: 'ERROR' });
      expect((await completeLink(login.browser, second)).body).toEqual({ status: 'open' });
      await wallet.call(client.url, second.url);
      expect((await completeLink(other, second)).status).toBe(404);
      expect((await completeLink((await newLogin(client)).browser, second)).status).toBe(404);
      const both = await Promise.all([completeLink(login.browser, second), completeLink(login.browser, second)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 404]);
    });

    it('is not completed by a session that has ended', async () => {
      const { browser } = await newLogin(client);
      const begun = (await beginLink(browser)).body;
      await new LinkingKey().call(client.url, begun.url);
      await browser.send('DELETE', '/v1/session');
      expect((await completeLink(browser, begun)).status).toBe(401);
    });

    it('refuses a key that is linked, to this account or another', async () => {
      const [one, other] = [await newLogin(client), await newLogin(client)];
      const wallet = new LinkingKey();
      expect((await link(one.browser, wallet)).status).toBe(201);
      for (const { browser } of [one, other])
        expect((await link(browser, wallet)).body).toMatchObject({ status: 409, type: 'login_taken' });
      expect((await other.browser.send('GET', '/v1/session/linked-keys')).body).toEqual([]);
      const [{ id }] = (await one.browser.send('GET', '/v1/session/linked-keys')).body;
      expect((await other.browser.send('DELETE', `/v1/session/linked-keys/${id}`)).status).toBe(404);
    });

    it('is possible for ten wallets', async () => {
      const { browser } = await newLogin(client);
      for (let i = 0; i < 10; i++) expect((await link(browser, new LinkingKey())).status).toBe(201);
      expect((await link(browser, new LinkingKey())).body).toMatchObject({ status: 409, type: 'too_many_logins' });
      expect((await browser.send('GET', '/v1/session/linked-keys')).body).toHaveLength(10);
    });
  },
  UNLIMITED,
);

onFakeNode('attempts to log in with a Lightning wallet', (app) => {
  const { client } = app;
  const { begin, complete, link } = actionsOn(app);

  it('are limited per address, and codes per wallet; waiting for a signature is not', async () => {
    const { browser, password } = await newLogin(client);
    const wallet = new LinkingKey();
    await link(browser, wallet);
    await addApp({ browser, password });
    const begun = await begin(new Browser(client));
    for (let i = 0; i < 50; i++) expect((await complete(new Browser(client), begun)).status).toBe(202);
    await wallet.call(client.url, begun.url);
    const codes = [];
    for (let i = 0; i < 12; i++) codes.push((await complete(new Browser(client), begun, '000000')).status);
    expect(codes).toEqual([...Array(10).fill(401), 429, 429]);
    const beginnings = [];
    for (let i = 0; i < 30; i++) beginnings.push((await client.request('POST', '/v1/session/lnurl-auth')).status);
    expect(new Set(beginnings)).toEqual(new Set([201, 429]));
  });
});
