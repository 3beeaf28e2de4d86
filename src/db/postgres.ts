import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { errorMessage } from '../kernel/log.ts';
import type { Database, Queryable, Row, SqlParameter, Tx } from './database.ts';
import { CommitUnknown, TransactionOver } from './errors.ts';
import type { OpenOptions } from './open.ts';
import type { Statement } from './statement.ts';

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

const INT8 = 20;

/** PostgreSQL behind a pool of connections; any number of instances may share it. */
export async function openPostgres(url: string, { log, readOnly = false }: OpenOptions): Promise<Database> {
  const pool = new pg.Pool({
    connectionString: url,
    max: POOL_SIZE,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    statement_timeout: STATEMENT_TIMEOUT_MS,
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

  return {
    dialect: 'postgres',
    ...queries(pool),
    transaction: (work) => withRetries(() => inTransaction(pool, 'BEGIN', work)),
    snapshot: (work) => inTransaction(pool, 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY', work),
    close: () => pool.end(),
  };
}

/** Integers as numbers, refused where a number cannot hold them; bytes as bytes; everything else as `pg` reads it. */
function typeParser(oid: number, format?: 'text' | 'binary'): unknown {
  if (oid === INT8) return safeInteger;
  return pg.types.getTypeParser(oid, format as 'text');
}

function safeInteger(text: string): number {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  throw new RangeError('the database holds an integer beyond 2^53 − 1');
}

function queries(client: pg.Pool | pg.PoolClient): Queryable {
  const query = <R extends Row>(statement: Statement<R>, parameters: readonly SqlParameter[]) =>
    client.query<R>({ name: statement.name, text: statement.postgres, values: parameters.map(bindable) });
  return {
    all: async (statement, ...parameters) => (await query(statement, parameters)).rows,
    first: async (statement, ...parameters) => (await query(statement, parameters)).rows[0],
    run: async (statement, ...parameters) => (await query(statement, parameters)).rowCount ?? 0,
  };
}

/** `pg` takes a Buffer, alone or in a list, for bytes. */
function bindable(value: SqlParameter): unknown {
  if (value instanceof Uint8Array) return toBuffer(value);
  if (Array.isArray(value) && value.some((one) => one instanceof Uint8Array)) {
    return value.map((one) => (one instanceof Uint8Array ? toBuffer(one) : one));
  }
  return value;
}

function toBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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
    const result = await runWork(client, work);
    await commit(client);
    return result;
  } catch (error) {
    if (error instanceof CommitUnknown) broken = error;
    else await client.query('ROLLBACK').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function runWork<T>(client: pg.PoolClient, work: (tx: Tx) => Promise<T>): Promise<T> {
  const inner = queries(client);
  let over = false;
  const alive = () => {
    if (over) throw new TransactionOver();
    return inner;
  };
  const tx: Tx = {
    dialect: 'postgres',
    all: async (statement, ...parameters) => alive().all(statement, ...parameters),
    first: async (statement, ...parameters) => alive().first(statement, ...parameters),
    run: async (statement, ...parameters) => alive().run(statement, ...parameters),
  };
  try {
    return await work(tx);
  } finally {
    over = true;
  }
}

async function commit(client: pg.PoolClient): Promise<void> {
  try {
    await client.query('COMMIT');
  } catch (error) {
    // PostgreSQL's own refusal has a code and means that nothing was committed; a broken connection says nothing.
    if (error instanceof pg.DatabaseError) throw error;
    throw new CommitUnknown();
  }
}

async function withRetries<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await run();
    } catch (error) {
      const again = error instanceof pg.DatabaseError && TRY_AGAIN.has(error.code ?? '') && attempt < MAX_TRIES;
      if (!again) throw error;
      await delay(Math.random() * 5 * 2 ** attempt);
    }
  }
}
