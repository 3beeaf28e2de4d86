import type { Database, Dialect } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import { compare, perSecond, type Side } from '../compare.ts';
import { fillWithTransfers, openFunded, spread, transfer } from '../filling.ts';
import type { Figure, Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';

const CALLERS = 64;
const FEW_WALLETS = 1000;
const WALLETS_OF_A_LEDGER = 10_000;
const FEW_LISTED = 10;
/** Few, so that an empty ledger stays nearly empty during a round. */
const POSTINGS_PER_ROUND = 5000;
const READS_PER_ROUND = 2000;

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
    {
      name: `${DATABASE_NAMES[dialect]} growth of a list`,
      meaning: `speed of the first page (${FEW_LISTED} lines) of a long history ÷ of one that has no other lines`,
      unit: 'pages/s',
      measure: (run: Run) => longHistory(run, dialect, page),
    },
    {
      name: `${DATABASE_NAMES[dialect]} growth of a balance`,
      meaning: `speed of reading the balance of a wallet with a long history ÷ with ${FEW_LISTED} lines`,
      unit: 'reads/s',
      measure: (run: Run) => longHistory(run, dialect, ({ ledger }, account) => ledger.balance(account)),
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

interface Books {
  readonly database: Database;
  readonly ledger: Ledger;
}

async function longHistory(
  run: Run,
  dialect: Dialect,
  read: (books: Books, account: number) => Promise<unknown>,
): Promise<readonly Figure[]> {
  await using temporary = await run.database(dialect);
  const { database } = temporary;
  const books = { database, ledger: createLedger(database, systemClock) };
  const { first: few } = await openFunded(database, WALLETS_OF_A_LEDGER);
  const many = few + 1;
  let other = many;
  const next = () => {
    other = other === few + WALLETS_OF_A_LEDGER - 1 ? many + 1 : other + 1;
    return other;
  };
  await fillWithTransfers(books.ledger, FEW_LISTED, () => transfer(few, next()));
  await fillWithTransfers(books.ledger, run.sizes.listed, () => transfer(many, next()));
  const side = (account: number, lines: number): Side => ({
    name: `${lines.toLocaleString('en')} lines`,
    round: () => perSecond(READS_PER_ROUND, 1, () => read(books, account)),
  });
  return await compare(run, side(many, run.sizes.listed), side(few, FEW_LISTED));
}

function page({ ledger }: Books, ledgerAccount: number): Promise<unknown> {
  return ledger.entries(ledgerAccount, 1, FEW_LISTED);
}
