import type { Config } from '../../config.ts';
import { systemClock, unixSeconds } from '../../core/kernel/clock.ts';
import { type LastBackup, OLD_INTERVALS, readLastBackup } from '../../features/backup/last-backup.ts';
import { withDatabase } from '../database.ts';
import { counted } from '../table.ts';
import { type Finding, fail, ok, warn } from './finding.ts';

/** Without a schedule, a backup is old after a week. */
const OLD_SECONDS = 7 * 86_400;

/** Checks that there is a backup, and that it is not old. */
export async function checkBackups({ backup }: Config): Promise<{ findings: Finding[] }> {
  // Another check reports a database that cannot be read.
  const last = await withDatabase({ readOnly: true }, readLastBackup).catch(() => undefined);
  return { findings: [judgeBackup(last, backup.intervalSeconds, unixSeconds(systemClock)), judgeRecipients(backup.recipients)] };
}

export function judgeBackup(last: LastBackup | undefined, intervalSeconds: number, now: number): Finding {
  const remedy = 'Run `satchel backup`, and set BACKUP_DIR: the service then writes one every hour.';
  if (!last) return warn('backup', 'there is no backup: losing the disk loses the ledger', remedy);
  const age = now - last.createdAt;
  const text = `the last backup is ${counted(Math.floor(age / 60), 'minute')} old`;
  if (age < 0) return warn('backup', 'the last backup is from the future', 'Correct the clock of this machine, then run `satchel backup`.');
  const limit = intervalSeconds === 0 ? OLD_SECONDS : OLD_INTERVALS * intervalSeconds;
  if (age <= limit) return ok('backup', text);
  return intervalSeconds === 0 ? warn('backup', text, remedy) : fail('backup', text, 'Read the alert backup_failed for the reason.');
}

function judgeRecipients(recipients: readonly string[]): Finding {
  if (recipients.length > 0) return ok('backup', `encrypted to ${counted(recipients.length, 'key')}`);
  return warn(
    'backup',
    'backups are not encrypted',
    'Set BACKUP_RECIPIENTS to the public key of `age-keygen`, before backups leave this machine.',
  );
}
