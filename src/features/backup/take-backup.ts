import { randomBytes } from 'node:crypto';
import { mkdir, readdir, rename, rm, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../core/db/file-lock.ts';
import type { Clock } from '../../core/kernel/clock.ts';
import { unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import { checkArchive, encryptionFor, syncFile, writeArchive } from './archive.ts';
import { checkDatabase } from './check-database.ts';
import { BackupFailed, listBackups, type Manifest } from './manifest.ts';
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
  /** The public keys of age that can read the backup. Without any it is not encrypted. */
  readonly recipients: readonly string[];
  readonly keep: Retention;
  readonly version: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: Progress;
}

export interface TakenBackup {
  /** The path of the manifest. */
  readonly path: string;
  readonly manifest: Manifest;
  /** The number of older backups that were deleted. */
  readonly deleted: number;
}

/**
 * Writes a backup and checks it: the copied database completely, and what was written by reading it again. Then deletes older backups of
 * the same ledger that are not kept. A backup exists when its manifest exists, which is written last.
 * @throws BackupFailed when no backup was written. Nothing of it is left.
 */
export async function takeBackup(options: BackupOptions): Promise<TakenBackup> {
  const { source, folder, recipients, clock, log, progress } = options;
  encryptionFor(recipients);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = lockFile(join(folder, '.lock'));
  if (!lock) throw new BackupFailed(`Another backup is being written to ${folder}. Wait until it has ended.`);
  try {
    await removeParts(folder);
    await requireSpace(folder, source.bytes);
    const createdAt = unixSeconds(clock);
    const name = `satchel-${fileTime(createdAt)}-${randomBytes(2).toString('hex')}`;
    const part = join(folder, `.${name}.db.part`);
    await source.copy(part, (done, total) => progress('Copying the database', done, total));
    const contents = await checkDatabase(part, log, (done, total) => progress('Checking the copy', done, total));
    const file = `${name}.db.gz${recipients.length === 0 ? '' : '.age'}`;
    const archive = join(folder, `.${file}.part`);
    const digests = await writeArchive(part, archive, recipients, (done, total) => progress('Compressing', done, total));
    progress('Checking the backup', 0, 1);
    await checkArchive(archive, digests);
    const manifest: Manifest = { format: 1, file, created_at: createdAt, version: options.version, ...contents, ...digests };
    await rename(archive, join(folder, file));
    const path = join(folder, `${name}.json`);
    await writeDurably(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
    return { path, manifest, deleted: await deleteExpired(options, manifest) };
  } catch (error) {
    throw toBackupFailed(error, folder);
  } finally {
    await removeParts(folder).catch(() => undefined);
    lock.close();
  }
}

/** Removes what an interrupted backup left. The lock is held, so no other backup writes here. */
async function removeParts(folder: string): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => /^\.satchel-.*\.part(-journal|-wal|-shm|\.lock)?$/.test(name));
  await Promise.all(parts.map((name) => rm(join(folder, name), { force: true })));
}

/** Two copies are in the folder at a time: the database, and its compressed form, which in the worst case is as large. */
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

async function writeDurably(path: string, text: string): Promise<void> {
  const part = `${path}.part`;
  await writeFile(part, text, { mode: 0o600 });
  await syncFile(part);
  await rename(part, path);
  await syncFile(join(path, '..'));
}

/** Deletes the manifest first, so that no manifest is ever without its file. */
async function deleteExpired({ folder, keep }: BackupOptions, newest: Manifest): Promise<number> {
  const own = (await listBackups(folder)).filter(({ manifest }) => manifest.ledger_id === newest.ledger_id);
  const expired = expiredTimes(
    own.map(({ manifest }) => manifest.created_at),
    keep,
  );
  const deleted = own.filter(({ manifest }) => manifest.file !== newest.file && expired.has(manifest.created_at));
  for (const { path, manifest } of deleted) {
    await rm(path, { force: true });
    await rm(join(folder, manifest.file), { force: true });
  }
  return deleted.length;
}

function toBackupFailed(error: unknown, folder: string): unknown {
  const { code, message } = error as NodeJS.ErrnoException & { errcode?: number };
  const isFull = code === 'ENOSPC' || (error as { errcode?: number }).errcode === SQLITE_FULL || /disk is full/.test(message);
  if (isFull) return new BackupFailed(`The disk of ${folder} is full. Free space, or choose another BACKUP_DIR.`);
  if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM')
    return new BackupFailed(`This user cannot write to ${folder} (${code}). Give it the right, or choose another BACKUP_DIR.`);
  return error;
}

const SQLITE_FULL = 13;
