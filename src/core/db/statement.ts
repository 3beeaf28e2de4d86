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

/** The words of PostgreSQL that SQLite writes differently, and the locks, which it does not need: it has one writer. */
const SQLITE_WORDS: readonly (readonly [RegExp, string])[] = [
  [/= ANY\((\$\d+)::\w+\[\]\)/g, 'IN (SELECT value FROM json_each($1))'],
  [/<> ALL\((\$\d+)::\w+\[\]\)/g, 'NOT IN (SELECT value FROM json_each($1))'],
  [/extract\(epoch FROM now\(\)\)/g, 'unixepoch()'],
  [/ FOR (?:NO KEY UPDATE|UPDATE|KEY SHARE|SHARE)(?: OF \w+)?(?: SKIP LOCKED)?/g, ''],
];

/**
 * Defines a statement: one text for both dialects, in PostgreSQL's words for lists (`= ANY($1::text[])`), the time and locks (`FOR SHARE`), or a text
 * for each dialect.
 */
export function statement<R extends Row = Row>(
  name: string,
  text: string | Readonly<Record<Dialect, string>>,
  postgresMany?: string,
): Statement<R> {
  if (typeof text !== 'string') return { name, ...text, ...(postgresMany !== undefined && { postgresMany }) };
  const sqlite = SQLITE_WORDS.reduce((sql, [words, replacement]) => sql.replace(words, replacement), text);
  return { name, sqlite, postgres: text, ...(postgresMany !== undefined && { postgresMany }) };
}

/**
 * Defines a lock: transactions that run it wait for each other, and readers do not. SQLite has one writer anyway. Run it with `all`, because
 * PostgreSQL cannot prepare LOCK.
 */
export function tableLock(name: string, table: string): Statement {
  return statement(name, { sqlite: 'SELECT 1 AS locked', postgres: `LOCK TABLE ${table} IN SHARE ROW EXCLUSIVE MODE` });
}
