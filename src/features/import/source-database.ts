import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { type ImportSource, UnusableSource } from './source.ts';

/** A row of the source. PostgreSQL returns every value as text. */
export type SourceRow = Readonly<Record<string, unknown>>;

/** The database of the source, opened read-only, with one state for all reads. */
export interface SourceDatabase {
  readonly dialect: 'sqlite' | 'postgres';
  /** Returns the columns of a table or view; empty if there is none. */
  columns(table: string): Promise<ReadonlySet<string>>;
  /** Returns the names of all tables. */
  tables(): Promise<readonly string[]>;
  /** Reads rows in pages. */
  rows(sql: string): AsyncIterable<SourceRow>;
  /** The SQL that orders a text column by its bytes. */
  bytewise(column: string): string;
  close(): Promise<void>;
}

/** Opens `postgres://…` or the path of a SQLite file. @throws UnusableSource */
export async function openSourceDatabase(from: string): Promise<SourceDatabase> {
  return /^postgres(ql)?:/.test(from) ? openPostgres(from) : openSqlite(from.replace(/^sqlite:/, ''));
}

/** Returns the source that `open` makes of a database. Closes the database if that fails. */
export async function sourceOn(database: SourceDatabase, open: (database: SourceDatabase) => Promise<ImportSource>): Promise<ImportSource> {
  try {
    return await open(database);
  } catch (error) {
    await database.close();
    throw error;
  }
}

/** A file that was copied while its program ran has its newest rows in the `-wal` file in the same folder. */
export function openSqlite(path: string): SourceDatabase {
  if (!existsSync(path)) throw new UnusableSource(`--from names ${path}, which does not exist. Give the path of the source's SQLite file.`);
  if (!statSync(path).isFile()) throw new UnusableSource(`--from must be a file or a postgres:// URL. ${path} is a folder.`);
  return sqliteSource(openFile(path));
}

/** Reads a SQLite database that is open. It is closed with the source. */
export function sqliteSource(database: DatabaseSync): SourceDatabase {
  return {
    dialect: 'sqlite',
    async columns(table) {
      const rows = database.prepare('SELECT name FROM pragma_table_info(?)').all(table) as { name: string }[];
      return new Set(rows.map(({ name }) => name));
    },
    async tables() {
      const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all() as { name: string }[];
      return rows.map(({ name }) => name);
    },
    async *rows(sql) {
      try {
        yield* database.prepare(sql).iterate() as Iterable<SourceRow>;
      } catch (error) {
        throw asUnusable(error);
      }
    },
    bytewise: (column) => `${column} COLLATE BINARY`,
    async close() {
      database.close();
    },
  };
}

/** Opens the file, checks it, and begins the snapshot. */
function openFile(path: string): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: 10_000 });
  try {
    database.exec('PRAGMA query_only = ON; PRAGMA temp_store = FILE; BEGIN; SELECT count(*) FROM sqlite_schema');
    const damages = database.prepare('PRAGMA quick_check(1)').all() as Record<string, unknown>[];
    const damage = Object.values(damages[0] ?? {})[0];
    if (damage !== 'ok') throw new Error(`quick_check: ${damage}`);
    return database;
  } catch (error) {
    database.close();
    throw asUnusable(error);
  }
}

function asUnusable(error: unknown): Error {
  if (error instanceof UnusableSource) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new UnusableSource(
    `The SQLite file of the source cannot be read (${reason}). It may be a copy of a part. Stop the source, and copy the file with its -wal and -shm files.`,
  );
}

const PAGE = 1000;

async function openPostgres(url: string): Promise<SourceDatabase> {
  // Texts as the server sends them: the driver would read a time without a zone as local time.
  const types = { getTypeParser: () => (text: string) => text };
  const client = new Client({ connectionString: url, application_name: 'satchel import', types });
  try {
    await client.connect();
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query('SET LOCAL statement_timeout = 0');
  } catch (error) {
    await client.end().catch(() => undefined);
    // The message of the driver may contain parts of the URL.
    throw new UnusableSource(
      `The PostgreSQL database of --from cannot be opened (${(error as { code?: string }).code ?? 'no connection'}). Correct host, port, user, password and database.`,
    );
  }
  let cursors = 0;
  return {
    dialect: 'postgres',
    async columns(table) {
      const [schema, name] = table.includes('.') ? table.split('.') : ['public', table];
      const found = await client.query('SELECT column_name FROM information_schema.columns WHERE table_schema = $1 AND table_name = $2', [
        schema,
        name,
      ]);
      return new Set(found.rows.map(({ column_name }: { column_name: string }) => column_name));
    },
    async tables() {
      const found = await client.query(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY table_name",
      );
      return found.rows.map(({ table_name }: { table_name: string }) => table_name);
    },
    async *rows(sql) {
      cursors += 1;
      const name = `import_${cursors}`;
      await client.query(`DECLARE ${name} NO SCROLL CURSOR FOR ${sql}`);
      for (;;) {
        const { rows } = await client.query<SourceRow>(`FETCH ${PAGE} FROM ${name}`);
        yield* rows;
        if (rows.length < PAGE) break;
      }
      await client.query(`CLOSE ${name}`);
    },
    bytewise: (column) => `${column} COLLATE "C"`,
    async close() {
      await client.end();
    },
  };
}
