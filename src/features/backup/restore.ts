import { lstatSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { lockFile } from '../../core/db/file-lock.ts';
import { MIGRATIONS, migrate, readMigrations } from '../../core/db/migrate.ts';
import { openDatabase } from '../../core/db/open.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import type { Restored } from '../../core/quarantine/quarantine.ts';
import { readArchive, syncFile } from './archive.ts';
import { checkDatabase, readAppliedSchema } from './check-database.ts';
import { explained } from './failures.ts';
import { BackupFailed, type Manifest, readManifest } from './manifest.ts';
import { markFile } from './mark-file.ts';
import { requireOrigin } from './origin.ts';

export type RestoreStep = 'Reading the backup' | 'Upgrading the database' | 'Checking the ledger';

export interface UnpackOptions {
  /** The path of the manifest. The backup lies beside it. */
  readonly manifest: string;
  /** Identities of age. */
  readonly identities: readonly string[];
  /** The key of the service that wrote the backup; undefined: it is not known. */
  readonly secretKey: Uint8Array | undefined;
  /** Whether the origin of the backup is not checked. */
  readonly hasUncheckedOrigin?: boolean;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: (step: RestoreStep, done: number, total: number) => void;
}

export interface RestoreOptions extends UnpackOptions {
  /** The SQLite file to create. */
  readonly database: string;
}

/**
 * Restores a backup into a new SQLite file: decrypts it, applies the migrations that it lacks, compares it with its manifest, checks the whole
 * ledger, begins the quarantine, and only then gives the file its name.
 * @throws BackupFailed when nothing was restored
 */
export async function restoreBackup(options: RestoreOptions): Promise<Manifest> {
  const manifest = await readKnownManifest(options);
  await mkdir(dirname(options.database), { recursive: true, mode: 0o700 });
  // The service takes its lock at the real path.
  const database = join(await realpath(dirname(options.database)), basename(options.database));
  const lock = lockFile(`${database}.lock`);
  if (!lock) throw new BackupFailed(`A running service is using ${database}. Stop it first.`);
  const part = `${database}.restore`;
  try {
    requireAbsent(database);
    await unpackBackup(options, manifest, part);
    await syncFile(part);
    requireAbsent(database);
    await rename(part, database);
    await syncFile(dirname(database));
    return manifest;
  } catch (error) {
    throw explained(error, dirname(database), 'choose another DATABASE_URL');
  } finally {
    await removeDatabase(part);
    lock.close();
  }
}

/**
 * Checks a backup as a restore does, in a new folder below `workFolder`, which needs as much space as the database and is deleted afterwards.
 * @throws BackupFailed when it could not be restored
 */
export async function checkBackup({ workFolder, ...options }: UnpackOptions & { readonly workFolder: string }): Promise<Manifest> {
  const manifest = await readKnownManifest(options);
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(workFolder, '.check-backup-'));
  try {
    await unpackBackup(options, manifest, join(folder, 'satchel.db'));
    return manifest;
  } catch (error) {
    throw explained(error, workFolder, 'choose another DATA_DIR');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Reads the manifest of a backup that this version can restore. */
export async function readKnownManifest(options: UnpackOptions): Promise<Manifest> {
  const manifest = await readManifest(options.manifest);
  if (!options.hasUncheckedOrigin) requireOrigin(manifest, options.secretKey);
  await requireKnownSchema(manifest);
  return manifest;
}

/** Decrypts a backup into a new file, upgrades it, compares it with its manifest, checks the whole ledger and begins the quarantine. */
export async function unpackBackup(options: UnpackOptions, manifest: Manifest, part: string): Promise<void> {
  const { identities, clock, log, progress } = options;
  await removeDatabase(part);
  const archive = join(dirname(options.manifest), manifest.file);
  await readArchive(archive, part, manifest, identities, (done, total) => progress('Reading the backup', done, total));
  progress('Upgrading the database', 0, 1);
  await upgrade(part, manifest, log);
  const contents = await checkDatabase(part, log, (done, total) => progress('Checking the ledger', done, total));
  requireEqual(contents, { ...manifest, schema: await readSchema() });
  // A backup of a ledger in quarantine also lacks what that ledger had not been given back yet.
  const since = (before: Restored | undefined) => Math.min(manifest.created_at, before?.backupCreatedAt ?? manifest.created_at);
  await markFile(part, log, (before) => ({ backupCreatedAt: since(before), restoredAt: unixSeconds(clock) }));
}

/** A log of a lost database would be applied to the restored one. */
export function requireAbsent(database: string): void {
  const existing = ['', '-wal', '-journal'].map((suffix) => database + suffix).find((file) => lstatSync(file, { throwIfNoEntry: false }));
  if (existing === undefined) return;
  throw new BackupFailed(
    `${existing} exists, and a restore replaces nothing. Move it away together with ${database}-wal and ${database}-shm, but not ${database}.lock, and keep them: they may contain what the backup lacks.`,
  );
}

export async function removeDatabase(path: string): Promise<void> {
  await Promise.all(['', '-wal', '-shm', '-journal', '.lock', '.lock-journal'].map((suffix) => rm(`${path}${suffix}`, { force: true })));
}

/** Returns the SHA-256 of each migration of this version. */
async function readSchema(): Promise<string[]> {
  return (await readMigrations(MIGRATIONS)).map(({ checksum }) => checksum);
}

/** An older version has the first of these migrations. @throws BackupFailed for a backup of any other schema */
async function requireKnownSchema({ schema, version, commit }: Manifest): Promise<void> {
  const known = await readSchema();
  if (schema.every((checksum, index) => checksum === known[index])) return;
  const program = `Satchel ${version}${commit === undefined ? '' : ` (commit ${commit.slice(0, 12)})`}`;
  const isNewer = known.every((checksum, index) => checksum === schema[index]);
  throw new BackupFailed(
    isNewer
      ? `The backup was written by a newer version: ${program}. Restore it with that version.`
      : `The backup was written by ${program}, whose database this version can neither use nor upgrade. Restore it with that version.`,
  );
}

/** Applies the migrations that a restored file lacks. @throws BackupFailed unless the file has those of its manifest */
async function upgrade(path: string, manifest: Manifest, log: Log): Promise<void> {
  const database = await openDatabase(`sqlite:${path}`, { log });
  try {
    requireEqual({ schema: await readAppliedSchema(database) }, manifest);
    await migrate(database, MIGRATIONS);
  } finally {
    await database.close();
  }
}

function requireEqual(contents: object, manifest: Manifest): void {
  for (const [name, value] of Object.entries(contents))
    if (JSON.stringify(value) !== JSON.stringify(manifest[name as keyof Manifest]))
      throw new BackupFailed(`The ${name} of the restored database differs from the manifest. Choose another backup.`);
}

/** Reads the age identities of a file, or of standard input for `-`, one per line. Lines that begin with # are comments, as `age-keygen` writes them. */
export async function readIdentities(path: string): Promise<string[]> {
  const text = await (path === '-' ? readText(process.stdin) : readFile(path, 'utf8')).catch((error: NodeJS.ErrnoException) => {
    throw new BackupFailed(`The identity file ${path} cannot be read (${error.code}).`);
  });
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}
