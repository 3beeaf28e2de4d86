import type pg from 'pg';
import type { Queryable, Row, SqlParameter, SqlValue } from './database.ts';
import { CONNECTION, StatementFailed } from './errors.ts';
import type { Statement } from './statement.ts';
import { checkValue } from './tx.ts';

type Connection = pg.Pool | pg.ClientBase;

/** A day; replaces the time limit of the pool (postgres.ts). `pg` ignores 0. */
const LONG_MS = 24 * 60 * 60 * 1000;

interface QueryOptions {
  /** No statement has a time limit. */
  readonly takesLong?: boolean;
  /** Called after each statement that has changed rows. */
  readonly onWrite?: () => void;
}

/** Runs statements on a connection, or on any connection of a pool. */
export function queries(client: Connection, { takesLong = false, onWrite }: QueryOptions = {}): Queryable {
  async function run<R extends Row>(statement: Statement<R>, parameters: readonly SqlParameter[]): Promise<pg.QueryResult<R>> {
    const result = await query(client, takesLong ? { ...statement, takesLong } : statement, parameters);
    if (onWrite && result.rowCount && WRITES.has(result.command)) onWrite();
    return result;
  }
  return {
    all: async (statement, ...parameters) => (await run(statement, parameters)).rows,
    first: async (statement, ...parameters) => (await run(statement, parameters)).rows[0],
    run: async (statement, ...parameters) => (await run(statement, parameters)).rowCount ?? 0,
  };
}

/** The commands whose row count is that of changed rows. */
const WRITES: ReadonlySet<string> = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

/**
 * Sends a statement. @throws RangeError synchronously for an invalid parameter. The statement is then not sent, so the server would commit
 * the rest of its transaction.
 */
export function query<R extends Row>(
  client: Connection,
  statement: Statement<R>,
  parameters: readonly SqlParameter[],
): Promise<pg.QueryResult<R>> {
  const values = parameters.map(bindable);
  const limit = statement.takesLong && { query_timeout: LONG_MS };
  return client.query<R>({ name: statement.name, text: statement.postgres, values, ...limit }).catch((error) => {
    throw failed(statement.name, error);
  });
}

/** Removes values from an error: PostgreSQL includes them in `detail` and `where`, and for class 22 (invalid data) in the message. */
export function failed(name: string, error: Error & { code?: string }): Error {
  if (error instanceof RangeError) return error;
  const code = error.code ?? CONNECTION;
  const message = code.startsWith('22') ? `a value does not fit (${code})` : error.message;
  const { constraint, table } = error as pg.DatabaseError;
  return new StatementFailed(`${name}: ${message}`, code, { constraint, table, statementName: name });
}

/** Converts a parameter to text or bytes, so that `pg` cannot fail to convert it. A list becomes an array literal. */
function bindable(value: SqlParameter): string | Uint8Array | null {
  if (Array.isArray(value)) return `{${value.map(element).join(',')}}`;
  checkValue(value as SqlValue);
  return typeof value === 'number' ? String(value) : (value as string | Uint8Array | null);
}

function element(value: SqlValue): string {
  checkValue(value);
  if (value === null) return 'NULL';
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, '\\$&')}"`;
  return `"\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}"`;
}
