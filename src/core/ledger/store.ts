import type { Database, SqlReader, Tx } from '../db/database.ts';
import type { RowWrite } from '../db/row-write.ts';
import type { AccountState, HoldState } from './arithmetic.ts';
import type { TransferRow } from './posting.ts';

/**
 * The ledger's rows in a database. SQLite and PostgreSQL store the same rows in different ways: SQLite appends transfers and updates the
 * accounts later, PostgreSQL writes a whole batch with one statement. What an account is after a transfer is decided by the caller
 * (arithmetic.ts).
 */
export interface LedgerStore {
  readonly stalls: Pick<Database, 'isStalled' | 'onStall'>;
  /** How many batches may be committed at the same time. */
  readonly concurrentBatches: number;
  /**
   * Runs one database transaction of one batch. It commits when `work` returns.
   * @throws RowMissed when a row of the batch did not change; nothing was written then.
   * @throws CommitUnknown when the commit may have been applied or not: {@link wasCommitted} finds out.
   */
  transaction(work: (batch: BatchTx) => Promise<void>): Promise<void>;
  /**
   * Whether a batch was committed whose commit ended with CommitUnknown. A batch that was not committed can no longer be afterwards.
   * @throws while the database cannot answer.
   */
  wasCommitted(batchId: string): Promise<boolean>;
  /** The accounts after their last committed entries, in the order of the ids; undefined for one that does not exist. */
  readAccounts(ids: readonly number[]): Promise<(AccountState | undefined)[]>;
  /**
   * Resolves when the database is reached and lacks batches that were committed, as after a failover to a server that had not got them. From then
   * on, connections to that server are refused.
   */
  readonly forgotten: Promise<void>;
  /** Returns the time up to which a database has the batches of this process, in Unix seconds; undefined if it has all of them. */
  missingSince(reader: SqlReader): Promise<number | undefined>;
  /** Brings all rows of accounts up to date, for a clean stop. Does not throw: the next start does it otherwise. */
  flush(): Promise<void>;
  /** Ends a retention period (db/retention.ts): deletes the marks of batches whose outcome has been clear for a day. */
  endRetentionPeriod(): Promise<void>;
}

/** The open database transaction of one batch. */
export interface BatchTx {
  readonly tx: Tx;
  /** Reads accounts and keeps others from changing them until the transaction ends. Accounts that do not exist are missing in the result. */
  lockAccounts(ids: readonly number[]): Promise<AccountState[]>;
  write(writes: BatchWrites): Promise<void>;
}

/** Everything that a batch writes. */
export interface BatchWrites {
  readonly batchId: string;
  /** Rows of other modules. */
  readonly rows: readonly RowWrite[];
  /** Rows of the event log. They precede the events of the transfers. */
  readonly events: readonly RowWrite[];
  readonly transfers: readonly TransferRow[];
  readonly openedHolds: readonly HoldState[];
  readonly closedHolds: readonly HoldState[];
  /** All accounts of the batch, as it leaves them. */
  readonly accounts: readonly AccountState[];
}

/** A row of a posting did not change: that posting must be refused, and the batch repeated without it. */
export class RowMissed extends Error {
  override readonly name = 'RowMissed';
  readonly refusal: Error;

  constructor(refusal: Error) {
    super('a row of the posting did not change');
    this.refusal = refusal;
  }
}
