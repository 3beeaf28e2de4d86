import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import type { Tx } from './database.ts';
import { CONNECTION, CommitUnknown, StatementFailed } from './errors.ts';
import { failed, queries, query } from './postgres-queries.ts';
import { endedWithWarning, waitForStandby } from './postgres-replication.ts';
import { runInTx } from './tx.ts';

/** The form of PostgreSQL's codes. A lost connection has a code of the operating system, such as EPIPE. */
const SQLSTATE = /^(?=.*\d)[0-9A-Z]{5}$/;

const MAX_TRIES = 10;
/** serialization_failure and deadlock_detected: the transaction can be retried. */
const TRY_AGAIN = new Set(['40001', '40P01']);

/** Results that were not awaited. They are checked before the transaction counts as committed. */
type Sent = Promise<unknown>[];

export interface TransactionOptions {
  readonly begin: string;
  /** It only reads, and may show rows that a standby does not have yet. Any other transaction waits until a standby has what it read. */
  readonly isSnapshot?: boolean;
  /** Watches the COMMIT. */
  readonly watchCommit?: <T>(commit: Promise<T>) => Promise<T>;
  /** `begin` has lifted `statement_timeout`. */
  readonly takesLong?: boolean;
}

/**
 * Runs a callback in a transaction on one connection. BEGIN, writes that are only sent, and COMMIT share a round trip with the statement
 * before or after them.
 */
export async function inTransaction<T>(pool: pg.Pool, options: TransactionOptions, work: (tx: Tx) => Promise<T>): Promise<T> {
  const { begin, isSnapshot = false, takesLong = false, watchCommit = (commit) => commit } = options;
  const client = await connect(pool);
  let broken: Error | undefined;
  // Called when the connection is lost between two statements. The next statement fails.
  const onError = (error: Error) => {
    broken = error;
  };
  client.on('error', onError);
  try {
    const sent: Sent = [];
    later(
      sent,
      client.query(begin).catch((error) => {
        throw failed('begin', error);
      }),
    );
    let hasWritten = false;
    const onWrite = () => {
      hasWritten = true;
    };
    const send: Tx['send'] = async (statement, ...parameters) => {
      onWrite();
      later(sent, query(client, statement, parameters));
    };
    const result = await runInTx('postgres', { ...queries(client, { takesLong, onWrite }), send }, work).catch((error) =>
      throwFirst(sent, error),
    );
    if (!hasWritten && !isSnapshot) later(sent, query(client, waitForStandby, []));
    await commit(client, sent, { isSnapshot, watchCommit });
    return result;
  } catch (error) {
    if (error instanceof CommitUnknown || isConnectionLoss(error) || isOfStandby(error)) broken = error as Error;
    else await client.query('ROLLBACK').catch((failed: Error) => (broken = failed));
    throw error;
  } finally {
    client.off('error', onError);
    client.release(broken);
  }
}

async function connect(pool: pg.Pool): Promise<pg.PoolClient> {
  try {
    return await pool.connect();
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    throw new StatementFailed(`connect: ${code ?? message}`, code ?? CONNECTION);
  }
}

function later(sent: Sent, answer: Promise<unknown>): void {
  // Prevents an unhandled rejection: it may be awaited after its failure.
  answer.catch(() => undefined);
  sent.push(answer);
}

/** After a statement has failed, later ones fail without a reason. So the first failure is thrown. */
async function throwFirst(sent: Sent, error: unknown): Promise<never> {
  await Promise.all(sent);
  throw error;
}

/**
 * Whether the connection is lost, so that ROLLBACK cannot be sent; the server rolls back by itself. 25P03: the server ended the session
 * because it was idle in a transaction for too long.
 */
function isConnectionLoss(error: unknown): boolean {
  return error instanceof StatementFailed && (!SQLSTATE.test(error.code) || /^(08|57P|25P03)/.test(error.code));
}

/** 25006: the server accepts no writes, such as a standby. Another connection may reach the primary. */
function isOfStandby(error: unknown): boolean {
  return error instanceof StatementFailed && error.code === '25006';
}

type CommitOptions = Required<Pick<TransactionOptions, 'isSnapshot' | 'watchCommit'>>;

async function commit(client: pg.PoolClient, sent: Sent, { isSnapshot, watchCommit }: CommitOptions): Promise<void> {
  const [outcome] = await Promise.allSettled([watchCommit(client.query('COMMIT'))]);
  await Promise.all(sent).catch((error: unknown) => {
    // PostgreSQL rolls back at the COMMIT of a transaction in which a statement failed. After any other error the outcome is unknown.
    throw error instanceof StatementFailed && !isConnectionLoss(error) ? error : new CommitUnknown();
  });
  if (outcome.status === 'rejected') {
    const error: unknown = outcome.reason;
    // Nothing was committed only if COMMIT itself was rejected (class 23: a deferred constraint; class 40: rollback, except 40003, outcome
    // unknown). After a lost connection, or from a server that is being stopped (57P01), the transaction may have been committed.
    if (error instanceof pg.DatabaseError && /^(23|40(?!003))/.test(error.code ?? '')) throw refusedCommit(error, error.code ?? '');
    throw new CommitUnknown({ isOfStandby: !isSnapshot && endedWithWarning(client) });
  }
  // COMMIT of a transaction in which a statement failed returns ROLLBACK and no error.
  if (outcome.value.command !== 'COMMIT') throw new StatementFailed('commit: the transaction had failed before', '25P02');
  // A standby may not have the transaction, and a failover would forget it.
  if (!isSnapshot && endedWithWarning(client)) throw new CommitUnknown({ isOfStandby: true });
}

function refusedCommit({ message, constraint, table }: pg.DatabaseError, code: string): StatementFailed {
  return new StatementFailed(`commit: ${message}`, code, { constraint, table });
}

/** Retries a transaction after a deadlock or a serialization failure. */
export async function withRetries<T>(run: () => Promise<T>): Promise<T> {
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
