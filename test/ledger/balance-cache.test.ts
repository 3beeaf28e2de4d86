import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/core/db/migrate.ts';
import { statement } from '../../src/core/db/statement.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import { allAccounts } from '../../src/core/ledger/stores.ts';
import { amount, MIGRATIONS, problemsOfLedger } from '../support/ledger.ts';
import { ACCOUNTS, type Books, booksOf, CACHE, cachedLedgers, laggingRows, NODE, openAccount } from './cached-ledger.ts';

const progressRow = statement<{ written: number; last: number }>(
  'test_cache_progress',
  'SELECT position AS written, (SELECT coalesce(max(position), 0) FROM ledger_transfer) AS last FROM ledger_checkpoint',
);
describe('SQLite’s cache of balances', () => {
  const { urls, open, openWithoutLock, fresh } = cachedLedgers();

  it('B3: prevents a double spend when another process has written to the file', async () => {
    const { url, database, ledger } = await fresh();
    // A tool takes no lock, so its connection stands for a second service after the lock has failed.
    const intruder = createLedger(await openWithoutLock(url), systemClock, CACHE);
    const [from = 0, to = 0] = ACCOUNTS;
    const move = (by: Ledger, source: number, target: number, msat: number) =>
      by.post({ transfers: [{ id: newId(), from: source, to: target, amountMsat: amount(msat) }] });
    await move(ledger, NODE, from, 1000);
    expect((await intruder.balance(from)).balanceMsat).toBe(1000);
    await move(ledger, from, to, 1000);
    await expect(move(intruder, from, to, 1000)).rejects.toMatchObject({ type: 'insufficient_balance' });
    const hold = { id: newId(), account: from, amountMsat: amount(1), reserveMsat: amount(0) };
    await expect(intruder.post({ holds: [hold] })).rejects.toMatchObject({ type: 'insufficient_balance' });
    await move(intruder, to, from, 400);
    await expect(move(ledger, to, from, 601)).rejects.toMatchObject({ type: 'insufficient_balance' });
    // A clean stop writes the rows back, which the other process must notice as well.
    await intruder.drain();
    await move(intruder, from, to, 400);
    await intruder.drain();
    await expect(move(ledger, from, to, 1)).rejects.toMatchObject({ type: 'insufficient_balance' });
    expect((await ledger.balance(to)).balanceMsat).toBe(1000);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('gives the committed accounts of a snapshot, also in another process that only reads', async () => {
    const { url, database, ledger } = await fresh();
    for (let i = 0; i < 8; i++) {
      await ledger.post({ transfers: [{ id: newId(), from: NODE, to: 6 + (i % 6), amountMsat: amount(10 + i) }] });
    }
    await ledger.post({ holds: [{ id: newId(), account: 6, amountMsat: amount(3), reserveMsat: amount(0) }] });
    expect((await database.first(laggingRows))?.n).toBeGreaterThan(0);
    const reader = await open(url, true);
    expect(await problemsOfLedger(reader)).toEqual([]);
    const found: Books = {};
    await reader.snapshot(async (tx) => {
      for await (const page of allAccounts(tx)) for (const one of page) found[one.id] = [one.balanceMsat, one.heldMsat, one.entries];
    });
    expect(found).toMatchObject(await booksOf(ledger));
    expect(Object.values(found).reduce((sum, [balanceMsat]) => sum + balanceMsat, 0)).toBe(0);
  });

  it('limits how many transfers a start after a kill reads again', async () => {
    const { database, ledger } = await fresh();
    for (let i = 0; i < 100; i++) {
      const to = ACCOUNTS[i % ACCOUNTS.length] ?? 6;
      await Promise.all([1, 2, 3].map((msat) => ledger.post({ transfers: [{ id: newId(), from: NODE, to, amountMsat: amount(msat) }] })));
      const row = await database.first(progressRow);
      // One batch of three begins a write-back; four more write 13 rows, and the entries added meanwhile remain.
      expect((row?.last ?? 0) - (row?.written ?? 0)).toBeLessThanOrEqual(CACHE.writeBackAfter + 5 * 3);
    }
    expect((await database.first(progressRow))?.last).toBe(300);
  });

  it('verify finds rows that should have been written back, and last transfers that were deleted', async () => {
    for (const tampering of [
      'UPDATE ledger_checkpoint SET position = position + 1',
      `UPDATE ledger_checkpoint SET heads = zeroblob(32)`,
      'DELETE FROM ledger_transfer WHERE position = (SELECT max(position) FROM ledger_transfer)',
      'UPDATE ledger_account SET entries = entries + 1 WHERE id = 6',
      'UPDATE ledger_account SET balance_msat = balance_msat + 1 WHERE id = 6',
    ]) {
      const url = await urls();
      const database = await open(url);
      await migrate(database, MIGRATIONS);
      await database.transaction((tx) => tx.run(openAccount));
      const ledger = createLedger(database, systemClock);
      const pay = () => ledger.post({ transfers: [{ id: newId(), from: NODE, to: 6, amountMsat: amount(5) }] });
      for (let i = 0; i < 64; i++) await pay();
      await ledger.drain();
      await pay();
      expect(await problemsOfLedger(database)).toEqual([]);
      await database.transaction((tx) => tx.run(statement(`test_cache_${tampering.length}_${tampering.slice(-9)}`, tampering)));
      expect(await problemsOfLedger(database), tampering).not.toEqual([]);
    }
  });
});
