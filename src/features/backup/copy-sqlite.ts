import { statSync } from 'node:fs';
import { backup, DatabaseSync } from 'node:sqlite';

/** Pages of one step. Between two steps the progress is reported. */
const STEP_PAGES = 2000;

/**
 * Copies a SQLite database that is in use into a new file. The copy is the state of one moment: a read transaction that stays open keeps SQLite
 * from starting again whenever a page changes.
 */
export async function copySqlite(from: string, to: string, progress: (done: number, total: number) => void): Promise<void> {
  const source = new DatabaseSync(from, { readOnly: true, timeout: 10_000 });
  try {
    source.exec('BEGIN');
    // The first read determines the state.
    source.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get();
    await backup(source, to, {
      rate: STEP_PAGES,
      progress: ({ totalPages, remainingPages }) => progress(totalPages - remainingPages, totalPages),
    });
  } finally {
    source.close();
  }
}

/** Returns the bytes of a database and its log, which is at most the size of its copy. */
export function sizeOfSqlite(path: string): number {
  return [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Checks the pages and indexes of a file. @returns the problems, at most 20 */
export function integrityProblems(path: string): string[] {
  const file = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = file.prepare('PRAGMA integrity_check(20)').all() as { integrity_check: string }[];
    return rows.map(({ integrity_check }) => integrity_check).filter((text) => text !== 'ok');
  } finally {
    file.close();
  }
}
