import { outsideRequest } from '../kernel/booking-mark.ts';
import { nextCall } from '../kernel/next-call.ts';
import { CommitGate, stalled } from './commit-gate.ts';
import type { Database } from './database.ts';
import type { OpenOptions } from './open.ts';
import { openPool, STATEMENT_TIMEOUT_MS } from './postgres-pool.ts';
import { queries } from './postgres-queries.ts';
import { commitNow, countWaiting } from './postgres-replication.ts';
import { inTransaction, withRetries } from './postgres-transaction.ts';
import { Running } from './running.ts';

const POOL_SIZE = 16;
/** The connections that transactions leave for reads. */
const READING = 4;
/** How long an operation waits for a connection, and a transaction for others, before it fails. */
const WAIT_MS = 10_000;
/** Longer than a COMMIT may wait for a lock of another instance, whose transaction the server ends when it is idle. */
const STALLED_MS = 5_000;
const PROBE_MS = 1_000;

/** A snapshot locks no rows and may be idle longer: its caller works between reads. */
const BEGIN_SNAPSHOT = `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${STATEMENT_TIMEOUT_MS}`;

const BEGIN_LONG_SNAPSHOT = `${BEGIN_SNAPSHOT}; SET LOCAL statement_timeout = 0`;

/**
 * Statements of a transaction find their rows by id, for any parameters. PostgreSQL would estimate a plan for a short list as cheaper than a
 * generic one and plan each time, which took a third of its time for sequential payments.
 */
const BEGIN = 'BEGIN; SET LOCAL plan_cache_mode = force_generic_plan';

/** Opens a pool of connections to PostgreSQL. Any number of instances may share a database. */
export async function openPostgres(
  url: string,
  { log, readOnly = false, withoutLock = false, stalledMs = STALLED_MS, durability = 'server' }: OpenOptions,
): Promise<Database> {
  const { pool, onOtherServer, close } = await openPool(url, {
    size: POOL_SIZE,
    waitMs: WAIT_MS,
    log,
    readOnly,
    reportsRisks: !withoutLock,
    durability,
  });
  const running = new Running(log);
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
    onOtherServer,
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
      if (await running.close()) await close();
    },
  };
}
