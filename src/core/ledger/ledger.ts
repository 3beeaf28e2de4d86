import type { Database } from '../db/database.ts';
import { markBooked } from '../kernel/booking-mark.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Msat, subMsat } from '../kernel/money.ts';
import type { AccountState } from './arithmetic.ts';
import { GroupCommit, type LedgerStats } from './group-commit.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Posting, Receipt } from './posting.ts';
import type { CacheOptions } from './store-sqlite/balance-cache.ts';
import { createStore } from './stores.ts';

export { isNodeAccount, isSystemAccount, SYSTEM_ACCOUNTS } from './accounts.ts';
export { HoldClosed, InsufficientBalance } from './arithmetic.ts';
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
 * The double-entry ledger. All money moves through `post`. To read all balances at one moment, use {@link allAccounts} in a snapshot: the
 * rows of `ledger_account` may lag behind.
 */
export interface Ledger {
  /**
   * Applies a posting as a whole, and resolves when it is durable.
   * @throws Refusal `insufficient_balance`, `limit_exceeded`, `ledger_busy`, or the `onMiss` of a guard or row of the posting.
   * @throws HoldClosed when a hold was posted or voided before.
   */
  post(posting: Posting): Promise<Receipt>;
  /** Returns the committed balance. */
  balance(account: number): Promise<Balance>;
  /** Returns the committed balances of many accounts, in their order. They may be of different moments. */
  balances(accounts: readonly number[]): Promise<Balance[]>;
  /** Returns the amount of an open hold; undefined when it is closed or unknown. */
  openHoldMsat(id: string): Promise<Msat | undefined>;
  /** Returns the amount of a hold, open or closed; undefined when it is unknown. */
  reservedMsat(id: string): Promise<Msat | undefined>;
  /** Ends a retention period (db/retention.ts): deletes old marks of batches. */
  endRetentionPeriod(): Promise<void>;
  /** Returns how many postings wait, and how many this instance has committed. */
  stats(): LedgerStats;
  /** Resolves when all postings are decided and all rows of accounts are up to date. */
  drain(): Promise<void>;
}

/** `cache` is for SQLite alone; tests change it. */
export function createLedger(database: Database, clock: Clock, cache?: CacheOptions): Ledger {
  const store = createStore(database, cache);
  const commits = new GroupCommit(store, clock);
  return {
    async post(posting) {
      const receipt = await commits.add(posting);
      // The transaction of a batch belongs to no request.
      markBooked();
      return receipt;
    },
    stats: () => commits.stats(),
    async drain() {
      await commits.drain();
      await store.flush();
    },
    endRetentionPeriod: () => store.endRetentionPeriod(),
    balance: async (account) => balanceOf(found(account, await store.readAccount(account))),
    async balances(accounts) {
      const states = await store.readAccounts(accounts);
      return accounts.map((id, index) => balanceOf(found(id, states[index])));
    },
    async reservedMsat(id) {
      const row = await database.first(sql.readHold, id);
      return row?.amountMsat;
    },
    async openHoldMsat(id) {
      const row = await database.first(sql.readHold, id);
      return row?.state === 'open' ? row.amountMsat : undefined;
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
