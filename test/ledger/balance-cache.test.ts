import { copyFileSync, existsSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import type { Database, Tx } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import { allAccounts } from '../../src/core/ledger/stores.ts';
import { type Fault, type FaultyDatabase, faulty } from '../support/faulty-database.ts';
import { amount, freshUrls, MIGRATIONS, problemsOfLedger, silentLog } from '../support/ledger.ts';

const ACCOUNTS = Array.from({ length: 12 }, (_, index) => 5 + index);
const NODE = 1;
/** A write-back begins every few transfers and is slow, so most transfers happen during one. Not all accounts fit into the cache. */
const CACHE = { writeBackAfter: 5, rowsPerBatch: 1, rowsPerTransfer: 1, maxClean: 4 };

const openAccount = statement('test_cache_account', `INSERT INTO ledger_account (kind) VALUES ('wallet')`);
const progressRow = statement<{ written: number; last: number }>(
  'test_cache_progress',
  'SELECT position AS written, (SELECT coalesce(max(position), 0) FROM ledger_transfer) AS last FROM ledger_checkpoint',
);
const laggingRows = statement<{ n: number }>(
  'test_cache_lagging',
  `SELECT count(*) AS n FROM ledger_account a WHERE entries <
     (SELECT count(*) FROM ledger_transfer WHERE from_account = a.id OR to_account = a.id)`,
);

/** Rows that an unfinished write-back has updated. */
const rowsAhead = statement<{ n: number }>(
  'test_cache_ahead',
  `SELECT count(*) AS n FROM ledger_account a WHERE held_msat = 0 AND entries >
     (SELECT count(*) FROM ledger_transfer WHERE (from_account = a.id OR to_account = a.id) AND position <= (SELECT position FROM ledger_checkpoint))`,
);

/** Balance, held amount and number of entries of each account. */
type Books = Record<number, [balanceMsat: number, heldMsat: number, entries: number]>;

async function booksOf(ledger: Ledger): Promise<Books> {
  const books: Books = {};
  for (const id of [NODE, ...ACCOUNTS]) {
    const { balanceMsat, heldMsat, entries } = await ledger.balance(id);
    books[id] = [balanceMsat, heldMsat, entries];
  }
  return books;
}

describe('SQLite’s cache of balances', () => {
  const urls = freshUrls('sqlite');
  const opened: Database[] = [];
  afterAll(async () => {
    for (const database of opened) await database.close();
  });

  async function open(url: string, readOnly = false): Promise<Database> {
    const database = await openDatabase(url, { log: silentLog, readOnly });
    opened.push(database);
    return database;
  }

  async function openWithoutLock(url: string): Promise<Database> {
    const database = await openDatabase(url, { log: silentLog, withoutLock: true });
    opened.push(database);
    return database;
  }

  async function fresh(cache = CACHE): Promise<{ url: string; database: FaultyDatabase; ledger: Ledger }> {
    const url = await urls();
    const database = faulty(await open(url));
    await migrate(database, MIGRATIONS);
    await database.transaction(async (tx) => {
      for (const _ of ACCOUNTS) await tx.run(openAccount);
    });
    return { url, database, ledger: createLedger(database, systemClock, cache) };
  }

  /** Opens a copy of the files, as the next start would find them if the process were killed now. */
  async function afterKill(url: string): Promise<{ database: Database; ledger: Ledger }> {
    const copy = await urls();
    copyNow(url, copy);
    const database = await open(copy);
    return { database, ledger: createLedger(database, systemClock, CACHE) };
  }

  it('B3: prevents a double spend when another process has written to the file', async () => {
    const { url, database, ledger } = await fresh();
    // A tool takes no lock, so its connection stands for a second service after the lock has failed.
    const intruder = createLedger(await openWithoutLock(url), systemClock, CACHE);
    const [from = 0, to = 0] = ACCOUNTS;
    const move = (by: Ledger, source: number, target: number, msat: number) =>
      by.post({ transfers: [{ id: newId(), from: source, to: target, amountMsat: amount(msat) }] });
    await move(ledger, NODE, from, 1000);
    expect((await intruder.balance(from)).balanceMsat).toBe(1000);
    await move(ledger, from, to, 1000);
    await expect(move(intruder, from, to, 1000)).rejects.toMatchObject({ type: 'insufficient_balance' });
    const hold = { id: newId(), account: from, amountMsat: amount(1), reserveMsat: amount(0) };
    await expect(intruder.post({ holds: [hold] })).rejects.toMatchObject({ type: 'insufficient_balance' });
    await move(intruder, to, from, 400);
    await expect(move(ledger, to, from, 601)).rejects.toMatchObject({ type: 'insufficient_balance' });
    // A clean stop writes the rows back, which the other process must notice as well.
    await intruder.drain();
    await move(intruder, from, to, 400);
    await intruder.drain();
    await expect(move(ledger, from, to, 1)).rejects.toMatchObject({ type: 'insufficient_balance' });
    expect((await ledger.balance(to)).balanceMsat).toBe(1000);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('loses and adds no transfer when the process is killed at any moment of a write-back', async () => {
    const { url, database, ledger } = await fresh();
    const seen = { lagging: 0, writingBack: 0, failed: 0, killed: 0 };
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 5 }), async (steps) => {
        for (const { postings, faults, killAt } of steps) {
          const before = await booksOf(ledger);
          const copy = await urls();
          database.failAt(...faults);
          // Copied during a transaction, before one of its statements: the copy must contain nothing of the transaction.
          const killed = killInside(database, killAt, () => copyNow(url, copy));
          // A read meanwhile must not put an outdated account into the cache.
          const work = postings.flatMap((one) => [ledger.post(written(one)), ledger.balance(one.from), readSoon(ledger, one.to)]);
          await Promise.allSettled(work);
          const wasKilled = killed();
          if (database.happened() > 0) seen.failed += 1;
          database.failAt();
          if (wasKilled) {
            seen.killed += 1;
            const inside = await open(copy);
            const found = await booksOf(createLedger(inside, systemClock, CACHE));
            // The postings may take several transactions, so the copy may contain some of them, but each as a whole.
            if (postings.length === 1) expect(found).toEqual(before);
            expect(await problemsOfLedger(inside)).toEqual([]);
            await inside.close();
          }
          const after = await booksOf(ledger);
          const lagging = (await database.first(laggingRows))?.n ?? 0;
          if (lagging > 0) seen.lagging += 1;
          if (lagging > 0 && ((await database.first(rowsAhead))?.n ?? 0) > 0) seen.writingBack += 1;
          expect(await problemsOfLedger(database)).toEqual([]);
          const next = await afterKill(url);
          expect(await problemsOfLedger(next.database)).toEqual([]);
          expect(await booksOf(next.ledger)).toEqual(after);
          // The copy continues from there.
          await next.ledger.post({ transfers: [{ id: newId(), from: NODE, to: 5, amountMsat: amount(7) }] });
          expect((await next.ledger.balance(5)).balanceMsat).toBe((after[5]?.[0] ?? 0) + 7);
          expect(await problemsOfLedger(next.database)).toEqual([]);
          await next.database.close();
        }
      }),
      { numRuns: 40, seed: 4 },
    );
    expect(Math.min(seen.lagging, seen.writingBack, seen.failed, seen.killed)).toBeGreaterThan(10);
  });

  it('gives the committed accounts of a snapshot, also in another process that only reads', async () => {
    const { url, database, ledger } = await fresh();
    for (let i = 0; i < 8; i++) {
      await ledger.post({ transfers: [{ id: newId(), from: NODE, to: 5 + (i % 6), amountMsat: amount(10 + i) }] });
    }
    await ledger.post({ holds: [{ id: newId(), account: 5, amountMsat: amount(3), reserveMsat: amount(0) }] });
    expect((await database.first(laggingRows))?.n).toBeGreaterThan(0);
    const reader = await open(url, true);
    expect(await problemsOfLedger(reader)).toEqual([]);
    const found: Books = {};
    await reader.snapshot(async (tx) => {
      for await (const page of allAccounts(tx)) for (const one of page) found[one.id] = [one.balanceMsat, one.heldMsat, one.entries];
    });
    expect(found).toMatchObject(await booksOf(ledger));
    expect(Object.values(found).reduce((sum, [balanceMsat]) => sum + balanceMsat, 0)).toBe(0);
  });

  it('limits how many transfers a start after a kill reads again', async () => {
    const { database, ledger } = await fresh();
    for (let i = 0; i < 100; i++) {
      const to = ACCOUNTS[i % ACCOUNTS.length] ?? 5;
      await Promise.all([1, 2, 3].map((msat) => ledger.post({ transfers: [{ id: newId(), from: NODE, to, amountMsat: amount(msat) }] })));
      const row = await database.first(progressRow);
      // One batch of three begins a write-back; four more write 13 rows, and the entries added meanwhile remain.
      expect((row?.last ?? 0) - (row?.written ?? 0)).toBeLessThanOrEqual(CACHE.writeBackAfter + 5 * 3);
    }
    expect((await database.first(progressRow))?.last).toBe(300);
  });

  it('verify finds rows that should have been written back, and last transfers that were deleted', async () => {
    for (const tampering of [
      'UPDATE ledger_checkpoint SET position = position + 1',
      `UPDATE ledger_checkpoint SET heads = zeroblob(32)`,
      'DELETE FROM ledger_transfer WHERE position = (SELECT max(position) FROM ledger_transfer)',
      'UPDATE ledger_account SET entries = entries + 1 WHERE id = 5',
      'UPDATE ledger_account SET balance_msat = balance_msat + 1 WHERE id = 5',
    ]) {
      const url = await urls();
      const database = await open(url);
      await migrate(database, MIGRATIONS);
      await database.transaction((tx) => tx.run(openAccount));
      const ledger = createLedger(database, systemClock);
      const pay = () => ledger.post({ transfers: [{ id: newId(), from: NODE, to: 5, amountMsat: amount(5) }] });
      for (let i = 0; i < 64; i++) await pay();
      await ledger.drain();
      await pay();
      expect(await problemsOfLedger(database)).toEqual([]);
      await database.transaction((tx) => tx.run(statement(`test_cache_${tampering.length}_${tampering.slice(-9)}`, tampering)));
      expect(await problemsOfLedger(database), tampering).not.toEqual([]);
    }
  });
});

