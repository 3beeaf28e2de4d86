-- The last backups: those that were written and checked, and those of the schedule that failed (src/features/backup/last-backup.ts).
CREATE TABLE backup_run (
  -- `bkp_…`, in the order of the ends.
  id TEXT PRIMARY KEY,
  -- Unix seconds.
  started_at INTEGER NOT NULL,
  ended_at INTEGER NOT NULL,
  -- Of the file; null for one that failed.
  bytes INTEGER,
  -- Why it failed; null for one that was checked.
  failure TEXT,
  CHECK ((bytes IS NULL) = (failure IS NOT NULL))
) STRICT;
