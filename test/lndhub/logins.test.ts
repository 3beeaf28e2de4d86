import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { lndhubErrors } from '../../src/features/lndhub/errors.ts';
import { createAppLoginLimits } from '../../src/features/lndhub/login-limits.ts';
import { sessionRoutes } from '../../src/features/lndhub/session-routes.ts';
import { createTokens } from '../../src/features/lndhub/tokens.ts';
import { createServer } from '../../src/http/server.ts';
import { BASE } from './app.ts';

const from = (ip: string) => ({ ip }) as FastifyRequest;

it('counts the failures with the login of a wallet, but not with the logins that all wallets have', async () => {
  let nowMs = 0;
  const limits = createAppLoginLimits({ isUnlimited: false }, () => nowMs);
  const fail = (ip: string, login: string) => limits.limitAttempt(from(ip), login, async () => undefined);
  const succeed = (ip: string, login: string) => limits.limitAttempt(from(ip), login, async () => true);
  expect(await succeed('10.9.9.9', 'wal_1')).toBe(true);
  for (let i = 0; i < 100; i++) await fail(`10.0.0.${i}`, 'wal_1');
  for (let i = 0; i < 200; i++) await fail(`10.0.1.${i}`, 'admin');
  await expect(fail('10.0.2.1', 'wal_1')).rejects.toMatchObject({ type: 'rate_limited' });
  expect(await succeed('10.9.9.9', 'wal_1')).toBe(true);
  nowMs += 3_600_000;
  expect(await succeed('10.0.2.1', 'wal_1')).toBe(true);
});

it('does not count an attempt that ends with an error of the service', async () => {
  const limits = createAppLoginLimits({ isUnlimited: false }, () => 0);
  const broken = async () => {
    throw new Error('the database is away');
  };
  for (let i = 0; i < 20; i++) await expect(limits.limitAttempt(from('10.0.0.1'), 'wal_1', broken)).rejects.toThrow('away');
  expect(await limits.limitAttempt(from('10.0.0.1'), 'wal_1', async () => 'found')).toBe('found');
});

it('reads a token only for its use, until it expires, and only from the same key', () => {
  let nowMs = 1_000_000_000_000;
  const clock = { ...systemClock, nowMs: () => nowMs };
  const tokens = createTokens(Buffer.alloc(32, 1), clock);
  const pair = tokens.issuePair('key_1');
  expect(tokens.read(pair.access_token, 'access')).toBe('key_1');
  expect(tokens.read(pair.access_token, 'refresh')).toBeUndefined();
  expect(createTokens(Buffer.alloc(32, 2), clock).read(pair.access_token, 'access')).toBeUndefined();
  expect(Date.parse(pair.expiry) - nowMs).toBe(pair.expires_in * 1000);
  nowMs += pair.expires_in * 1000;
  expect(tokens.read(pair.access_token, 'access')).toBeUndefined();
  expect(tokens.read(pair.refresh_token, 'refresh')).toBe('key_1');
});

it('reads no token in another form: with padding, other unused bits, other letters of base64, spaces or further parts', () => {
  const tokens = createTokens(Buffer.alloc(32, 1), systemClock);
  const { access_token: token } = tokens.issuePair('key_1');
  const [header = '', claims = '', signature = ''] = token.split('.');
  // A signature has 256 bits, and its text 258: four last letters have the same bytes.
  const last = signature.at(-1) ?? '';
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  const neighbour = alphabet[alphabet.indexOf(last) ^ 1] ?? '';
  const others = [
    ...['=', '==', ' ', '\n', '.', '!'].flatMap((more) => [token + more, more + token, `${header}.${claims}${more}.${signature}`]),
    `${header}.${claims}.${signature.slice(0, -1)}${neighbour}`,
    `${header}.${claims}.${signature.slice(0, 5)}=${signature.slice(5)}`,
    `${header}.${claims}.${Buffer.from(signature, 'base64url').toString('hex')}`,
    `${header}.${claims}.`,
  ];
  expect(others.filter((other) => tokens.read(other, 'access') !== undefined)).toEqual([]);
  expect(tokens.read(token, 'access')).toBe('key_1');
});

/** A server on which apps may create wallets in an account with this status. */
function creatingServer(accountId: string | undefined, status: string | undefined) {
  const find = async (id: string) => {
    if (status === undefined) throw new Refusal('not_found');
    return { id, status };
  };
  const create = async (id: string) => ({ wallet: { id: 'wal_1' }, accessKeys: { wallet_admin: `waka_${id.slice(4)}` } });
  const deps = { lndhub: { accountId }, directory: { find }, wallets: { create }, hasUnlimitedLogins: false };
  const options = { errorForm: lndhubErrors({ hasStatus200: false }) };
  const register = (app: Parameters<typeof sessionRoutes>[0]) => sessionRoutes(app, deps as unknown as Parameters<typeof sessionRoutes>[1]);
  return createServer(pino({ level: 'silent' }), register, options);
}

it('creates a few wallets for each address, if the operator has named an active account', async () => {
  const app = creatingServer('acc_1', 'active');
  const create = (remoteAddress: string) =>
    app.inject({ method: 'POST', url: `${BASE}/create`, payload: { partnerid: 'x' }, remoteAddress });
  const made = [];
  for (let i = 0; i < 6; i++) made.push(await create('10.0.0.1'));
  expect(made[0]?.json()).toEqual({ login: 'wal_1', password: 'waka_1' });
  expect(made.map(({ statusCode }) => statusCode)).toEqual([200, 200, 200, 200, 200, 429]);
  expect((await create('10.0.0.2')).statusCode).toBe(200);
  await app.close();
});

it.each([
  [undefined, 'active'],
  ['acc_1', 'frozen'],
  ['acc_1', undefined],
])('creates no wallet in the account %s with the status %s', async (accountId, status) => {
  const app = creatingServer(accountId, status);
  const response = await app.inject({ method: 'POST', url: `${BASE}/create` });
  expect([response.statusCode, response.json().code]).toEqual([403, 11]);
  await app.close();
});
