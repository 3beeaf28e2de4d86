import type { Statement } from './statement.ts';

/** What a column holds. Whole numbers beyond 2^53 − 1 are refused when they are read. */
export type SqlValue = string | number | null | Uint8Array;

/** A parameter: a value, or a list of values for the statements that work on many rows at once. */
export type SqlParameter = SqlValue | readonly SqlValue[];

export type Row = Record<string, SqlValue>;

/** Runs named statements. Errors of the database pass through; see {@link isUniqueViolation} for the one that callers expect. */
export interface Queryable {
  /** All rows, in the statement's order. Statements that may return many rows carry a LIMIT. */
  all<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R[]>;
  /** The first row, or undefined. */
  first<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R | undefined>;
  /** Runs a write; answers how many rows it changed. */
  run(statement: Statement, ...parameters: SqlParameter[]): Promise<number>;
}

/** One database transaction. It dies with its callback: a use after that throws, so a forgotten `await` is loud. */
export interface Tx extends Queryable {
  readonly dialect: Dialect;
}

export type Dialect = 'sqlite' | 'postgres';

/** The database behind everything: SQLite in a file, or PostgreSQL. Its own methods read outside of a transaction. */
export interface Database {
  readonly dialect: Dialect;
  all<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R[]>;
  first<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R | undefined>;
  /** Commits what the callback wrote, durably, before it answers; rolls all of it back when the callback throws. */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads one consistent state of the database across several statements; a long list is read in pages. */
  snapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}
