import type pg from 'pg';
import { statement } from './statement.ts';

/**
 * PostgreSQL with synchronous standbys: a COMMIT waits until a standby has the transaction. If the wait is cut short (`pg_cancel_backend`), COMMIT
 * succeeds with a warning, and everyone can read what only the primary has. The same holds after a crash. A failover forgets it. So a commit
 * counts only without a warning. A commit with a position in the log waits for all earlier positions, so it also proves what was read before.
 */

/** SQLSTATE 00000: a notice for information. */
const INFORMATION = '00000';

interface Warnings {
  /** Whether a warning arrived since the last end of a statement. */
  pending: boolean;
  /** Whether the last statement that ended had a warning. */
  last: boolean;
}

const warningsOf = new WeakMap<object, Warnings>();

/** Records whether the statements of a connection end with a warning. Responses arrive in the order of the statements. */
export function recordWarnings(client: pg.Client): void {
  const warnings: Warnings = { pending: false, last: false };
  warningsOf.set(client, warnings);
  client.on('notice', ({ code }) => {
    if (code !== INFORMATION) warnings.pending = true;
  });
  client.connection.on('readyForQuery', () => {
    warnings.last = warnings.pending;
    warnings.pending = false;
  });
}

/** Whether the last statement of a connection ended with a warning, or the server sent one before it closed the connection. */
export function endedWithWarning(client: object): boolean {
  const warnings = warningsOf.get(client);
  return warnings === undefined || warnings.last || warnings.pending;
}

/** Lets the transaction's COMMIT wait for a synchronous standby although it has changed no row. Without such standbys it writes nothing. */
export const waitForStandby = statement('wait_for_standby', {
  sqlite: 'SELECT 1',
  postgres: `SELECT pg_logical_emit_message(true, 'satchel', '') WHERE current_setting('synchronous_standby_names') <> ''`,
});

/** Writes to the log, so that COMMIT takes as long as that of any write. */
export const commitNow = statement('commit_now', { sqlite: 'SELECT 1', postgres: `SELECT pg_logical_emit_message(true, 'satchel', '')` });

/**
 * The commits of this database that have waited for a standby for at least `$1` seconds, also those of connections that this process has given up.
 * With a standby, each commit of the other instances waits for a moment, too.
 */
export const countWaiting = statement<{ n: number }>('count_waiting_commits', {
  sqlite: 'SELECT 0 AS n WHERE $1 >= 0',
  postgres: `SELECT count(*) AS n FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()
    AND query_start <= clock_timestamp() - make_interval(secs => $1)`,
});
