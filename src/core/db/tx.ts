import type { Dialect, Queryable, SqlValue, Tx } from './database.ts';
import { TransactionOver } from './errors.ts';

/**
 * Runs the callback of a transaction with a handle that becomes invalid when the callback returns.
 * @throws TransactionOver when the callback returns while a statement is running.
 * @throws the error of the first failed statement, also when the callback caught it: PostgreSQL has aborted the transaction (its COMMIT
 *   rolls back without an error), and SQLite would commit the rest.
 */
export async function runInTx<T>(dialect: Dialect, queries: Queryable & { send?: Tx['send'] }, work: (tx: Tx) => Promise<T>): Promise<T> {
  let over = false;
  let running = 0;
  let failure: { readonly error: unknown } | undefined;
  async function use<R>(query: () => Promise<R>): Promise<R> {
    if (over) throw new TransactionOver();
    running++;
    try {
      return await query();
    } catch (error) {
      failure ??= { error };
      throw error;
    } finally {
      running--;
    }
  }
  try {
    const result = await work({
      dialect,
      all: (statement, ...parameters) => use(() => queries.all(statement, ...parameters)),
      first: (statement, ...parameters) => use(() => queries.first(statement, ...parameters)),
      run: (statement, ...parameters) => use(() => queries.run(statement, ...parameters)),
      send: (statement, ...parameters) =>
        use(async () => void (await (queries.send?.(statement, ...parameters) ?? queries.run(statement, ...parameters)))),
    });
    if (failure) throw failure.error;
    if (running > 0) throw new TransactionOver();
    return result;
  } finally {
    over = true;
  }
}

/** @throws RangeError for a number that is not a safe integer. No column has other numbers, and SQLite would store NaN as NULL. */
export function checkValue(value: SqlValue): void {
  if (typeof value === 'number' && !Number.isSafeInteger(value)) throw new RangeError('a parameter is not a safe integer');
}
