import type { Database } from '../db/database.ts';
import { endRound, type Retained, ROUNDS_PER_DAY } from '../db/retention.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Msat, msat, subMsat } from '../kernel/money.ts';
import { type AccountState, accountState } from './account-state.ts';
import { type EntryRow, pageOfEntries } from './entries.sql.ts';
import { GroupCommit, type LedgerVitals } from './group-commit.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Posting, Receipt } from './posting.ts';
import { type Pace, Tail } from './tail.ts';

export type { Balance } from './posting.ts';

/**
 * The double-entry ledger. Money moves through `post` and nowhere else. Whoever needs all balances at one moment reads
 * `allAccounts` (read-tail.ts) in a snapshot: the rows of `ledger_account` alone may lag.
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
  stats(): LedgerVitals;
  /** Resolves when everything that was posted is decided. */
  drain(): Promise<void>;
}

const RETAINED_BATCHES: Retained = {
  name: 'ledger_batch',
  rounds: ROUNDS_PER_DAY,
  newestPosition: sql.newestBatchPosition,
  oldestPosition: sql.oldestBatchPosition,
  deleteBelow: sql.deleteBatchesBelow,
};

/** `pace` is that of writing back what SQLite's rows do not say yet; tests change it. */
export function createLedger(database: Database, clock: Clock, pace?: Pace): Ledger {
  const tail = database.dialect === 'sqlite' ? new Tail(database, pace) : undefined;
  const commits = new GroupCommit(database, tail, clock);

  async function committed(account: number): Promise<AccountState> {
    if (tail) return found(account, await tail.committed(account));
    const row = await database.first(sql.readAccount, account);
    return found(account, row && accountState(row));
  }

  return {
    post: (posting) => commits.add(posting),
    stats: () => commits.stats(),
    async drain() {
      await commits.drain();
      // What cannot be written back now is read from the tail when the ledger is opened again.
      await tail?.writeBack().catch(() => undefined);
    },
    async endRound() {
      if (database.dialect === 'postgres') await endRound(database, RETAINED_BATCHES);
    },
    balance: async (account) => balanceOf(await committed(account)),
    async balances(accounts) {
      if (tail) {
        const balances: Balance[] = [];
        for (const id of accounts) balances.push(balanceOf(found(id, await tail.committed(id))));
        return balances;
      }
      const rows = await database.all(sql.readAccounts, accounts);
      const states = new Map(rows.map((row) => [row.id, accountState(row)]));
      return accounts.map((id) => balanceOf(found(id, states.get(id))));
    },
    async entries(account, first, last) {
      const { entries, lastPosition } = await committed(account);
      // SQLite walks back from the account's last entry; PostgreSQL has an index.
      return database.all(pageOfEntries, account, first, last, ...(tail ? [entries, lastPosition] : []));
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
