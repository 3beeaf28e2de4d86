import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Msat, msat, subMsat } from '../kernel/money.ts';
import type { AccountState } from './arithmetic.ts';
import type { EntryRow } from './entries.sql.ts';
import { GroupCommit, type LedgerStats } from './group-commit.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Posting, Receipt } from './posting.ts';
import type { CacheOptions } from './store-sqlite/balance-cache.ts';
import { createStore } from './stores.ts';

export { isSystemAccount, SYSTEM_ACCOUNTS } from './accounts.ts';
export { HoldClosed, InsufficientBalance } from './arithmetic.ts';
export { type EntryRow, entryFrom, entryTo } from './entries.sql.ts';
export {
  type Balance,
  type Guard,
  type Posting,
  type Receipt,
  type RowWrite,
  requireGuards,
  type TransferOrder,
  type TransferRow,
} from './posting.ts';
export { allAccounts, systemAccounts } from './stores.ts';

/**
 * The double-entry ledger. Money moves through `post` and nowhere else. Whoever needs all balances at one moment reads
 * `allAccounts` (stores.ts) in a snapshot: the rows of `ledger_account` alone may lag.
 */
export interface Ledger {
  /**
   * Applies a posting, all of it or nothing, and answers once it is durable.
   * @throws Refusal `insufficient_balance`, `limit_exceeded`, `ledger_busy`, or what a row of the posting says otherwise
   * @throws HoldClosed when a hold had been posted or voided before.
   */
  post(posting: Posting): Promise<Receipt>;
  /** The balance as it is committed. */
  balance(account: number): Promise<Balance>;
  /** The same of many accounts, in their order: each as it is committed, but not all at one moment. */
  balances(accounts: readonly number[]): Promise<Balance[]>;
  /** An account's entries from one number to another, both included, newest first. Costs what it answers, wherever they are. */
  entries(account: number, first: number, last: number): Promise<EntryRow[]>;
  /** What an open hold reserves; undefined when it is closed or unknown. */
  openHoldMsat(id: string): Promise<Msat | undefined>;
  /** What a hold reserved, open or closed; undefined when it is unknown. */
  reservedMsat(id: string): Promise<Msat | undefined>;
  /** Ends a round of running time (retention.ts) and deletes the marks of batches whose outcome has long been resolved. */
  endRound(): Promise<void>;
  /** How much waits, and how much this instance has committed. */
  stats(): LedgerStats;
  /** Resolves when everything that was posted is decided. */
  drain(): Promise<void>;
}

/** `cache` is for SQLite alone; tests change it. */
export function createLedger(database: Database, clock: Clock, cache?: CacheOptions): Ledger {
  const store = createStore(database, cache);
  const commits = new GroupCommit(store, clock);
  return {
    post: (posting) => commits.add(posting),
    stats: () => commits.stats(),
    async drain() {
      await commits.drain();
      await store.flush();
    },
    endRound: () => store.endRound(),
    balance: async (account) => balanceOf(found(account, await store.readAccount(account))),
    async balances(accounts) {
      const states = await store.readAccounts(accounts);
      return accounts.map((id, index) => balanceOf(found(id, states[index])));
    },
    async entries(account, first, last) {
      found(account, await store.readAccount(account));
      return store.readEntries(account, first, last);
    },
    async reservedMsat(id) {
      const row = await database.first(sql.readHold, id);
      return row && msat(row.amount_msat);
    },
    async openHoldMsat(id) {
      const row = await database.first(sql.readHold, id);
      return row?.state === 'open' ? msat(row.amount_msat) : undefined;
    },
  };
}

function found(id: number, state: AccountState | undefined): AccountState {
  if (!state) throw new Error(`ledger account ${id} does not exist`);
  return state;
}

function balanceOf({ balanceMsat, heldMsat, entries }: AccountState): Balance {
  return { balanceMsat, heldMsat, spendableMsat: subMsat(balanceMsat, heldMsat), entries };
}
