import type { SqlParameter, Tx } from './database.ts';
import { isDivisionByZero } from './errors.ts';
import type { Statement } from './statement.ts';

/** A row that one room gives to another's transaction. It must change exactly one row; `otherwise` says why the whole is refused. */
export interface RowWrite {
  readonly statement: Statement;
  readonly parameters: readonly SqlParameter[];
  /** A function where it is written often: an error costs its stack even when it is never thrown. */
  readonly otherwise: Error | (() => Error);
}

export function refusalOf({ otherwise }: RowWrite): Error {
  return typeof otherwise === 'function' ? otherwise() : otherwise;
}

const sendable = new WeakMap<Statement, Statement>();

/**
 * PostgreSQL's write that fails unless it changes exactly one row. It can be sent without waiting for its result, so the rows of a
 * transaction share a round trip with COMMIT. {@link missedRow} finds the row behind such a failure.
 */
function changingOne(write: Statement): Statement {
  const known = sendable.get(write);
  if (known) return known;
  const postgres = `WITH changed AS (${write.postgres} RETURNING 1) SELECT 1 / (CASE count(*) WHEN 1 THEN 1 ELSE 0 END) FROM changed`;
  const statement = { name: `${write.name}_one`, sqlite: write.sqlite, postgres };
  sendable.set(write, statement);
  return statement;
}

/** Sends rows in a transaction on PostgreSQL. The transaction fails if one of them does not change exactly one row. */
export async function sendRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const { statement, parameters } of rows) await tx.send(changingOne(statement), ...parameters);
}

/** The first of the rows whose statement failed a transaction because it did not change exactly one row. */
export function missedRow(rows: readonly RowWrite[], error: unknown): RowWrite | undefined {
  return isDivisionByZero(error) ? rows.find(({ statement }) => changingOne(statement).name === error.statementName) : undefined;
}

/** Writes rows in a transaction that is no posting of the ledger. @throws what a row says otherwise */
export async function writeRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const row of rows) {
    if ((await tx.run(row.statement, ...row.parameters)) !== 1) throw refusalOf(row);
  }
}
