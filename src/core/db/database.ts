import type { Statement } from './statement.ts';

/** The value of a column. Reading an integer beyond 2^53 − 1 throws. */
export type SqlValue = string | number | null | Uint8Array;

/** A parameter: a value, or a list of values for statements on many rows. */
export type SqlParameter = SqlValue | readonly SqlValue[];

export type Row = Record<string, SqlValue>;

/**
 * Reads with named statements. An error of the database is a `StatementFailed`, which contains no parameters; callers recognize two kinds with
 * `isUniqueViolation` and `isCheckViolation` (errors.ts). A number that is not a safe integer throws a RangeError.
 */
export interface SqlReader {
  /** Returns all rows. Statements that may return many rows have a LIMIT. */
  all<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R[]>;
  /** Returns the first row, or undefined. */
  first<R extends Row>(statement: Statement<R>, ...parameters: SqlParameter[]): Promise<R | undefined>;
}

export interface Queryable extends SqlReader {
  /** Runs a write. @returns the number of rows that it changed. */
  run(statement: Statement, ...parameters: SqlParameter[]): Promise<number>;
}

/**
 * One database transaction. It becomes invalid when its callback returns: using it later throws, so a forgotten `await` is noticed. After a
 * statement has failed nothing is committed, even if the error is caught.
 */
export interface Tx extends Queryable {
  readonly dialect: Dialect;
  /**
   * Runs a write whose result is not needed. If it fails, the transaction fails. On PostgreSQL it shares a round trip with the next statement
   * or COMMIT.
   */
  send(statement: Statement, ...parameters: SqlParameter[]): Promise<void>;
}

export type Dialect = 'sqlite' | 'postgres';

/** The database: a SQLite file or PostgreSQL. `all` and `first` read outside of a transaction. */
export interface Database extends SqlReader {
  readonly dialect: Dialect;
  /** The same object for all wrappers of this database in this process. Caches of its rows are keyed by it. */
  readonly identity: object;
  /**
   * Runs a transaction. What it wrote and read is durable when the promise resolves, also on a synchronous standby. Its writes are rolled back
   * when the callback throws. After a deadlock or a serialization failure the callback runs again. A transaction inside a transaction throws.
   * @throws CommitUnknown when the commit may have been applied or not, or may be missing on a standby. Check before a retry.
   */
  transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T>;
  /**
   * Resolves when all that was read before the call is durable, also on a synchronous standby. Reads outside of a transaction may show what a
   * failover forgets. Call it before a request is answered, or a node called, because of something that an earlier request has written.
   */
  ensureDurable(): Promise<void>;
  /**
   * Runs several reads on one consistent state of the database: that of the first read. With `takesLong` they may read whole tables, for hours,
   * and have no time limit.
   */
  snapshot<T>(work: (tx: Tx) => Promise<T>, options?: { readonly takesLong?: boolean }): Promise<T>;
  /** Whether commits take so long that no transaction begins, for example because a synchronous standby is missing. */
  isStalled(): boolean;
  /** Calls a listener when this begins. */
  onStall(listener: () => void): void;
  /**
   * Checks each new connection to another server than before, such as one that was promoted, before it is used. If the check throws, the connection
   * is closed, and what needs it fails.
   */
  onOtherServer(check: (server: SqlReader) => Promise<void>): void;
  /** Calls a listener after each transaction of this process, also after one that failed. @returns a function that removes the listener. */
  onCommit(listener: () => void): () => void;
  close(): Promise<void>;
}
