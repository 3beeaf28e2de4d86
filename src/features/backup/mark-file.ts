import { lstatSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { deleteMovedTo } from '../../core/db/move-facts.ts';
import { openDatabase } from '../../core/db/open.ts';
import type { Log } from '../../core/kernel/log.ts';
import { beginQuarantine, type Restored, readQuarantine } from '../../core/quarantine/quarantine.ts';
import { BackupFailed } from './manifest.ts';

/**
 * Begins the quarantine in a SQLite file that nothing else uses, and leaves no log beside it. `restoredOf` gets the quarantine that the file is in.
 * The copy of a moved database may be used again.
 * @returns that quarantine
 */
export async function markFile(
  path: string,
  log: Log,
  restoredOf: (earlier: Restored | undefined) => Restored,
): Promise<Restored | undefined> {
  const database = await openDatabase(`sqlite:${path}`, { log });
  let earlier: Restored | undefined;
  try {
    earlier = await readQuarantine(database);
    await database.transaction(async (tx) => {
      await deleteMovedTo(tx);
      await beginQuarantine(tx, restoredOf(earlier));
    });
  } finally {
    await database.close();
  }
  const file = new DatabaseSync(path);
  try {
    file.exec('PRAGMA journal_mode = DELETE');
  } finally {
    file.close();
  }
  if (!lstatSync(`${path}-wal`, { throwIfNoEntry: false })) return earlier;
  throw new BackupFailed(`The database ${path} could not be written completely. Run the command again.`);
}
