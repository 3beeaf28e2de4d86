import { expect, it } from 'vitest';
import { openDatabase } from '../../src/core/db/open.ts';
import type { ImportResult } from '../../src/features/import/import.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import { silentLog } from '../support/ledger.ts';
import { BALANCES, importLnbits, lnbitsFiles } from './lnbits.ts';

/** Stops the service, imports into its database, and starts it again. */
async function importInto(app: FakeNodeApp, file: string): Promise<ImportResult> {
  let result: ImportResult | undefined;
  await app.restart(async () => {
    const database = await openDatabase(app.databaseUrl, { log: silentLog });
    try {
      result = await importLnbits(database, file);
    } finally {
      await database.close();
    }
  });
  if (!result) throw new Error('the import did not run');
  return result;
}

onFakeNode('an import from LNbits', (app) => {
  const files = lnbitsFiles();

  it('gives each wallet the balance that the API of LNbits returned', async () => {
    const file = files();
    const result = await importInto(app, file);
    expect(result.problems).toEqual([]);
    const walletOf = new Map(result.written.map(({ source_id, wallet_id }) => [source_id, wallet_id]));
    const balances = [];
    for (const { id } of BALANCES) {
      const rows = await app.rows(
        `SELECT a.balance_msat, a.held_msat FROM wallet w JOIN ledger_account a ON a.id = w.ledger_account WHERE w.id = $1`,
        walletOf.get(id) ?? '',
      );
      balances.push({ id, balance_msat: Number(rows[0]?.balance_msat) - Number(rows[0]?.held_msat) });
    }
    expect(balances).toEqual(BALANCES);
    expect(await app.problems()).toEqual([]);
  });
});
