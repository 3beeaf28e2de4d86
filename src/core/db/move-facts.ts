import type { SqlReader, Tx } from './database.ts';
import { DatabaseMoved } from './errors.ts';
import { readFact, writeFact } from './facts.sql.ts';
import { statement } from './statement.ts';

/** The facts with which `satchel move` keeps services from a database. They are about this one database, so no copy contains them. */
export const MOVE_FACTS = { source: 'moved_to', target: 'move_target' } as const;

/** In the source, once the move is complete. */
export interface MovedTo {
  readonly moveId: string;
  /** The new database, without its password. */
  readonly to: string;
  /** Unix seconds. */
  readonly movedAt: number;
}

/** In the target, until the copy is complete and checked, and the source is marked. */
export interface MoveTarget {
  readonly moveId: string;
  /** The command that fills the target: repeating it continues. */
  readonly command: 'satchel move' | 'satchel restore run';
  /** Identifies the source, whose move is continued. */
  readonly origin: string;
  /** What the source contained when the copy began, as far as it is cheap to read. */
  readonly sourceState: string;
  /** ready: complete and checked. */
  readonly state: 'copying' | 'ready';
  /** The statements that create indexes, constraints and triggers, which the copy does without. */
  readonly pending: readonly string[];
}

const deleteFact = statement('move_delete_fact', 'DELETE FROM service_fact WHERE name = $1');

export async function readMovedTo(reader: SqlReader): Promise<MovedTo | undefined> {
  const fact = await reader.first(readFact, MOVE_FACTS.source);
  return fact && (JSON.parse(fact.value) as MovedTo);
}

export async function readMoveTarget(reader: SqlReader): Promise<MoveTarget | undefined> {
  const fact = await reader.first(readFact, MOVE_FACTS.target);
  return fact && (JSON.parse(fact.value) as MoveTarget);
}

export async function writeMovedTo(tx: Tx, moved: MovedTo): Promise<void> {
  await tx.run(writeFact, MOVE_FACTS.source, JSON.stringify(moved));
}

export async function writeMoveTarget(tx: Tx, target: MoveTarget): Promise<void> {
  await tx.run(writeFact, MOVE_FACTS.target, JSON.stringify(target));
}

/** Makes a target usable. */
export async function deleteMoveTarget(tx: Tx): Promise<void> {
  await tx.run(deleteFact, MOVE_FACTS.target);
}

/** Removes the mark from a copy of a moved database, such as a backup. */
export async function deleteMovedTo(tx: Tx): Promise<void> {
  await tx.run(deleteFact, MOVE_FACTS.source);
}

/** @throws DatabaseMoved for the source of a complete move, and for the target of an incomplete one */
export async function requireNotMoved(reader: SqlReader): Promise<void> {
  const moved = await readMovedTo(reader);
  if (moved)
    throw new DatabaseMoved(
      `This database was moved to ${moved.to} at ${new Date(moved.movedAt * 1000).toISOString()}. Set DATABASE_URL to the new database. ` +
        `If that one does not start either, repeat the command satchel move.`,
    );
  const target = await readMoveTarget(reader);
  if (target)
    throw new DatabaseMoved(
      `This database is the target of a ${target.command} that has not ended. Repeat that command. It continues, and says what is missing.`,
    );
}
