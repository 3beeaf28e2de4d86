import pg from 'pg';
import { errorMessage, type Log } from '../kernel/log.ts';
import type { Database } from './database.ts';
import type { OpenOptions } from './open.ts';
import { queries } from './postgres-queries.ts';
import { inTransaction, withRetries } from './postgres-transaction.ts';
import { Running } from './running.ts';

const POOL_SIZE = 16;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * How long a transaction may be idle before the server ends it and frees its locks. An instance that is paused between locking accounts and
 * COMMIT blocks all others for so long. When it resumes, it resolves the outcome of its batch as after a lost connection.
 */
const IDLE_IN_TRANSACTION_MS = 4_000;

/** A snapshot locks no rows, and works between its reads. */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

const BEGIN_LONG_SNAPSHOT = `${BEGIN_SNAPSHOT}; SET LOCAL statement_timeout = 0`;

/**
 * Every statement of the service finds its rows through an index. A plan made while a table was still small would read it whole, for as
 * long as the connection keeps the prepared statement: 2.7 instead of 30 thousand transfers a second. Tools that read everything plan freely.
 */
const PINNED_PLANS = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/**
 * Statements of a transaction find their rows by id, whatever the parameters are. PostgreSQL would take a plan for a short list to be
 * cheaper than one for any list and plan each time, which took it a third of its time in payments one at a time.
 */
const BEGIN = 'BEGIN; SET LOCAL plan_cache_mode = force_generic_plan';

const BOOL = 16;
const INT8 = 20;
/** What PostgreSQL sums bigints to. */
const NUMERIC = 1700;

/** PostgreSQL behind a pool of connections; any number of instances may share it. */
export async function openPostgres(url: string, { log, readOnly = false, beside = false }: OpenOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that has gone silent does not enforce its own timeout.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    // Whatever is sent before earlier answers have arrived shares their round trip.
    pipeline: true,
    application_name: 'satchel',
    types: { getTypeParser: typeParser as never },
    options: readOnly ? '-c default_transaction_read_only=on' : PINNED_PLANS,
  });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'an idle database connection was lost'));
  const client = await pool.connect();
  if (!readOnly && !beside) await warnOfLostCommits(client, log);
  client.release();
  const running = new Running();

  return {
    dialect: 'postgres',
    identity: running,
    ...queries(pool),
    async transaction(work) {
      if (readOnly) throw new Error('the database was opened for reading only');
      return running.write(() => withRetries(() => inTransaction(pool, BEGIN, work)));
    },
    snapshot: (work, { takesLong = false } = {}) =>
      running.read(() => inTransaction(pool, takesLong ? BEGIN_LONG_SNAPSHOT : BEGIN_SNAPSHOT, work, takesLong)),
    async close() {
      if (await running.close()) await pool.end();
    },
  };
}

/** Warns of settings with which PostgreSQL confirms a commit that a crash can undo. */
async function warnOfLostCommits(client: pg.PoolClient, log: Log): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    "SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name",
  );
  if (rows.length === 0) return;
  const settings = rows.map(({ name }) => name);
  log.warn(
    { settings },
    `MONEY AT RISK: PostgreSQL runs with ${settings.join(' and ')} off, so a crash can undo confirmed payments. Turn them on.`,
  );
}

/** As SQLite answers: integers and their sums as numbers, refused where a number cannot hold them; truth as 1 or 0. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8 || oid === NUMERIC) return safeInteger;
  if (oid === BOOL) return (text: string) => (text === 't' ? 1 : 0);
  return pg.types.getTypeParser(oid, format as 'text');
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('the database holds a number that is not an integer within 2^53 − 1');
}
