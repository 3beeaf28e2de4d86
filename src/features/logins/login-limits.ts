import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import { networkOf, networksOf } from '../../http/limits/addresses.ts';
import type { QueuedCaller } from '../../http/limits/fair-queue.ts';
import { AddressBuckets, TokenBuckets } from '../../http/limits/token-buckets.ts';
import { MissingCode } from './wrong-codes.ts';

const MAX_BUCKETS = 100_000;
/** The attempts of one address, with any e-mail. */
const ADDRESS_RATE = { perSecond: 1 / 5, burst: 30 };
/** The attempts of one address with one e-mail: a guesser has 1,440 a day. */
const PAIR_RATE = { perSecond: 1 / 60, burst: 10 };
/**
 * The attempts of all addresses with one e-mail, except those that have logged in with it. It fills up again within minutes after an attack, so a
 * stranger cannot lock the owner out for long, and not at all at an address that the owner has used.
 */
const EMAIL_RATE = { perSecond: 1 / 10, burst: 100 };

/** Returns the error of a login while as many others are open as the service allows. */
export function tooManyLogins(): Refusal {
  return new Refusal('rate_limited', 'Too many people log in right now. Try again in a minute.').afterMs(60_000);
}

/** Limits attempts to log in. Each instance of the service counts separately. */
export type LoginLimits = ReturnType<typeof createLoginLimits>;

export function createLoginLimits({ isUnlimited }: { isUnlimited: boolean }, nowMs = () => performance.now()) {
  const addresses = new AddressBuckets(ADDRESS_RATE, MAX_BUCKETS, nowMs);
  const pairs = new TokenBuckets(PAIR_RATE, MAX_BUCKETS, nowMs);
  const emails = new TokenBuckets(EMAIL_RATE, MAX_BUCKETS, nowMs);
  const successful = new Set<string>();

  /** `waitMs`: after how many milliseconds each of the limits admits an attempt. */
  function refuseUnless(isAdmitted: boolean, waitMs: () => number[]): void {
    if (isAdmitted || isUnlimited) return;
    throw new Refusal('rate_limited', 'Too many attempts to log in. Try again in a minute.').afterMs(Math.max(...waitMs()));
  }

  function remember(name: string): void {
    if (successful.size >= 2 * MAX_BUCKETS) successful.delete(successful.values().next().value as string);
    successful.add(name);
  }

  return {
    /**
     * Runs an attempt to log in with an e-mail, or to confirm the password of an account. Only attempts that fail count; one that lacks only the
     * code of an authenticator app has not failed, because the dashboard sends each login without a code first. A success prevents that
     * others use up the attempts of this address for this name, and lets attempts of this address wait in the queue of known callers. @throws Refusal
     * `rate_limited`
     */
    async limitAttempt<T>(request: FastifyRequest, name: string, attempt: (caller: QueuedCaller) => Promise<T>): Promise<T> {
      const address = networkOf(request.ip);
      const pair = `${address} ${name}`;
      const isKnown = successful.has(pair);
      refuseUnless(addresses.takeToken(request.ip) && pairs.takeToken(pair) && (isKnown || emails.takeToken(name)), () => [
        addresses.waitMs(request.ip),
        pairs.waitMs(pair),
        isKnown ? 0 : emails.waitMs(name),
      ]);
      const returnTokens = () => {
        addresses.returnToken(request.ip);
        pairs.returnToken(pair);
        emails.returnToken(name);
      };
      const run = attempt({ groups: networksOf(request.ip), isKnown: successful.has(address) });
      const done = await run.catch((error: unknown) => {
        if (error instanceof MissingCode) returnTokens();
        throw error;
      });
      returnTokens();
      remember(pair);
      remember(address);
      return done;
    },

    /** Admits an attempt that counts only against the address. @throws Refusal `rate_limited` */
    admitAddress: (request: FastifyRequest) => refuseUnless(addresses.takeToken(request.ip), () => [addresses.waitMs(request.ip)]),

    /** Records that admitted attempts were parts of a login that succeeded, so that the people of one office do not use up each other's. */
    returnAttempts(request: FastifyRequest, count: number): void {
      for (let i = 0; i < count; i++) addresses.returnToken(request.ip);
      remember(networkOf(request.ip));
    },
  };
}
