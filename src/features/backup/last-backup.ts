import type { Database, SqlReader, Tx } from '../../core/db/database.ts';
import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { newId } from '../../core/kernel/ids.ts';
import * as sql from './backup-runs.sql.ts';

/** A backup is too old after so many intervals of the schedule. */
export const OLD_INTERVALS = 3;

/** The last backup that was written and checked. */
export interface LastBackup {
  /** Unix seconds. */
  readonly createdAt: number;
  readonly file: string;
  readonly bytes: number;
  /** The number of migrations that it has. Older versions did not store it. */
  readonly migrations?: number;
}

/** A schedule that fails tries again every five minutes. */
const KEPT_RUNS = 100;
const MAX_REASON_LENGTH = 500;
const FACT = 'last_backup';

export async function readLastBackup(reader: SqlReader): Promise<LastBackup | undefined> {
  const fact = await reader.first(readFact, FACT);
  return fact && (JSON.parse(fact.value) as LastBackup);
}

/** Stores that a backup was written and checked. `endedAt`: Unix seconds. */
export async function storeLastBackup(database: Database, backup: LastBackup, endedAt: number): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.run(writeFact, FACT, JSON.stringify(backup));
    await storeRun(tx, { started_at: backup.createdAt, ended_at: endedAt, bytes: backup.bytes, failure: null });
  });
}

/** Stores that a backup of the schedule failed. */
export async function storeFailedBackup(database: Database, startedAt: number, endedAt: number, reason: string): Promise<void> {
  const failure = reason.slice(0, MAX_REASON_LENGTH).toWellFormed();
  await database.transaction((tx) => storeRun(tx, { started_at: startedAt, ended_at: endedAt, bytes: null, failure }));
}

/** Returns the last backups, newest first. */
export function listBackupRuns(reader: SqlReader, limit: number): Promise<sql.BackupRunRow[]> {
  return reader.all(sql.listRuns, limit);
}

async function storeRun(tx: Tx, { started_at, ended_at, bytes, failure }: sql.BackupRunRow): Promise<void> {
  await tx.run(sql.insertRun, `bkp_${newId(1000 * ended_at)}`, started_at, ended_at, bytes, failure);
  await tx.run(sql.deleteOldRuns, KEPT_RUNS);
}
