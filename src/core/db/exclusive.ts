import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Tx } from './database.ts';
import { DatabaseLocked, StatementFailed } from './errors.ts';
import { listRunning } from './instances.sql.ts';
import { STALE_SECONDS } from './instances.ts';
import { statement } from './statement.ts';

const POLL_MS = 500;
const LOCK_NOT_AVAILABLE = '55P03';

/** The transaction may take hours and is idle meanwhile. */
const liftLimits = statement('exclusive_limits', {
  sqlite: 'SELECT 1 AS done',
  postgres: `SELECT set_config('statement_timeout', '0', true), set_config('idle_in_transaction_session_timeout', '0', true),
    set_config('lock_timeout', '10s', true)`,
});

const listTables = statement<{ name: string }>('exclusive_tables', {
  sqlite: "SELECT '' AS name WHERE FALSE",
  postgres: `SELECT quote_ident(relname) AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' ORDER BY relname`,
});

/**
 * Runs work in a transaction during which no other process writes to the database. Others can read.
 * @throws DatabaseLocked while a service runs on it
 */
export async function runExclusively<T>(database: Database, work: (tx: Tx) => Promise<T>): Promise<T> {
  // The process has the lock of the file, and the transaction keeps tools from writing.
  if (database.dialect === 'sqlite') return database.transaction(work);
  const dead = await requireNoInstance(database);
  return database.transaction(async (tx) => {
    await tx.all(liftLimits);
    await lockTables(tx);
    if (heartbeats(await tx.all(listRunning)) !== heartbeats(dead)) throw inUse();
    return work(tx);
  });
}

type Heartbeat = { id: string; heartbeat: number };

/** An instance whose heartbeat stands still has crashed. @returns those */
async function requireNoInstance(database: Database): Promise<Heartbeat[]> {
  const first = await database.all(listRunning);
  if (first.length === 0) return first;
  const endMs = performance.now() + (STALE_SECONDS + 1) * 1000;
  while (performance.now() < endMs) {
    await delay(POLL_MS);
    if (heartbeats(await database.all(listRunning)) !== heartbeats(first)) throw inUse();
  }
  return first;
}

async function lockTables(tx: Tx): Promise<void> {
  const names = (await tx.all(listTables)).map(({ name }) => name);
  const lock = statement('exclusive_lock', { sqlite: 'SELECT 1', postgres: `LOCK TABLE ${names.join(', ')} IN EXCLUSIVE MODE` });
  await tx.all(lock).catch((error) => {
    throw error instanceof StatementFailed && error.code === LOCK_NOT_AVAILABLE ? inUse() : error;
  });
}

function heartbeats(rows: readonly Heartbeat[]): string {
  return rows
    .map(({ id, heartbeat }) => `${id} ${heartbeat}`)
    .sort()
    .join();
}

function inUse(): DatabaseLocked {
  return new DatabaseLocked('A service is running on the database. Stop all its instances first.');
}
