import type { Database } from '../db/database.ts';
import type { Clock } from '../kernel/clock.ts';
import { firstIdAt } from '../kernel/ids.ts';
import { type Msat, msat, subMsat } from '../kernel/money.ts';
import { GroupCommit, type LedgerVitals } from './group-commit.ts';
import * as sql from './ledger.sql.ts';
import type { Balance, Posting, Receipt } from './posting.ts';

export type { Balance } from './posting.ts';

/** The double-entry ledger. Money moves through `post` and nowhere else. */
export interface Ledger {
  /**
   * Applies a posting, all of it or nothing, and answers once it is durable.
   * @throws Refusal `insufficient_balance`, `limit_exceeded`, `ledger_busy`, or what a row of the posting says otherwise
   * @throws HoldClosed when a hold had been posted or voided before.
   */
  post(posting: Posting): Promise<Receipt>;
  balance(account: number): Promise<Balance>;
  /** What an open hold reserves; undefined when it is closed or unknown. */
  openHoldMsat(id: string): Promise<Msat | undefined>;
  /** Drops the marks of batches that nobody can be in doubt about any more. */
  forgetOldBatches(): Promise<void>;
  /** How much waits, and how much this instance has committed. */
  vitals(): LedgerVitals;
  /** Resolves when everything that was posted is decided. */
  drain(): Promise<void>;
}

const KEEP_BATCHES_MS = 24 * 60 * 60 * 1000;

export function createLedger(database: Database, clock: Clock): Ledger {
  const commits = new GroupCommit(database, clock);
  return {
    post: (posting) => commits.add(posting),
    vitals: () => commits.vitals(),
    drain: () => commits.drain(),
    async forgetOldBatches() {
      await database.transaction((tx) => tx.run(sql.forgetBatches, firstIdAt(clock.nowMs() - KEEP_BATCHES_MS)));
    },
    async balance(account) {
      const row = await database.first(sql.readBalance, account);
      if (!row) throw new Error(`ledger account ${account} does not exist`);
      return toBalance(row);
    },
    async openHoldMsat(id) {
      const row = await database.first(sql.readHold, id);
      return row?.state === 'open' ? msat(row.amount_msat) : undefined;
    },
  };
}

/** Reads the columns `balance_msat`, `held_msat`, `entries` of a ledger account's row. */
export function toBalance(row: { balance_msat: number; held_msat: number; entries: number }): Balance {
  const balanceMsat = msat(row.balance_msat);
  const heldMsat = msat(row.held_msat);
  return { balanceMsat, heldMsat, spendableMsat: subMsat(balanceMsat, heldMsat), entries: row.entries };
}
