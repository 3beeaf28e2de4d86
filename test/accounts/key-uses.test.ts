import { expect, it } from 'vitest';
import { createAccounts, insertKey, type Key } from '../../src/core/accounts/accounts.ts';
import { createKeyUses, type KeyUses, MAX_PER_ROUND } from '../../src/core/accounts/key-uses.ts';
import { createKeyring } from '../../src/core/accounts/keyring.ts';
import { newKeyText } from '../../src/core/accounts/keys.ts';
import type { Database } from '../../src/core/db/database.ts';
import { type Clock, systemClock } from '../../src/core/kernel/clock.ts';
import { onBothDatabases } from '../support/ledger.ts';

const at = (seconds: number): Clock => ({ nowMs: () => seconds * 1000 });

/** What remains is stored when the service stops. */
const storeAll = (uses: KeyUses) => uses.store(AbortSignal.abort());

/** Returns the database with the number of keys that each transaction wrote. */
function counting(database: Database): { database: Database; written: number[]; fails: boolean } {
  const counted = {
    written: [] as number[],
    fails: false,
    database: {
      ...database,
      transaction: <T>(work: Parameters<typeof database.transaction<T>>[0]) =>
        database.transaction<T>((tx) => {
          if (counted.fails) throw new Error('the disk is full');
          const run: typeof tx.run = async (statement, ...parameters) => {
            const rows = await tx.run(statement, ...parameters);
            counted.written.push(rows);
            return rows;
          };
          return work({ ...tx, run });
        }),
    },
  };
  return counted;
}

onBothDatabases('the last use of a key', (open) => {
  /** An account with some keys. */
  async function withKeys(count: number) {
    const database = await open();
    const accounts = createAccounts(database, systemClock);
    const owner = { accountId: (await accounts.bootstrap(undefined, async () => {}))?.accountId ?? '', walletId: undefined };
    const texts = Array.from({ length: count }, () => newKeyText('secret_api'));
    await database.transaction(async (tx) => {
      for (const text of texts) await insertKey(tx, systemClock, text, owner);
    });
    const keys: Key[] = [];
    for (const text of texts) keys.push((await accounts.find(text)) as Key);
    const keyring = createKeyring(database, systemClock);
    const lastUses = () => Promise.all(keys.map(async ({ id }) => (await keyring.find(owner, id)).last_used_at));
    return { database, keys, lastUses };
  }

  it('is that of the newest request, and null for a key that was not used', async () => {
    const { database, keys, lastUses } = await withKeys(2);
    const clock = { seconds: 1000, nowMs: () => clock.seconds * 1000 };
    const uses = createKeyUses(database, clock);
    uses.record(keys[0] as Key);
    clock.seconds = 1007;
    uses.record(keys[0] as Key);
    expect(await lastUses()).toEqual([null, null]);
    await storeAll(uses);
    expect(await lastUses()).toEqual([1007, null]);
  });

  it('is the newest of all instances, whichever stores it first', async () => {
    const { database, keys, lastUses } = await withKeys(1);
    const [early, late] = [createKeyUses(database, at(1000)), createKeyUses(database, at(2000))];
    for (const uses of [early, late]) uses.record(keys[0] as Key);
    await storeAll(late);
    await storeAll(early);
    expect(await lastUses()).toEqual([2000]);
  });

  it('does not belong to a session', async () => {
    const { database, keys, lastUses } = await withKeys(1);
    const uses = createKeyUses(database, at(1000));
    uses.record({ ...(keys[0] as Key), isSession: true });
    await storeAll(uses);
    expect(await lastUses()).toEqual([null]);
  });

  it('is written once while its time between two writes lasts, however often the key is used', async () => {
    const { database, keys, lastUses } = await withKeys(2);
    const counted = counting(database);
    const clock = { seconds: 1000, nowMs: () => clock.seconds * 1000 };
    const uses = createKeyUses(counted.database, clock, { roundMs: 1 });
    const stopping = new AbortController();
    const running = uses.store(stopping.signal);
    uses.record(keys[0] as Key);
    await expect.poll(lastUses).toEqual([1000, null]);
    for (let request = 0; request < 1000; request += 1) {
      clock.seconds += 1;
      uses.record(keys[0] as Key);
    }
    // Another key shows that rounds continue.
    uses.record(keys[1] as Key);
    await expect.poll(lastUses).toEqual([1000, 2000]);
    expect(counted.written).toEqual([1, 1]);
    stopping.abort();
    await running;
    expect(await lastUses()).toEqual([2000, 2000]);
    expect(counted.written).toEqual([1, 1, 1]);
  });

  it('is written with those of other keys, in transactions of limited size', async () => {
    const { database, keys, lastUses } = await withKeys(MAX_PER_ROUND + 10);
    const counted = counting(database);
    const uses = createKeyUses(counted.database, at(1000));
    for (let request = 0; request < 4; request += 1) for (const key of keys) uses.record(key);
    await storeAll(uses);
    expect(counted.written).toEqual([MAX_PER_ROUND, 10]);
    expect(new Set(await lastUses())).toEqual(new Set([1000]));
    await storeAll(uses);
    expect(counted.written).toHaveLength(2);
  });

  it('is stored later when the database fails, and the failure reaches no request', async () => {
    const { database, keys, lastUses } = await withKeys(1);
    const counted = counting(database);
    const uses = createKeyUses(counted.database, at(1000), { roundMs: 1 });
    counted.fails = true;
    uses.record(keys[0] as Key);
    await storeAll(uses);
    expect(await lastUses()).toEqual([null]);
    counted.fails = false;
    await storeAll(uses);
    expect(await lastUses()).toEqual([1000]);
  });
});
