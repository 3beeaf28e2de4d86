import { PER_TURN, pauseTransaction } from '../kernel/turns.ts';
import type { SqlParameter, SqlValue, Tx } from './database.ts';
import { isDivisionByZero } from './errors.ts';
import type { Statement } from './statement.ts';

/** A write that a module adds to a posting or transaction of another module. It must change exactly one row, unless a miss is ignored. */
export interface RowWrite {
  readonly statement: Statement;
  readonly parameters: readonly SqlParameter[];
  /**
   * The error when it does not. A function where it is used often, because creating an error captures a stack, which is slow.
   * `ignore`: it may change nothing.
   */
  readonly onMiss: Error | (() => Error) | 'ignore';
}

/** Runs a write. @returns the `onMiss` of a row that did not change as it must. */
export async function writeRow(tx: Tx, { statement, parameters, onMiss }: RowWrite): Promise<Error | undefined> {
  const changed = await tx.run(statement, ...parameters);
  return changed === 1 || onMiss === 'ignore' ? undefined : refusalOf(onMiss);
}

function refusalOf(onMiss: Exclude<RowWrite['onMiss'], 'ignore'>): Error {
  return typeof onMiss === 'function' ? onMiss() : onMiss;
}

/** PostgreSQL's forms of a write that can be sent without waiting for its result. */
interface Sendable {
  readonly one: Statement;
  readonly many: Statement | undefined;
}

const sendable = new WeakMap<Statement, Sendable>();

/**
 * Returns forms of a write that fail with a division by zero unless they change exactly the expected number of rows. So the rows of a
 * transaction share a round trip with COMMIT. {@link missedRow} finds the row that caused such a failure.
 */
function sendableOf(write: Statement): Sendable {
  const known = sendable.get(write);
  if (known) return known;
  const { name, sqlite, postgres, postgresMany } = write;
  const form = (kind: string, changing: string, expected: string): Statement => ({
    name: `${name}_${kind}`,
    sqlite,
    postgres: `WITH changed AS (${changing}) SELECT 1 / (CASE count(*) WHEN ${expected} THEN 1 ELSE 0 END) FROM changed`,
  });
  const parameters = Math.max(0, ...Array.from(postgres.matchAll(/\$(\d+)/g), ([, number]) => Number(number)));
  const many = postgresMany === undefined ? undefined : form('many', postgresMany, `$${parameters + 1}::bigint`);
  const forms = { one: form('one', `${postgres} RETURNING 1`, '1'), many };
  sendable.set(write, forms);
  return forms;
}

/**
 * Sends rows in a transaction on PostgreSQL; those of one statement together if it has a text for many. The transaction fails if one of them
 * does not change as it must.
 */
export async function sendRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  const together = new Map<Statement, RowWrite[]>();
  for (const row of rows) {
    if (row.onMiss === 'ignore') {
      await tx.send(row.statement, ...row.parameters);
      continue;
    }
    const same = together.get(row.statement);
    if (same) same.push(row);
    else together.set(row.statement, [row]);
  }
  for (const [statement, same] of together) {
    const { one, many } = sendableOf(statement);
    if (many) await tx.send(many, ...columnsOf(same), same.length);
    else for (const { parameters } of same) await tx.send(one, ...parameters);
  }
}

function columnsOf(rows: readonly RowWrite[]): SqlValue[][] {
  const width = rows[0]?.parameters.length ?? 0;
  // Statements with a text for many have no list parameters.
  return Array.from({ length: width }, (_, column) => rows.map(({ parameters }) => (parameters[column] ?? null) as SqlValue));
}

/** Returns the `onMiss` of the first row of the statement that failed a transaction because it did not change the expected number of rows. */
export function missOf(rows: readonly RowWrite[], error: unknown): Error | undefined {
  if (!isDivisionByZero(error)) return undefined;
  for (const { statement, onMiss } of rows) {
    if (onMiss === 'ignore') continue;
    const { one, many } = sendableOf(statement);
    if (error.statementName === (many ?? one).name) return refusalOf(onMiss);
  }
  return undefined;
}

/** Writes many rows of one statement with a text for many, in a transaction that is not a posting. On PostgreSQL they share a round trip. */
export async function writeManyRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  await (tx.dialect === 'postgres' ? sendRows(tx, rows) : writeRows(tx, rows));
}

/** Writes rows in a transaction that is not a posting. @throws the `onMiss` of a row that does not change as it must */
export async function writeRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % PER_TURN.writtenRows === 0) await pauseTransaction();
    const missed = await writeRow(tx, row);
    if (missed) throw missed;
  }
}
