import type { Duplex } from 'node:stream';
import pg from 'pg';
import { outsideRequest } from '../kernel/booking-mark.ts';
import { errorMessage } from '../kernel/log.ts';
import { nextCall } from '../kernel/next-call.ts';
import { CommitGate, stalled } from './commit-gate.ts';
import type { Database } from './database.ts';
import type { OpenOptions } from './open.ts';
import { queries } from './postgres-queries.ts';
import { commitNow, countWaiting, recordWarnings } from './postgres-replication.ts';
import { serverCheck } from './postgres-server.ts';
import { inTransaction, withRetries } from './postgres-transaction.ts';
import { Running } from './running.ts';

const POOL_SIZE = 16;
/** The connections that transactions leave for reads. */
const READING = 4;
/** How long an operation waits for a connection, and a transaction for others, before it fails. */
const WAIT_MS = 10_000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Longer than {@link IDLE_IN_TRANSACTION_MS}, for which a COMMIT may wait for a lock of another instance. */
const STALLED_MS = 5_000;
const PROBE_MS = 1_000;

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
export async function openPostgres(
  url: string,
  { log, readOnly = false, withoutLock = false, stalledMs = STALLED_MS }: OpenOptions,
): Promise<Database> {
  const check = serverCheck(withoutLock ? undefined : log);
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: WAIT_MS,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that no longer responds does not enforce its own timeout.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
    keepAlive: true,
    // Node repeats it each second, ten times: idle connections to a machine that is gone end before its successor is promoted.
    keepAliveInitialDelayMillis: 5_000,
    // Statements that are sent before earlier results have arrived share their round trip.
    pipeline: true,
    application_name: 'satchel',
    types: { getTypeParser: typeParser as never },
    options: readOnly ? '-c default_transaction_read_only=on' : `${PINNED_PLANS} ${WARNINGS}`,
    // A tool that only reads may read a standby.
    ...(!readOnly && { onConnect: check }),
  });
  pool.on('connect', (client) => {
    writeTogether(client.connection.stream);
    recordWarnings(client);
  });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'an idle database connection was lost'));
  (await pool.connect()).release();
  const running = new Running();
  const { all, first } = queries(pool);
  const gate = new CommitGate({
    maxRunning: POOL_SIZE - READING,
    waitMs: WAIT_MS,
    stalledMs,
    probeMs: PROBE_MS,
    async probe() {
      // Each attempt would leave another connection that waits.
      if (((await first(countWaiting, PROBE_MS / 1000))?.n ?? 0) > 0) throw stalled();
      await inTransaction(pool, { begin: BEGIN }, (tx) => tx.all(commitNow));
    },
  });
  const transaction: Database['transaction'] = (work) =>
    running.write(() => gate.run(() => withRetries(() => inTransaction(pool, { begin: BEGIN, watchCommit: gate.watch }, work))));

  return {
    dialect: 'postgres',
    identity: running,
    onCommit: running.onWrite,
    all,
    first,
    isStalled: gate.isStalled,
    onStall: gate.onStall,
    async transaction(work) {
      if (readOnly) throw new Error('the database was opened for reading only');
      return transaction(work);
    },
    // It books nothing, and its callers share it.
    ensureDurable: nextCall(() => outsideRequest(() => transaction(async () => undefined))),
    snapshot: (work, { takesLong = false } = {}) => {
      const begin = takesLong ? BEGIN_LONG_SNAPSHOT : BEGIN_SNAPSHOT;
      return running.read(() => inTransaction(pool, { begin, isSnapshot: true, takesLong }, work));
    },
    async close() {
      gate.close();
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
