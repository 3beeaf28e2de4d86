import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Queryable, SqlParameter, SqlValue } from './database.ts';
import { StatementFailed } from './errors.ts';
import type { Statement } from './statement.ts';
import { checkValue } from './tx.ts';

interface Prepared {
  readonly statement: StatementSync;
  readonly parameters: number;
  readonly isPlain: boolean;
  /** As they were when it was prepared, so no statement says `SELECT *` of a table: a migration would shift its values. */
  readonly columns: readonly string[];
  /** A row with nothing in it yet. */
  readonly emptyRow: Record<string, null>;
}

/** What one connection keeps of the file. What it does not keep, it reads from the operating system's cache. */
const WRITER_CACHE_KIB = 32_768;
/** There are up to five readers. */
const READER_CACHE_KIB = 8_192;

/** Values go into columns and are not calculated with; a row is looked up by its id at most. */
const PLAIN =
  /^(INSERT INTO \w+ \([\w\s,]+\)\s+VALUES \(\$\d+(, \$\d+)*\)|UPDATE \w+ SET \w+ = \$\d+(, \w+ = \$\d+)*( WHERE id = \$\d+)?)$/;

/** One connection with its prepared statements. */
export class SqliteConnection implements Queryable {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, Prepared>();

  /** `isTool`: it reads everything, so what it sorts and joins goes to disk rather than into memory. */
  constructor(path: string, readOnly: boolean, isTool = false) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: 10_000 });
    // FULL: a commit that was answered survives a power cut. It costs nothing over NORMAL once commits are shared.
    // Pages are what a transfer costs, so they are checkpointed rarely.
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON');
    this.#db.exec(`PRAGMA cache_size = -${readOnly ? READER_CACHE_KIB : WRITER_CACHE_KIB}`);
    this.#db.exec(`PRAGMA temp_store = ${isTool ? 'FILE' : 'MEMORY'}`);
    if (!readOnly) this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000');
  }

  // Rows come as the columns say; a statement's type is its author's promise.
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

  /** Whether a transaction is open; a failed COMMIT (a full disk) may have rolled back already. */
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

  /** For a connection that has something to do first. */
  protected beforeStatement(): void {}

  #use<T>(statement: Statement, parameters: readonly SqlParameter[], run: (prepared: Prepared, values: Bindable[]) => T): T {
    try {
      this.beforeStatement();
      const prepared = this.#prepare(statement);
      const values = parameters.map(prepared.isPlain ? plain : bindable);
      // SQLite itself takes a missing parameter for NULL.
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

/** SQLite's own objects are made a property at a time, and slow to read: these took half the time. */
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

/** A STRICT column of integers takes a whole REAL for the integer it is, and a bigint costs as much as writing the value. */
function plain(value: SqlParameter): Bindable {
  if (Array.isArray(value)) return bindable(value);
  checkValue(value as SqlValue);
  return value as Bindable;
}

/** A number would be bound as a REAL, and 3 / 2 be 1.5. */
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
  // Not the database's: a parameter that cannot be one.
  if (error.code === undefined) return error;
  if (error.code === 'ERR_OUT_OF_RANGE') return new RangeError(`${name}: the database holds an integer beyond 2^53 − 1`);
  return new StatementFailed(`${name}: ${error.message}`, String(error.errcode ?? error.code ?? error.name));
}
