import type { Database, Tx } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { isSystemAccount } from './accounts.ts';
import type { AccountState } from './arithmetic.ts';
import { pageOfAccounts, rowToAccount } from './ledger.sql.ts';
import type { LedgerStore } from './store.ts';
import { createPostgresStore } from './store-postgres.ts';
import type { CacheOptions } from './store-sqlite/balance-cache.ts';
import { readCache } from './store-sqlite/cache-state.ts';
import { createSqliteStore } from './store-sqlite/store-sqlite.ts';

/** Returns the ledger's store in a database. `cache` is for SQLite alone; tests change it. */
export function createStore(database: Database, clock: Clock, cache?: CacheOptions): LedgerStore {
  return database.dialect === 'sqlite' ? createSqliteStore(database, cache) : createPostgresStore(database, clock);
}

const PAGE = 2000;

/**
 * Reads all ledger accounts as one snapshot has them, in the order of their ids, a page at a time. Needs no ledger, so other processes can
 * use it while the service runs. The rows of `ledger_account` alone may be out of date.
 */
export async function* allAccounts(tx: Tx, pageSize = PAGE): AsyncGenerator<AccountState[]> {
  const cached = tx.dialect === 'sqlite' ? (await readCache(tx)).dirty : new Map<number, AccountState>();
  // The accounts of nodes have negative numbers.
  for (let after = Number.MIN_SAFE_INTEGER; ; ) {
    const page = (await tx.all(pageOfAccounts, after, pageSize)).map((row) => cached.get(row.id) ?? rowToAccount(row));
    yield page;
    if (page.length < pageSize) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** Reads the system's own accounts as one snapshot has them. */
export async function systemAccounts(tx: Tx): Promise<AccountState[]> {
  const accounts: AccountState[] = [];
  for await (const page of allAccounts(tx, 16)) {
    accounts.push(...page.filter(({ id }) => isSystemAccount(id)));
    if (page.some(({ id }) => !isSystemAccount(id))) break;
  }
  return accounts;
}
