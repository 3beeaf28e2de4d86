import { readFact, writeFact } from '../db/facts.sql.ts';
import { PAGE, type ReconciliationRun, windowStart } from './run.ts';

/** Rows in the order of their ids, which a reconciliation comes back to. */
export interface Sweep<R extends { readonly id: string }> {
  /** The fact that keeps where it stopped. */
  readonly fact: string;
  page(after: string, limit: number): Promise<R[]>;
  visit(rows: readonly R[]): Promise<unknown>;
}

/** What a periodic reconciliation visits at most, of each kind. */
const PERIODIC_ROWS = 500;

/**
 * Goes round through the rows of the window: from where the last one stopped, over the end to the beginning, at most once around. Where it is
 * is kept after every page, so that an end of the process costs one page. A full one begins at the beginning and visits all.
 */
export async function sweepWindow<R extends { readonly id: string }>(run: ReconciliationRun, sweep: Sweep<R>): Promise<void> {
  const start = windowStart(run);
  const full = run.scope !== 'periodic';
  const kept = full ? start : await readPlace(run, sweep.fact, start);
  let after = kept;
  let isSecondHalf = false;
  for (let left = full ? Number.MAX_SAFE_INTEGER : PERIODIC_ROWS; left > 0; ) {
    const limit = Math.min(PAGE, left);
    const page = await sweep.page(after, limit);
    const rows = isSecondHalf ? page.filter(({ id }) => id <= kept) : page;
    await sweep.visit(rows);
    if (run.probe.silence !== undefined) return;
    left -= rows.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < limit && !isSecondHalf && kept > start) {
      isSecondHalf = true;
      after = start;
    } else if (rows.length < limit) {
      after = isSecondHalf ? kept : start;
      left = 0;
    }
    await keepPlace(run, sweep.fact, after);
  }
}

/** Where a walk stopped, or `earliest` when that is later. */
async function readPlace({ database }: Pick<ReconciliationRun, 'database'>, fact: string, earliest: string): Promise<string> {
  const kept = (await database.first(readFact, fact))?.value ?? '';
  return kept > earliest ? kept : earliest;
}

export async function keepPlace({ database }: Pick<ReconciliationRun, 'database'>, fact: string, place: string): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, fact, place));
}
