import type { FastifyRequest } from 'fastify';
import { Refusal } from '../../core/kernel/refusal.ts';
import { networkOf } from '../../http/limits/addresses.ts';
import { AddressBuckets, TokenBuckets } from '../../http/limits/token-buckets.ts';

const MAX_BUCKETS = 100_000;
/** The failed logins of one address. */
const ADDRESS_RATE = { perSecond: 10 / 60, burst: 10 };
/** The failed logins with one name, of all addresses that have not logged in with it. */
const LOGIN_RATE = { perSecond: 100 / 3600, burst: 100 };
/** The wallets that one address creates. A customer with a network of 48 bits creates 20 at first, and 40 per hour. */
const CREATION_RATE = { perSecond: 10 / 3600, burst: 5 };
/** All wallets have these logins, and a refresh token has none. A stranger could lock out everybody if their failures counted. */
const SHARED_LOGINS: ReadonlySet<string> = new Set(['admin', 'invoice', '']);
const MAX_LOGIN_LENGTH = 64;

export function createAppLoginLimits({ isUnlimited }: { isUnlimited: boolean }, nowMs = () => performance.now()) {
  const addresses = new AddressBuckets(ADDRESS_RATE, MAX_BUCKETS, nowMs);
  const logins = new TokenBuckets(LOGIN_RATE, MAX_BUCKETS, nowMs);
  const creations = new AddressBuckets(CREATION_RATE, MAX_BUCKETS, nowMs);
  const successful = new Set<string>();

  /** `waitMs`: after how many milliseconds each of the limits admits the request. */
  function requireToken(hasToken: boolean, waitMs: () => number[]): void {
    if (!hasToken && !isUnlimited) throw new Refusal('rate_limited').afterMs(Math.max(...waitMs()));
  }

  return {
    /** Runs an attempt to log in. One that finds nothing has failed, and only those count. @throws Refusal `rate_limited` */
    async limitAttempt<T>({ ip }: FastifyRequest, login: string, attempt: () => Promise<T | undefined>): Promise<T | undefined> {
      const address = networkOf(ip);
      const name = login.slice(0, MAX_LOGIN_LENGTH);
      const pair = `${address} ${name}`;
      const isCounted = !SHARED_LOGINS.has(name) && !successful.has(pair);
      requireToken(addresses.takeToken(ip) && (!isCounted || logins.takeToken(name)), () => [
        addresses.waitMs(ip),
        isCounted ? logins.waitMs(name) : 0,
      ]);
      let hasFailed = false;
      try {
        const found = await attempt();
        hasFailed = found === undefined;
        if (hasFailed) return undefined;
        if (successful.size >= MAX_BUCKETS) successful.delete(successful.values().next().value as string);
        successful.add(pair);
        return found;
      } finally {
        if (!hasFailed) addresses.returnToken(ip);
        if (!hasFailed && isCounted) logins.returnToken(name);
      }
    },

    /** Admits the creation of a wallet. @throws Refusal `rate_limited` */
    admitCreation: ({ ip }: FastifyRequest) => requireToken(creations.takeToken(ip), () => [creations.waitMs(ip)]),
  };
}
