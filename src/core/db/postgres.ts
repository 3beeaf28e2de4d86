import type { Duplex } from 'node:stream';
import pg from 'pg';
import { errorMessage, type Log } from '../kernel/log.ts';
import { nextCall } from '../kernel/next-call.ts';
import type { Database } from './database.ts';
import type { OpenOptions } from './open.ts';
import { queries } from './postgres-queries.ts';
import { recordWarnings } from './postgres-replication.ts';
import { inTransaction, withRetries } from './postgres-transaction.ts';
import { Running } from './running.ts';

const POOL_SIZE = 16;
const STATEMENT_TIMEOUT_MS = 30_000;

/**
 * How long a transaction may be idle before the server ends it and releases its locks. An instance that is paused between locking accounts
 * and COMMIT blocks the others for that long. When it resumes, it treats its batch as after a lost connection.
 */
const IDLE_IN_TRANSACTION_MS = 4_000;

/** A snapshot locks no rows and may be idle longer: its caller works between reads. */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

const BEGIN_LONG_SNAPSHOT = `${BEGIN_SNAPSHOT}; SET LOCAL statement_timeout = 0`;

/**
 * Every statement of the service finds its rows through an index. A plan made while a table was small would read the whole table, as long as
 * the connection keeps the prepared statement: 2.7 instead of 30 thousand transfers a second. Read-only tools are not restricted.
 */
const PINNED_PLANS = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

/** A commit that a standby may not have is recognized by its warning, which a role or database could suppress. */
const WARNINGS = '-c client_min_messages=warning';

/**
 * Statements of a transaction find their rows by id, for any parameters. PostgreSQL would estimate a plan for a short list as cheaper than a
 * generic one and plan each time, which took a third of its time for sequential payments.
 */
const BEGIN = 'BEGIN; SET LOCAL plan_cache_mode = force_generic_plan';

const BOOL = 16;
const INT8 = 20;
/** The type of a sum of bigints. */
const NUMERIC = 1700;

/** Opens a pool of connections to PostgreSQL. Any number of instances may share a database. */
export async function openPostgres(url: string, { log, readOnly = false, withoutLock = false }: OpenOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that no longer responds does not enforce its own timeout.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    // Statements that are sent before earlier results have arrived share their round trip.
    pipeline: true,
    application_name: 'satchel',
    types: { getTypeParser: typeParser as never },
    options: readOnly ? '-c default_transaction_read_only=on' : `${PINNED_PLANS} ${WARNINGS}`,
  });
  pool.on('connect', (client) => {
    writeTogether(client.connection.stream);
    recordWarnings(client);
  });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'an idle database connection was lost'));
  const client = await pool.connect();
  if (!readOnly && !withoutLock) await warnOfLostCommits(client, log);
  client.release();
  const running = new Running();
  const transaction: Database['transaction'] = (work) =>
    running.write(() => withRetries(() => inTransaction(pool, { begin: BEGIN }, work)));

  return {
    dialect: 'postgres',
    identity: running,
    onCommit: running.onWrite,
    ...queries(pool),
    async transaction(work) {
      if (readOnly) throw new Error('the database was opened for reading only');
      return transaction(work);
    },
    ensureDurable: nextCall(() => transaction(async () => undefined)),
    snapshot: (work, { takesLong = false } = {}) => {
      const begin = takesLong ? BEGIN_LONG_SNAPSHOT : BEGIN_SNAPSHOT;
      return running.read(() => inTransaction(pool, { begin, isSnapshot: true, takesLong }, work));
    },
    async close() {
      if (await running.close()) await pool.end();
    },
  };
}

/**
 * Sends the statements that are written one after another with one system call: `pg` makes one for each of them. They are sent before the next
 * input is handled, so that the server works meanwhile.
 */
function writeTogether(stream: Duplex): void {
  const write = stream.write;
  let isCorked = false;
  const writeCorked = (...message: Parameters<Duplex['write']>) => {
    if (!isCorked) {
      isCorked = true;
      stream.cork();
      process.nextTick(() => {
        isCorked = false;
        stream.uncork();
      });
    }
    return write.apply(stream, message);
  };
  stream.write = writeCorked as Duplex['write'];
}

/** Warns about settings with which a crash can undo confirmed commits. */
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

/** Returns the same values as SQLite: integers and their sums as numbers, booleans as 1 or 0. */
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
