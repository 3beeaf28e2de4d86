import { expect, it } from 'vitest';
import { statement } from '../../src/core/db/statement.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { amount, ledgerWith, onBothDatabases, problemsOfLedger } from '../support/ledger.ts';

const addEntry = statement('test_add_entry', 'UPDATE ledger_account SET entries = entries + $2 WHERE id = $1');

onBothDatabases('the numbers of entries', (open, dialect) => {
  it.skipIf(dialect === 'sqlite')('are not given twice, should another writer ever change an account that a batch has locked', async () => {
    const database = await open();
    const { ledger, accounts } = await ledgerWith(database, [10_000, 0]);
    const [from = 0, to = 0] = accounts;
    const transfer = () => ({ id: newId(), from, to, amountMsat: amount(1_000) });
    // The row is written in the transaction of the batch, after the account was read.
    const foreign = { statement: addEntry, parameters: [to, 1], onMiss: new Error('no account') };
    await expect(ledger.post({ rows: [foreign], transfers: [transfer()] })).rejects.toThrow();
    expect(await ledger.balance(to)).toMatchObject({ balanceMsat: 0, entries: 0 });
    await ledger.post({ transfers: [transfer()] });
    expect(await ledger.balance(to)).toMatchObject({ balanceMsat: 1_000, entries: 1 });
    expect(await problemsOfLedger(database)).toEqual([]);
  });
});
