import { describe, expect, it } from 'vitest';
import { migrate } from '../../src/core/db/migrate.ts';
import { openDatabase } from '../../src/core/db/open.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { startChild } from '../devnet/playground/support/shared.ts';
import { amount, freshUrls, ledgerWith, MIGRATIONS, problemsOf, silentLog } from '../support/ledger.ts';

describe('an instance that is paused in the middle of a batch (postgres)', () => {
  const urls = freshUrls('postgres');

  it.each([
    ['after it has locked the accounts', 'ledger_lock_accounts'],
    ['before its COMMIT', 'ledger_write_batch'],
  ])('B2: %s (%s) does not block the others, and learns that nothing of its batch was written', async (_when, statement) => {
    const url = await urls();
    const database = await openDatabase(url, { log: silentLog });
    await migrate(database, MIGRATIONS);
    const { ledger, accounts } = await ledgerWith(database, [1000, 0]);
    const [from = 0, to = 0] = accounts;
    const paused = startChild('test/ledger/paused-instance.ts', [url, statement, newId(), String(from), String(to), '600']);
    await paused.line(/^stopped$/);
    // Waits for the locks of the paused instance. The statement timeout of thirty seconds would refuse it.
    await ledger.post({ transfers: [{ id: newId(), from, to, amountMsat: amount(600) }] });
    paused.process.kill('SIGCONT');
    await paused.line(/^refused: /);
    const both = await ledger.balances([from, to]);
    expect(both.map(({ balanceMsat }) => balanceMsat)).toEqual([400, 600]);
    expect(await problemsOf(database)).toEqual([]);
    await database.close();
  });
});
