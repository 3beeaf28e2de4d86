import type { Config } from '../config.ts';
import { readMovedTo } from '../core/db/move-facts.ts';
import { systemClock, unixSeconds } from '../core/kernel/clock.ts';
import { storeLastBackup } from '../features/backup/last-backup.ts';
import { sourceOf } from '../features/backup/source.ts';
import { type Progress, type TakenBackup, takeBackup } from '../features/backup/take-backup.ts';
import { findSecretKey, requireSecretKey } from '../secret-key.ts';
import { stderrLog, withDatabase } from './database.ts';

interface BackupRun {
  readonly version: string;
  /** null: not known. */
  readonly commit: string | null;
  readonly isBackground: boolean;
  readonly progress: Progress;
}

/** Writes a backup of the configured database, and stores that it did. @throws BackupFailed */
export async function runBackup(config: Config, { version, commit, isBackground, progress }: BackupRun): Promise<TakenBackup> {
  const { databaseUrl, backup, dataDir: workFolder } = config;
  const log = stderrLog;
  return withDatabase({ withoutLock: true }, async (database) => {
    const secretKey = await findSecretKey(config);
    if (secretKey) await requireSecretKey(database, secretKey);
    const source = await sourceOf(databaseUrl, { database, log, isBackground });
    const taken = await takeBackup({ ...backup, workFolder, secretKey, source, version, commit, clock: systemClock, log, progress });
    const { manifest } = taken;
    // The old database of a move rejects writes.
    if (await readMovedTo(database)) return taken;
    const { created_at: createdAt, file, bytes, schema } = manifest;
    await storeLastBackup(database, { createdAt, file, bytes, migrations: schema.length }, unixSeconds(systemClock));
    return taken;
  });
}
