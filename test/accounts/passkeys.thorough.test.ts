import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { relyingPartyOf } from '../../src/features/logins/webauthn.ts';
import { type App, onFakeNode } from '../support/app.ts';
import { Browser, codeOf, loginTo, newLogin } from '../support/browser.ts';
import type { HttpResponse, Json } from '../support/client.ts';
import { reloadModulesAfterFile } from '../support/reload-modules.ts';
import { Authenticator, type Changes, cbor } from './authenticator.ts';

reloadModulesAfterFile();
afterEach(() => vi.restoreAllMocks());

const ORIGIN = 'https://wallets.example.com';
const SETTINGS = { PUBLIC_URL: ORIGIN, ADDRESS_RATE_LIMIT_PER_SECOND: '0', UNLIMITED_LOGINS: 'true' };
const COOKIE = '__Host-satchel_session';

describe('the relying party', () => {
  it.each([
    ['https://wallets.example.com', 'wallets.example.com', 'https://wallets.example.com'],
    ['https://wallets.example.com:8443/satchel', 'wallets.example.com', 'https://wallets.example.com:8443'],
    ['http://localhost:4021', 'localhost', 'http://localhost:4021'],
  ])('of %s is %s', (url, id, origin) => expect(relyingPartyOf(url)).toEqual({ id, origin }));

  it.each(['http://127.0.0.1:4021', 'https://192.0.2.1', 'https://[::1]', 'http://wallets.example.com', 'http://localhost.example.com'])(
    'does not exist for %s',
    (url) => expect(() => relyingPartyOf(url)).toThrow(expect.objectContaining({ type: 'passkeys_unavailable' })),
  );
});

function actionsOn({ client }: Pick<App, 'client'>) {
  const newBrowser = () => new Browser(client, '', COOKIE);
  const begin = (browser: Browser, json: object = {}) => browser.send('POST', '/v1/session/passkeys/options', json);
  const add = (browser: Browser, credential: Json, name = 'laptop') => browser.send('POST', '/v1/session/passkeys', { credential, name });
  const options = async (browser: Browser): Promise<Json> => (await browser.send('POST', '/v1/session/passkey/options')).body;
  const send = (browser: Browser, credential: Json) => browser.send('POST', '/v1/session/passkey', { credential });
  return {
    newBrowser,
    begin,
    add,
    options,
    send,
    async withPasskey(authenticator = new Authenticator(ORIGIN)) {
      const login = await newLogin(client, {}, COOKIE);
      const { status, body: passkey } = await add(login.browser, authenticator.create((await begin(login.browser)).body));
      expect(status).toBe(201);
      return { ...login, authenticator, passkey: passkey as Json };
    },
    async logIn(authenticator: Authenticator, changes: Changes = {}): Promise<{ browser: Browser; response: HttpResponse }> {
      const browser = newBrowser();
      return { browser, response: await send(browser, authenticator.get(await options(browser), changes)) };
    },
  };
}

