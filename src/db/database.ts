import type { Statement } from './statement.ts';

/** What a column holds. Whole numbers beyond 2^53 − 1 are refused when they are read. */
export type SqlValue = string | number | null | Uint8Array;

/** A parameter: a value, or a list of values for the statements that work on many rows at once. */
export type SqlParameter = SqlValue | readonly SqlValue[];

export type Row = Record<string, SqlValue>;

/**
 * Runs named statements. What the database refuses is a `StatementFailed`, without parameters in it; `isUniqueViolation` and
 * `isCheckViolation` (errors.ts) know the two that callers expect. A number that is not a safe integer is a RangeError.
 */
export interface Queryable {
  /** All rows, in the statement's order. Statements that may return many rows carry a LIMIT. */
  all<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R[]>;
  /** The first row, or undefined. */
  first<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R | undefined>;
  /** Runs a write; answers how many rows it changed. */
  run(statement: Statement, ...parameters: SqlParameter[]): Promise<number>;
}

/**
 * One database transaction. It dies with its callback: a use after that throws, so a forgotten `await` is loud. A statement that
 * failed ends it, also when its error is caught: nothing of the transaction is committed.
 */
export interface Tx extends Queryable {
  readonly dialect: Dialect;
  /**
   * Runs a write whose answer nobody needs: if it fails, so does the transaction. PostgreSQL gets it together with the next
   * statement, or with COMMIT, in one round trip.
   */
  send(statement: Statement, ...parameters: SqlParameter[]): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

export interface SnapshotOptions {
  /** Its statements may read whole tables, for hours: PostgreSQL and its client set them no time limit. */
  readonly takesLong?: boolean;
}

/** The database behind everything: SQLite in a file, or PostgreSQL. Its own methods read outside of a transaction. */
export interface Database {
  readonly dialect: Dialect;
  /** One object for everything that is this database in this process: what is known of its rows can be tied to it. */
  readonly identity: object;
  all<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R[]>;
  first<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R | undefined>;
  /**
   * Commits what the callback wrote, durably, before it answers; rolls all of it back when the callback throws. PostgreSQL may ask
   * for another try, so the callback may run more than once. A transaction inside a transaction throws.
   * @throws CommitUnknown when the connection was lost during the commit: it may have been applied or not. Look before trying again.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /** Reads one consistent state of the database, that of its first read, across several statements; a long list is read in pages. */
  snapshot<T>(work: (tx: Tx) => Promise<T>, options?: SnapshotOptions): Promise<T>;
  close(): Promise<void>;
}
