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
  const late = new LateRequests({ served: { takeRequest }, signal: life.signal });
  /** Calls `start` when the app may send a request; not if too many wait. */
  const wait = (from: ServedConnection, start: () => unknown) => void late.wait(from).then((isStarted) => isStarted && start());
  return { late, wait, allowed, life };
}

it('starts the requests of each app in their order, when it may send them', async () => {
  const { wait, allowed } = open();
  const started: string[] = [];
  for (const name of ['phone 1', 'phone 2', 'phone 3']) wait(PHONE, () => started.push(name));
  wait(SHOP, () => started.push('shop 1'));
  allowed.set(SHOP, 1);
  await expect.poll(() => started).toEqual(['shop 1']);
  allowed.set(PHONE, 2);
  // A new request waits behind the earlier ones.
  wait(PHONE, () => started.push('phone 4'));
  await expect.poll(() => started).toEqual(['shop 1', 'phone 1', 'phone 2']);
  allowed.set(PHONE, 3);
  await expect.poll(() => started).toEqual(['shop 1', 'phone 1', 'phone 2', 'phone 3', 'phone 4']);
  wait(PHONE, () => started.push('phone 5'));
  await expect.poll(() => started.at(-1)).toBe('phone 5');
});

it('keeps 1,000 requests of an app and 10,000 of all, and starts none after the end', async () => {
  const { late, wait, allowed, life } = open();
  let started = 0;
  const addMany = (from: ServedConnection) =>
    Array.from({ length: 1100 }, () => {
      const hasRoom = late.hasRoom(from);
      wait(from, () => (started += 1));
      return hasRoom;
    }).filter(Boolean).length;
  const others = Array.from({ length: 9 }, (_, i) => appOf(`other ${i}`));
  expect([PHONE, ...others, SHOP].map(addMany)).toEqual([...Array.from({ length: 10 }, () => 1000), 0]);
  // An app within its limit does not wait behind the others.
  allowed.set(TILL, 1);
  await expect(late.wait(TILL)).resolves.toBe(true);
  await expect(late.wait(TILL)).resolves.toBe(false);
  allowed.set(PHONE, 1000);
  await expect.poll(() => started).toBe(1000);
  expect(addMany(TILL)).toBe(1000);
  life.abort();
  allowed.set(others[0] as ServedConnection, 1000);
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(started).toBe(1000);
});
