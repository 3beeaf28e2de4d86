import { expect, it } from 'vitest';
import { IDLE_SECONDS, SESSION_SECONDS } from '../../src/core/accounts/sessions.ts';
import { onFakeNode } from '../support/app.ts';
import { Browser, newLogin } from '../support/browser.ts';
import type { HttpResponse, Json } from '../support/client.ts';

import { reloadModulesAfterFile } from '../support/reload-modules.ts';

reloadModulesAfterFile();

const SHIFT = `UPDATE session SET created_at = created_at - $2, last_used_at = last_used_at - $2, expires_at = expires_at - $2,
  latest_expires_at = latest_expires_at - $2 WHERE account_id = $1`;

onFakeNode(
  'setting up a login',
  ({ client, rows }) => {
    it('sets e-mail and password once, with an invitation of the operator', async () => {
      const invited = await client.post('/v1/accounts', { invite: true, reason: 'a new customer' });
      expect(invited).toMatchObject({ secret_key: null, has_password: false });
      const token = new URL(invited.setup_url).hash.slice(1);
      const json = { token, email: 'Ada@Example.com', password: 'correct horse battery' };
      const browser = new Browser(client);
      const without = await browser.send('POST', '/v1/session/setup', { ...json, email: undefined });
      expect(without.body).toMatchObject({ status: 400, type: 'validation_failed' });
      const first = await browser.send('POST', '/v1/session/setup', json);
      expect(first.status).toBe(201);
      expect(first.body.account).toMatchObject({ id: invited.id, email: 'ada@example.com', has_password: true });
      expect(first.body.session).toMatchObject({ method: 'setup_link', status: 'active', is_current: true });
      const second = await new Browser(client).send('POST', '/v1/session/setup', json);
      expect(second.body).toMatchObject({ status: 401, type: 'unauthorized' });
      expect((await browser.send('GET', '/v1/session')).body.account.id).toBe(invited.id);
    });

    it('replaces an earlier link, refuses an expired one, and refuses the e-mail of another account', async () => {
      const { id, setup_url: old } = await client.post('/v1/accounts', { invite: true, email: 'bob@example.com' });
      const { setup_url } = await client.post(`/v1/accounts/${id}/setup-link`, { reason: 'lost' });
      const setUp = (url: string, more = {}) =>
        new Browser(client).send('POST', '/v1/session/setup', { token: new URL(url).hash.slice(1), password: 'a'.repeat(10), ...more });
      expect((await setUp(old)).status).toBe(401);
      expect((await setUp(setup_url, { password: 'short' })).body).toMatchObject({ status: 400 });
      // Neither used the link.
      expect((await setUp(setup_url)).body.account.email).toBe('bob@example.com');
      const { email: taken } = await newLogin(client);
      const { setup_url: curious } = await client.post(`/v1/accounts/${id}/setup-link`, {});
      const [used, unknown] = [await setUp(curious, { email: taken }), await setUp(curious, { email: 'nobody@example.com' })];
      expect(used.body).toEqual({ ...unknown.body, request_id: used.body.request_id });
      expect(used.status).toBe(401);
      const { setup_url: expired } = await client.post(`/v1/accounts/${id}/setup-link`, {});
      const now = Date.now;
      Date.now = () => now() + 8 * 86_400_000;
      try {
        expect((await setUp(expired)).status).toBe(401);
      } finally {
        Date.now = now;
      }
    });

    it('ends the earlier sessions of the account', async () => {
      const { browser, id } = await newLogin(client);
      const { setup_url } = await client.post(`/v1/accounts/${id}/setup-link`, {});
      await new Browser(client).send('POST', '/v1/session/setup', {
        token: new URL(setup_url).hash.slice(1),
        password: 'another password',
      });
      await expect.poll(async () => (await browser.send('GET', '/v1/session')).status).toBe(401);
    });

    it('stores no token, password or secret of a session in clear', async () => {
      const { password, browser } = await newLogin(client);
      const { setup_url } = await client.post('/v1/accounts', { invite: true });
      const text = JSON.stringify([
        await rows('SELECT * FROM account'),
        await rows('SELECT * FROM operator_record'),
        await rows('SELECT * FROM session').then((all) => all.map((row) => ({ ...row, secret_hash: String(row.secret_hash) }))),
        await rows('SELECT account_id FROM setup_link'),
        await rows('SELECT name, fingerprint, made FROM idempotency_outcome'),
      ]);
      for (const secret of [password, browser.secret, new URL(setup_url).hash.slice(1)]) expect(text).not.toContain(secret);
      const [{ password_hash: hash }] = (await rows('SELECT password_hash FROM account WHERE password_hash IS NOT NULL')) as Json[];
      expect(hash).toMatch(/^scrypt\$32768\$8\$3\$/);
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' },
);

onFakeNode(
  'a session',
  ({ client, neighbour, another, rows, execute, problems }, dialect) => {
    it('may do what the secret key of its account may do, and only in its account', async () => {
      const { browser, id } = await newLogin(client);
      const made = await browser.send('POST', '/v1/wallet', { user_label: 'mine' });
      expect(made.status).toBe(201);
      const key = await browser.send('POST', '/v1/keys', { user_label: 'for a program' });
      expect(key.body).toMatchObject({ kind: 'secret_api', expires_at: null });
      expect((await client.request('GET', '/v1/account', { key: key.body.key })).body.id).toBe(id);
      expect((await browser.send('GET', '/v1/accounts')).status).toBe(403);
      const [own, foreign] = [await client.wallet(10), await neighbour.wallet(10)];
      for (const { id: other } of [own, foreign]) {
        expect((await browser.send('GET', `/v1/wallet/${other}`)).status).toBe(404);
        expect((await browser.send('POST', `/v1/wallet/${other}/transfer`, { dest_wallet_id: made.body.id, num_satoshis: 1 })).status).toBe(
          404,
        );
      }
    });

    it('of an operator manages accounts', async () => {
      const { browser } = await newLogin(client, { role: 'operator' });
      expect((await browser.send('GET', '/v1/accounts?per-page=1')).status).toBe(200);
      expect((await browser.send('POST', '/v1/accounts', {})).status).toBe(201);
    });

    it('has a cookie that scripts and other sites cannot use, with a new secret at each login', async () => {
      const { browser, email, password } = await newLogin(client);
      const before = browser.secret;
      const response = await browser.send('POST', '/v1/session', { email, password });
      expect(response.headers.get('set-cookie')).toMatch(
        new RegExp(`^satchel_session=[0-9A-Za-z]{43}; Path=/; Max-Age=${SESSION_SECONDS}; HttpOnly; SameSite=Strict$`),
      );
      expect(browser.secret).not.toBe(before);
      // Session fixation: a secret that the service did not create is no session, and login does not adopt it.
      const fixed = 'f'.repeat(43);
      const victim = new Browser(client, fixed);
      expect((await victim.send('GET', '/v1/session')).status).toBe(401);
      await victim.send('POST', '/v1/session', { email, password });
      expect(victim.secret).not.toBe(fixed);
      expect((await new Browser(client, fixed).send('GET', '/v1/session')).status).toBe(401);
    });

    it('counts only when the request has no other credential', async () => {
      const { browser } = await newLogin(client);
      const cookie = browser.cookie;
      const who = async (headers: Record<string, string>): Promise<HttpResponse> =>
        client.request('GET', '/v1/session', { headers: { cookie, ...headers } });
      expect((await who({})).body.session.is_current).toBe(true);
      expect((await who({ 'x-api-key': client.secretKey })).body.session).toBeNull();
      expect((await who({ authorization: `Basic ${Buffer.from(`${client.secretKey}:`).toString('base64')}` })).body.session).toBeNull();
      expect((await who({ 'x-api-key': 'sak_unknown' })).status).toBe(401);
      expect((await who({ 'x-api-key': `session_${browser.secret}` })).status).toBe(401);
      expect((await who({ cookie: `satchel_session=${'x'.repeat(43)}; ${cookie}` })).status).toBe(401);
    });

    it('ends by logging out, and clears the cookie', async () => {
      const { browser } = await newLogin(client);
      const { cookie } = browser;
      const out = await browser.send('DELETE', '/v1/session');
      expect(out.body.session).toMatchObject({ status: 'revoked' });
      expect(out.headers.get('set-cookie')).toContain('satchel_session=; Path=/; Max-Age=0;');
      await expect.poll(async () => (await client.request('GET', '/v1/session', { headers: { cookie } })).status).toBe(401);
    });

    it('is listed, and ended by another session or key of its account only', async () => {
      const { browser, email, password } = await newLogin(client);
      const other = new Browser(client);
      await other.send('POST', '/v1/session', { email, password });
      const [newest, first] = (await browser.send('GET', '/v1/sessions')).body;
      expect([newest.is_current, first.is_current]).toEqual([false, true]);
      expect(newest).toMatchObject({ method: 'password', status: 'active', user_agent: 'Mozilla/5.0 (test)' });
      expect(JSON.stringify(newest)).not.toContain(other.secret);
      const stranger = await newLogin(client);
      expect((await stranger.browser.send('DELETE', `/v1/sessions/${newest.id}`)).status).toBe(404);
      expect((await browser.send('DELETE', `/v1/sessions/${newest.id}`)).body).toMatchObject({ status: 'revoked' });
      await expect.poll(async () => (await other.send('GET', '/v1/session')).status).toBe(401);
      expect((await browser.send('GET', '/v1/session')).status).toBe(200);
    });

    it('moves no money from its revocation on, although reads may accept it for one more second', async () => {
      const { browser } = await newLogin(client);
      const [one, two] = [(await browser.send('POST', '/v1/wallet', {})).body, (await browser.send('POST', '/v1/wallet', {})).body];
      await browser.send('POST', '/playground/fund', { wallet_id: one.id, num_satoshis: 100 });
      const transfer = () => browser.send('POST', `/v1/wallet/${one.id}/transfer`, { dest_wallet_id: two.id, num_satoshis: 1 });
      expect((await transfer()).status).toBe(201);
      const { id } = (await browser.send('GET', '/v1/session')).body.session;
      await execute('UPDATE session SET revoked_at = 1 WHERE id = $1', id);
      // The key is still cached, so it is the posting that refuses.
      const refused = await Promise.all([
        transfer(),
        transfer(),
        browser.send('POST', '/v1/keys', {}),
        browser.send('POST', '/v1/wallet', {}),
      ]);
      expect(refused.map(({ body }) => body.type)).toEqual(Array(4).fill('unauthorized'));
      expect(
        (await rows('SELECT count(*) AS n FROM wallet w JOIN session s ON s.account_id = w.account_id WHERE s.id = $1', id))[0],
      ).toEqual({ n: 2 });
      expect(await problems()).toEqual([]);
    });

    it.skipIf(dialect === 'sqlite')('revoked on one instance moves no money on another, and is refused there within a second', async () => {
      const { browser } = await newLogin(client);
      const elsewhere = new Browser(await another(), browser.secret);
      const [one, two] = [(await browser.send('POST', '/v1/wallet', {})).body, (await browser.send('POST', '/v1/wallet', {})).body];
      await browser.send('POST', '/playground/fund', { wallet_id: one.id, num_satoshis: 100 });
      const transfer = () => elsewhere.send('POST', `/v1/wallet/${one.id}/transfer`, { dest_wallet_id: two.id, num_satoshis: 1 });
      expect((await transfer()).status).toBe(201);
      await browser.send('DELETE', '/v1/session');
      expect((await transfer()).status).toBe(401);
      await expect.poll(async () => (await elsewhere.send('GET', '/v1/session')).status).toBe(401);
    });

    it('ends after a day without a request, and after two weeks in any case', async () => {
      const { browser, id } = await newLogin(client);
      const [{ expires_at, latest_expires_at, created_at }] = (await rows('SELECT * FROM session WHERE account_id = $1', id)) as Json[];
      expect([expires_at - created_at, latest_expires_at - created_at]).toEqual([IDLE_SECONDS, SESSION_SECONDS]);
      const shift = (seconds: number) => execute(SHIFT, id, seconds);
      const status = async () => (await browser.send('GET', '/v1/session')).status;
      const expiry = async () => Number((await rows('SELECT expires_at FROM session WHERE account_id = $1', id))[0]?.expires_at);
      // Each use after a minute postpones the end.
      await shift(IDLE_SECONDS - 100);
      const before = await expiry();
      await expect.poll(async () => (await status()) === 200 && (await expiry()) > before).toBe(true);
      await shift(IDLE_SECONDS + 1);
      await expect.poll(status).toBe(401);
      // Never beyond the latest end.
      const soon = Math.floor(Date.now() / 1000) + 50;
      await execute('UPDATE session SET latest_expires_at = $2, expires_at = $2 WHERE account_id = $1', id, soon);
      await expect.poll(status).toBe(200);
      expect(await expiry()).toBe(soon);
    });

    it('keeps only the session that changes the password', async () => {
      const { browser, email, password } = await newLogin(client);
      const other = new Browser(client);
      await other.send('POST', '/v1/session', { email, password });
      const change = (current_password: string) =>
        browser.send('POST', '/v1/session/password', { current_password, new_password: 'a new long password' });
      expect((await change('wrong password')).body).toMatchObject({ status: 403, type: 'forbidden' });
      expect((await change(password)).status).toBe(200);
      await expect.poll(async () => (await other.send('GET', '/v1/session')).status).toBe(401);
      expect((await browser.send('GET', '/v1/session')).status).toBe(200);
      expect((await other.send('POST', '/v1/session', { email, password })).status).toBe(401);
      expect((await other.send('POST', '/v1/session', { email, password: 'a new long password' })).status).toBe(201);
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' },
);

onFakeNode('logging in', ({ client }) => {
  it('has the same response for an unknown e-mail and a wrong password', async () => {
    const { email } = await newLogin(client);
    const attempt = (json: object) => new Browser(client).send('POST', '/v1/session', json);
    const answers = [
      await attempt({ email, password: 'wrong' }),
      await attempt({ email: 'nobody@example.com', password: 'wrong' }),
      await attempt({ email: `${email}.org`, password: '' }),
    ].map(({ status, body, headers }) => ({ status, body: { ...body, request_id: '' }, cookie: headers.get('set-cookie') }));
    expect(answers[0]).toMatchObject({ status: 401, body: { type: 'unauthorized' }, cookie: null });
    expect(answers[1]).toEqual(answers[0]);
  });

  it('is limited per address and e-mail, with the same response for an unknown e-mail', async () => {
    const attempts = async (email: string) => {
      const statuses: number[] = [];
      for (let i = 0; i < 11; i++)
        statuses.push((await new Browser(client).send('POST', '/v1/session', { email, password: 'wrong' })).status);
      return statuses;
    };
    const { email } = await newLogin(client);
    const known = await attempts(email);
    expect(known).toEqual([...Array(10).fill(401), 429]);
    expect(await attempts('nobody2@example.com')).toEqual(known);
  });
});
