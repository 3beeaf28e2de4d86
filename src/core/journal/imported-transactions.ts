import type { Database } from '../db/database.ts';
import * as sql from './imported-transactions.sql.ts';

export type { ImportedTransactionRow } from './imported-transactions.sql.ts';

/**
 * Returns what a wallet received or sent in the program from which it was imported, newest first. The rows are no entries of the ledger: the
 * opening balance is their sum.
 */
export function listImported(
  database: Database,
  walletId: string,
  direction: 'in' | 'out',
  limit: number,
): Promise<sql.ImportedTransactionRow[]> {
  return database.all(sql.listImported[direction], walletId, limit);
}
