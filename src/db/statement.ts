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
   * Does for many rows at once what the statement does for one, where a batch has many: parameter by parameter a list. Returns a row
   * for each one that it changed.
   */
  readonly postgresMany?: string;
  /** May run for hours on PostgreSQL, where the transaction has lifted `statement_timeout`. */
  readonly takesLong?: boolean;
  /** Only a type: the shape of a row. */
  readonly row?: R;
}

type Texts = Record<Dialect, string> & Pick<Statement, 'postgresMany'>;

/** Defines a statement; give one text where the two dialects agree. */
export function statement<R extends Row = Row>(name: string, text: string | Texts): Statement<R> {
  return typeof text === 'string' ? { name, sqlite: text, postgres: text } : { name, ...text };
}
