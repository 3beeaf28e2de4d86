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
  readonly isBackground: boolean;
  readonly progress: Progress;
}

/** Writes a backup of the configured database, and stores that it did. @throws BackupFailed */
export async function runBackup(config: Config, { version, isBackground, progress }: BackupRun): Promise<TakenBackup> {
  const { databaseUrl, backup, dataDir: workFolder } = config;
  const log = stderrLog;
  return withDatabase({ withoutLock: true }, async (database) => {
    const secretKey = await findSecretKey(config);
    if (secretKey) await requireSecretKey(database, secretKey);
    const source = await sourceOf(databaseUrl, { database, log, isBackground });
    const taken = await takeBackup({ ...backup, workFolder, secretKey, source, version, clock: systemClock, log, progress });
    const { manifest } = taken;
    // The old database of a move rejects writes.
    if (await readMovedTo(database)) return taken;
    const last = { createdAt: manifest.created_at, file: manifest.file, bytes: manifest.bytes };
    await storeLastBackup(database, last, unixSeconds(systemClock));
    return taken;
  });
}
