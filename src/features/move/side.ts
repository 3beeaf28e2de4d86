import type { SqlValue } from '../../core/db/database.ts';
import type { Lines } from './lines.ts';
import type { Table } from './tables.ts';

/** The values of a primary key. */
export type RowKey = readonly SqlValue[];

/** The rows of a table, counted and summed by the database itself. */
export interface Totals {
  readonly rows: number;
  /** The sums of all integer columns. */
  readonly sums: string;
}

/** One of the two databases of a copy. Nothing else writes to it meanwhile. */
export interface CopySide {
  /** Reads the rows of a table in the order of its key, from the first one or after a key. */
  lines(table: Table, after?: RowKey): AsyncIterable<Lines>;
  /** Appends rows, and commits them a part at a time. */
  append(table: Table, lines: AsyncIterable<Lines>): Promise<void>;
  /** The key of the last row of a table. */
  lastKey(table: Table): Promise<RowKey | undefined>;
  totals(table: Table): Promise<Totals>;
  /** Prepares a filled target for its use. */
  finish(tables: readonly Table[]): Promise<void>;
  close(): Promise<void>;
}

/** An interrupted copy repeats at most so many rows. */
export const ROWS_PER_COMMIT = 100_000;

export function selectTotals({ name, columns, condition }: Table): string {
  // Two sums per column: one sum of balances could exceed an integer of SQLite.
  const sums = columns.flatMap(({ name: column, type }) =>
    type === 'INTEGER' ? [`sum(${column} >> 32)`, `sum(${column} & 4294967295)`] : [],
  );
  return `SELECT ${['count(*)', ...sums].map((one, index) => `${one} AS v${index}`).join(', ')} FROM ${name} WHERE ${condition}`;
}

/** Combines the values of {@link selectTotals}. */
export function toTotals([rows, ...halves]: readonly (bigint | string | number | null)[]): Totals {
  const sums: string[] = [];
  for (let i = 0; i < halves.length; i += 2) sums.push(String(big(halves[i]) * 4_294_967_296n + big(halves[i + 1])));
  return { rows: Number(rows), sums: sums.join(' ') };
}

/** The sum of no values is NULL. */
function big(value: bigint | string | number | null | undefined): bigint {
  return BigInt(value ?? 0);
}

export function columnsOf({ columns }: Table): string {
  return columns.map(({ name }) => name).join(', ');
}
