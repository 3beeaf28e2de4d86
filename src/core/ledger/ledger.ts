import type { Database } from '../db/database.ts';
import { markBooked } from '../kernel/booking-mark.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Msat } from '../kernel/money.ts';
import { traced } from '../kernel/tracing.ts';
import { balanceOf } from './arithmetic.ts';
import { type BatchCommit, GroupCommit } from './group-commit.ts';
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

export type Ledger = ReturnType<typeof createLedger>;

/**
 * Creates the double-entry ledger. All money moves through `post`. To read all balances at one moment, use {@link allAccounts} in a snapshot:
 * the rows of `ledger_account` may lag behind. `cache` is for SQLite alone; tests change it.
 */
export function createLedger(database: Database, clock: Clock, cache?: CacheOptions) {
  const store = createStore(database, clock, cache);
  const commits = new GroupCommit(store, clock);
  return {
    /**
     * Applies a posting as a whole, and resolves when it is durable.
     * @throws Refusal `insufficient_balance`, `limit_exceeded`, `ledger_busy`, or the `onMiss` of a guard or row of the posting.
     * @throws HoldClosed when a hold was posted or voided before.
     */
    async post(posting: Posting): Promise<Receipt> {
      const receipt = await traced('posting', {}, () => commits.add(posting));
      // The transaction of a batch belongs to no request.
      markBooked();
      return receipt;
    },

    /**
     * Checks before a step outside of the database that a posting after it will not be refused because too many wait.
     * @throws Refusal `ledger_busy`, StatementFailed while commits are stalled
     */
    requireCapacity: (): void => commits.requireCapacity(),

    /** See {@link Reservations}. A posting that is being booked may not know a new reservation yet. */
    reservations: commits.reservations,

    /** Returns the committed balance. */
    balance: async (account: number): Promise<Balance> => balanceOf(account, (await store.readAccounts([account]))[0]),

    /** Returns the committed balances of many accounts, in their order. They may be of different moments. */
    async balances(accounts: readonly number[]): Promise<Balance[]> {
      const states = await store.readAccounts(accounts);
      return accounts.map((id, index) => balanceOf(id, states[index]));
    },

    /** Returns the amount of an open hold; undefined when it is closed or unknown. */
    async openHoldMsat(id: string): Promise<Msat | undefined> {
      const hold = await database.first(sql.readHold, id);
      return hold?.state === 'open' ? hold.amountMsat : undefined;
    },

    /** Returns the amount of a hold, open or closed; undefined when it is unknown. */
    reservedMsat: async (id: string): Promise<Msat | undefined> => (await database.first(sql.readHold, id))?.amountMsat,

    /** Ends a retention period (db/retention.ts): deletes old marks of batches. */
    endRetentionPeriod: (): Promise<void> => store.endRetentionPeriod(),

    /** Returns how many postings wait, and how many this instance has committed. */
    stats: () => commits.stats(),

    /** Calls a function after each commit of a batch. */
    onBatch: (listener: (batch: BatchCommit) => void) => commits.onBatch(listener),

    /** Resolves when the database lacks postings that were confirmed, as after a failover to a server that had not got them. */
    forgotten: store.forgotten,

    /** Returns the time up to which a database has what this process has confirmed, in Unix seconds; undefined if it has everything. */
    missingSince: store.missingSince,

    /** Resolves when all postings are decided and all rows of accounts are up to date. */
    async drain(): Promise<void> {
      await commits.drain();
      await store.flush();
    },
  };
}
