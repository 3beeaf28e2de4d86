import { createHash } from 'node:crypto';
import type { Lines } from './lines.ts';
import type { CopySide, Totals } from './side.ts';
import type { Table } from './tables.ts';

export type RowProgress = (done: number, total: number) => void;

export interface Copy {
  readonly source: CopySide;
  readonly target: CopySide;
  readonly tables: readonly Table[];
}

/** What a source contains, by table. */
export interface SourceContents {
  readonly totals: ReadonlyMap<string, Totals>;
  readonly rows: number;
  /** The SHA-256 of the lines of a table, where this process has read all of them. */
  readonly hashes: Map<string, string>;
}

export async function readContents({ source, tables }: Copy, progress: RowProgress): Promise<SourceContents> {
  const totals = new Map<string, Totals>();
  let rows = 0;
  for (const [index, table] of tables.entries()) {
    progress(index, tables.length);
    const found = await source.totals(table);
    totals.set(table.name, found);
    rows += found.rows;
  }
  return { totals, rows, hashes: new Map() };
}

/**
 * Copies the rows that the target lacks, table by table, in the order of the keys. Rows are appended in this order, so the last key of each table
 * shows how far an interrupted copy came. Memory does not grow with the tables.
 */
export async function copyTables({ source, target, tables }: Copy, contents: SourceContents, progress: RowProgress): Promise<void> {
  let before = 0;
  for (const table of tables) {
    const after = await target.lastKey(table);
    const hash = createHash('sha256');
    let done = before;
    const read = async function* (): AsyncGenerator<Lines> {
      for await (const lines of source.lines(table, after)) {
        hash.update(lines.bytes);
        done += lines.rows;
        progress(done, contents.rows);
        yield lines;
      }
    };
    await target.append(table, read());
    if (after === undefined) contents.hashes.set(table.name, hash.digest('hex'));
    // What an earlier run has copied counts, too. A copy of a database in use has no totals.
    before = Math.max(done, before + (contents.totals.get(table.name)?.rows ?? 0));
    progress(before, contents.rows);
  }
}

/**
 * Compares all tables: their rows as bytes, and numbers that each database calculates itself.
 * @returns the difference that was found first
 */
export async function findDifference(
  { source, target, tables }: Copy,
  contents: SourceContents,
  progress: RowProgress,
): Promise<string | undefined> {
  let done = 0;
  for (const table of tables) {
    const [expected, found] = [contents.totals.get(table.name), await target.totals(table)];
    if (expected?.rows !== found.rows) return `the table ${table.name} has ${found.rows} rows instead of ${expected?.rows}`;
    if (expected.sums !== found.sums) return `the sums of the table ${table.name} differ`;
    const hash = contents.hashes.get(table.name) ?? (await hashTable(source, table));
    if (hash !== (await hashTable(target, table, (rows) => progress(done + rows, contents.rows))))
      return `the rows of the table ${table.name} differ`;
    done += found.rows;
    progress(done, contents.rows);
  }
  return undefined;
}

/** Returns the SHA-256 of all rows of a table. */
export async function hashTable(side: CopySide, table: Table, progress: (rows: number) => void = () => {}): Promise<string> {
  const hash = createHash('sha256');
  let done = 0;
  for await (const { bytes, rows } of side.lines(table)) {
    hash.update(bytes);
    done += rows;
    progress(done);
  }
  return hash.digest('hex');
}
