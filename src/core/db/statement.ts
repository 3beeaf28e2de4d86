import type { Dialect, Row } from './database.ts';

/**
 * A named SQL statement. Parameters are `$1`, `$2`, … in both dialects; a list parameter is an array in
 * PostgreSQL and JSON text in SQLite. The name is the prepared statement's name in PostgreSQL.
 */
export interface Statement<R extends Row = Row> {
  readonly name: string;
  readonly sqlite: string;
  readonly postgres: string;
  /**
   * The same for many rows at once: each parameter is a list. Returns a row for each one that it changed.
   */
  readonly postgresMany?: string;
  /** May run for hours on PostgreSQL, where the transaction has lifted `statement_timeout`. */
  readonly takesLong?: boolean;
  /** Never set; carries the type of a row. */
  readonly row?: R;
}

type Texts = Record<Dialect, string> & Pick<Statement, 'postgresMany'>;

/**
 * Defines a lock: transactions that run it wait for each other, and readers do not. SQLite has one writer anyway. Run it with `all`, because
 * PostgreSQL cannot prepare LOCK.
 */
export function tableLock(name: string, table: string): Statement {
  return statement(name, { sqlite: 'SELECT 1 AS locked', postgres: `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE` });
}

/** Defines a statement: one text for both dialects, or one for each. */
export function statement<R extends Row = Row>(name: string, text: string | Texts): Statement<R> {
  return typeof text === 'string' ? { name, sqlite: text, postgres: text } : { name, ...text };
}
