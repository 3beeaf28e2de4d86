import { Refusal } from '../../core/kernel/refusal.ts';
import { MAX_LINES } from '../bulk.ts';
import { shownName } from '../field-schema.ts';

const MAX_COLUMNS = 20;

/** Between cells: a comma, or what spreadsheets write where the comma is the decimal sign. */
const SEPARATOR = /[,;\t]/;

/**
 * Parses CSV (RFC 4180) whose first row names the fields: each other row is a line. An empty cell is an absent field. Cells may also be separated by
 * semicolons or tabs. Empty rows, and empty columns at the end, are left out.
 * @throws Refusal `malformed_body` naming the row
 */
export function parseCsvLines(text: string): Record<string, string>[] {
  const content = text.replace(/^\uFEFF/, '');
  // The names of fields contain no separators.
  const rows = rowsOf(content, SEPARATOR.exec(/^[^\r\n]*/.exec(content)?.[0] ?? '')?.[0] ?? ',');
  const names = withoutEmptyEnd((rows.next().value ?? []).map((name) => name.trim()));
  requireNames(names);
  const lines: Record<string, string>[] = [];
  let row = 1;
  for (const found of rows) {
    row += 1;
    const cells = withoutEmptyEnd(found);
    if (cells.length === 0) continue;
    // The route rejects more lines than this; the rest of the text is not parsed.
    if (lines.length > MAX_LINES) break;
    if (cells.length > names.length)
      throw malformed(`Row ${row} of the CSV must have at most ${names.length} cells, as many as the first row.`);
    const line: Record<string, string> = Object.create(null);
    for (const [index, cell] of cells.entries()) if (cell !== '') line[names[index] ?? ''] = cell;
    lines.push(line);
  }
  return lines;
}

/** Spreadsheets write empty columns and rows that once had content. */
function withoutEmptyEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell !== '') + 1);
}

function requireNames(names: readonly string[]): void {
  if (names.length === 0) throw malformed('The first row of the CSV must have a name of a field in each column.');
  if (names.length > MAX_COLUMNS) throw malformed(`The CSV must have at most ${MAX_COLUMNS} columns.`);
  for (const [index, name] of names.entries()) {
    if (name === '' || name === '__proto__') throw malformed('The first row of the CSV must have a name of a field in each column.');
    if (names.indexOf(name) !== index) throw malformed(`The CSV must have one column ${shownName(name)}.`);
  }
}

/** Splits a text into rows of cells. @throws Refusal `malformed_body` */
function* rowsOf(text: string, separator: string): Generator<string[], undefined> {
  const ends: ReadonlySet<string> = new Set([separator, '\r', '\n']);
  let cells: string[] = [];
  let row = 1;
  for (let at = 0; at <= text.length; ) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, { start: at, row, ends }) : plainCell(text, at, ends);
    cells.push(cell);
    if (text[end] === separator) {
      at = end + 1;
      continue;
    }
    yield cells;
    if (end >= text.length) return;
    [cells, row] = [[], row + 1];
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
}

function plainCell(text: string, start: number, ends: ReadonlySet<string>): { cell: string; end: number } {
  let end = start;
  while (end < text.length && !ends.has(text[end] ?? '')) end += 1;
  return { cell: text.slice(start, end).trim(), end };
}

interface QuotedCell {
  readonly start: number;
  readonly row: number;
  readonly ends: ReadonlySet<string>;
}

function quotedCell(text: string, { start, row, ends }: QuotedCell): { cell: string; end: number } {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw malformed(`Row ${row} of the CSV has a quotation mark without its end.`);
    at = quote + 1;
    if (text[at] !== '"') break;
    at += 1;
  }
  if (at < text.length && !ends.has(text[at] ?? ''))
    throw malformed(`Row ${row} of the CSV must have a separator or a line break after a quoted cell.`);
  return { cell: text.slice(start + 1, at - 1).replaceAll('""', '"'), end: at };
}

function malformed(message: string): Refusal {
  return new Refusal('malformed_body', message);
}
