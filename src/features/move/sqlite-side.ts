import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync, type SQLInputValue, type StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlValue } from '../../core/db/database.ts';
import { writeCheckpoint } from './checkpoint.ts';
import { MoveFailed } from './failures.ts';
import { type Lines, parseLines, toLine } from './lines.ts';
import { type CopySide, columnsOf, ROWS_PER_COMMIT, type RowKey, selectTotals, toTotals } from './side.ts';
import type { Table } from './tables.ts';

/** Rows that are read at a time. */
const PAGE = 1000;
const CACHE_KIB = 131_072;

/** Opens a SQLite file as a side of a copy. */
export function openSqliteSide(path: string, { readOnly }: { readonly readOnly: boolean }): CopySide {
  const file = new DatabaseSync(path, { readOnly, timeout: 10_000 });
  // Foreign keys are checked at the end. A crash of the machine loses commits at most, and the copy continues before them.
  file.exec(`PRAGMA foreign_keys = OFF; PRAGMA synchronous = NORMAL; PRAGMA temp_store = FILE; PRAGMA cache_size = -${CACHE_KIB}`);

  return {
    async *lines(table, after) {
      const { first, next } = prepareReads(file, table);
      for (let last = after; ; ) {
        const rows = (last ? next.all(...last.map(bound)) : first.all()) as unknown as SqlValue[][];
        const final = rows.at(-1);
        if (!final) return;
        let text = '';
        for (const row of rows) text += toLine(table, row);
        yield { bytes: Buffer.from(text), rows: rows.length };
        if (rows.length < PAGE) return;
        last = keyOf(table, final);
      }
    },

    async append(table, lines) {
      const insert = file.prepare(`INSERT INTO ${table.name} (${columnsOf(table)}) VALUES (${table.columns.map(() => '?').join(', ')})`);
      try {
        await appendRows(file, insert, table, lines);
      } finally {
        if (file.isTransaction) file.exec('ROLLBACK');
      }
    },

    async lastKey(table) {
      const statement = file.prepare(
        `SELECT ${table.key.join(', ')} FROM ${table.name} WHERE ${table.condition} ORDER BY ${table.key.map((one) => `${one} DESC`).join(', ')} LIMIT 1`,
      );
      statement.setReturnArrays(true);
      return statement.get() as unknown as RowKey | undefined;
    },

    async totals(table) {
      const statement = file.prepare(selectTotals(table));
      statement.setReturnArrays(true);
      statement.setReadBigInts(true);
      return toTotals(statement.get() as unknown as (bigint | null)[]);
    },

    async finish() {
      writeCheckpoint(file);
      const [broken] = file.prepare('PRAGMA foreign_key_check').all();
      if (broken) throw new MoveFailed(`The copy has a row in ${broken.table} that refers to a missing row of ${broken.parent}.`);
      // The last commit of the target syncs its log. A new file also needs its entry in the folder.
      for (const one of [path, dirname(path)]) syncPath(one);
    },

    close: async () => file.close(),
  };
}

function syncPath(path: string): void {
  const file = openSync(path, 'r');
  fsyncSync(file);
  closeSync(file);
}

function prepareReads(file: DatabaseSync, table: Table): { first: StatementSync; next: StatementSync } {
  const { name, key, condition } = table;
  const select = `SELECT ${columnsOf(table)} FROM ${name} WHERE ${condition}`;
  const order = `ORDER BY ${key.join(', ')} LIMIT ${PAGE}`;
  const first = file.prepare(`${select} ${order}`);
  const next = file.prepare(`${select} AND (${key.join(', ')}) > (${key.map(() => '?').join(', ')}) ${order}`);
  for (const statement of [first, next]) statement.setReturnArrays(true);
  return { first, next };
}

async function appendRows(file: DatabaseSync, insert: StatementSync, table: Table, lines: AsyncIterable<Lines>): Promise<void> {
  let uncommitted = 0;
  for await (const { bytes } of lines) {
    for (const row of parseLines(table, bytes)) {
      if (uncommitted === 0) file.exec('BEGIN');
      // An INTEGER column of a STRICT table converts a whole REAL, which Node binds, to an integer.
      insert.run(...(row as SQLInputValue[]));
      uncommitted++;
      if (uncommitted < ROWS_PER_COMMIT) continue;
      file.exec('COMMIT');
      uncommitted = 0;
    }
    // Signals and the progress need a turn: the other side may answer without one.
    await nextTurn();
  }
  if (uncommitted > 0) file.exec('COMMIT');
}

function keyOf({ columns, key }: Table, row: readonly SqlValue[]): RowKey {
  return key.map((name) => row[columns.findIndex((column) => column.name === name)] as SqlValue);
}

/** In a comparison, a REAL would lose an index. */
function bound(value: SqlValue): SQLInputValue {
  return typeof value === 'number' ? BigInt(value) : value;
}
