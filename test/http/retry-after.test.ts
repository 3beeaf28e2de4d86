import type { FastifyRequest } from 'fastify';
import { pino } from 'pino';
import { expect, it } from 'vitest';
import { Refusal } from '../../src/core/kernel/refusal.ts';
import { createAppLoginLimits } from '../../src/features/lndhub/login-limits.ts';
import { createLoginLimits } from '../../src/features/logins/login-limits.ts';
import { RateLimits } from '../../src/http/limits/rate-limits.ts';
import { createServer } from '../../src/http/server.ts';

const request = { ip: '203.0.113.7' } as FastifyRequest;
let nowMs = 0;

/** Each limiter, with the time until it admits another request after its burst was used up. */
const LIMITERS: [string, () => () => unknown, number][] = [
  [
    'logins with one e-mail',
    () => {
      const limits = createLoginLimits({ isUnlimited: false }, () => nowMs);
      const fail = () => Promise.reject(new Error('wrong password'));
      return () => limits.limitAttempt(request, 'alma@example.com', fail);
    },
    60,
  ],
  [
    'passkey logins of an address',
    () => {
      const limits = createLoginLimits({ isUnlimited: false }, () => nowMs);
      return async () => limits.admitAddress(request);
    },
    5,
  ],
  [
    'wallets that apps of an address create',
    () => {
      const limits = createAppLoginLimits({ isUnlimited: false }, () => nowMs);
      return async () => limits.admitCreation(request);
    },
    360,
  ],
  [
    'invoices that an address requests of a wallet',
    () => {
      const settings = { keyRate: { perSecond: 50, burst: 50 }, addressRate: { perSecond: 50, burst: 50 }, maxAtOnce: 5 };
      const limits = new RateLimits(settings, () => nowMs);
      return async () => limits.admitInvoiceRequest(request, 'wal_1');
    },
    1,
  ],
];

it.each(LIMITERS)('the error of the limit on %s has the time after which it admits another one', async (_, createAttempt, seconds) => {
  const attempt = createAttempt();
  const refusal = async (): Promise<Refusal | undefined> => {
    try {
      await attempt();
    } catch (error) {
      if (error instanceof Refusal) return error;
    }
    return undefined;
  };
  let refused: Refusal | undefined;
  for (let tries = 0; tries < 1000 && !refused; tries++) refused = await refusal();
  expect(refused?.retryAfterSeconds).toBe(seconds);
  nowMs += seconds * 1000 - 500;
  expect((await refusal())?.retryAfterSeconds).toBe(1);
  nowMs += 500;
  expect(await refusal()).toBeUndefined();
});

it('a response has Retry-After in whole seconds, rounded up', async () => {
  const server = await createServer(pino({ level: 'silent' }), (app) => {
    app.get('/limited', { config: { undocumented: true, isPublic: true } }, () =>
      Promise.reject(new Refusal('rate_limited').afterMs(12_001)),
    );
    app.get('/restored', { config: { undocumented: true, isPublic: true } }, () => Promise.reject(new Refusal('restored')));
  });
  const headerOf = async (url: string) => (await server.inject({ method: 'GET', url })).headers['retry-after'];
  expect([await headerOf('/limited'), await headerOf('/restored')]).toEqual(['13', '60']);
  await server.close();
});
