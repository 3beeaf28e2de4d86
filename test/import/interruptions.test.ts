import { expect, it } from 'vitest';
import { planImport, requireNoUnfinishedImport, runImport } from '../../src/features/import/import.ts';
import { type Fault, faulty } from '../support/faulty-database.ts';
import { onBothDatabases, problemsOf } from '../support/ledger.ts';
import { BALANCES, bindNode, importLnbits, lnbitsFiles, withLnbits } from './lnbits.ts';
import { importedState } from './state.ts';

const WALLETS = BALANCES.slice(0, 3).map(({ id }) => id);

/** More than the import of three wallets has. Each wallet has a reservation, a part of the history, and a posting. */
const COMMITS = 16;

onBothDatabases('an interrupted import', (open) => {
  const files = lnbitsFiles();

  it('M3: has the same result when it is resumed after a failure of any commit', async () => {
    const file = files();
    const whole = await open();
    await bindNode(whole);
    await importLnbits(whole, file, { only: WALLETS });
    const expected = await importedState(whole);
    expect(expected.wallets).toHaveLength(3);

    let interrupted = 0;
    for (const fails of ['refused', 'written, unknown'] as const) {
      const database = await open();
      await bindNode(database);
      for (let commit = 1; commit < COMMITS; commit++) {
        const result = await importWithFault({ commit, fails });
        expect(await problemsOf(database)).toEqual([]);
        if (!result) {
          interrupted += 1;
          continue;
        }
        expect(result.problems).toEqual([]);
        await requireNoUnfinishedImport(database);
        break;
      }
      expect(await importedState(database)).toEqual(expected);

      function importWithFault(fault: Fault) {
        const failing = faulty(database);
        return withLnbits(
          failing,
          file,
          async (options) => {
            const { plan } = await planImport(options);
            failing.failAt(fault);
            return runImport({ ...options, plan, isResume: true, readNodeBalance: async () => Number.MAX_SAFE_INTEGER }).catch(
              () => undefined,
            );
          },
          { only: WALLETS },
        );
      }
    }
    expect(interrupted).toBeGreaterThan(5);
  });
});
