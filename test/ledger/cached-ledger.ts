import { afterAll } from 'vitest';
import type { Database } from '../../src/core/db/database.ts';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import { type FaultyDatabase, faulty } from '../support/faulty-database.ts';
import { freshUrls, MIGRATIONS, silentLog } from '../support/ledger.ts';

export const ACCOUNTS = Array.from({ length: 12 }, (_, index) => 6 + index);
export const NODE = 1;
/** A write-back begins every few transfers and is slow, so most transfers happen during one. Not all accounts fit into the cache. */
export const CACHE = { writeBackAfter: 5, rowsPerBatch: 1, rowsPerTransfer: 1, maxClean: 4 };

export const openAccount = statement('test_cache_account', `INSERT INTO ledger_account (kind) VALUES ('wallet')`);
export const laggingRows = statement<{ n: number }>(
  'test_cache_lagging',
  `SELECT count(*) AS n FROM ledger_account a WHERE entries <
     (SELECT count(*) FROM ledger_transfer WHERE from_account = a.id OR to_account = a.id)`,
);

/** Balance, held amount and number of entries of each account. */
export type Books = Record<number, [balanceMsat: number, heldMsat: number, entries: number]>;

export async function booksOf(ledger: Ledger): Promise<Books> {
  const books: Books = {};
  for (const id of [NODE, ...ACCOUNTS]) {
    const { balanceMsat, heldMsat, entries } = await ledger.balance(id);
    books[id] = [balanceMsat, heldMsat, entries];
  }
  return books;
}

/** Opens ledgers on SQLite with a small cache of balances. They are closed after the suite. */
export function cachedLedgers() {
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

  return { urls, open, openWithoutLock, fresh };
}
