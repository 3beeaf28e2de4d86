import { PER_TURN, takeTurn } from '../kernel/turns.ts';
import type { Database } from './database.ts';
import * as sql from './retention.sql.ts';

/** The length of a period in running time of the service. */
export const PERIOD_MS = 15 * 60 * 1000;

/** The number of periods in a day of running time. */
export const PERIODS_PER_DAY = (24 * 60 * 60 * 1000) / PERIOD_MS;

/** A table whose rows are kept for a number of periods. It has a column `position` that counts up as rows are inserted. */
export interface Retained {
  readonly table: string;
  /** How many full periods a row is kept. */
  readonly periods: number;
  /** The SQL condition of the rows that expire. Absent: all. */
  readonly expiring?: string;
}

/** How many positions one transaction deletes: a large delete would block SQLite's only writer, or exceed PostgreSQL's time limit. */
export const SLICE = PER_TURN.writtenRows;

/**
 * Ends a period: deletes the rows that existed when the period `periods` periods ago ended. A row is thus kept for at least that much running
 * time. No clock is read, because a single wrong time would delete rows that prevent paying twice. No period ends while the service is down.
 *
 * The newest row always stays, so that SQLite never assigns a position twice. After an interruption, the next period deletes the rest.
 */
export async function endRetentionPeriod(database: Database, retained: Retained): Promise<void> {
  const { table, periods } = retained;
  const due = await database.transaction(async (tx) => {
    const period = ((await tx.first(sql.newestPeriod, table))?.period ?? 0) + 1;
    const position = (await tx.first(sql.newestPosition(table)))?.position ?? 0;
    // When two instances end the same period, the primary key rejects one of them.
    await tx.run(sql.insertPeriod, table, period, position);
    const passed = await tx.first(sql.readPeriod, table, period - periods);
    if (passed) await tx.run(sql.deletePeriods, table, period - periods);
    return passed?.position;
  });
  if (due !== undefined) await deleteInSlices(database, retained, due);
}

async function deleteInSlices(database: Database, { table, expiring = 'TRUE' }: Retained, due: number): Promise<void> {
  for (;;) {
    const oldest = (await database.first(sql.oldestPosition(table, expiring)))?.position ?? due;
    if (oldest >= due) return;
    await database.transaction((tx) => tx.run(sql.deleteBelow(table, expiring), Math.min(due, oldest + SLICE)));
    await takeTurn();
  }
}
