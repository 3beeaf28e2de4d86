import { DatabaseSync } from 'node:sqlite';

/**
 * Locks a file until the process ends or the lock is closed. The operating system releases the lock, even after kill -9.
 * @returns undefined while another process holds the lock
 */
export function lockFile(path: string): { close(): void } | undefined {
  const lock = new DatabaseSync(path);
  try {
    lock.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch {
    lock.close();
    return undefined;
  }
}