onFakeNode(
  'a passkey',
  (app, dialect) => {
    const { client } = app;
    const { newBrowser, begin, add, options, send, withPasskey, logIn } = actionsOn(app);
    const sharedPasskey = once(() => withPasskey());
    const sharedLogin = once(() => newLogin(client, {}, COOKIE));

    it('is added with the options that a browser needs', async () => {
      const { browser, email, id } = await newLogin(client, {}, COOKIE);
      const first = (await begin(browser)).body;
      expect(first).toMatchObject({
        rp: { id: 'wallets.example.com' },
        user: { id: Buffer.from(id).toString('base64url'), name: email },
        pubKeyCredParams: [
          { type: 'public-key', alg: -7 },
          { type: 'public-key', alg: -257 },
        ],
        excludeCredentials: [],
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
        attestation: 'none',
      });
      const authenticator = new Authenticator(ORIGIN);
      const added = (await add(browser, authenticator.create(first))).body;
      expect(added).toMatchObject({ name: 'laptop', credential_id: authenticator.credentialId.toString('base64url'), last_used_at: null });
      const { excludeCredentials } = (await begin(browser)).body;
      expect(excludeCredentials).toEqual([{ type: 'public-key', id: added.credential_id, transports: ['internal', 'hybrid'] }]);
    });

    it.each(['ES256', 'RS256'] as const)('with %s logs in to its account without an e-mail', async (algorithm) => {
      const { id, authenticator } = await withPasskey(new Authenticator(ORIGIN, { algorithm }));
      const { browser, response } = await logIn(authenticator);
      expect(response.status).toBe(201);
      expect(response.body).toMatchObject({ account: { id }, session: { method: 'passkey', is_current: true } });
      const [used] = (await browser.send('GET', '/v1/session/passkeys')).body;
      expect(used.last_used_at).toBeGreaterThan(0);
      expect((await logIn(authenticator)).response.status).toBe(201);
    });

    it('replaces the code of an authenticator app', async () => {
      const { browser, password, authenticator } = await withPasskey();
      const { secret } = (await browser.send('POST', '/v1/session/totp', { current_password: password })).body;
      await browser.send('POST', '/v1/session/totp/confirm', { code: codeOf(secret) });
      expect((await logIn(authenticator)).response.status).toBe(201);
    });

    const wrong: [string, Changes | ((credential: Json) => Json), string][] = [
      ['of another origin', { origin: 'https://evil.example' }, 'its origin is not'],
      ['of another port', { origin: `${ORIGIN}:8443` }, 'its origin is not'],
      ['of a frame of another site', { crossOrigin: true }, 'frame'],
      ['for another domain', { rpId: 'example.com' }, 'does not belong'],
      ['of a registration', { type: 'webauthn.create' }, 'its type'],
      ['without verification of the person', { flags: 0x01 }, 'not verified'],
      ['without presence of the person', { flags: 0x04 }, 'not verified'],
      ['that is copied although it cannot be', { flags: 0x15 }, 'contradict'],
      ['with an unknown challenge', { challenge: randomBytes(32).toString('base64url') }, 'its challenge'],
      ['of another account', { userHandle: Buffer.from('acc_other').toString('base64url') }, 'another account'],
      ['with data that was added', { extra: Buffer.of(0) }, 'after its counter'],
      [
        'with another signature',
        (one) => ({ ...one, response: { ...one.response, signature: Buffer.alloc(70).toString('base64url') } }),
        'signature',
      ],
      [
        'with an altered origin',
        (one) => withClientData(one, (text) => text.replace('"crossOrigin":false', '"crossOrigin": false')),
        'signature',
      ],
      ['with an unknown id', (one) => ({ ...one, id: randomBytes(32).toString('base64url') }), 'no account has it'],
      ['without a signature', (one) => ({ ...one, response: { ...one.response, signature: undefined } }), 'no signature'],
      ['with a signature that is not base64url', (one) => ({ ...one, response: { ...one.response, signature: '+/==' } }), 'base64url'],
      ['of another type', (one) => ({ ...one, type: 'password' }), 'no passkey'],
      ['without a response', (one) => ({ ...one, response: undefined }), 'no response'],
      ['with a response that is a text', (one) => ({ ...one, response: 'x' }), 'no response'],
      ['with client data that is no JSON', (one) => withClientData(one, () => '{'), 'malformed'],
      ['with client data null', (one) => withClientData(one, () => 'null'), 'no challenge'],
      ['with short authenticator data', (one) => ({ ...one, response: { ...one.response, authenticatorData: 'AAAA' } }), 'too short'],
      ['of 3 kB', (one) => ({ ...one, response: { ...one.response, signature: 'A'.repeat(3_000) } }), 'signature is invalid'],
    ];

    it.each(wrong)('does not log in with a credential %s', async (_name, change, reason) => {
      const { authenticator } = await sharedPasskey();
      const browser = newBrowser();
      const credential =
        typeof change === 'function'
          ? change(authenticator.get(await options(browser)))
          : authenticator.get(await options(browser), change);
      const response = await send(browser, credential);
      expect(response.body).toMatchObject({ status: 401, type: 'unauthorized', message: expect.stringContaining(reason) });
      expect(browser.secret).toBe('');
      expect((await logIn(authenticator)).response.status).toBe(201);
    });

    const wrongNew: [string, Changes | ((credential: Json) => Json), string][] = [
      ['of another origin', { origin: 'https://evil.example' }, 'its origin is not'],
      ['of a login', { type: 'webauthn.get' }, 'its type'],
      ['for another domain', { rpId: 'example.com' }, 'does not belong'],
      ['without verification of the person', { flags: 0x41 }, 'not verified'],
      ['without a public key', { flags: 0x05 }, 'no public key'],
      ['with an unknown challenge', { challenge: randomBytes(32).toString('base64url') }, 'its challenge'],
      ['with two ids', { credentialId: randomBytes(32) }, 'two ids'],
      ['with data that was added', { extra: Buffer.of(0) }, 'after its public key'],
      [
        'without an attestation',
        (one) => ({ ...one, response: { ...one.response, attestationObject: undefined } }),
        'no attestationObject',
      ],
      ['with an attestation that is no CBOR', (one) => withAttestation(one, Buffer.of(0xff)), 'malformed'],
      ['with an attestation that is a list', (one) => withAttestation(one, cbor([1])), 'no authenticator data'],
    ];

    it.each(wrongNew)('is not added %s', async (_name, change, reason) => {
      const { browser } = await sharedLogin();
      const authenticator = new Authenticator(ORIGIN);
      const begun = (await begin(browser)).body;
      const credential = typeof change === 'function' ? change(authenticator.create(begun)) : authenticator.create(begun, change);
      const { body } = await add(browser, credential);
      expect(body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringContaining(reason) });
      expect((await browser.send('GET', '/v1/session/passkeys')).body).toEqual([]);
    });

    it.each([
      [
        'on another curve',
        [
          [1, 2],
          [3, -7],
          [-1, 2],
          [-2, randomBytes(32)],
          [-3, randomBytes(32)],
        ],
      ],
      [
        'that is no point of the curve',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.alloc(32, 1)],
          [-3, Buffer.alloc(32, 1)],
        ],
      ],
      [
        'with short coordinates',
        [
          [1, 2],
          [3, -7],
          [-1, 1],
          [-2, Buffer.alloc(31, 1)],
          [-3, Buffer.alloc(31, 1)],
        ],
      ],
      [
        'of RSA with 1024 bits',
        [
          [1, 3],
          [3, -257],
          [-1, rsaModulus(1024)],
          [-2, Buffer.of(1, 0, 1)],
        ],
      ],
      [
        'of another algorithm',
        [
          [1, 2],
          [3, -36],
          [-1, 1],
          [-2, randomBytes(32)],
          [-3, randomBytes(32)],
        ],
      ],
    ])('is not added with a public key %s', async (_name, parts) => {
      const { browser } = await sharedLogin();
      const publicKey = cbor(new Map(parts as [number, number][]));
      const { body } = await add(browser, new Authenticator(ORIGIN).create((await begin(browser)).body, { publicKey }));
      expect(body).toMatchObject({ status: 400, type: 'validation_failed', message: expect.stringMatching(/public key|malformed/) });
    });

    it('logs in once per challenge, also with two requests at the same time, and not with a challenge to add one', async () => {
      const { authenticator, browser: own } = await withPasskey();
      const credential = authenticator.get(await options(newBrowser()));
      const both = await Promise.all([send(newBrowser(), credential), send(newBrowser(), credential)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect((await send(newBrowser(), credential)).status).toBe(401);
      const { challenge } = (await begin(own)).body;
      expect((await logIn(authenticator, { challenge })).response.body.message).toContain('its challenge');
      const toLogIn = await options(newBrowser());
      expect((await add(own, new Authenticator(ORIGIN).create({ ...(await begin(own)).body, challenge: toLogIn.challenge }))).status).toBe(
        400,
      );
    });

    it('uses up a challenge with a rejected credential, too', async () => {
      const { authenticator } = await withPasskey();
      const challenge = await options(newBrowser());
      expect((await send(newBrowser(), authenticator.get(challenge, { flags: 0x01 }))).status).toBe(401);
      expect((await send(newBrowser(), authenticator.get(challenge))).body.message).toContain('its challenge');
    });

    it('has challenges that expire after five minutes', async () => {
      const { authenticator, browser } = await withPasskey();
      const [login, adding] = [await options(newBrowser()), (await begin(browser)).body];
      const now = Date.now();
      vi.spyOn(Date, 'now').mockImplementation(() => now + 301_000);
      expect((await send(newBrowser(), authenticator.get(login))).status).toBe(401);
      expect((await add(browser, new Authenticator(ORIGIN).create(adding))).status).toBe(400);
    });

    it('with a counter that does not increase is rejected, because it may be a copy', async () => {
      const { authenticator } = await withPasskey();
      expect((await logIn(authenticator)).response.status).toBe(201);
      for (const counter of [1, 0])
        expect((await logIn(authenticator, { counter })).response.body.message).toContain('there may be a copy of it');
      expect((await logIn(authenticator)).response.status).toBe(201);
      const other = await withPasskey(new Authenticator(ORIGIN, { counts: false }));
      for (let i = 0; i < 3; i++) expect((await logIn(other.authenticator)).response.status).toBe(201);
    });

    it('is added only with the password and, if there is an app, its code, or after a recent login', async () => {
      const { browser, email, password } = await newLogin(client, {}, COOKIE);
      const { secret } = (await browser.send('POST', '/v1/session/totp', { current_password: password })).body;
      const codes = (await browser.send('POST', '/v1/session/totp/confirm', { code: codeOf(secret) })).body.recovery_codes;
      expect((await begin(browser)).status).toBe(201);
      const now = Date.now();
      vi.spyOn(Date, 'now').mockImplementation(() => now + 601_000);
      expect((await begin(browser)).body).toMatchObject({ status: 403, type: 'password_required' });
      expect((await begin(browser, { current_password: 'wrong' })).body).toMatchObject({ status: 403, type: 'forbidden' });
      expect((await begin(browser, { current_password: password })).body).toMatchObject({ status: 401, type: 'code_required' });
      expect((await begin(browser, { current_password: password, code: codes[0] })).status).toBe(201);
      const later = newBrowser();
      await later.send('POST', '/v1/session', { email, password, code: codes[1] });
      expect((await begin(later)).status).toBe(201);
    });

    it('is added only by the session that began it', async () => {
      const { browser, email, password } = await newLogin(client, {}, COOKIE);
      const other = newBrowser();
      await other.send('POST', '/v1/session', { email, password });
      const credential = () => new Authenticator(ORIGIN).create(begun);
      const begun = (await begin(browser)).body;
      expect((await add(other, credential())).status).toBe(400);
      expect((await add((await newLogin(client, {}, COOKIE)).browser, credential())).status).toBe(400);
      expect((await add(browser, credential())).status).toBe(201);
    });

    it('belongs to one account', async () => {
      const { authenticator } = await withPasskey();
      const { browser } = await newLogin(client, {}, COOKIE);
      expect((await add(browser, authenticator.create((await begin(browser)).body))).body).toMatchObject({
        status: 409,
        type: 'login_taken',
      });
    });

    it('can be listed, renamed and removed by its account only', async () => {
      const { browser, authenticator, passkey } = await withPasskey();
      const stranger = (await newLogin(client, {}, COOKIE)).browser;
      const path = `/v1/session/passkeys/${passkey.id}`;
      for (const [method, json] of [
        ['PATCH', { name: 'x' }],
        ['DELETE', undefined],
      ] as const)
        expect((await stranger.send(method, path, json)).status).toBe(404);
      expect((await browser.send('PATCH', path, { name: 'phone' })).body).toMatchObject({ id: passkey.id, name: 'phone' });
      const credential = authenticator.get(await options(newBrowser()));
      expect((await browser.send('DELETE', path)).body).toMatchObject({ id: passkey.id });
      expect((await browser.send('GET', '/v1/session/passkeys')).body).toEqual([]);
      expect((await send(newBrowser(), credential)).status).toBe(401);
    });

    it('is removed by a setup link', async () => {
      const { id, authenticator } = await withPasskey();
      await loginTo(client, id, COOKIE);
      expect((await logIn(authenticator)).response.status).toBe(401);
    });

    it('is one of at most twenty of its account', async () => {
      const { browser } = await newLogin(client, {}, COOKIE);
      const statuses = [];
      for (let i = 0; i < 21; i++)
        statuses.push((await add(browser, new Authenticator(ORIGIN).create((await begin(browser)).body))).status);
      expect(statuses).toEqual([...Array(20).fill(201), 409]);
    });

    it('is refused to pages of other sites', async () => {
      const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' };
      const { authenticator } = await withPasskey();
      expect((await client.request('POST', '/v1/session/passkey/options', { headers })).status).toBe(403);
      const credential = authenticator.get(await options(newBrowser()));
      expect((await client.request('POST', '/v1/session/passkey', { headers, json: { credential } })).status).toBe(403);
    });

    it.runIf(dialect === 'postgres')('logs in at another instance than the one that created the challenge, once', async () => {
      const { authenticator, id } = await withPasskey();
      const other = await app.another();
      const credential = authenticator.get(await options(newBrowser()));
      const both = await Promise.all([send(newBrowser(), credential), send(new Browser(other, '', COOKIE), credential)]);
      expect(both.map(({ status }) => status).toSorted()).toEqual([201, 401]);
      expect(both.find(({ status }) => status === 201)?.body.account.id).toBe(id);
    });
  },
  SETTINGS,
);

