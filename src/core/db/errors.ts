/**
 * The connection was lost during COMMIT, so it is unknown whether the transaction was committed, or a synchronous standby may not have it. Check
 * before a retry.
 */
export class CommitUnknown extends Error {
  override readonly name = 'CommitUnknown';
  /** The wait for the standby was cut short, so a failover may forget the transaction. */
  readonly isOfStandby: boolean;

  constructor({ isOfStandby = false } = {}) {
    super(isOfStandby ? 'the wait of a commit for its standby was cut short' : 'the connection to the database was lost during a commit');
    this.isOfStandby = isOfStandby;
  }
}

/** The database has another schema than this version needs: none, that of another version, or one whose migrations were edited. */
export class SchemaMismatch extends Error {
  override readonly name = 'SchemaMismatch';
}

/** The database was moved to another one, or is the target of a move that has not ended. */
export class DatabaseMoved extends Error {
  override readonly name = 'DatabaseMoved';
}

/** The database of DATABASE_URL cannot be opened. The message never contains its password. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Another process is using the database file. */
export class DatabaseLocked extends Error {
  override readonly name = 'DatabaseLocked';
}

/** A database transaction was used after its callback returned: an `await` is missing. */
export class TransactionOver extends Error {
  override readonly name = 'TransactionOver';

  constructor() {
    super('this database transaction is over; an await is missing');
  }
}

/** The database rejected a statement. Contains no parameters, which may be secrets, and therefore no `cause`. */
export class StatementFailed extends Error {
  override readonly name = 'StatementFailed';
  /** PostgreSQL's SQLSTATE or SQLite's extended result code; for a lost connection the code of the operating system, or {@link CONNECTION}. */
  readonly code: string;
  /** The violated constraint and its table, on PostgreSQL. SQLite has both in the message. */
  readonly constraint: string | undefined;
  readonly table: string | undefined;
  /** The name of the statement, on PostgreSQL. */
  readonly statementName: string | undefined;

  constructor(
    message: string,
    code: string,
    details: { constraint?: string | undefined; table?: string | undefined; statementName?: string } = {},
  ) {
    super(message);
    this.code = code;
    this.constraint = details.constraint;
    this.table = details.table;
    this.statementName = details.statementName;
  }
}

/** Whether PostgreSQL divided by zero. Only writes that must change exactly one row can do so (row-write.ts). */
export function isDivisionByZero(error: unknown): error is StatementFailed {
  return error instanceof StatementFailed && error.code === '22012';
}

/** unique_violation; SQLITE_CONSTRAINT_UNIQUE, _PRIMARYKEY and _ROWID. */
const UNIQUE = new Set(['23505', '2067', '1555', '2579']);
/** check_violation; SQLITE_CONSTRAINT_CHECK. */
const CHECK = new Set(['23514', '275']);

/** Primary result codes of SQLite: busy, out of memory, read-only, I/O error, full, cannot be opened. */
const SQLITE_OUTAGES: ReadonlySet<number> = new Set([5, 7, 8, 10, 13, 14]);
/**
 * PostgreSQL's classes for lost connections, missing resources (such as a full disk), operator intervention (such as a stop or a timeout)
 * and system errors; a rejected login; a standby that does not accept writes; a session that was idle in a transaction.
 */
const POSTGRES_OUTAGES = /^(08|53|57|58|28|3D000|55000|25006|25P03)/;

/**
 * Returns whether the database could not be used at that moment: a full disk, a lost connection, a stopped server. Nothing of the
 * operation was written, because an outage during COMMIT is a {@link CommitUnknown}.
 */
export function isOutage(error: unknown): boolean {
  if (!(error instanceof StatementFailed)) return false;
  const { code } = error;
  // SQLite's extended codes carry the primary code in their lowest byte.
  if (/^\d{1,4}$/.test(code)) return SQLITE_OUTAGES.has(Number(code) % 256);
  if (code === STALLED) return true;
  // A lost connection has the operating system's code, such as ECONNRESET, or none.
  return code === CONNECTION || /^E(?!RR_)[A-Z_]+$/.test(code) || POSTGRES_OUTAGES.test(code);
}

/** The code of a transaction that did not begin, because commits do not end (commit-gate.ts). */
export const STALLED = 'stalled';

/** The code of a lost connection that has no other. */
export const CONNECTION = 'connection';

/** Whether a row exists already; if `table` is given, of that table. */
export function isUniqueViolation(error: unknown, table?: string): boolean {
  if (!(error instanceof StatementFailed) || !UNIQUE.has(error.code)) return false;
  return table === undefined || error.table === table || error.message.includes(` ${table}.`);
}

/** Whether a row violates a CHECK of the schema. */
export function isCheckViolation(error: unknown): boolean {
  return error instanceof StatementFailed && CHECK.has(error.code);
}

/** Whether a table does not exist. */
export function isUnknownTable(error: unknown): boolean {
  // undefined_table; SQLite has no code for it.
  return error instanceof StatementFailed && (error.code === '42P01' || error.message.includes(': no such table: '));
}
