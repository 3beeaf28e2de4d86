import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { newLogin } from '../support/browser.ts';
import { useChromium } from '../support/chromium.ts';
import type { Json } from '../support/client.ts';
import { freePort } from '../support/free-port.ts';

const port = await freePort();
const ORIGIN = `http://localhost:${port}`;

/** Requests to the API and calls of the browser, as a page makes them. */
const PAGE_SCRIPT = `
  const send = async (method, path, body) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) });
    return { status: response.status, body: await response.json() };
  };
  const addPasskey = async (proof) => {
    const { body } = await send('POST', '/v1/session/passkeys/options', proof);
    const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(body);
    const credential = (await navigator.credentials.create({ publicKey })).toJSON();
    return send('POST', '/v1/session/passkeys', { credential, name: 'Chromium' });
  };
  const logInWithPasskey = async () => {
    const { body } = await send('POST', '/v1/session/passkey/options');
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(body);
    const credential = (await navigator.credentials.get({ publicKey })).toJSON();
    return send('POST', '/v1/session/passkey', { credential });
  };
`;

onFakeNodeWithSqlite(
  'a passkey in Chromium',
  ({ client }) => {
    const chromium = useChromium();

    const run = (page: Page, code: string): Promise<Json> => page.evaluate(`(async () => { ${PAGE_SCRIPT} return ${code}; })()`);

    async function openWithAuthenticator(options: object = {}): Promise<Page> {
      const page = await chromium.open(ORIGIN);
      const devtools = await page.context().newCDPSession(page);
      await devtools.send('WebAuthn.enable');
      await devtools.send('WebAuthn.addVirtualAuthenticator', {
        options: {
          protocol: 'ctap2',
          transport: 'internal',
          hasResidentKey: true,
          hasUserVerification: true,
          isUserVerified: true,
          automaticPresenceSimulation: true,
          ...options,
        },
      });
      await page.goto('/login');
      return page;
    }

    it('is added and logs in, more than once', async () => {
      const { id, email, password } = await newLogin(client);
      const page = await openWithAuthenticator();
      expect((await run(page, `await send('POST', '/v1/session', ${JSON.stringify({ email, password })})`)).status).toBe(201);
      const added = await run(page, `await addPasskey({})`);
      expect(added).toMatchObject({ status: 201, body: { name: 'Chromium' } });
      for (let i = 0; i < 2; i++) {
        await run(page, `await send('DELETE', '/v1/session')`);
        expect(await run(page, 'await logInWithPasskey()')).toMatchObject({
          status: 201,
          body: { account: { id }, session: { method: 'passkey' } },
        });
      }
      const session = await run(page, `await send('GET', '/v1/session')`);
      expect(session.body).toMatchObject({ account: { id }, session: { is_current: true } });
      // The browser knows that the account has one on this device.
      await expect(run(page, 'await addPasskey({})')).rejects.toThrow(/InvalidStateError/);
    });
  },
  { PORT: String(port), PUBLIC_URL: ORIGIN, ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' },
);
