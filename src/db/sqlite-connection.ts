import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Row, SqlParameter, Tx } from './database.ts';
import { TransactionOver } from './errors.ts';
import type { Statement } from './statement.ts';

type Bindable = string | number | null | Uint8Array;

/** One connection with its prepared statements. */
export class SqliteConnection {
  readonly #db: DatabaseSync;
  readonly #prepared = new Map<string, StatementSync>();

  constructor(path: string, readOnly: boolean) {
    this.#db = new DatabaseSync(path, { readOnly, timeout: 10_000 });
    // FULL: a commit that was answered survives a power cut. It costs nothing over NORMAL once commits are shared.
    // Pages are what a transfer costs, so they are checkpointed rarely.
    this.#db.exec('PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON; PRAGMA cache_size = -65536; PRAGMA temp_store = MEMORY');
    if (!readOnly) this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 4000');
  }

  all<R extends Row>(statement: Statement<R>, parameters: readonly SqlParameter[]): R[] {
    return this.#prepare(statement).all(...bindable(parameters)) as R[];
  }

  first<R extends Row>(statement: Statement<R>, parameters: readonly SqlParameter[]): R | undefined {
    return this.#prepare(statement).get(...bindable(parameters)) as R | undefined;
  }

  run(statement: Statement, parameters: readonly SqlParameter[]): number {
    return Number(this.#prepare(statement).run(...bindable(parameters)).changes);
  }

  exec(sql: string): void {
    this.#db.exec(sql);
  }

  close(): void {
    this.#prepared.clear();
    this.#db.close();
  }

  #prepare(statement: Statement): StatementSync {
    const known = this.#prepared.get(statement.sqlite);
    if (known) return known;
    const prepared = this.#db.prepare(numbered(statement.sqlite));
    this.#prepared.set(statement.sqlite, prepared);
    return prepared;
  }
}

/** `$1` is a name to SQLite, bound in order of appearance; `?1` is what PostgreSQL means by it. */
export function numbered(sql: string): string {
  return sql.replace(/\$(\d+)/g, '?$1');
}

function bindable(parameters: readonly SqlParameter[]): Bindable[] {
  return parameters.map((value) => (Array.isArray(value) ? JSON.stringify(value) : (value as Bindable)));
}

/** A transaction handle on a connection that dies with `end`. */
export function sqliteTx(connection: SqliteConnection): Tx & { end(): void } {
  let over = false;
  const alive = () => {
    if (over) throw new TransactionOver();
    return connection;
  };
  return {
    dialect: 'sqlite',
    all: async (statement, ...parameters) => alive().all(statement, parameters),
    first: async (statement, ...parameters) => alive().first(statement, parameters),
    run: async (statement, ...parameters) => alive().run(statement, parameters),
    end() {
      over = true;
    },
  };
}
