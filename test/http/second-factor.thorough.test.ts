import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { Browser, codeOf, loginTo, newLogin } from '../support/browser.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'the second factor of a login',
  ({ client, dataDir, execute, restart, rows }) => {
    const logIn = (login: { email: string; password: string }, code?: string) =>
      new Browser(client).send('POST', '/v1/session', {
        email: login.email,
        password: login.password,
        ...(code !== undefined && { code }),
      });

    async function withApp() {
      const login = await newLogin(client);
      const { secret, otpauth_url } = (await login.browser.send('POST', '/v1/session/totp', { current_password: login.password })).body;
      expect(otpauth_url).toContain(`secret=${secret}`);
      // It does not count before it is confirmed.
      expect((await logIn(login)).status).toBe(201);
      const usedCode = codeOf(secret);
      const { recovery_codes } = (await login.browser.send('POST', '/v1/session/totp/confirm', { code: usedCode })).body;
      return { ...login, secret, usedCode, codes: recovery_codes as string[] };
    }

    it('is required after the right password only, and accepts each code once', async () => {
      const login = await withApp();
      expect((await logIn(login)).body).toMatchObject({ status: 401, type: 'code_required' });
      expect((await logIn({ ...login, password: 'wrong' }, codeOf(login.secret))).body).toMatchObject({
        status: 401,
        type: 'unauthorized',
      });
      expect((await logIn(login, '000000')).body.type).toBe('code_required');
      // The code that confirmed the app is used up.
      expect((await logIn(login, login.usedCode)).body.type).toBe('code_required');
      const code = codeOf(login.secret, 1);
      const both = await Promise.all([logIn(login, code), logIn(login, code)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect((await login.browser.send('GET', '/v1/account')).body).toMatchObject({ has_totp: true });
    });

    it('accepts each recovery code once', async () => {
      const login = await withApp();
      expect(new Set(login.codes).size).toBe(10);
      const [first = '', second = ''] = login.codes;
      expect((await logIn(login, first)).status).toBe(201);
      expect((await logIn(login, first)).body.type).toBe('code_required');
      expect((await logIn(login, second)).status).toBe(201);
      const other = await withApp();
      expect((await logIn(other, login.codes[2])).status).toBe(401);
    });

    it('needs the password to be added, and password and code to be removed', async () => {
      const login = await withApp();
      const remove = (json: object) => login.browser.send('POST', '/v1/session/totp/remove', json);
      const stranger = await newLogin(client);
      expect((await stranger.browser.send('POST', '/v1/session/totp', { current_password: 'wrong' })).status).toBe(403);
      expect((await stranger.browser.send('POST', '/v1/session/totp/confirm', { code: '000000' })).status).toBe(400);
      expect((await login.browser.send('POST', '/v1/session/totp', { current_password: login.password })).status).toBe(400);
      expect((await remove({ current_password: 'wrong', code: login.codes[0] })).status).toBe(403);
      expect((await remove({ current_password: login.password, code: '000000' })).status).toBe(401);
      expect((await remove({ current_password: login.password, code: login.codes[0] })).body).toMatchObject({ has_totp: false });
      expect((await logIn(login)).status).toBe(201);
    });

    it('replaces the recovery codes with password and code, and counts those that are left', async () => {
      const login = await withApp();
      const left = async () => (await login.browser.send('GET', '/v1/session')).body.recovery_codes_left;
      const renew = (json: object) => login.browser.send('POST', '/v1/session/totp/recovery-codes', json);
      expect(await left()).toBe(10);
      expect((await logIn(login, login.codes[0])).body.recovery_codes_left).toBe(9);
      expect((await renew({ current_password: 'wrong', code: login.codes[1] })).status).toBe(403);
      expect((await renew({ current_password: login.password, code: '000000' })).body.type).toBe('code_required');
      expect((await renew({ current_password: login.password })).status).toBe(400);
      expect(await left()).toBe(9);
      const { recovery_codes: codes } = (await renew({ current_password: login.password, code: login.codes[1] })).body;
      expect(new Set([...codes, ...login.codes]).size).toBe(20);
      expect(await left()).toBe(10);
      expect((await logIn(login, login.codes[2])).status).toBe(401);
      expect((await logIn(login, codes[0])).status).toBe(201);
      const stranger = await newLogin(client);
      expect((await stranger.browser.send('GET', '/v1/session')).body.recovery_codes_left).toBeNull();
      const without = await stranger.browser.send('POST', '/v1/session/totp/recovery-codes', {
        current_password: stranger.password,
        code: '000000',
      });
      expect(without.body).toMatchObject({ status: 400, type: 'validation_failed' });
    });

    it('is removed by a setup link, for an owner who has lost app and codes', async () => {
      const login = await withApp();
      const { email, password } = await loginTo(client, login.id);
      expect((await logIn({ email, password })).status).toBe(201);
    });

    it('accepts recovery codes after the SECRET_KEY was lost, and then another app', async () => {
      const login = await withApp();
      // As the setting REPLACE_SECRET_KEY does.
      await execute("DELETE FROM service_fact WHERE name = 'secret_key'");
      await restart(() => rmSync(join(dataDir, 'secret-key')));
      const [first, second] = login.codes;
      const rejected = (await logIn(login, codeOf(login.secret, 1))).body;
      expect(rejected).toMatchObject({ status: 401, type: 'code_required', message: expect.stringContaining('recovery code') });
      expect((await logIn({ ...login, password: 'wrong' }, first)).body).toMatchObject({ status: 401, type: 'unauthorized' });
      expect((await logIn(login, first)).status).toBe(201);
      const { password } = login;
      const { status } = await login.browser.send('POST', '/v1/session/totp/remove', { current_password: password, code: second });
      expect(status).toBe(200);
      const { secret } = (await login.browser.send('POST', '/v1/session/totp', { current_password: password })).body;
      expect((await login.browser.send('POST', '/v1/session/totp/confirm', { code: codeOf(secret) })).status).toBe(200);
      expect((await logIn(login, codeOf(login.secret, 1))).body.message).not.toContain('recovery code');
      expect((await logIn(login, codeOf(secret, 1))).status).toBe(201);
    });

    it('has a seed and recovery codes that the database does not have in clear', async () => {
      const { secret, codes } = await withApp();
      const all = [...(await rows('SELECT * FROM totp')), ...(await rows('SELECT * FROM recovery_code'))] as Json[];
      const text = all.map((row) =>
        Object.values(row).map((value) => (value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)),
      );
      for (const one of [secret, ...codes]) expect(JSON.stringify(text)).not.toContain(one);
    });
  },
  { ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' },
);
