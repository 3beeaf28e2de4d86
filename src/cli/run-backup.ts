import type { Config } from '../config.ts';
import { openDatabase } from '../core/db/open.ts';
import { systemClock } from '../core/kernel/clock.ts';
import { storeLastBackup } from '../features/backup/last-backup.ts';
import { postgresSource, sqliteSource } from '../features/backup/source.ts';
import { type Progress, type TakenBackup, takeBackup } from '../features/backup/take-backup.ts';
import { stderrLog } from './database.ts';

/** Writes a backup of the configured database, and stores that it did. @throws BackupFailed */
export async function runBackup(config: Config, version: string, progress: Progress): Promise<TakenBackup> {
  const { databaseUrl, backup } = config;
  const log = stderrLog;
  const path = databaseUrl.startsWith('sqlite:') ? databaseUrl.slice('sqlite:'.length) : undefined;
  const own = path === undefined ? undefined : sqliteSource(path);
  const database = await openDatabase(databaseUrl, { withoutLock: true, log });
  try {
    const source = own ?? (await postgresSource(database, log));
    const taken = await takeBackup({ ...backup, workFolder: config.dataDir, source, version, clock: systemClock, log, progress });
    const { manifest } = taken;
    await storeLastBackup(database, { createdAt: manifest.created_at, file: manifest.file, bytes: manifest.bytes });
    return taken;
  } finally {
    await database.close();
  }
}
