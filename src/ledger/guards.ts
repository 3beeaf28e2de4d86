import type { Tx } from '../db/database.ts';
import type { Guard } from './posting.ts';

/** Checks guards in a transaction that is no posting, and keeps what they demand so until it ends. @throws what a guard says otherwise */
export async function requireGuards(tx: Tx, guards: readonly Guard[]): Promise<void> {
  for (const { statement, id, onMiss } of guards) if (!(await tx.first(statement, [id]))) throw onMiss();
}