interface Wish {
  readonly kind: 'deposit' | 'transfer' | 'hold';
  readonly from: number;
  readonly to: number;
  readonly msat: number;
}

const account = fc.constantFrom(...ACCOUNTS);
const wish: fc.Arbitrary<Wish> = fc.record({
  kind: fc.constantFrom('deposit', 'deposit', 'transfer', 'transfer', 'hold'),
  from: account,
  to: account,
  msat: fc.integer({ min: 1, max: 500 }),
});
const fault: fc.Arbitrary<Fault> = fc.oneof(
  fc.record({ statement: fc.integer({ min: 1, max: 30 }), fails: fc.constantFrom('before' as const, 'after' as const) }),
  fc.record({
    commit: fc.integer({ min: 1, max: 2 }),
    fails: fc.constantFrom('refused' as const, 'written, unknown' as const, 'not written, unknown' as const),
  }),
);
const step = fc.record({
  postings: fc.array(wish, { minLength: 1, maxLength: 6 }),
  faults: fc.array(fault, { maxLength: 2 }),
  killAt: fc.integer({ min: 1, max: 14 }),
});

/** A posting that is rejected and undone, because it transfers from an account to itself. */
function written({ kind, from, to, msat }: Wish): Posting {
  const amountMsat = amount(msat);
  if (kind === 'hold') return { holds: [{ id: newId(), account: from, amountMsat, reserveMsat: amount(1) }] };
  return { transfers: [{ id: newId(), from: kind === 'deposit' ? NODE : from, to, amountMsat }] };
}

