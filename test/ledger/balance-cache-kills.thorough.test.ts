import { copyFileSync, existsSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Database, Tx } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import type { Fault, FaultyDatabase } from '../support/faulty-database.ts';
import { amount, problemsOfLedger } from '../support/ledger.ts';
import { ACCOUNTS, booksOf, CACHE, cachedLedgers, laggingRows, NODE } from './cached-ledger.ts';

/** Rows that an unfinished write-back has updated. */
const rowsAhead = statement<{ n: number }>(
  'test_cache_ahead',
  `SELECT count(*) AS n FROM ledger_account a WHERE held_msat = 0 AND entries >
     (SELECT count(*) FROM ledger_transfer WHERE (from_account = a.id OR to_account = a.id) AND position <= (SELECT position FROM ledger_checkpoint))`,
);

describe('SQLite’s cache of balances', () => {
  const { urls, open, fresh } = cachedLedgers();

  /** Opens a copy of the files, as the next start would find them if the process were killed now. */
  async function afterKill(url: string): Promise<{ database: Database; ledger: Ledger }> {
    const copy = await urls();
    copyNow(url, copy);
    const database = await open(copy);
    return { database, ledger: createLedger(database, systemClock, CACHE) };
  }

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
          await next.ledger.post({ transfers: [{ id: newId(), from: NODE, to: 6, amountMsat: amount(7) }] });
          expect((await next.ledger.balance(6)).balanceMsat).toBe((after[6]?.[0] ?? 0) + 7);
          expect(await problemsOfLedger(next.database)).toEqual([]);
          await next.database.close();
        }
      }),
      { numRuns: 40, seed: 4 },
    );
    expect(Math.min(seen.lagging, seen.writingBack, seen.failed, seen.killed)).toBeGreaterThan(10);
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
