import type { SqlParameter, Tx } from './database.ts';
import type { Statement } from './statement.ts';

/** A row that one room gives to another's transaction. It must change exactly one row; `otherwise` says why the whole is refused. */
export interface RowWrite {
  readonly statement: Statement;
  readonly parameters: readonly SqlParameter[];
  readonly otherwise: Error;
}

/** Writes rows in a transaction that is no posting of the ledger. @throws what a row says otherwise */
export async function writeRows(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const { statement, parameters, otherwise } of rows) {
    if ((await tx.run(statement, ...parameters)) !== 1) throw otherwise;
  }
}
