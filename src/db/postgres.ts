import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { errorMessage } from '../kernel/log.ts';
import type { Database, Queryable, Row, SqlParameter, SqlValue, Tx } from './database.ts';
import { CommitUnknown, StatementFailed } from './errors.ts';
import type { OpenOptions } from './open.ts';
import { Running } from './running.ts';
import type { Statement } from './statement.ts';
import { checkValue, runInTx } from './tx.ts';

/** What PostgreSQL itself says; a broken connection has the operating system's words, such as EPIPE. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

const POOL_SIZE = 16;
const STATEMENT_TIMEOUT_MS = 30_000;
const MAX_TRIES = 10;
/** serialization_failure and deadlock_detected: PostgreSQL's word that trying again is right. */
const TRY_AGAIN = new Set(['40001', '40P01']);

/**
 * Every statement of the service finds its rows through an index. A plan made while a table was still small would read it whole, for as
 * long as the connection keeps the prepared statement: 2.7 instead of 30 thousand transfers a second. Tools that read everything plan freely.
 */
const PINNED_PLANS = '-c enable_seqscan=off -c enable_hashjoin=off -c enable_mergejoin=off -c jit=off';

const BOOL = 16;
const INT8 = 20;
/** What PostgreSQL sums bigints to. */
const NUMERIC = 1700;

/** PostgreSQL behind a pool of connections; any number of instances may share it. */
export async function openPostgres(url: string, { log, readOnly = false }: OpenOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    // A server that has gone silent does not enforce its own timeout.
    query_timeout: STATEMENT_TIMEOUT_MS + 5_000,
    idle_in_transaction_session_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    application_name: 'satchel',
    types: { getTypeParser: typeParser as never },
    options: readOnly ? '-c default_transaction_read_only=on' : PINNED_PLANS,
  });
  // An idle connection that breaks is replaced by the next use; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ reason: errorMessage(error) }, 'an idle database connection was lost'));
  const client = await pool.connect();
  client.release();
  const running = new Running();

  return {
    dialect: 'postgres',
    ...queries(pool),
    async transaction(work) {
      if (readOnly) throw new Error('the database was opened for reading only');
      return running.write(() => withRetries(() => inTransaction(pool, 'BEGIN', work)));
    },
    snapshot: (work) => running.read(() => inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work)),
    async close() {
      if (await running.close()) await pool.end();
    },
  };
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

function queries(client: pg.Pool | pg.PoolClient): Queryable {
  async function query<R extends Row>(statement: Statement<R>, parameters: readonly SqlParameter[]): Promise<pg.QueryResult<R>> {
    const values = parameters.map(bindable);
    try {
      return await client.query<R>({ name: statement.name, text: statement.postgres, values });
    } catch (error) {
      throw failed(statement, error as Error & { code?: string });
    }
  }
  return {
    all: async (statement, ...parameters) => (await query(statement, parameters)).rows,
    first: async (statement, ...parameters) => (await query(statement, parameters)).rows[0],
    run: async (statement, ...parameters) => (await query(statement, parameters)).rowCount ?? 0,
  };
}

/** PostgreSQL repeats values: in `detail` and `where`, and for data that does not fit (class 22) in the message. */
function failed(statement: Statement, error: Error & { code?: string }): Error {
  if (error instanceof RangeError) return error;
  const code = error.code ?? 'connection';
  const message = code.startsWith('22') ? `a value does not fit (${code})` : error.message;
  const { constraint, table } = error as pg.DatabaseError;
  return new StatementFailed(`${statement.name}: ${message}`, code, { constraint, table });
}

/** `pg` takes bytes and lists as they are. */
function bindable(value: SqlParameter): SqlParameter {
  if (Array.isArray(value)) value.forEach(checkValue);
  else checkValue(value as SqlValue);
  return value;
}

async function inTransaction<T>(pool: pg.Pool, begin: string, work: (tx: Tx) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks between two statements reports it here; the next statement fails.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    await client.query(begin);
    const result = await runInTx('postgres', queries(client), work);
    await commit(client);
    return result;
  } catch (error) {
    if (error instanceof CommitUnknown || isConnectionLoss(error)) broken = error as Error;
    else await client.query('ROLLBACK').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

/** Nothing more can be said over such a connection, not even ROLLBACK; the server rolls back when it notices. */
function isConnectionLoss(error: unknown): boolean {
  return error instanceof StatementFailed && (!SQLSTATE.test(error.code) || /^(08|57P)/.test(error.code));
}

async function commit(client: pg.PoolClient): Promise<void> {
  let done: pg.QueryResult;
  try {
    done = await client.query('COMMIT');
  } catch (error) {
    // Only a refusal of COMMIT itself (class 23: a deferred constraint; class 40: roll back, but for its word that it does not know) means that nothing was committed. A
    // broken connection says nothing, nor does a server that is being stopped (57P01): it may have committed before it said so.
    if (error instanceof pg.DatabaseError && /^(23|40(?!003))/.test(error.code ?? '')) throw refusedCommit(error, error.code ?? '');
    throw new CommitUnknown();
  }
  // A transaction in which a statement failed answers ROLLBACK to COMMIT, and no error.
  if (done.command !== 'COMMIT') throw new StatementFailed('commit: the transaction had failed before', '25P02');
}

function refusedCommit({ message, constraint, table }: pg.DatabaseError, code: string): StatementFailed {
  return new StatementFailed(`commit: ${message}`, code, { constraint, table });
}

async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const again = error instanceof StatementFailed && TRY_AGAIN.has(error.code) && attempt < MAX_TRIES;
      if (!again) throw error;
      await delay(Math.random() * 5 * 2 ** attempt);
    }
  }
}
