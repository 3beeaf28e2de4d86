import { readdir } from 'node:fs/promises';
import { satchel } from './command';
import { BACKUP_DIR } from './container';
import { sdk } from './sdk';

/**
 * StartOS copies the backup that the service writes, not its database: an older copy of the database has forgotten payments, so its wallets could
 * spend their money again. A database that `satchel restore run` makes sends nothing before its operator accepts it.
 */
export const { createBackup, restoreInit } = sdk.setupBackups(async () =>
  sdk.Backups.ofVolumes('main', 'startos')
    .setOptions({ exclude: ['satchel.db', 'satchel.db-*', 'satchel.db.lock*', '.backup.lock'] })
    .setPreBackup(async (effects) => {
      const hasStarted = (await names('')).includes('satchel.db');
      if (hasStarted) await satchel(effects, 'backup');
    })
    .setPostRestore(async (effects) => {
      const newest = (await names('backups')).filter((name) => name.endsWith('.json')).at(-1);
      if (newest) await satchel(effects, 'restore', 'run', `${BACKUP_DIR}/${newest}`);
    }),
);

/** Returns the files of a folder in the volume in the order of their names. Those of backups begin with their time. */
async function names(folder: string): Promise<string[]> {
  return (await readdir(sdk.volumes.main.subpath(folder)).catch(() => [])).sort();
}
