import { errorMessage } from '../../core/kernel/log.ts';

/** Why a database was not moved, and what to do. */
export class MoveFailed extends Error {
  override readonly name = 'MoveFailed';
}

const SQLITE_FULL = 13;
const POSTGRES_DISK_FULL = '53100';

/** Adds the remedy to an error of the copy. */
export function toMoveFailed(error: unknown): unknown {
  const { code, errcode } = error as { code?: unknown; errcode?: number };
  const isFull =
    code === 'ENOSPC' || code === POSTGRES_DISK_FULL || errcode === SQLITE_FULL || /disk is full|No space left/.test(errorMessage(error));
  if (!isFull) return error;
  return new MoveFailed('The disk of the new database is full. Free space there and repeat the command, which then continues.');
}
