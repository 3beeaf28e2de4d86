import type pg from 'pg';
import { DatabaseUnavailable } from './errors.ts';

/** How often two connections are compared. Other users of a pooler may get the shared session first. */
const ROUNDS = 5;

const READ_PID = { text: 'SELECT pg_backend_pid() AS pid', query_timeout: 5_000 };

/** Returns whether a pooler is between a connection and its server process: it announces itself with a process id of its own. */
export async function isPooled(client: pg.ClientBase): Promise<boolean> {
  const { processID } = client as pg.ClientBase & { readonly processID: number | null };
  return processID !== (await pidOf(client));
}

/**
 * Rejects a pooler that gives a connection another server process for each transaction or statement: prepared statements and settings would
 * disappear between them. @throws DatabaseUnavailable
 */
export async function requireOwnSession(first: pg.ClientBase, second: pg.ClientBase): Promise<void> {
  const seen = { first: new Set<number>(), second: new Set<number>() };
  for (let round = 0; round < ROUNDS; round++) {
    // A pooler gives the server that was used last, which the second connection then shares, or each one in turn.
    for (let i = 0; i < 2; i++) seen.first.add(await pidOf(first));
    try {
      await second.query({ ...READ_PID, text: 'BEGIN' });
    } catch {
      // A pooler in statement mode allows no transactions.
      throw poolerRefused();
    }
    seen.second.add(await pidOf(second));
    await second.query({ ...READ_PID, text: 'ROLLBACK' });
  }
  if (seen.first.size > 1 || seen.second.size > 1 || [...seen.first].some((pid) => seen.second.has(pid))) throw poolerRefused();
}

async function pidOf(client: pg.ClientBase): Promise<number> {
  return (await client.query<{ pid: number }>(READ_PID)).rows[0]?.pid ?? 0;
}

function poolerRefused(): DatabaseUnavailable {
  return new DatabaseUnavailable(
    'DATABASE_URL leads to a pooler in transaction or statement mode, in which prepared statements (with PgBouncer before 1.21) and ' +
      'settings of a connection get lost. Set pool_mode = session in PgBouncer, of any version, or connect to PostgreSQL directly: an instance opens at most 17 connections.',
  );
}
