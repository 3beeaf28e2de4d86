import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database } from './database.ts';
import * as sql from './retention.sql.ts';
import type { Statement } from './statement.ts';

/** How long a round lasts, in running time of the service. */
export const ROUND_MS = 15 * 60 * 1000;

/** How many rounds the service runs in a day. */
export const ROUNDS_PER_DAY = (24 * 60 * 60 * 1000) / ROUND_MS;

/** A table whose rows are kept for a number of rounds. It has a column `position` that counts up as rows are inserted. */
export interface Retained {
  readonly name: string;
  /** How many full rounds a row is kept. */
  readonly rounds: number;
  readonly newestPosition: Statement<{ position: number | null }>;
  readonly oldestPosition: Statement<{ position: number | null }>;
  /** Deletes the rows below a position. */
  readonly deleteBelow: Statement;
}

/** How many positions one transaction deletes: a large delete would block SQLite's only writer, or exceed PostgreSQL's time limit. */
export const SLICE = 1000;

/**
 * Ends a round: deletes the rows that were already there when a round ended `rounds` rounds ago. A row is thus kept for at least so much
 * running time. No clock is read, because a single wrong reading would delete rows that protect against paying twice. While the service
 * is down no round ends.
 *
 * The newest row always stays, so that SQLite never assigns a position again. What is left when this is interrupted, the next round deletes.
 */
export async function endRound(database: Database, retained: Retained): Promise<void> {
  const { name, rounds, newestPosition } = retained;
  const due = await database.transaction(async (tx) => {
    const round = ((await tx.first(sql.newestRound, name))?.round ?? 0) + 1;
    const position = (await tx.first(newestPosition))?.position ?? 0;
    // Two instances that end the same round collide here, and one of them does nothing.
    await tx.run(sql.insertRound, name, round, position);
    const passed = await tx.first(sql.readRound, name, round - rounds);
    if (passed) await tx.run(sql.deleteRounds, name, round - rounds);
    return passed?.position;
  });
  if (due !== undefined) await deleteInSlices(database, retained, due);
}

async function deleteInSlices(database: Database, { oldestPosition, deleteBelow }: Retained, due: number): Promise<void> {
  for (;;) {
    const oldest = (await database.first(oldestPosition))?.position ?? due;
    if (oldest >= due) return;
    await database.transaction((tx) => tx.run(deleteBelow, Math.min(due, oldest + SLICE)));
    await nextTurn();
  }
}
