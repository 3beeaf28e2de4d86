import { existsSync, statSync } from 'node:fs';
import type { Database } from '../../core/db/database.ts';
import { DatabaseUnavailable } from '../../core/db/errors.ts';
import { MIGRATIONS, requireMigrated } from '../../core/db/migrate.ts';
import { type MoveTarget, readMoveTarget, writeMoveTarget } from '../../core/db/move-facts.ts';
import { openDatabase, sqlitePathOf } from '../../core/db/open.ts';
import { newId } from '../../core/kernel/ids.ts';
import type { Log } from '../../core/kernel/log.ts';
import { verify } from '../verify/verify.ts';
import { copyTables, findDifference, readContents } from './copy.ts';
import { MoveFailed, toMoveFailed } from './failures.ts';
import { openPostgresSide } from './postgres-side.ts';
import type { CopySide } from './side.ts';
import { openSqliteSide } from './sqlite-side.ts';
import { listTables, type Table } from './tables.ts';
import { clearTarget, completeSchema, continueIdentities, createTarget, isEmpty } from './target-schema.ts';

export type MoveStep = 'Counting' | 'Copying' | 'Building indexes' | 'Comparing' | 'Checking the ledger';
export type MoveProgress = (step: MoveStep, done: number, total: number) => void;

export interface FillOptions extends Pick<MoveTarget, 'command' | 'origin' | 'sourceState'> {
  /** The URL of a database that nothing writes to, whose rows of ledger accounts are up to date. */
  readonly from: string;
  readonly to: string;
  readonly log: Log;
  readonly progress: MoveProgress;
}

/** A target that is complete and checked, and that no service can use before its fact is deleted. */
export interface FilledTarget {
  readonly database: Database;
  readonly moveId: string;
  readonly tables: number;
  readonly rows: number;
}

/**
 * Fills an empty database with a copy, or continues an interrupted copy, and compares both. The caller closes the target.
 * @throws MoveFailed for a target with anything else, which is not changed
 */
export async function fillTarget(options: FillOptions): Promise<FilledTarget> {
  const { from, to, log, progress } = options;
  const begun = await inspectTarget(options);
  const tables = await listTables();
  const target = await openTarget(to, log);
  const sides: CopySide[] = [];
  try {
    const fact = await beginTarget(target, tables, options, begun);
    sides.push(await openSide(from, 'read'), await openSide(to, 'append'));
    const copy = { source: sides[0] as CopySide, target: sides[1] as CopySide, tables };
    const contents = await readContents(copy, (done, total) => progress('Counting', done, total));
    const copyAll = async () => {
      await copyTables(copy, contents, (done, total) => progress('Copying', done, total));
      await completeSchema(target, (done, total) => progress('Building indexes', done, total));
      await continueIdentities(target);
      await copy.target.finish(tables);
      return findDifference(copy, contents, (done, total) => progress('Comparing', done, total));
    };
    let difference = await copyAll();
    if (difference !== undefined && begun) {
      // The source was used between the runs.
      await clearTarget(target, tables, fact);
      difference = await copyAll();
    }
    if (difference !== undefined) throw new MoveFailed(`The copy is not equal: ${difference}.`);
    await requireClean(to, log, (done, total) => progress('Checking the ledger', done, total));
    await target.transaction(async (tx) => writeMoveTarget(tx, { ...fact, state: 'ready', pending: [] }));
    return { database: target, moveId: fact.moveId, tables: tables.length, rows: contents.rows };
  } catch (error) {
    await target.close();
    throw toMoveFailed(error);
  } finally {
    for (const side of sides) await side.close();
  }
}

async function beginTarget(
  target: Database,
  tables: readonly Table[],
  { command, origin, sourceState }: FillOptions,
  begun: MoveTarget | undefined,
): Promise<MoveTarget> {
  if (begun?.sourceState === sourceState) return begun;
  const fact: MoveTarget = { moveId: newId(), command, origin, sourceState, state: 'copying', pending: [] };
  await (begun ? clearTarget : createTarget)(target, tables, fact);
  return fact;
}

/** Returns the interrupted copy that a target contains; undefined for an empty one. Changes nothing. @throws MoveFailed for any other */
async function inspectTarget({ to, command, origin, log }: FillOptions): Promise<MoveTarget | undefined> {
  if (isMissingFile(to)) return undefined;
  const target = await openTarget(to, log, { readOnly: true });
  try {
    if (await isEmpty(target)) return undefined;
    const begun = await readMoveTarget(target).catch(() => undefined);
    if (begun?.command !== command || begun.origin !== origin)
      throw new MoveFailed(
        begun
          ? `The new database is the target of another ${begun.command}. Choose an empty database.`
          : 'The new database is not empty. Choose one without tables, or for SQLite a file that does not exist.',
      );
    await requireMigrated(target, MIGRATIONS).catch(() => {
      throw new MoveFailed('Another version of Satchel began to fill the new database. Choose an empty one.');
    });
    return begun;
  } finally {
    await target.close();
  }
}

/** Whether a SQLite file does not exist, or is empty. @throws MoveFailed for a log without its file, which SQLite would apply to the new one */
export function isMissingFile(url: string): boolean {
  const path = sqlitePathOf(url);
  if (path === undefined) return false;
  if (statSync(path, { throwIfNoEntry: false })?.size) return false;
  for (const log of [`${path}-wal`, `${path}-journal`])
    if (existsSync(log)) throw new MoveFailed(`${log} exists without its database. Move it away, or choose another file.`);
  return true;
}

/** Opens a target. @throws DatabaseUnavailable with the name of the setting */
export async function openTarget(url: string, log: Log, options: { readonly readOnly?: boolean } = {}): Promise<Database> {
  try {
    return await openDatabase(url, { ...options, log });
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    throw new DatabaseUnavailable(error.message.replace('the database of DATABASE_URL', 'the new database'));
  }
}

async function openSide(url: string, mode: 'read' | 'append'): Promise<CopySide> {
  const path = sqlitePathOf(url);
  return path === undefined ? openPostgresSide(url, { mode }) : openSqliteSide(path, { readOnly: mode === 'read' });
}

/** The connections of a tool may read whole tables. */
async function requireClean(url: string, log: Log, progress: (done: number, total: number) => void): Promise<void> {
  const database = await openTarget(url, log, { readOnly: true });
  try {
    const { problems } = await verify(database, progress);
    if (problems.length > 0)
      throw new MoveFailed(`The ledger has ${problems.length} problems, which \`satchel verify\` lists. The first: ${problems[0]}.`);
  } finally {
    await database.close();
  }
}
