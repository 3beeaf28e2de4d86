import { resolve } from 'node:path';
import type { Database, SqlReader } from '../../core/db/database.ts';
import { DatabaseMoved } from '../../core/db/errors.ts';
import { runExclusively } from '../../core/db/exclusive.ts';
import { MIGRATIONS, requireMigrated } from '../../core/db/migrate.ts';
import {
  deleteMoveTarget,
  type MovedTo,
  type MoveTarget,
  readMovedTo,
  readMoveTarget,
  requireNotMoved,
  writeMovedTo,
} from '../../core/db/move-facts.ts';
import { openDatabase, sqlitePathOf } from '../../core/db/open.ts';
import { statement } from '../../core/db/statement.ts';
import { type Clock, unixSeconds } from '../../core/kernel/clock.ts';
import type { Log } from '../../core/kernel/log.ts';
import { createLedger } from '../../core/ledger/ledger.ts';
import { MoveFailed } from './failures.ts';
import { rejectWrites } from './fence.ts';
import { type FilledTarget, fillTarget, isMissingFile, type MoveProgress, openTarget } from './fill-target.ts';

export interface MoveOptions {
  /** The URLs of the databases: one `sqlite:…`, one `postgres://…`. */
  readonly from: string;
  readonly to: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly progress: MoveProgress;
}

export interface Moved {
  /** The new database, without its password. */
  readonly to: string;
  /** Undefined if an earlier run had copied everything. */
  readonly rows?: number;
  readonly tables?: number;
}

/**
 * Moves a database from SQLite to PostgreSQL or back. At each moment at most one of the two can be used: first the source is marked as moved, then
 * the target becomes usable. An interruption in between leaves none, and the next run continues there.
 * @throws MoveFailed, DatabaseLocked, DatabaseMoved or SchemaMismatch when nothing was moved
 */
export async function moveDatabase(options: MoveOptions): Promise<Moved> {
  const { from, to, log } = options;
  if ((sqlitePathOf(from) === undefined) === (sqlitePathOf(to) === undefined))
    throw new MoveFailed('A move is from SQLite to PostgreSQL or back. To move a SQLite file, stop the service and move the file.');
  const source = await openDatabase(from, { log });
  try {
    await requireMigrated(source, MIGRATIONS);
    const moved = await readMovedTo(source);
    if (moved) return await endMove(moved, options);
    await requireNotMoved(source);
    await writeBack(source, options);
    const filled = await moveFrom(source, options);
    await filled.database.transaction(deleteMoveTarget).finally(() => filled.database.close());
    return { to: nameOf(to), rows: filled.rows, tables: filled.tables };
  } finally {
    await source.close();
  }
}

/** Fills the target, and marks the source as moved. */
async function moveFrom(source: Database, options: MoveOptions): Promise<FilledTarget> {
  let filled: FilledTarget | undefined;
  try {
    return await runExclusively(source, async (tx) => {
      const contents = { origin: await readLedgerId(tx), sourceState: await readState(tx) };
      filled = await fillTarget({ ...options, ...contents, command: 'satchel move' });
      await writeMovedTo(tx, { moveId: filled.moveId, to: nameOf(options.to), movedAt: unixSeconds(options.clock) });
      await rejectWrites(tx);
      return filled;
    });
  } catch (error) {
    await filled?.database.close();
    throw error;
  }
}

/** Ends a move that was interrupted after the source was marked. */
async function endMove(moved: MovedTo, { to, log }: MoveOptions): Promise<Moved> {
  if ((await readFact(to, log))?.moveId !== moved.moveId)
    throw new DatabaseMoved(`This database was moved to ${moved.to} already. Set DATABASE_URL to the new database and start the service.`);
  const writable = await openTarget(to, log);
  await writable.transaction(deleteMoveTarget).finally(() => writable.close());
  return { to: nameOf(to) };
}

async function readFact(to: string, log: Log): Promise<MoveTarget | undefined> {
  if (isMissingFile(to)) return undefined;
  const target = await openTarget(to, log, { readOnly: true });
  return readMoveTarget(target)
    .catch(() => undefined)
    .finally(() => target.close());
}

const readBehind = statement<{ n: number }>('move_rows_behind', {
  sqlite: 'SELECT coalesce((SELECT max(position) FROM ledger_transfer), 0) - (SELECT position FROM ledger_checkpoint) AS n',
  postgres: 'SELECT 0 AS n',
});

/** Brings the rows of the ledger accounts up to date, which on SQLite may lag behind. */
export async function writeBack(source: Database, { clock }: Pick<MoveOptions, 'clock'>): Promise<void> {
  await createLedger(source, clock).drain();
  if ((await source.first(readBehind))?.n !== 0) throw new MoveFailed('The balances could not be written back. Is the disk full?');
}

const ledgerId = statement<{ id: string }>('move_ledger_id', 'SELECT id FROM lightning_node WHERE ledger_account = 1');

export async function readLedgerId(reader: SqlReader): Promise<string> {
  const row = await reader.first(ledgerId);
  if (!row) throw new MoveFailed('The database has no ledger. Start the service on it first.');
  return row.id;
}

const POSITIONS = ['ledger_transfer', 'event', 'wallet_transaction', 'idempotency_outcome', 'webhook_delivery'];

const readPositions = statement(
  'move_positions',
  `SELECT ${POSITIONS.map((table) => `(SELECT max(position) FROM ${table}) AS ${table}`).join(', ')}`,
);

/** A source that was used between two runs has another state. Changes without new positions are found when both databases are compared. */
async function readState(reader: SqlReader): Promise<string> {
  return Object.values((await reader.first(readPositions)) ?? {}).join(' ');
}

/** Names a database without user, password and options. */
export function nameOf(url: string): string {
  const path = sqlitePathOf(url);
  if (path !== undefined) return `sqlite:${resolve(path)}`;
  if (!URL.canParse(url)) return 'PostgreSQL';
  const { host, pathname, searchParams } = new URL(url);
  return `postgres://${host || (searchParams.get('host') ?? '')}${pathname}`;
}
