import type { Dialect } from '../../src/core/db/database.ts';
import { systemClock } from '../../src/core/kernel/clock.ts';
import { newId } from '../../src/core/kernel/ids.ts';
import { bookBatch, type Decision } from '../../src/core/ledger/group-commit.ts';
import { createLedger, type Ledger } from '../../src/core/ledger/ledger.ts';
import type { Posting } from '../../src/core/ledger/posting.ts';
import type { LedgerStore } from '../../src/core/ledger/store.ts';
import { createStore } from '../../src/core/ledger/stores.ts';
import { openFunded, spread, transfer } from '../filling.ts';
import type { Row } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare, perSecondFor, type Side } from '../sides.ts';

const ACCOUNTS = 1000;
const CALLERS = 64;

/** The ledger without HTTP: the gain of shared commits, and the cost of a busy account. */
export function engineRows(): Row[] {
  return DIALECTS.flatMap((dialect) => [groupCommit(dialect), hotWallet(dialect)]);
}

function groupCommit(dialect: Dialect): Row {
  return {
    name: `${DATABASE_NAMES[dialect]} group commit`,
    meaning: `how many times as fast as one database transaction per posting, ${CALLERS} callers`,
    unit: 'postings/s',
    target: { goal: 4, floor: 2 },
    measure: async (run) => {
      await using temporary = await run.database(dialect);
      const { database } = temporary;
      const accounts = await openFunded(database, ACCOUNTS);
      const store = createStore(database, systemClock);
      return await compare(
        run,
        posting(run, createLedger(database, systemClock), 'shared commits', () => spread(accounts)),
        callers(run, 'one by one', () => commitAlone(store, spread(accounts))),
      );
    },
  };
}

async function commitAlone(store: LedgerStore, posting: Posting): Promise<void> {
  let decisions: Decision[] = [];
  await store.transaction(async (batch) => {
    decisions = await bookBatch(batch, newId(), [posting], systemClock.nowMs());
  });
  if (decisions[0] instanceof Error) throw decisions[0];
}

function hotWallet(dialect: Dialect): Row {
  return {
    name: `${DATABASE_NAMES[dialect]} hot wallet`,
    meaning: `speed when one wallet is in every transfer ÷ when they are spread over ${ACCOUNTS}, ${CALLERS} callers`,
    unit: 'postings/s',
    target: { goal: 0.9, floor: 0.6 },
    measure: async (run) => {
      await using temporary = await run.database(dialect);
      const { database } = temporary;
      const accounts = await openFunded(database, ACCOUNTS);
      const other = () => accounts.first + 1 + Math.floor(Math.random() * (ACCOUNTS - 1));
      const ledger = createLedger(database, systemClock);
      return await compare(
        run,
        posting(run, ledger, 'one hot wallet', () => transfer(accounts.first, other())),
        posting(run, ledger, 'spread', () => spread(accounts)),
      );
    },
  };
}

function posting(run: Run, ledger: Ledger, name: string, next: () => Posting): Side {
  return callers(run, name, () => ledger.post(next()));
}

function callers(run: Run, name: string, task: () => Promise<unknown>): Side {
  return { name, round: () => perSecondFor(run.sizes.seconds, CALLERS, task) };
}
