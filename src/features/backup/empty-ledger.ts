import { mkdir, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Database } from '../../core/db/database.ts';
import { lockFile } from '../../core/db/file-lock.ts';
import { MIGRATIONS, migrate } from '../../core/db/migrate.ts';
import { openDatabase } from '../../core/db/open.ts';
import { statement } from '../../core/db/statement.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import { beginQuarantine } from '../../core/quarantine/quarantine.ts';
import { syncFile } from './archive.ts';
import { BackupFailed } from './manifest.ts';
import { markFile } from './mark-file.ts';
import { removeDatabase, requireAbsent } from './restore.ts';

/** Everything before the restore was lost. */
function lostAll(clock: Clock) {
  return { backupCreatedAt: 0, restoredAt: unixSeconds(clock) };
}

/**
 * Creates a SQLite file with an empty ledger in quarantine, for a service that has lost its database and all backups. Its nodes' records and its
 * SECRET_KEY name the wallets.
 * @throws BackupFailed when a database exists
 */
export async function createEmptyFile(path: string, clock: Clock, log: Log): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // The service takes its lock at the real path.
  const database = join(await realpath(dirname(path)), basename(path));
  const lock = lockFile(`${database}.lock`);
  if (!lock) throw new BackupFailed(`A running service is using ${database}. Stop it first.`);
  const part = `${database}.restore`;
  try {
    requireAbsent(database);
    await removeDatabase(part);
    const created = await openDatabase(`sqlite:${part}`, { log });
    await migrate(created, MIGRATIONS).finally(() => created.close());
    await markFile(part, log, () => lostAll(clock));
    await syncFile(part);
    requireAbsent(database);
    await rename(part, database);
    await syncFile(dirname(database));
  } finally {
    await removeDatabase(part);
    lock.close();
  }
}

const findAccount = statement<{ id: string }>('empty_ledger_find_account', 'SELECT id FROM account LIMIT 1');

/** The same in a new PostgreSQL database. @throws BackupFailed when a service has used it */
export async function fillEmptyDatabase(database: Database, clock: Clock): Promise<void> {
  await migrate(database, MIGRATIONS);
  await database.transaction(async (tx) => {
    if (await tx.first(findAccount)) throw new BackupFailed('The database is not empty. Set DATABASE_URL to a new one.');
    await beginQuarantine(tx, lostAll(clock));
  });
}