/** Waits until a transaction is running. */
async function readSoon(ledger: Ledger, id: number): Promise<void> {
  for (let turn = 0; turn < 4; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    for (let tick = 0; tick < 10; tick++) await ledger.balance(id);
  }
}

/** Copies the files. Nothing is written meanwhile, because the copy is synchronous. */
function copyNow(url: string, copy: string): void {
  const [from, to] = [url.slice('sqlite:'.length), copy.slice('sqlite:'.length)];
  for (const end of ['', '-wal']) if (existsSync(from + end)) copyFileSync(from + end, to + end);
}

/** Runs a task before the nth statement of the next transaction. @returns a function that removes the hook and returns whether the task ran */
function killInside(database: FaultyDatabase, nth: number, kill: () => void): () => boolean {
  const { transaction } = database;
  let count = 0;
  let done = false;
  const look = () => {
    count += 1;
    if (count !== nth) return;
    kill();
    done = true;
  };
  let isFirst = true;
  const watched = (tx: Tx): Tx => ({
    ...tx,
    all: (query, ...parameters) => {
      look();
      return tx.all(query, ...parameters);
    },
    first: (query, ...parameters) => {
      look();
      return tx.first(query, ...parameters);
    },
    run: (query, ...parameters) => {
      look();
      return tx.run(query, ...parameters);
    },
  });
  database.transaction = (work) => {
    if (!isFirst) return transaction(work);
    isFirst = false;
    return transaction((tx) => work(watched(tx)));
  };
  return () => {
    database.transaction = transaction;
    return done;
  };
}
