import type { Database, SqlReader } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { readBackFact } from '../../core/quarantine/quarantine.ts';

/** How far the records of a node have been read back since a restore. Stored as JSON. Times are Unix milliseconds. */
export interface ReadBackProgress {
  readonly state: 'running' | 'complete';
  readonly step: 'receipts' | 'payments' | 'late_payments';
  readonly startedAtMs: number;
  /** The records of the node that the present or last pass has read, and those of them that are not of this ledger. */
  readonly receipts: RecordCounts;
  readonly payments: RecordCounts;
  /**
   * The hold invoices that were stored again, and the lines of the recovery log that could not be read. `completeSince` is in Unix seconds: those
   * from before may be lost; null: there is no log. `unknown`: the payments that the node still held then and that no wallet decides about. Absent
   * before they were read.
   */
  readonly holds?: {
    readonly recovered: number;
    readonly damaged: number;
    readonly completeSince: number | null;
    readonly unknown?: number;
  };
  /** Why it does not go on, or what could not be booked. */
  readonly error: string | null;
  /** The reconciliation that was requested at its end. */
  readonly reconciliationId: string | null;
}

export interface RecordCounts {
  readonly read: number;
  readonly foreign: number;
}

export async function readProgress(database: SqlReader, nodeId: string): Promise<ReadBackProgress | undefined> {
  const fact = await database.first(readFact, readBackFact(nodeId));
  return fact && (JSON.parse(fact.value) as ReadBackProgress);
}

export async function storeProgress(database: Database, nodeId: string, progress: ReadBackProgress): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, readBackFact(nodeId), JSON.stringify(progress)));
}