onFakeNode('without a domain', (app) => {
  it('no passkey can be added or used, and the error has the remedy', async () => {
    const { browser } = await newLogin(app.client);
    for (const path of ['/v1/session/passkey/options', '/v1/session/passkeys/options'])
      expect((await browser.send('POST', path, path.includes('keys') ? {} : undefined)).body).toMatchObject({
        status: 400,
        type: 'passkeys_unavailable',
        message: expect.stringContaining('PUBLIC_URL'),
      });
  });
});

onFakeNode(
  'attempts to log in with a passkey',
  ({ client }) => {
    it('are limited per address', async () => {
      const statuses = [];
      for (let i = 0; i < 40; i++) statuses.push((await client.request('POST', '/v1/session/passkey/options')).status);
      expect(statuses.filter((status) => status === 201).length).toBeLessThanOrEqual(32);
      expect(statuses.at(-1)).toBe(429);
    });
  },
  { PUBLIC_URL: ORIGIN },
);

function withClientData(credential: Json, change: (text: string) => string): Json {
  const text = Buffer.from(credential.response.clientDataJSON, 'base64url').toString();
  return { ...credential, response: { ...credential.response, clientDataJSON: Buffer.from(change(text)).toString('base64url') } };
}

function withAttestation(credential: Json, attestation: Buffer): Json {
  return { ...credential, response: { ...credential.response, attestationObject: attestation.toString('base64url') } };
}

function rsaModulus(modulusLength: number): Buffer {
  return Buffer.from(generateKeyPairSync('rsa', { modulusLength }).publicKey.export({ format: 'jwk' }).n ?? '', 'base64url');
}

/** Returns a function that runs work at its first call only: to hash a password takes long. */
function once<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined;
  return () => (result ??= work());
}
