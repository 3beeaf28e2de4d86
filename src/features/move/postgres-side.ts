import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import type { SqlValue } from '../../core/db/database.ts';
import { failed } from '../../core/db/postgres-queries.ts';
import { splitLines } from './lines.ts';
import { type CopySide, columnsOf, ROWS_PER_COMMIT, selectTotals, toTotals } from './side.ts';
import type { Table } from './tables.ts';

/** How a row is written depends on the session. Rows are read through the primary key: a sort would write large tables to the disk. */
const SESSION = `SET bytea_output = 'hex'; SET client_encoding = 'UTF8'; SET statement_timeout = 0; SET enable_sort = off;
  SET idle_in_transaction_session_timeout = 0; SET lock_timeout = 0; SET jit = off`;

/** The rows of one moment, of a database that is in use. */
const BEGIN_SNAPSHOT = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY';

/** What is appended is lost with the server at most; the copy continues before it. Later commits wait for the disk, also for these rows. */
const UNSYNCED = 'SET synchronous_commit = off';

/**
 * The number of the locks of a move. After a kill, the server may still execute the last statement of the killed run: the next one waits for its
 * end.
 */
export const LOCK_CLASS = 5347;

interface PostgresSideOptions {
  /** snapshot: reads one moment of a database that is in use. */
  readonly mode: 'read' | 'snapshot' | 'append';
}

/** Connects to PostgreSQL as a side of a copy. */
export async function openPostgresSide(url: string, { mode }: PostgresSideOptions): Promise<CopySide> {
  const client = new pg.Client({ connectionString: url, keepAlive: true, application_name: 'satchel move' });
  // A lost connection fails the running statement, or the next one.
  client.on('error', () => {});
  await client.connect();
  await client.query(SESSION);
  if (mode === 'snapshot') await client.query(BEGIN_SNAPSHOT);
  if (mode === 'append') await client.query(`${UNSYNCED}; SELECT pg_advisory_lock(${LOCK_CLASS}, 1)`);

  async function first(table: Table, sql: string): Promise<unknown[] | undefined> {
    const result = await client.query({ text: sql, rowMode: 'array' }).catch((error) => {
      throw withoutValues(table, error);
    });
    return result.rows[0];
  }

  return {
    async *lines(table, after) {
      const { name, key, condition } = table;
      const rest = after === undefined ? '' : ` AND (${key.join(', ')}) > (${after.map(literal).join(', ')})`;
      const select = `SELECT ${columnsOf(table)} FROM ${name} WHERE ${condition}${rest} ORDER BY ${key.join(', ')}`;
      const stream = client.query(copyTo(`COPY (${select}) TO STDOUT`));
      let isComplete = false;
      try {
        yield* splitLines(stream);
        isComplete = true;
      } catch (error) {
        throw withoutValues(table, error);
      } finally {
        // The server would wait until someone reads the rest.
        if (!isComplete) client.connection.stream.destroy();
      }
    },

    async append(table, lines) {
      const source = lines[Symbol.asyncIterator]();
      for (let isDone = false; !isDone; ) {
        const part = async function* (): AsyncGenerator<Buffer> {
          for (let rows = 0; rows < ROWS_PER_COMMIT; ) {
            const next = await source.next();
            if (next.done) {
              isDone = true;
              return;
            }
            rows += next.value.rows;
            yield next.value.bytes;
          }
        };
        const copy = client.query(copyFrom(`COPY ${table.name} (${columnsOf(table)}) FROM STDIN`));
        await pipeline(Readable.from(part(), { objectMode: false }), copy).catch((error) => {
          throw withoutValues(table, error);
        });
      }
    },

    async lastKey(table) {
      const order = table.key.map((one) => `${one} DESC`).join(', ');
      const row = await first(
        table,
        `SELECT ${table.key.join(', ')} FROM ${table.name} WHERE ${table.condition} ORDER BY ${order} LIMIT 1`,
      );
      return row?.map((value, index) => (typeOf(table, table.key[index]) === 'INTEGER' ? Number(value) : value) as SqlValue);
    },

    totals: async (table) => toTotals((await first(table, selectTotals(table))) as (string | null)[]),

    // Without statistics the first plans would read whole tables.
    async finish(tables) {
      await client.query(`VACUUM (ANALYZE) ${tables.map(({ name }) => name).join(', ')}`);
    },

    close: () => client.end(),
  };
}

/** An error of PostgreSQL may contain values. The other side's errors pass. */
function withoutValues({ name }: Table, error: unknown): unknown {
  return error instanceof pg.DatabaseError ? failed(name, error as Error) : error;
}

function typeOf({ columns }: Table, name: string | undefined): string | undefined {
  return columns.find((column) => column.name === name)?.type;
}

/** COPY takes no parameters. */
function literal(value: SqlValue): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return pg.escapeLiteral(value);
  if (value === null) return 'NULL';
  return `'\\x${Buffer.from(value).toString('hex')}'::bytea`;
}
