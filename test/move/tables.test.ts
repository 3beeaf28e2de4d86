import { expect, it } from 'vitest';
import type { SqlValue } from '../../src/core/db/database.ts';
import { statement } from '../../src/core/db/statement.ts';
import { parseLines, splitLines, toLine } from '../../src/features/move/lines.ts';
import { COPIED, LEFT_OUT, type Table } from '../../src/features/move/tables.ts';
import { onBothDatabases } from '../support/ledger.ts';

const listTables = statement<{ name: string }>('test_list_tables', {
  sqlite: "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
  postgres: "SELECT relname AS name FROM pg_class WHERE relkind IN ('r', 'p') AND relnamespace = current_schema()::regnamespace",
});

onBothDatabases('the tables of a move', (open, dialect) => {
  it('are all tables of the schema: each one is copied, or left out for a reason', async () => {
    const names = (await (await open()).all(listTables)).map(({ name }) => name);
    const ofOther = { sqlite: ['event_order'], postgres: ['ledger_checkpoint'] }[dialect];
    expect(names.sort()).toEqual([...Object.keys(COPIED), ...Object.keys(LEFT_OUT)].filter((name) => !ofOther.includes(name)).sort());
  });
});

const TABLE: Table = {
  name: 'strange',
  columns: [
    { name: 'id', type: 'INTEGER' },
    { name: 'text', type: 'TEXT' },
    { name: 'bytes', type: 'BLOB' },
  ],
  key: ['id'],
  condition: 'TRUE',
};

const ROWS: SqlValue[][] = [
  [1, '', new Uint8Array()],
  [-9007199254740991, '\\N', null],
  [9007199254740991, null, Uint8Array.of(0, 92, 10, 255)],
  [4, 'tab\tline\nreturn\rback\\slash \b\f\v \u0001\u007f é 𝄞 \\. \\x41', Uint8Array.of(1)],
];

it('reads each row of a line as it was written, wherever the pieces of the stream end', async () => {
  const bytes = Buffer.from(ROWS.map((row) => toLine(TABLE, row)).join(''));
  for (let size = 1; size < 40; size++) {
    const read: SqlValue[][] = [];
    let count = 0;
    const pieces = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    for await (const lines of splitLines(pieces())) {
      read.push(...parseLines(TABLE, lines.bytes));
      count += lines.rows;
    }
    expect(read.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value)))).toEqual(
      ROWS.map((row) => row.map((value) => (value instanceof Uint8Array ? [...value] : value))),
    );
    expect(count).toBe(ROWS.length);
  }
});

it('rejects a text that PostgreSQL cannot store, and names its table', () => {
  expect(() => toLine(TABLE, [1, 'a\0b', null])).toThrow('A text in the table strange contains the character U+0000');
});
