import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Queryable, SqlParameter, SqlValue } from './database.ts';
import { StatementFailed } from './errors.ts';
import type { Statement } from './statement.ts';
import { checkValue } from './tx.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: number;
  readonly isPlain: boolean;
  /** The columns when it was prepared. Statements do not use `SELECT *` of a table: a migration could change the order of its values. */
  readonly columns: readonly string[];
  /** A row of nulls, which is copied for each result. */
  readonly emptyRow: Record<string, null>;
}

/** The page cache of a connection. Other pages are read from the operating system's cache. */
const WRITER_CACHE_KIB = 32_768;
/** There are up to five readers. */
const READER_CACHE_KIB = 8_192;

/** Statements that store values without calculating, in a row that is found by its id at most. */
const PLAIN =
  /^(INSERT INTO \w+ \([\w\s,]+\)\s+VALUES \(\$\d+(, \$\d+)*\)|UPDATE \w+ SET \w+ = \$\d+(, \w+ = \$\d+)*( WHERE id = \$\d+)?)$/;

/** One connection with its prepared statements. */
export class SqliteConnection implements Queryable {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();
  /** Whether the open transaction is the one of this turn's reads. */
  #isReading = false;

  /** With `isTool` sorts and joins use the disk instead of memory, because tools read whole tables. */
  constructor(path: string, readOnly: boolean, isTool = false) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: 10_000 });
    // FULL: a confirmed commit survives a power cut. With group commit it is as fast as NORMAL.
    // Writing pages is the main cost of a transfer, so checkpoints are rare.
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    this.#db.exec(`PRAGMA cache_size = -${readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB}`);
    this.#db.exec(`PRAGMA temp_store = ${isTool ? 'FILE' : 'MEMORY'}`);
    if (!readOnly) this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000');
  }

  // The type of a row is not checked; the author of the statement declares it.
  async all<R>(statement: Statement, ...parameters: SqlParameter[]): Promise<R[]> {
    return this.#use(statement, parameters, (prepared, values) => {
      const rows = prepared.statement.all(...values) as unknown as SqlValue[][];
      return rows.map((row) => toObject(prepared, row) as R);
    });
  }

  async first<R>(statement: Statement, ...parameters: SqlParameter[]): Promise<R | undefined> {
    return this.#use(statement, parameters, (prepared, values) => {
      const row = prepared.statement.get(...values) as unknown as SqlValue[] | undefined;
      return row && (toObject(prepared, row) as R);
    });
  }

  async run(statement: Statement, ...parameters: SqlParameter[]): Promise<number> {
    return this.#use(statement, parameters, ({ statement }, values) => Number(statement.run(...values).changes));
  }

  /** Whether a transaction is open. A failed COMMIT (on a full disk) may have rolled it back. */
  get inTransaction(): boolean {
    return this.#db.isTransaction;
  }

  get isOpen(): boolean {
    return this.#db.isOpen;
  }

  /** @throws StatementFailed */
  exec(sql: string): void {
    try {
      this.#db.exec(sql);
    } catch (error) {
      throw failed(sql, error as NodeJS.ErrnoException & { errcode?: number });
    }
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  /** Whether the open transaction writes. Reads would then return rows that are not committed. */
  get isWriting(): boolean {
    return this.inTransaction && !this.#isReading;
  }

  /**
   * Begins the read transaction that all reads of this turn of the event loop share, unless it is open. A read on its own acquires and
   * releases SQLite's lock, which costs more than most reads.
   */
  beginReads(): void {
    if (this.#isReading) return;
    this.exec('BEGIN');
    this.#isReading = true;
    // It must end with the turn, because an open read transaction blocks checkpoints.
    setImmediate(() => this.endReads());
  }

  /** Ends that transaction, if it is open. Must be called before a commit, so that no later read returns an older state. */
  endReads(): void {
    if (!this.#isReading) return;
    this.#isReading = false;
    if (this.isOpen && this.inTransaction) this.exec('COMMIT');
  }

  #use<T>(statement: Statement, parameters: readonly SqlParameter[], run: (prepared: Prepared, values: Bindable[]) => T): T {
    try {
      const prepared = this.#prepare(statement);
      const values = parameters.map(prepared.isPlain ? plain : bindable);
      // SQLite would use NULL for a missing parameter.
      if (parameters.length !== prepared.parameters) throw new StatementFailed('wrong number of parameters', 'parameters');
      return run(prepared, values);
    } catch (error) {
      throw failed(statement.name, error as NodeJS.ErrnoException & { errcode?: number });
    }
  }

  #prepare(statement: Statement): Prepared {
    const known = this.#prepared.get(statement.sqlite);
    if (known) return known;
    const numbers = Array.from(statement.sqlite.matchAll(/\$(\d+)/g), ([, number]) => Number(number));
    const ready = this.#db.prepare(numbered(statement.sqlite));
    ready.setReturnArrays(true);
    const columns = ready.columns().map(({ name }) => name);
    const prepared = {
      statement: ready,
      parameters: Math.max(0, ...numbers),
      isPlain: PLAIN.test(statement.sqlite),
      columns,
      emptyRow: Object.fromEntries(columns.map((name) => [name, null])),
    };
    this.#prepared.set(statement.sqlite, prepared);
    return prepared;
  }
}

/** Node's row objects are built one property at a time and slow to read. These take half the time. */
function toObject({ columns, emptyRow }: Prepared, values: readonly SqlValue[]): object {
  const row: Record<string, SqlValue> = { ...emptyRow };
  for (let i = 0; i < columns.length; i++) row[columns[i] as string] = values[i] as SqlValue;
  return row;
}

/** `$1` is a name to SQLite, bound in order of appearance; `?1` is what PostgreSQL means by it. */
function numbered(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

type Bindable = string | number | bigint | null | Uint8Array;

/** An INTEGER column of a STRICT table converts a whole REAL to an integer. A bigint would cost as much as writing the value. */
function plain(value: SqlParameter): Bindable {
  if (Array.isArray(value)) return bindable(value);
  checkValue(value as SqlValue);
  return value as Bindable;
}

/** Node binds a number as a REAL, so 3 / 2 would be 1.5. */
function bindable(value: SqlParameter): Bindable {
  if (Array.isArray(value)) return JSON.stringify(value.map(listed));
  checkValue(value as SqlValue);
  return typeof value === 'number' ? BigInt(value) : (value as Bindable);
}

function listed(value: SqlValue): SqlValue {
  if (value instanceof Uint8Array) throw new TypeError('a list of bytes cannot be a parameter in SQLite');
  checkValue(value);
  return value;
}

function failed(name: string, error: NodeJS.ErrnoException & { errcode?: number }): Error {
  // Not an error of the database: an invalid parameter.
  if (error.code === undefined) return error;
  if (error.code === 'ERR_OUT_OF_RANGE') return new RangeError(`${name}: the database holds an integer beyond 2^53 − 1`);
  return new StatementFailed(`${name}: ${error.message}`, String(error.errcode ?? error.code ?? error.name));
}
