import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { lockFile } from '../../core/db/file-lock.ts';
import { deleteMoveTarget } from '../../core/db/move-facts.ts';
import { openDatabase } from '../../core/db/open.ts';
import { fillTarget, type MoveProgress } from '../move/fill-target.ts';
import { writeBack } from '../move/move.ts';
import { BackupFailed, type Manifest } from './manifest.ts';
import { type RestoreStep, readKnownManifest, removeDatabase, type UnpackOptions, unpackBackup } from './restore.ts';

export interface PostgresRestoreOptions extends UnpackOptions {
  /** The URL of the empty PostgreSQL database. */
  readonly url: string;
  /** The folder for the unpacked backup, as large as the database. It is deleted afterwards. */
  readonly workFolder: string;
  readonly progress: (step: RestoreStep | Parameters<MoveProgress>[0], done: number, total: number) => void;
}

/**
 * Restores a backup into an empty PostgreSQL database: unpacks and checks it as a SQLite file, copies that and compares both. No service can use
 * the database before all of this has succeeded.
 * @throws BackupFailed or MoveFailed when nothing was restored
 */
export async function restoreToPostgres(options: PostgresRestoreOptions): Promise<Manifest> {
  const { url, workFolder, clock, log, progress } = options;
  const manifest = await readKnownManifest(options);
  await mkdir(workFolder, { recursive: true, mode: 0o700 });
  const part = join(workFolder, '.satchel.db.restore');
  const lock = lockFile(`${part}.lock`);
  if (!lock) throw new BackupFailed(`Another restore is using ${workFolder}. Wait until it has ended.`);
  try {
    await unpackBackup(options, manifest, part);
    const source = await openDatabase(`sqlite:${part}`, { log });
    await writeBack(source, { clock }).finally(() => source.close());
    const filled = await fillTarget({
      from: `sqlite:${part}`,
      to: url,
      command: 'satchel restore run',
      origin: manifest.database_sha256,
      // An interrupted restore begins again: the time of the restore differs.
      sourceState: `restored at ${clock.nowMs()}`,
      log,
      progress,
    });
    await filled.database.transaction(deleteMoveTarget).finally(() => filled.database.close());
    return manifest;
  } finally {
    await removeDatabase(part);
    lock.close();
  }
}
