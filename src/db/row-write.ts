import type { SqlParameter, Tx } from './database.ts';
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

/** Writes rows in a transaction that is no posting of the ledger. @throws what a row says otherwise */
export async function writeRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const row of rows) {
    if ((await tx.run(row.statement, ...row.parameters)) !== 1) throw refusalOf(row);
  }
}
