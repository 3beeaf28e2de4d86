import { Refusal } from '../../core/kernel/refusal.ts';
import { MAX_LINES } from '../bulk.ts';
import { shownName } from '../field-schema.ts';

const MAX_COLUMNS = 20;

/**
 * Parses CSV (RFC 4180) whose first row names the fields: each other row is a line. An empty cell is an absent field.
 * @throws Refusal `malformed_body` naming the row
 */
export function parseCsvLines(text: string): Record<string, string>[] {
  const rows = rowsOf(text.replace(/^\uFEFF/, ''));
  const names = (rows.next().value ?? []).map((name) => name.trim());
  requireNames(names);
  const lines: Record<string, string>[] = [];
  for (const cells of rows) {
    // An empty row, such as the last one of a file.
    if (cells.length === 1 && cells[0] === '') continue;
    // The route rejects more lines than this; the rest of the text is not parsed.
    if (lines.length > MAX_LINES) break;
    if (cells.length > names.length)
      throw malformed(`Row ${lines.length + 2} of the CSV must have at most ${names.length} cells, as many as the first row.`);
    const line: Record<string, string> = Object.create(null);
    for (const [index, cell] of cells.entries()) if (cell !== '') line[names[index] ?? ''] = cell;
    lines.push(line);
  }
  return lines;
}

function requireNames(names: readonly string[]): void {
  if (names.length > MAX_COLUMNS) throw malformed(`The CSV must have at most ${MAX_COLUMNS} columns.`);
  for (const [index, name] of names.entries()) {
    if (name === '' || name === '__proto__') throw malformed('The first row of the CSV must have a name of a field in each column.');
    if (names.indexOf(name) !== index) throw malformed(`The CSV must have one column ${shownName(name)}.`);
  }
}

/** Splits a text into rows of cells. @throws Refusal `malformed_body` */
function* rowsOf(text: string): Generator<string[], undefined> {
  let cells: string[] = [];
  let row = 1;
  for (let at = 0; at <= text.length; ) {
    const { cell, end } = text[at] === '"' ? quotedCell(text, at, row) : plainCell(text, at);
    cells.push(cell);
    if (text[end] === ',') {
      at = end + 1;
      continue;
    }
    yield cells;
    if (end >= text.length) return;
    [cells, row] = [[], row + 1];
    at = text.startsWith('\r\n', end) ? end + 2 : end + 1;
  }
}

function plainCell(text: string, start: number): { cell: string; end: number } {
  let end = start;
  while (end < text.length && !SEPARATORS.has(text[end] ?? '')) end += 1;
  return { cell: text.slice(start, end).trim(), end };
}

const SEPARATORS: ReadonlySet<string> = new Set([',', '\r', '\n']);

function quotedCell(text: string, start: number, row: number): { cell: string; end: number } {
  let at = start + 1;
  for (;;) {
    const quote = text.indexOf('"', at);
    if (quote < 0) throw malformed(`Row ${row} of the CSV has a quotation mark without its end.`);
    at = quote + 1;
    if (text[at] !== '"') break;
    at += 1;
  }
  if (at < text.length && !SEPARATORS.has(text[at] ?? ''))
    throw malformed(`Row ${row} of the CSV must have a comma or a line break after a quoted cell.`);
  return { cell: text.slice(start + 1, at - 1).replaceAll('""', '"'), end: at };
}

function malformed(message: string): Refusal {
  return new Refusal('malformed_body', message);
}
