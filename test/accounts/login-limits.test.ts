import type { FastifyRequest } from 'fastify';
import { expect, it } from 'vitest';
import { createLoginLimits } from '../../src/features/logins/login-limits.ts';
import { MissingCode } from '../../src/features/logins/wrong-codes.ts';

const from = (ip: string) => ({ ip }) as FastifyRequest;
const [HERE, THERE] = [from('192.0.2.1'), from('198.51.100.1')];
const wrong = () => Promise.reject(new Error('the password is wrong'));
const right = async () => 'done';

/** Limits with a time that the test sets. */
function limitsAt({ isUnlimited = false } = {}) {
  const time = { ms: 0 };
  const limits = createLoginLimits({ isUnlimited }, () => time.ms);
  const attempt = async (request: FastifyRequest, name: string, work: () => Promise<unknown> = wrong): Promise<string> => {
    try {
      return String(await limits.limitAttempt(request, name, work));
    } catch (error) {
      return error instanceof Error && 'type' in error ? String(error.type) : 'wrong';
    }
  };
  /** Returns how many of several attempts were made. */
  const made = async (count: number, request: FastifyRequest, nameOf: (i: number) => string) => {
    const outcomes = [];
    for (let i = 0; i < count; i++) outcomes.push(await attempt(request, nameOf(i)));
    return outcomes.filter((outcome) => outcome === 'wrong').length;
  };
  return { time, limits, attempt, made };
}

it('makes ten attempts with one e-mail from one address, then one each minute', async () => {
  const { time, attempt, made } = limitsAt();
  expect(await made(20, HERE, () => 'ada@example.com')).toBe(10);
  expect(await attempt(HERE, 'ada@example.com', right)).toBe('rate_limited');
  time.ms += 59_000;
  expect(await attempt(HERE, 'ada@example.com')).toBe('rate_limited');
  time.ms += 60_000;
  expect(await made(5, HERE, () => 'ada@example.com')).toBe(1);
});

it('makes thirty attempts from one address with any e-mail, then one each five seconds', async () => {
  const { time, made } = limitsAt();
  expect(await made(50, HERE, (i) => `person${i}@example.com`)).toBe(30);
  expect(await made(1, THERE, () => 'person1@example.com')).toBe(1);
  time.ms += 25_000;
  expect(await made(50, HERE, (i) => `other${i}@example.com`)).toBe(5);
});

it('counts all addresses of an IPv6 network together', async () => {
  const { made } = limitsAt();
  expect(await made(20, from('2001:db8:1:2::1'), (i) => `person${i}@example.com`)).toBe(20);
  expect(await made(20, from('2001:db8:1:2:ffff::9'), (i) => `other${i}@example.com`)).toBe(10);
  expect(await made(1, from('2001:db8:1:3::1'), () => 'ada@example.com')).toBe(1);
});

it('makes a hundred attempts with one e-mail from many addresses, and lets its owner in at a known address', async () => {
  const { time, attempt } = limitsAt();
  expect(await attempt(HERE, 'ada@example.com', right)).toBe('done');
  const outcomes: string[] = [];
  for (let i = 0; i < 150; i++) outcomes.push(await attempt(from(`203.0.113.${i}`), 'ada@example.com'));
  expect(outcomes.filter((outcome) => outcome === 'wrong')).toHaveLength(100);
  expect(await attempt(THERE, 'ada@example.com', right)).toBe('rate_limited');
  expect(await attempt(HERE, 'ada@example.com', right)).toBe('done');
  // After the attack, the owner can log in anywhere within seconds.
  time.ms += 10_000;
  expect(await attempt(THERE, 'ada@example.com', right)).toBe('done');
});

it('does not count attempts that succeed', async () => {
  const { attempt, made } = limitsAt();
  for (let i = 0; i < 200; i++) expect(await attempt(HERE, 'ada@example.com', right)).toBe('done');
  expect(await made(20, HERE, () => 'ada@example.com')).toBe(10);
});

it('does not count attempts that lack only the code of an authenticator app', async () => {
  const { attempt, made } = limitsAt();
  const withoutCode = () => Promise.reject(new MissingCode());
  for (let i = 0; i < 200; i++) {
    expect(await attempt(HERE, 'ada@example.com', withoutCode)).toBe('code_required');
    expect(await attempt(HERE, 'ada@example.com', right)).toBe('done');
  }
  expect(await made(20, HERE, () => 'ada@example.com')).toBe(10);
});

it('counts attempts that run at the same time before their outcome is known', async () => {
  const { limits } = limitsAt();
  let running = 0;
  const attempts = Array.from({ length: 20 }, () =>
    limits.limitAttempt(HERE, 'ada@example.com', async () => {
      running += 1;
      await new Promise((resolve) => setImmediate(resolve));
      throw new Error('the password is wrong');
    }),
  );
  const outcomes = await Promise.allSettled(attempts);
  expect(running).toBe(10);
  expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
});

it('admits thirty beginnings from one address, which count with its attempts', async () => {
  const { limits, made, attempt } = limitsAt();
  for (let i = 0; i < 25; i++) limits.admitAddress(HERE);
  expect(await made(20, HERE, (i) => `person${i}@example.com`)).toBe(5);
  expect(() => limits.admitAddress(HERE)).toThrow('Too many attempts to log in');
  expect(await attempt(THERE, 'ada@example.com', right)).toBe('done');
});

it('does not count the parts of a login with a passkey that succeeds, so that an office does not run out of them', () => {
  const { limits } = limitsAt();
  for (let people = 0; people < 100; people++) {
    for (let part = 0; part < 2; part++) limits.admitAddress(HERE);
    limits.returnAttempts(HERE, 2);
  }
  expect(() => limits.admitAddress(HERE)).not.toThrow();
});

it('tells the queue of attempts from which network one comes, and whether a login succeeded there', async () => {
  const { limits, attempt } = limitsAt();
  const callers: unknown[] = [];
  const log = (request: FastifyRequest, name: string) => limits.limitAttempt(request, name, async (caller) => callers.push(caller));
  await log(HERE, 'ada@example.com');
  await log(HERE, 'bob@example.com');
  expect(await attempt(THERE, 'ada@example.com')).toBe('wrong');
  await log(THERE, 'ada@example.com');
  const here = { groups: ['192.0.2', '192.0.2.1'] };
  const there = { groups: ['198.51.100', '198.51.100.1'], isKnown: false };
  expect(callers).toEqual([{ ...here, isKnown: false }, { ...here, isKnown: true }, there]);
});

it('limits nothing if it is switched off', async () => {
  const { limits, made } = limitsAt({ isUnlimited: true });
  expect(await made(200, HERE, () => 'ada@example.com')).toBe(200);
  expect(() => limits.admitAddress(HERE)).not.toThrow();
});
