import { inexactNumber } from '../../http/requests/json-numbers.ts';
import { UnusableSource } from './source.ts';
import type { SourceDatabase, SourceRow } from './source-database.ts';

/** A column, with its earlier names. */
export interface WantedColumn {
  readonly names: readonly [string, ...string[]];
  readonly isOptional?: boolean;
}

/**
 * Finds the columns of a table by their present or earlier names. Schemas differ between versions, so columns are never assumed.
 * @returns the SQL of each wanted column: its quoted name, or NULL for an optional one that is missing.
 * @throws UnusableSource if the table or a required column is missing
 */
export async function detectColumns<Name extends string>(
  database: SourceDatabase,
  table: string,
  wanted: Readonly<Record<Name, WantedColumn>>,
): Promise<Record<Name, string>> {
  const present = await database.columns(table);
  if (present.size === 0) throw new UnusableSource(`The source has no table ${table}. Check that --from is the database of this program.`);
  const missing: string[] = [];
  const found = {} as Record<Name, string>;
  for (const [name, { names, isOptional = false }] of Object.entries(wanted) as [Name, WantedColumn][]) {
    const match = names.find((one) => present.has(one));
    if (match === undefined && !isOptional) missing.push(names.join(' or '));
    found[name] = match === undefined ? 'NULL' : `"${match}"`;
  }
  if (missing.length > 0)
    throw new UnusableSource(
      `The table ${table} of the source lacks the columns ${missing.join(', ')}. This version of the source is not known: use a version of Satchel that knows it.`,
    );
  return found;
}

/** Returns the SQL of a column of {@link detectColumns} in a table with an alias. */
export function qualified(alias: string, column: string): string {
  return column === 'NULL' ? column : `${alias}.${column}`;
}

/** Returns a SELECT list `column AS name`. */
export function selectList(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns)
    .map(([name, sql]) => `${sql} AS "${name}"`)
    .join(', ');
}

/** @throws UnusableSource unless the value is a whole number of at most 2^53 − 1 */
export function readInteger(row: SourceRow, name: string, where: string): number {
  const value = row[name];
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
  throw new UnusableSource(`${where}: ${name} must be a whole number of at most 2^53 − 1.`);
}

/** Returns a text; undefined for NULL and an empty one. NUL characters are removed, because PostgreSQL cannot store them. */
export function readText(row: SourceRow, name: string): string | undefined {
  const value = row[name];
  if (value === null || value === undefined || value === '') return undefined;
  return String(value).replaceAll('\u0000', '');
}

/** Returns 32 bytes as hex in lower case; undefined for any other value. */
export function readHash(row: SourceRow, name: string): string | undefined {
  const lower = readText(row, name)?.toLowerCase();
  return lower !== undefined && /^[0-9a-f]{64}$/.test(lower) ? lower : undefined;
}

/** Returns whether a boolean column, which SQLite stores as 0 or 1, is true. */
export function readFlag(row: SourceRow, name: string): boolean {
  const value = row[name];
  return value === true || value === 1 || value === '1' || value === 't' || value === 'true';
}

/** Returns Unix seconds of a number of seconds, or of a text or Date in UTC; undefined for NULL. @throws UnusableSource */
export function readTime(row: SourceRow, name: string, where: string): number | undefined {
  const value = row[name];
  if (value === null || value === undefined || value === '') return undefined;
  const seconds = value instanceof Date ? value.getTime() / 1000 : typeof value === 'number' ? value : secondsOfText(String(value));
  if (Number.isFinite(seconds) && seconds >= 0 && seconds <= MAX_SECONDS) return Math.floor(seconds);
  throw new UnusableSource(`${where}: ${name} must be a time between 1970 and 9999.`);
}

const MAX_SECONDS = 253_402_300_799;

function secondsOfText(text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  const zoned = /(Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text.replace(' ', 'T')}Z`;
  return Date.parse(zoned) / 1000;
}

/** Returns those of the columns that have something, for `data` of a row of history. JSON becomes its value. */
export function readData(row: SourceRow, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.flatMap((name) => withoutEmpty(name, readText(row, name))));
}

const EMPTY: ReadonlySet<string> = new Set(['[]', '{}', 'null']);

function withoutEmpty(name: string, text: string | undefined): [string, unknown][] {
  if (text === undefined || EMPTY.has(text)) return [];
  return [[name, jsonOrText(text)]];
}

/** Returns the value of JSON text; the text itself if it is none, or has a number that JavaScript would change. */
export function jsonOrText(text: string): unknown {
  try {
    return /^[[{]/.test(text) && inexactNumber(text) === undefined ? JSON.parse(text) : text;
  } catch {
    return text;
  }
}
