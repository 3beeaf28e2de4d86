import type { Tx } from '../db/database.ts';
import * as sql from './bookings.sql.ts';

/**
 * Inserts what happened by the transfers after a position: their wallet transactions, their events, and the sums. On SQLite only; the ledger's
 * statement on PostgreSQL contains the same ({@link sql.POSTGRES_BOOKING}).
 */
export async function bookJournal(tx: Tx, afterTransfer: number): Promise<void> {
  const after = (await tx.first(sql.newestTransaction))?.position ?? 0;
  await tx.run(sql.bookTransactions, afterTransfer, after);
  await tx.run(sql.bookEvents, after);
  await tx.run(sql.addToWalletHours, after);
  await tx.run(sql.addToAccountHours, after);
}
