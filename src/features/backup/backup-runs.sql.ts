import { statement } from '../../core/db/statement.ts';

export type BackupRunRow = { started_at: number; ended_at: number; bytes: number | null; failure: string | null };

export const insertRun = statement(
  'backup_run_insert',
  'INSERT INTO backup_run (id, started_at, ended_at, bytes, failure) VALUES ($1, $2, $3, $4, $5)',
);

/** The newest $1, newest first. */
export const listRuns = statement<BackupRunRow>(
  'backup_run_list',
  'SELECT started_at, ended_at, bytes, failure FROM backup_run ORDER BY id DESC LIMIT $1',
);

/** All but the newest $1. */
export const deleteOldRuns = statement(
  'backup_run_delete_old',
  'DELETE FROM backup_run WHERE id <= (SELECT id FROM backup_run ORDER BY id DESC LIMIT 1 OFFSET $1)',
);
