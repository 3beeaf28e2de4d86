import { readFact, writeFact } from '../../core/db/facts.sql.ts';
import { PAGE, type ReconciliationRun, windowStart } from './run.ts';

/** Rows in the order of their ids, which are compared repeatedly. */
export interface Sweep<R extends { readonly id: string }> {
  /** The fact that stores where the last run stopped. */
  readonly fact: string;
  page(after: string, limit: number): Promise<R[]>;
  visit(rows: readonly R[]): Promise<unknown>;
}

/** The maximum of rows that a periodic reconciliation visits. */
const PERIODIC_ROWS = 500;

/**
 * Visits the rows of the window in a circle: from where the last run stopped, past the end to the start, each row at most once. The
 * cursor is stored after every page. A full run starts at the start and visits all rows.
 */
export async function sweepWindow<R extends { readonly id: string }>(run: ReconciliationRun, sweep: Sweep<R>): Promise<void> {
  const start = windowStart(run);
  const full = run.scope !== 'periodic';
  const stored = full ? start : await readCursor(run, sweep.fact, start);
  let after = stored;
  let isSecondHalf = false;
  for (let left = full ? Number.MAX_SAFE_INTEGER : PERIODIC_ROWS; left > 0; ) {
    const limit = Math.min(PAGE, left);
    const page = await sweep.page(after, limit);
    const rows = isSecondHalf ? page.filter(({ id }) => id <= stored) : page;
    await sweep.visit(rows);
    if (run.probe.stopReason !== undefined) return;
    left -= rows.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < limit && !isSecondHalf && stored > start) {
      isSecondHalf = true;
      after = start;
    } else if (rows.length < limit) {
      after = isSecondHalf ? stored : start;
      left = 0;
    }
    await storeCursor(run, sweep.fact, after);
  }
}

/** Returns where the last run stopped, or `earliest` if that is later. */
async function readCursor({ database }: ReconciliationRun, fact: string, earliest: string): Promise<string> {
  const stored = (await database.first(readFact, fact))?.value ?? '';
  return stored > earliest ? stored : earliest;
}

export async function storeCursor({ database }: ReconciliationRun, fact: string, cursor: string): Promise<void> {
  await database.transaction((tx) => tx.run(writeFact, fact, cursor));
}
