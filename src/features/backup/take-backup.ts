import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { mkdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../core/db/file-lock.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import { errorMessage, type Log } from '../../core/kernel/log.ts';
import { checkArchive, encryptionFor, syncFile, writeArchive } from './archive.ts';
import { checkDatabase } from './check-database.ts';
import { explained } from './failures.ts';
import { BackupFailed, listBackups, type Manifest } from './manifest.ts';
import { markFile } from './mark-file.ts';
import { originOf } from './origin.ts';
import { expiredTimes, type Retention } from './retention.ts';

/** What a backup does at the moment, for people. */
export type Step = 'Copying the database' | 'Checking the copy' | 'Compressing' | 'Checking the backup';
export type Progress = (step: Step, done: number, total: number) => void;

/** Copies a database that a running service may use, as it is at one moment, into a new SQLite file. */
export interface BackupSource {
  /** An estimate of the size of the copy. */
  readonly bytes: number;
  copy(to: string, progress: (done: number, total: number) => void): Promise<void>;
}

export interface BackupOptions {
  readonly source: BackupSource;
  readonly folder: string;
  /** The folder for the copy before it is encrypted. */
  readonly workFolder: string;
  /** The public keys of age that can read the backup. Without any it is not encrypted. */
  readonly recipients: readonly string[];
  readonly keep: Retention;
  /** Proves the origin of the backup to a restore; undefined: it is not known. */
  readonly secretKey: Uint8Array | undefined;
  readonly version: string;
  /** The commit of this program; null: not known. */
  readonly commit: string | null;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
}

export interface TakenBackup {
  /** The path of the manifest. */
  readonly path: string;
  readonly manifest: Manifest;
  /** The number of older backups that were deleted, and why it is not all that should be. */
  readonly deleted: number;
  readonly warning?: string;
}

/**
 * Writes a backup and checks it: the copied database completely, and what was written by reading it again. A backup exists when its manifest
 * exists, which is written last. Then deletes older backups of the same ledger that are not kept, unless they are from before a restore: they
 * may contain what it lacks.
 * @throws BackupFailed when no backup was written. Nothing of it is left.
 */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { source, folder, workFolder, recipients, secretKey, clock, log, progress } = options;
  encryptionFor(recipients);
  const folders = [...new Set([folder, workFolder])];
  const locks: { close(): void }[] = [];
  try {
    for (const one of folders) {
      await mkdir(one, { recursive: true, mode: 0o700 });
      const lock = lockFile(join(one, LOCK));
      if (!lock) throw new BackupFailed(`Another backup is being written to ${one}. Wait until it has ended.`);
      locks.push(lock);
      removeParts(one);
      await requireSpace(one, source.bytes);
    }
    const createdAt = unixSeconds(clock);
    const name = `satchel-${fileTime(createdAt)}-${randomBytes(2).toString('hex')}`;
    const part = join(workFolder, `.${name}.db.part`);
    await source.copy(part, (done, total) => progress('Copying the database', done, total));
    // However the backup is restored, the service then sends no money before an operator accepts it.
    const earlier = await markFile(part, log, (before) => ({ backupCreatedAt: before?.backupCreatedAt ?? createdAt, restoredAt: null }));
    const contents = await checkDatabase(part, log, (done, total) => progress('Checking the copy', done, total));
    const file = `${name}.db.gz${recipients.length === 0 ? '' : '.age'}`;
    const archive = join(folder, `.${file}.part`);
    const digests = await writeArchive(part, archive, recipients, (done, total) => progress('Compressing', done, total));
    progress('Checking the backup', 0, 1);
    await checkArchive(archive, digests);
    const { version, commit } = options;
    const program = { version, ...(commit !== null && { commit }) };
    const described: Manifest = { format: 1, file, created_at: createdAt, ...program, ...contents, ...digests };
    const manifest = secretKey ? { ...described, mac: originOf(described, secretKey) } : described;
    const path = await publish(folder, name, archive, manifest);
    return { path, manifest, ...(earlier ? { deleted: 0 } : await deleteExpired(options, manifest)) };
  } catch (error) {
    throw explained(error, folder, 'choose another BACKUP_DIR');
  } finally {
    // The locks are held, so no other backup writes here.
    if (locks.length === folders.length) for (const one of folders) removeParts(one);
    for (const lock of locks) lock.close();
  }
}

const LOCK = '.backup.lock';

/** Gives the files their names. Nothing is left when it fails. @returns the path of the manifest */
async function publish(folder: string, name: string, archive: string, manifest: Manifest): Promise<string> {
  const [path, file] = [join(folder, `${name}.json`), join(folder, manifest.file)];
  try {
    await rename(archive, file);
    const part = join(folder, `.${name}.json.part`);
    await writeFile(part, `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o600 });
    await syncFile(part);
    await rename(part, path);
    await syncFile(folder);
    return path;
  } catch (error) {
    await rm(file, { force: true }).catch(() => undefined);
    throw error;
  }
}

/** Removes what an interrupted backup left in a folder. Synchronous, so that a signal handler can call it. */
export function removeParts(folder: string): void {
  const parts = existsSync(folder)
    ? readdirSync(folder).filter((name) => /^\.satchel-.*\.part(\.lock)?(-journal|-wal|-shm)?$/.test(name))
    : [];
  for (const name of parts) rmSync(join(folder, name), { force: true });
}

/** The folders may be on one disk, which then has the copy and its compressed form, in the worst case as large. */
async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= 2 * bytes) return;
  throw new BackupFailed(
    `${folder} has ${megabytes(free)} MB free, and the backup needs up to ${megabytes(2 * bytes)} MB. Free space, or choose another BACKUP_DIR.`,
  );
}

function megabytes(bytes: number): number {
  return Math.ceil(bytes / 1_000_000);
}

/** `20261124T010203Z` */
function fileTime(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace(/[-:]|\.\d+/g, '');
}

/** Deletes the manifest first, so that no manifest is ever without its file. */
async function deleteExpired({ folder, keep }: BackupOptions, newest: Manifest): Promise<Pick<TakenBackup, 'deleted' | 'warning'>> {
  const isOfSame = ({ ledger_id, restored_at }: Manifest) => ledger_id === newest.ledger_id && restored_at === newest.restored_at;
  const own = (await listBackups(folder)).filter(({ manifest }) => isOfSame(manifest));
  const expired = expiredTimes(
    own.map(({ manifest }) => manifest.created_at),
    keep,
  );
  let deleted = 0;
  try {
    for (const { path, manifest } of own) {
      if (manifest.file === newest.file || !expired.has(manifest.created_at)) continue;
      await rm(path, { force: true });
      await rm(join(folder, manifest.file), { force: true });
      deleted += 1;
    }
    return { deleted };
  } catch (error) {
    return { deleted, warning: `Older backups in ${folder} could not be deleted: ${errorMessage(error)}.` };
  }
}
