import { expect, it } from 'vitest';
import { createAlerts } from '../../src/core/alerts/alerts.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { beginQuarantine, endQuarantine, Quarantine } from '../../src/core/quarantine/quarantine.ts';
import { readAppliedSchema } from '../../src/features/backup/check-database.ts';
import { listBackupRuns, storeFailedBackup, storeLastBackup } from '../../src/features/backup/last-backup.ts';
import { runIfDue } from '../../src/features/backup/schedule.ts';
import { onBothDatabases, silentLog } from '../support/ledger.ts';

const NOW = 1_800_000_000;
const HOUR = 3600;

onBothDatabases('scheduled backups', (open) => {
  /** A service with a backup every hour, whose clock the test sets. */
  async function scheduler(intervalSeconds = HOUR) {
    const database = await open();
    const service = { now: NOW, reason: undefined as string | undefined, backups: [] as number[], tries: 0 };
    const clock = { nowMs: () => service.now * 1000 };
    const alerts = createAlerts(database, clock, silentLog);
    const runBackup = async () => {
      service.tries += 1;
      if (service.reason !== undefined) throw new Error(service.reason);
      service.backups.push(service.now);
      const migrations = (await readAppliedSchema(database)).length;
      await storeLastBackup(database, { createdAt: service.now, file: 'x', bytes: 1, migrations }, service.now + 7);
    };
    const context = { database, alerts, clock, log: silentLog, runBackup };
    let notBefore = 0;
    return {
      ...{ service, database, alerts },
      /** Checks at a time. @returns the open alerts */
      async check(now: number): Promise<string[]> {
        service.now = now;
        const quarantine = new Quarantine(database);
        notBefore = await runIfDue({ ...context, quarantine }, intervalSeconds, notBefore, new AbortController().signal);
        return (await alerts.listOpen()).map(({ kind, message }) => `${kind}: ${message}`);
      },
    };
  }

  it('writes one when there is none, and the next an interval later', async () => {
    const { service, check } = await scheduler();
    for (const now of [NOW, NOW + HOUR - 1, NOW + HOUR]) expect(await check(now)).toEqual([]);
    expect(service.backups).toEqual([NOW, NOW + HOUR]);
  });

  it('writes one at once after a migration, and after an upgrade from a version that stored no number of migrations', async () => {
    const { service, database, check } = await scheduler();
    await check(NOW);
    const { length } = await readAppliedSchema(database);
    for (const [index, migrations] of [length - 1, undefined].entries()) {
      const last = { createdAt: service.now, file: 'x', bytes: 1, ...(migrations !== undefined && { migrations }) };
      await storeLastBackup(database, last, service.now);
      const now = NOW + 10 * (index + 1);
      for (const at of [now, now + 5]) await check(at);
      expect(service.backups.at(-1)).toBe(now);
    }
    expect(service.backups).toEqual([NOW, NOW + 10, NOW + 20]);
  });

  it('tries again after five minutes when the backup after a migration fails', async () => {
    const { service, database, check } = await scheduler();
    await check(NOW);
    await storeLastBackup(database, { createdAt: NOW, file: 'x', bytes: 1, migrations: 1 }, NOW);
    service.reason = 'the disk is full';
    for (const seconds of [10, 15, 309, 310]) await check(NOW + seconds);
    expect(service.tries).toBe(3);
  });

  it('goes on when the clock was set back', async () => {
    const { service, check } = await scheduler();
    await check(NOW);
    await check(NOW - 50 * HOUR);
    expect(service.backups).toEqual([NOW, NOW - 50 * HOUR]);
  });

  it('raises an alert with the reason of a failure, tries again after five minutes, and closes the alerts with the next backup', async () => {
    const { service, check } = await scheduler();
    await check(NOW);
    service.reason = 'the disk is full';
    expect(await check(NOW + HOUR)).toEqual(['backup_failed: the disk is full']);
    await check(NOW + HOUR + 299);
    expect(service.tries).toBe(2);
    expect(await check(NOW + 4 * HOUR)).toEqual(['backup_failed: the disk is full', 'backup_old: the last backup is 240 minutes old']);
    service.reason = undefined;
    expect(await check(NOW + 5 * HOUR)).toEqual([]);
  });

  it('stores the last backups: when each began and ended, its size, and why one failed', async () => {
    const { service, database, check } = await scheduler();
    await check(NOW);
    service.reason = 'The disk of /backups is full. Free space.';
    await check(NOW + HOUR);
    expect(await listBackupRuns(database, 10)).toEqual([
      { started_at: NOW + HOUR, ended_at: NOW + HOUR, bytes: null, failure: service.reason },
      { started_at: NOW, ended_at: NOW + 7, bytes: 1, failure: null },
    ]);
  });

  it('keeps the newest hundred of them', async () => {
    const database = await open();
    for (let i = 0; i < 103; i++) await storeFailedBackup(database, NOW + i, NOW + i, 'x'.repeat(600));
    const runs = await listBackupRuns(database, 1000);
    expect([runs.length, runs[0]?.started_at, runs.at(-1)?.started_at]).toEqual([100, NOW + 102, NOW + 3]);
    expect(runs[0]?.failure).toHaveLength(500);
  });

  it('says that there is no backup at all', async () => {
    const { service, check } = await scheduler();
    service.reason = 'no';
    expect(await check(NOW)).toContain('backup_old: there is no backup');
  });

  it('writes none without an interval, and then closes the alerts of an earlier one', async () => {
    const { service, alerts, check } = await scheduler(0);
    await alerts.raise({ kind: 'backup_failed', subject: 'database', message: 'before' });
    expect(await check(NOW)).toEqual([]);
    expect(service.tries).toBe(0);
  });

  it('keeps an alert open while a restore waits to be accepted', async () => {
    const { database, check } = await scheduler(0);
    await database.transaction((tx) => beginQuarantine(tx, { backupCreatedAt: NOW - HOUR, restoredAt: NOW }));
    for (let i = 0; i < 2; i++) expect(await check(NOW)).toEqual([expect.stringMatching(/^restored: restored from a backup of 2027-/)]);
    expect(await endQuarantine(database, 'a test', systemClock)).toBe(true);
    expect(await endQuarantine(database, 'a test', systemClock)).toBe(false);
    expect(await check(NOW)).toEqual([]);
  });
});
