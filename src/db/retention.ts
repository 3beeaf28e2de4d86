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
  /** Deletes the rows below a position. */
  readonly deleteBelow: Statement;
}

/**
 * Ends a round: deletes the rows that were already there when a round ended `rounds` rounds ago. A row is thus kept for at least so much
 * running time. No clock is read, because a single wrong reading would delete rows that protect against paying twice. While the service
 * is down no round ends.
 *
 * The newest row always stays, so that SQLite never assigns a position again.
 */
export async function endRound(database: Database, { name, rounds, newestPosition, deleteBelow }: Retained): Promise<void> {
  await database.transaction(async (tx) => {
    const round = ((await tx.first(sql.newestRound, name))?.round ?? 0) + 1;
    const position = (await tx.first(newestPosition))?.position ?? 0;
    // Two instances that end the same round collide here, and one of them does nothing.
    await tx.run(sql.insertRound, name, round, position);
    const due = await tx.first(sql.readRound, name, round - rounds);
    if (!due) return;
    await tx.run(deleteBelow, due.position);
    await tx.run(sql.deleteRounds, name, round - rounds);
  });
}
