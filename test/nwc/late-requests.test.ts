import { expect, it, onTestFinished } from 'vitest';
import type { Connection } from '../../src/features/nwc/connections.ts';
import { LateRequests } from '../../src/features/nwc/late-requests.ts';
import type { ServedConnection } from '../../src/features/nwc/served-connections.ts';

const appOf = (id: string): ServedConnection => ({ connection: { id } as Connection, revokedAt: undefined });
const [PHONE, SHOP, TILL] = ['phone', 'shop', 'till'].map(appOf) as [ServedConnection, ServedConnection, ServedConnection];

/** Returns the requests that wait, and the number that each app may send. */
function open() {
  const allowed = new Map<ServedConnection, number>();
  const life = new AbortController();
  onTestFinished(() => life.abort());
  const takeRequest = (from: ServedConnection): boolean => {
    const left = allowed.get(from) ?? 0;
    if (left > 0) allowed.set(from, left - 1);
    return left > 0;
  };
  return { late: new LateRequests({ served: { takeRequest }, signal: life.signal }), allowed, life };
}

it('starts the requests of each app in their order, when it may send them', async () => {
  const { late, allowed } = open();
  const started: string[] = [];
  expect(late.take(PHONE)).toBe(false);
  for (const name of ['phone 1', 'phone 2', 'phone 3']) expect(late.add(PHONE, () => started.push(name))).toBe(true);
  expect(late.add(SHOP, () => started.push('shop 1'))).toBe(true);
  allowed.set(SHOP, 1);
  await expect.poll(() => started).toEqual(['shop 1']);
  allowed.set(PHONE, 2);
  // A new request waits behind the earlier ones.
  expect(late.take(PHONE)).toBe(false);
  await expect.poll(() => started).toEqual(['shop 1', 'phone 1', 'phone 2']);
  allowed.set(PHONE, 2);
  await expect.poll(() => started).toEqual(['shop 1', 'phone 1', 'phone 2', 'phone 3']);
  expect([late.take(PHONE), late.take(PHONE)]).toEqual([true, false]);
});

it('keeps 1,000 requests of an app and 2,000 of all, and starts none after the end', async () => {
  const { late, allowed, life } = open();
  let started = 0;
  const addMany = (from: ServedConnection) =>
    Array.from({ length: 1100 }, () => late.add(from, () => (started += 1))).filter(Boolean).length;
  expect([addMany(PHONE), addMany(SHOP), addMany(TILL)]).toEqual([1000, 1000, 0]);
  // An app within its limit does not wait behind the others.
  allowed.set(TILL, 1);
  expect(late.take(TILL)).toBe(true);
  allowed.set(PHONE, 1000);
  await expect.poll(() => started).toBe(1000);
  expect(addMany(TILL)).toBe(1000);
  life.abort();
  allowed.set(SHOP, 1000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started).toBe(1000);
});
