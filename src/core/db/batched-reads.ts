import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Database, Row } from './database.ts';
import type { Statement } from './statement.ts';

/** Reads a row by its id ($1), and rows by a list of ids ($1). */
interface RowStatements<R extends Row> {
  readonly one: Statement<R>;
  readonly many: Statement<R>;
}

/**
 * Returns a function that reads a row by its id. Rows that are requested in one turn of the event loop are read with one statement: under load,
 * the wallets of many requests.
 */
export function batchReads<R extends Row & { id: string }>(database: Database, { one, many }: RowStatements<R>) {
  let ids = new Set<string>();
  let rows: Promise<Map<string, R>> | undefined;

  async function read(): Promise<Map<string, R>> {
    await nextTurn();
    const wanted = [...ids];
    ids = new Set();
    rows = undefined;
    const found = await (wanted.length === 1 ? database.all(one, wanted[0] as string) : database.all(many, wanted));
    return new Map(found.map((row) => [row.id, row]));
  }

  return async (id: string): Promise<R | undefined> => {
    ids.add(id);
    rows ??= read();
    return (await rows).get(id);
  };
}
