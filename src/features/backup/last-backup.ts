import type { Database, SqlReader } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';

/** A backup is too old after so many intervals of the schedule. */
export const OLD_INTERVALS = 3;

/** The last backup that was written and checked. */
export interface LastBackup {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly file: string;
  readonly bytes: number;
}

const FACT = 'last_backup';

export async function readLastBackup(reader: SqlReader): Promise<LastBackup | undefined> {
  const fact = await reader.first(readFact, FACT);
  return fact && (JSON.parse(fact.value) as LastBackup);
}

export async function storeLastBackup(database: Database, backup: LastBackup): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, FACT, JSON.stringify(backup)));
}
