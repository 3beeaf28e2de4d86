import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

const NO_ACCOUNT = 999_999;
const deleteAccount = statement('test_delete_account', 'DELETE FROM ledger_account WHERE id = $1');

// No foreign key ensures this. The ledger locks the accounts of a posting, and `verify` finds transfers without an account.
onBothDatabases('an account that does not exist', (open) => {
  function transfer(from: number, to: number, msat: number): Posting {
    return { transfers: [{ id: newId(), from, to, amountMsat: amount(msat) }] };
  }

  it('is rejected on either side of a transfer and in a hold, without affecting other postings of the batch', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000, 0]);
    const [a, b] = accounts as [number, number];
    const outcomes = await Promise.allSettled([
      ledger.post(transfer(a, b, 1)),
      ledger.post(transfer(a, NO_ACCOUNT, 10)),
      ledger.post(transfer(NO_ACCOUNT, b, 100)),
      ledger.post({ holds: [{ id: 'h1', account: NO_ACCOUNT, amountMsat: amount(1), reserveMsat: amount(0) }] }),
      ledger.post(transfer(a, b, 2)),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'rejected', 'fulfilled']);
    expect([(await ledger.balance(a)).balanceMsat, (await ledger.balance(b)).balanceMsat]).toEqual([997, 3]);
    expect(await problemsOfLedger(database)).toEqual([]);
  });

  it('is found by verify in a transfer, even if nothing else is wrong', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000, 0]);
    const [a, gone] = accounts as [number, number];
    await ledger.post(transfer(a, gone, 5));
    await ledger.post(transfer(gone, a, 5));
    expect(await problemsOfLedger(database)).toEqual([]);
    await database.transaction((tx) => tx.run(deleteAccount, gone));
    expect(await problemsOfLedger(database)).toEqual([`account ${gone}: it has entries but does not exist`]);
  });

  it.each(['open', 'voided'])('is found by verify in a hold that is %s', async (state) => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [1_000]);
    const [gone] = accounts as [number];
    await ledger.post({ holds: [{ id: 'h1', account: gone, amountMsat: amount(5), reserveMsat: amount(0) }] });
    if (state === 'voided') await ledger.post({ voids: [{ holdId: 'h1', account: gone }] });
    expect(await problemsOfLedger(database)).toEqual([]);
    await database.transaction((tx) => tx.run(deleteAccount, gone));
    expect(await problemsOfLedger(database)).toContain('h1: its account does not exist');
  });
});
