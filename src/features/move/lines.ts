import type { SqlValue } from '../../core/db/database.ts';
import { MoveFailed } from './failures.ts';
import type { Table } from './tables.ts';

/*
 * Rows as text, in the format of PostgreSQL's COPY: values are separated by tabs, a row ends with a line feed, \N is NULL. PostgreSQL writes and
 * reads this format itself, and it writes each row in one way only. So the bytes are also what both databases are compared by.
 */

/** Some complete lines. */
export interface Lines {
  readonly bytes: Buffer;
  readonly rows: number;
}

const ESCAPES: Readonly<Record<string, string>> = {
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
  '\\': '\\\\',
};
const ESCAPED = /[\b\f\n\r\t\v\\]/;
const UNESCAPES: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(ESCAPES).map(([character, escaped]) => [escaped[1] ?? '', character]),
);
const LINE_FEED = 10;

/** Returns a row as a line. @throws MoveFailed for a text that PostgreSQL cannot store */
export function toLine(table: Table, row: readonly SqlValue[]): string {
  let line = '';
  for (let i = 0; i < row.length; i++) {
    if (i > 0) line += '\t';
    const value = row[i];
    if (typeof value === 'number') line += value;
    else if (typeof value === 'string') line += textOf(table, value);
    else if (value === null || value === undefined) line += '\\N';
    else line += `\\\\x${Buffer.from(value.buffer, value.byteOffset, value.byteLength).toString('hex')}`;
  }
  return `${line}\n`;
}

function textOf(table: Table, text: string): string {
  if (text.includes('\0'))
    throw new MoveFailed(`A text in the table ${table.name} contains the character U+0000, which PostgreSQL cannot store.`);
  return ESCAPED.test(text) ? text.replace(/[\b\f\n\r\t\v\\]/g, (character) => ESCAPES[character] as string) : text;
}

/** Returns the values of some lines, row by row. */
export function parseLines(table: Table, bytes: Buffer): SqlValue[][] {
  const lines = bytes.toString('utf8').split('\n');
  lines.pop();
  return lines.map((line) => line.split('\t').map((field, index) => toValue(field, table.columns[index]?.type)));
}

function toValue(field: string, type: string | undefined): SqlValue {
  if (field === '\\N') return null;
  if (type === 'INTEGER') {
    const value = Number(field);
    if (Number.isSafeInteger(value)) return value;
    throw new RangeError('the database holds an integer beyond 2^53 − 1');
  }
  if (type === 'BLOB') return Buffer.from(field.slice(3), 'hex');
  return field.includes('\\') ? field.replace(/\\(.)/gs, (_escape, character: string) => UNESCAPES[character] ?? character) : field;
}

/** Cuts a stream of bytes after complete lines. */
export async function* splitLines(stream: AsyncIterable<Buffer>): AsyncGenerator<Lines> {
  let rest: Buffer[] = [];
  for await (const chunk of stream) {
    const end = chunk.lastIndexOf(LINE_FEED) + 1;
    if (end > 0) {
      const bytes = rest.length > 0 ? Buffer.concat([...rest, chunk.subarray(0, end)]) : chunk.subarray(0, end);
      yield { bytes, rows: countLines(bytes) };
      rest = [];
    }
    if (end < chunk.length) rest.push(chunk.subarray(end));
  }
  if (rest.length > 0) throw new Error('the stream of rows ended within a row');
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(LINE_FEED); at >= 0; at = bytes.indexOf(LINE_FEED, at + 1)) count++;
  return count;
}
