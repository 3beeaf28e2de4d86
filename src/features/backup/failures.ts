import { BackupFailed } from './manifest.ts';

/** Result codes of SQLite. `ERROR` here means that a table or column is missing. Source: https://sqlite.org/rescode.html */
const SQLITE = { ERROR: 1, READONLY: 8, IOERR: 10, CORRUPT: 11, FULL: 13, CANTOPEN: 14, NOTADB: 26 } as const;
const NOT_WRITABLE: readonly unknown[] = [SQLITE.READONLY, SQLITE.CANTOPEN, 'EACCES', 'EROFS', 'EPERM'];
const DAMAGED: readonly unknown[] = [SQLITE.ERROR, SQLITE.CORRUPT, SQLITE.NOTADB];

/**
 * Returns the error of a backup or a restore with its remedy, where one is known.
 * @param folder the folder that was written to
 * @param otherwise the remedy for a folder that cannot be used, such as `choose another BACKUP_DIR`
 */
export function explained(error: unknown, folder: string, otherwise: string): unknown {
  if (error instanceof BackupFailed) return error;
  const { message } = error as Error;
  const { code, errcode = code } = error as { code?: string; errcode?: unknown };
  // The upper bits of an extended code are the details.
  const reason = /^\d{1,4}$/.test(String(errcode)) ? Number(errcode) & 0xff : code;
  const isFull = code === 'ENOSPC' || code === 'EDQUOT' || reason === SQLITE.FULL || /disk is full/.test(message);
  if (isFull) return new BackupFailed(`The disk of ${folder} is full. Free space, or ${otherwise}.`);
  // SQLite reports a disk without space for its shared memory file as an I/O error, which opening a database wraps.
  if (reason === SQLITE.IOERR || /disk I\/O error/.test(message))
    return new BackupFailed(`The disk of ${folder} returned an error (disk I/O error). Check its health and free space, or ${otherwise}.`);
  if (NOT_WRITABLE.includes(reason))
    return new BackupFailed(`This user cannot write to ${folder} (${message}). Give it the right, or ${otherwise}.`);
  if (DAMAGED.includes(reason))
    return new BackupFailed(`The file of the database is damaged (${message}). Keep a copy of it, and restore the last backup.`);
  return error;
}
