import type { Database, Tx } from '../../db/database.ts';
import { type RowWrite, writeRow } from '../../db/row-write.ts';
import * as journal from '../../journal/bookings.sql.ts';
import { PER_TURN, pauseTransaction } from '../../kernel/turns.ts';
import { transferValues } from '../ledger.sql.ts';
import { type BatchWrites, type LedgerStore, RowMissed } from '../store.ts';
import { BalanceCache, type CacheOptions } from './balance-cache.ts';
import * as sql from './store-sqlite.sql.ts';

/** The ledger in SQLite, written by this process alone, with a write-back cache of the accounts. One statement per row is fast enough. */
export function createSqliteStore(database: Database, options?: CacheOptions): LedgerStore {
  const cache = new BalanceCache(database, options);
  return {
    stalls: database,
    // No other process opens the file, and there is no other server.
    forgotten: new Promise(() => undefined),
    missingSince: async () => undefined,
    // SQLite has one writer.
    concurrentBatches: 1,
    transaction: (work) =>
      cache.transaction((tx) =>
        work({ tx, lockAccounts: (ids) => cache.lockAccounts(tx, ids), write: (writes) => writeBatch(tx, cache, writes) }),
      ),
    async wasCommitted(batchId) {
      await database.transaction((tx) => tx.run(sql.refuteBatch, batchId));
      // Batches are committed one after the other, so only the last one can be in question.
      return (await database.first(sql.readLastBatch))?.batch_id === batchId;
    },
    async readAccounts(ids) {
      const accounts = [];
      for (const id of ids) accounts.push(await cache.committed(id));
      return accounts;
    },
    flush: () => cache.flush().catch(() => undefined),
    endRetentionPeriod: async () => {},
  };
}

async function writeBatch(tx: Tx, cache: BalanceCache, writes: BatchWrites): Promise<void> {
  await writeAll(tx, writes.rows);
  const before = cache.lastPosition();
  for (const { id, account, amountMsat, state } of writes.openedHolds) await tx.run(sql.insertHold, id, account, amountMsat, state);
  for (const { id, state } of writes.closedHolds) await tx.run(sql.closeHold, id, state);
  await writeAll(tx, writes.events);
  for (let start = 0; start < writes.transfers.length; start += PER_TURN.lines) {
    if (start > 0) await pauseTransaction();
    const part = writes.transfers.slice(start, start + PER_TURN.lines);
    for (const [index, transfer] of part.entries())
      await tx.run(sql.insertTransfer, ...transferValues(transfer), before + start + 1 + index);
    await bookJournal(tx, before + start);
  }
  await cache.save(tx, writes);
}

/** Inserts what happened by the transfers after a position: their wallet transactions, their events, and the sums. */
async function bookJournal(tx: Tx, afterTransfer: number): Promise<void> {
  const after = (await tx.first(journal.newestTransaction))?.position ?? 0;
  await tx.run(journal.bookTransactions, afterTransfer, after);
  await tx.run(journal.bookEvents, after);
  await tx.run(journal.addToWalletHours, after);
  await tx.run(journal.addToAccountHours, after);
}

async function writeAll(tx: Tx, rows: readonly RowWrite[]): Promise<void> {
  for (const [index, row] of rows.entries()) {
    if (index > 0 && index % PER_TURN.writtenRows === 0) await pauseTransaction();
    const missed = await writeRow(tx, row);
    if (missed) throw new RowMissed(missed);
  }
}
