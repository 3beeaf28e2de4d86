import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, watch } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { BackupFailed, listBackups } from '../../src/features/backup/manifest.ts';
import { restoreBackup } from '../../src/features/backup/restore.ts';
import { sourceOf } from '../../src/features/backup/source.ts';
import { takeBackup } from '../../src/features/backup/take-backup.ts';
import { onFakeNode } from '../support/app.ts';
import { problemsOf, silentLog } from '../support/ledger.ts';
import { runSatchel } from '../support/process.ts';

/** `BACKUP_KILLS=100` kills more often. A failure prints the seed. */
const KILLS = Number(process.env.BACKUP_KILLS ?? 5);

const root = mkdtempSync(join(tmpdir(), 'satchel-interrupted-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;

function newFolder(): string {
  const folder = join(root, String(++folders));
  mkdirSync(folder);
  return folder;
}

const KEEP = { hours: 24, days: 14, months: 12 };
const common = { secretKey: undefined, clock: systemClock, log: silentLog, progress: () => {} };

async function problemsIn(file: string): Promise<readonly string[]> {
  const database = await openDatabase(`sqlite:${file}`, { readOnly: true, log: silentLog });
  return problemsOf(database).finally(() => database.close());
}

/** Runs a command, and sends SIGKILL at the given change of the files in a folder. @returns the number of changes, and whether it was killed */
async function runKilled(args: readonly string[], settings: Record<string, string>, folder: string, atChange: number) {
  const child = spawn(process.execPath, ['src/cli/satchel.ts', ...args], { env: { ...process.env, ...settings }, stdio: 'ignore' });
  let changes = 0;
  const watcher = watch(folder, () => {
    changes += 1;
    if (changes === atChange) child.kill('SIGKILL');
  });
  await once(child, 'close');
  watcher.close();
  return { changes, isKilled: child.signalCode === 'SIGKILL' };
}

onFakeNode('kill -9', (app) => {
  const { client } = app;
  const backups = newFolder();
  const settings = () => ({ DATABASE_URL: app.databaseUrl, DATA_DIR: app.dataDir, BACKUP_DIR: backups });

  beforeAll(async () => {
    const [rich, poor] = [await client.wallet(100_000), await client.wallet(0)];
    for (let n = 0; n < 50; n++) await client.post(`/v1/wallet/${rich.id}/transfer`, { dest_wallet_id: poor.id, num_satoshis: 3 });
  });

  it('at any moment of a backup leaves only complete backups, and the next one succeeds', async () => {
    const { changes } = await runKilled(['backup'], settings(), backups, 0);
    expect(changes).toBeGreaterThan(3);
    let killed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: changes }), async (atChange) => {
        if ((await runKilled(['backup'], settings(), backups, atChange)).isKilled) killed += 1;
        for (const { path, manifest } of await listBackups(backups)) {
          const database = join(newFolder(), 'satchel.db');
          expect(await restoreBackup({ manifest: path, database, identities: [], hasUncheckedOrigin: true, ...common })).toEqual(manifest);
        }
      }),
      { numRuns: KILLS, endOnFailure: true },
    );
    expect(killed).toBeGreaterThan(0);
    const next = await runSatchel(['backup', '--json'], settings());
    expect(next).toMatchObject({ code: 0 });
    const left = [...readdirSync(backups), ...readdirSync(app.dataDir)];
    expect(left.filter((name) => name.endsWith('.part'))).toEqual([]);
  });

  it('at any moment of a restore leaves no database or a complete one, and a repeated restore succeeds', async () => {
    const { stdout } = await runSatchel(['backup', '--json'], settings());
    const { manifest } = JSON.parse(stdout);
    const restore = async (folder: string, atChange: number) => {
      copyFileSync(join(app.dataDir, 'secret-key'), join(folder, 'secret-key'));
      const own = { DATABASE_URL: `sqlite:${join(folder, 'satchel.db')}`, DATA_DIR: folder };
      return runKilled(['restore', 'run', manifest], own, folder, atChange);
    };
    const whole = newFolder();
    const { changes } = await restore(whole, 0);
    expect(await problemsIn(join(whole, 'satchel.db'))).toEqual([]);
    let killed = 0;
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: changes }), async (atChange) => {
        const folder = newFolder();
        if ((await restore(folder, atChange)).isKilled) killed += 1;
        const database = join(folder, 'satchel.db');
        if (!existsSync(database)) {
          // A service that starts on a half restored database would create an empty one.
          if (existsSync(`${database}.restore`))
            await expect(openDatabase(`sqlite:${database}`, { log: silentLog })).rejects.toThrow('was interrupted. Run it again');
          await restore(folder, 0);
        }
        expect(await problemsIn(database)).toEqual([]);
        // A restore that was killed in its last step leaves only an empty lock file.
        expect(readdirSync(folder).filter((name) => name.includes('.restore') && !name.endsWith('.lock'))).toEqual([]);
      }),
      { numRuns: KILLS, endOnFailure: true },
    );
    expect(killed).toBeGreaterThan(0);
  });
});

