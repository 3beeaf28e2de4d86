import type { Database, SqlValue, Tx } from '../db/database.ts';
import { endRetentionPeriod, PERIODS_PER_DAY, type Retained } from '../db/retention.ts';
import { missOf, sendRows } from '../db/row-write.ts';
import { lockEventOrder } from '../journal/bookings.sql.ts';
import { invariant } from '../kernel/assert.ts';
import type { Clock } from '../kernel/clock.ts';
import { ConfirmedBatches } from './confirmed-batches.ts';
import { readAccounts, rowToAccount, transferValues } from './ledger.sql.ts';
import type { RowWrite } from './posting.ts';
import { type BatchWrites, type LedgerStore, RowMissed } from './store.ts';
import * as sql from './store-postgres.sql.ts';

const RETAINED_BATCHES: Retained = { table: 'ledger_batch', periods: PERIODS_PER_DAY };

/**
 * The ledger in PostgreSQL. A batch locks the rows of its accounts, and sends everything that it writes together with COMMIT, so it takes
 * two round trips. Several instances may write at the same time.
 */
export function createPostgresStore(database: Database, clock: Clock): LedgerStore {
  const confirmed = new ConfirmedBatches(clock);
  const forgotten = Promise.withResolvers<void>();
  database.onOtherServer(async (server) => {
    if ((await confirmed.missingSince(server)) === undefined) return;
    forgotten.resolve();
    throw new Error('the server lacks commits that were confirmed');
  });
  return {
    stalls: database,
    // While one batch is committed, the next is prepared. More than two gain nothing.
    concurrentBatches: 2,
    async transaction(work) {
      let written: readonly RowWrite[] = [];
      let id: string | undefined;
      try {
        await database.transaction((tx) =>
          work({
            tx,
            lockAccounts: async (ids) => (ids.length > 0 ? (await tx.all(sql.lockAccounts, ids)).map(rowToAccount) : []),
            async write(writes) {
              written = [...writes.rows, ...writes.events];
              id = writes.batchId;
              await sendBatch(tx, writes);
            },
          }),
        );
      } catch (error) {
        // Rows are sent without waiting for their results. A row that did not change fails the transaction later.
        const missed = missOf(written, error);
        throw missed ? new RowMissed(missed) : error;
      }
      if (id !== undefined) confirmed.add(id);
    },
    async wasCommitted(batchId) {
      const row = await database.transaction((tx) => tx.first(sql.settleBatch, batchId));
      invariant(row, 'a batch has a row once its outcome is settled');
      if (row.outcome !== 'committed') return false;
      confirmed.add(batchId);
      return true;
    },
    forgotten: forgotten.promise,
    missingSince: (reader) => confirmed.missingSince(reader),
    async readAccounts(ids) {
      const accounts = new Map((await database.all(readAccounts, ids)).map((row) => [row.id, rowToAccount(row)]));
      return ids.map((id) => accounts.get(id));
    },
    flush: async () => {},
    endRetentionPeriod: () => endRetentionPeriod(database, RETAINED_BATCHES),
  };
}

async function sendBatch(tx: Tx, { batchId, rows, events, transfers, openedHolds, closedHolds, accounts }: BatchWrites): Promise<void> {
  await sendRows(tx, rows);
  await sendRows(tx, events);
  if (transfers.length > 0) await tx.send(lockEventOrder);
  const added = new Map<number, number>();
  for (const id of transfers.flatMap(({ from, to }) => [from, to])) added.set(id, (added.get(id) ?? 0) + 1);
  await tx.send(
    transfers.length > 0 ? sql.writeBatch : sql.writeBatchWithoutTransfers,
    batchId,
    ...columnsOf(transfers.map(transferValues), 18),
    ...columnsOf(
      openedHolds.map((hold) => [hold.id, hold.account, hold.amountMsat, hold.state]),
      4,
    ),
    ...columnsOf(
      closedHolds.map((hold) => [hold.id, hold.state]),
      2,
    ),
    ...columnsOf(
      accounts.map(({ id, balanceMsat, heldMsat, entries, head }) => [
        id,
        balanceMsat,
        heldMsat,
        entries,
        head,
        entries - (added.get(id) ?? 0),
      ]),
      6,
    ),
  );
}

function columnsOf(rows: readonly (readonly SqlValue[])[], width: number): SqlValue[][] {
  return Array.from({ length: width }, (_, column) => rows.map((row) => row[column] ?? null));
}
