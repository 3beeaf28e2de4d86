import type { Config } from '../../config.ts';
import { systemClock, unixSeconds } from '../../core/kernel/clock.ts';
import { readLastBackup } from '../../features/backup/last-backup.ts';
import type { Finding } from '../../features/operator/checks/finding.ts';
import { judgeBackup, judgeRecipients } from '../../features/operator/checks/settings.ts';
import { withDatabase } from '../database.ts';

/** Checks that there is a backup, and that it is not old. */
export async function checkBackups({ backup }: Config): Promise<{ findings: Finding[] }> {
  // Another check reports a database that cannot be read.
  const last = await withDatabase({ readOnly: true }, readLastBackup).catch(() => undefined);
  return { findings: [judgeBackup(last, backup.intervalSeconds, unixSeconds(systemClock)), judgeRecipients(backup.recipients)] };
}