/** Mounts a file system of a limited size; undefined where that is not permitted. */
function smallDisk(kilobytes: number): { folder: string; close(): void } | undefined {
  const folder = newFolder();
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${kilobytes}k`, 'tmpfs', folder], { stdio: 'ignore' });
    // A database that could not be opened completely stays open until the garbage collection.
    return { folder, close: () => execFileSync('umount', ['-l', folder]) };
  } catch {
    return undefined;
  }
}

async function onSmallDisk<T>(kilobytes: number, work: (folder: string) => Promise<T>): Promise<T> {
  const disk = smallDisk(kilobytes);
  if (!disk) throw new Error('the disk cannot be mounted');
  return work(disk.folder).finally(() => disk.close());
}

const trial = smallDisk(64);
trial?.close();

describe('a full disk', () => {
  if (!trial) {
    it('is not tested', ({ skip }) => skip('mounting a file system is not permitted'));
    return;
  }
  onFakeNode('of any size', (app) => {
    const { client } = app;
    beforeAll(async () => {
      const [rich, poor] = [await client.wallet(100_000), await client.wallet(0)];
      for (let n = 0; n < 50; n++) await client.post(`/v1/wallet/${rich.id}/transfer`, { dest_wallet_id: poor.id, num_satoshis: 3 });
    });

    /** Writes a backup without the check of the free space, as when something else fills the disk meanwhile. */
    async function backUp(folder: string, workFolder: string) {
      const database = await openDatabase(app.databaseUrl, { readOnly: true, log: silentLog });
      const source = { ...(await sourceOf(app.databaseUrl, { database, log: silentLog, isBackground: false })), bytes: 0 };
      return takeBackup({ source, folder, workFolder, recipients: [], keep: KEEP, version: '0.1.0', commit: null, ...common }).finally(() =>
        database.close(),
      );
    }
    const sizes = async (folder: string) => {
      const { manifest, path } = await backUp(folder, folder);
      return { path, manifest, database: Math.ceil(manifest.database_bytes / 1024), archive: Math.ceil(manifest.bytes / 1024) };
    };

    it('ends a backup with the reason, and nothing of it is left', async () => {
      const { database, archive } = await sizes(newFolder());
      const outcomes = { written: 0, refused: 0 };
      const disk = fc.record({ isOfCopy: fc.boolean(), percent: fc.integer({ min: 0, max: 200 }) });
      await fc.assert(
        fc.asyncProperty(disk, async ({ isOfCopy, percent }) => {
          const kilobytes = 8 + Math.floor((percent / 100) * (isOfCopy ? database : archive));
          await onSmallDisk(kilobytes, async (small) => {
            const large = newFolder();
            const result = await backUp(...((isOfCopy ? [large, small] : [small, large]) as [string, string])).catch((error) => error);
            if (result instanceof Error) {
              expect(result).toBeInstanceOf(BackupFailed);
              expect(result.message).toMatch(/is full\. Free space|returned an error .* free space/);
              expect([...readdirSync(small), ...readdirSync(large)].filter((name) => name !== '.backup.lock')).toEqual([]);
              outcomes.refused += 1;
            } else {
              await restoreBackup({
                manifest: result.path,
                database: join(newFolder(), 'satchel.db'),
                identities: [],
                hasUncheckedOrigin: true,
                ...common,
              });
              outcomes.written += 1;
            }
          });
        }),
        { numRuns: 20, seed: 1, endOnFailure: true },
      );
      expect(Math.min(outcomes.written, outcomes.refused)).toBeGreaterThan(0);
    });

    it('ends a restore with the reason, nothing of it is left, and it succeeds with more space', async () => {
      const { path, database } = await sizes(newFolder());
      let refused = 0;
      await fc.assert(
        fc.asyncProperty(fc.integer({ min: 0, max: 200 }), async (percent) => {
          await onSmallDisk(8 + Math.floor((percent / 100) * database), async (small) => {
            const file = join(small, 'satchel.db');
            const restore = () => restoreBackup({ manifest: path, database: file, identities: [], hasUncheckedOrigin: true, ...common });
            const result = await restore().catch((error) => error);
            if (!(result instanceof Error)) return expect(await problemsIn(file)).toEqual([]);
            expect(result).toBeInstanceOf(BackupFailed);
            expect(result.message).toMatch(/is full\. Free space|returned an error .* free space/);
            expect(readdirSync(small).filter((name) => name !== 'satchel.db.lock')).toEqual([]);
            refused += 1;
            execFileSync('mount', ['-o', `remount,size=${8 * database}k`, small]);
            await restore();
            expect(await problemsIn(file)).toEqual([]);
          });
        }),
        { numRuns: 15, endOnFailure: true },
      );
      expect(refused).toBeGreaterThan(0);
    });
  });
});
