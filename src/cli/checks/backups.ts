import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Config } from '../../config.ts';
import { systemClock, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage } from '../../core/kernel/log.ts';
import { checkArchive } from '../../features/backup/archive.ts';
import { readLastBackup } from '../../features/backup/last-backup.ts';
import { listBackups } from '../../features/backup/manifest.ts';
import { type Finding, fail, ok } from '../../features/operator/checks/finding.ts';
import { judgeBackup, judgeRecipients } from '../../features/operator/checks/settings.ts';
import { withDatabase } from '../database.ts';

/** Checks that there is a backup, that it is neither old nor damaged, and that the next one can be written. */
export async function checkBackups({ backup }: Config): Promise<{ findings: Finding[] }> {
  // Another check reports a database that cannot be read.
  const last = await withDatabase({ readOnly: true }, readLastBackup).catch(() => undefined);
  const folder = backup.intervalSeconds > 0 || last !== undefined ? await checkFolder(backup.folder) : [];
  return {
    findings: [
      judgeBackup(last, backup.intervalSeconds, unixSeconds(systemClock)),
      ...folder,
      ...(await checkNewest(backup.folder)),
      judgeRecipients(backup.recipients),
    ],
  };
}

async function checkFolder(folder: string): Promise<Finding[]> {
  const remedy = `Create ${folder}, and let the user who runs the service write to it, or set BACKUP_DIR to another folder.`;
  try {
    await access(folder, constants.W_OK | constants.X_OK);
    return [];
  } catch (error) {
    return [fail('backup', `BACKUP_DIR is not writable (${(error as NodeJS.ErrnoException).code})`, remedy)];
  }
}

/** Compares the newest backup with its manifest. Only `satchel restore` reads the database in it, because that needs the age identity. */
async function checkNewest(folder: string): Promise<Finding[]> {
  const newest = (await listBackups(folder)).at(-1);
  if (newest === undefined) return [];
  try {
    await checkArchive(join(dirname(newest.path), newest.manifest.file), newest.manifest);
    return [ok('backup', `the newest file in BACKUP_DIR, ${newest.manifest.file}, is complete`)];
  } catch (error) {
    return [
      fail(
        'backup',
        errorMessage(error).replace(/\.$/, ''),
        'Run `satchel backup`, and check the disk: what it has written once is damaged.',
      ),
    ];
  }
}
