import type { Database, Dialect } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import { fillWithTransfers, openFunded, spread } from '../filling.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare, perSecond, type Side } from '../sides.ts';

const CALLERS = 64;
const FEW_WALLETS = 1000;
const WALLETS_OF_A_LEDGER = 10_000;
/** Few, so that an empty ledger stays nearly empty during a round. */
const POSTINGS_PER_ROUND = 5000;

/** The speed of the service with more data. */
export function growthRows(): Row[] {
  return DIALECTS.flatMap((dialect) => [
    {
      name: `${DATABASE_NAMES[dialect]} growth of wallets`,
      meaning: 'speed with many wallets (transfers spread over all of them) ÷ with 1,000',
      unit: 'postings/s',
      target: { goal: 0.9, floor: 0.7 },
      measure: (run: Run) => manyWallets(run, dialect),
    },
    {
      name: `${DATABASE_NAMES[dialect]} growth of transfers`,
      meaning: 'speed with many transfers in the ledger ÷ in a nearly empty one',
      unit: 'postings/s',
      target: { goal: 0.95, floor: 0.8 },
      measure: (run: Run) => manyTransfers(run, dialect),
    },
  ]);
}

async function manyWallets(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  const side = async (database: Database, wallets: number): Promise<Side> => {
    const accounts = await openFunded(database, wallets);
    const ledger = createLedger(database, systemClock);
    return { name: `${wallets.toLocaleString('en')} wallets`, round: () => postings(ledger, accounts) };
  };
  await using many = await run.database(dialect);
  await using few = await run.database(dialect);
  return await compare(run, await side(many.database, run.sizes.wallets), await side(few.database, FEW_WALLETS));
}

async function manyTransfers(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  const side = async (database: Database, transfers: number): Promise<Side> => {
    const accounts = await openFunded(database, WALLETS_OF_A_LEDGER);
    const ledger = createLedger(database, systemClock);
    await fillWithTransfers(ledger, transfers, () => spread(accounts));
    return { name: `${transfers.toLocaleString('en')} transfers before`, round: () => postings(ledger, accounts) };
  };
  await using many = await run.database(dialect);
  await using few = await run.database(dialect);
  return await compare(run, await side(many.database, run.sizes.transfers), await side(few.database, 0));
}

function postings(ledger: Ledger, accounts: { first: number; count: number }): Promise<number> {
  return perSecond(POSTINGS_PER_ROUND, CALLERS, () => ledger.post(spread(accounts)));
}
