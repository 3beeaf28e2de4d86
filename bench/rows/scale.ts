import type { Dialect } from '../../src/core/db/database.ts';
import { type FakeService, startFakeService } from '../fake-service.ts';
import { fillWithTransfers, openFunded, openWalletsOf, spread, transfer } from '../filling.ts';
import type { Figure, Row, Target } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { compare } from '../sides.ts';
import { getRequest, loaded } from '../web.ts';

const CONNECTIONS = 8;
const PAGE = 20;
const FEW = 100;
const OTHER_WALLETS = 10_000;
const OWN_TRANSFERS = 2_000;
const TARGET: Target = { goal: 0.9, floor: 0.8 };

const HOUR = 3600;
const LAST_DAYS = `interval=day&from=${Math.floor(Date.now() / 1000 / HOUR) * HOUR - 29 * 24 * HOUR}`;

/** What an account and a wallet read. The search matches every transaction, so that both sides return a page of the same size. */
const ACCOUNT_READS = {
  transactions: `/v1/wallet-transactions?per-page=${PAGE}`,
  search: `/v1/wallet-transactions?per-page=${PAGE}&label=BEN`,
  sum: `/v1/account/summary?${LAST_DAYS}`,
  events: `/v1/events?per-page=${PAGE}&order=desc`,
};

const walletReads = (id: string) => ({
  transactions: `/v1/wallet/${id}/transactions?per-page=${PAGE}`,
  sum: `/v1/wallet/${id}/summary?${LAST_DAYS}`,
  events: `/v1/wallet/${id}/events?per-page=${PAGE}&order=desc`,
});

/** Reads of one account beside the transfers of others, and reads of one wallet with a long history. */
export function scaleRows(): Row[] {
  return DIALECTS.flatMap((dialect) => [
    {
      name: `${DATABASE_NAMES[dialect]} reads beside the transfers of others`,
      meaning: 'slowest ratio of an account’s transactions, search, sum and events ÷ without transfers of other accounts, whole service',
      unit: 'requests/s',
      target: TARGET,
      measure: (run: Run) => besideOthers(run, dialect),
    },
    {
      name: `${DATABASE_NAMES[dialect]} reads of a long history`,
      meaning: `slowest ratio of a wallet’s transactions, sum and events ÷ with ${FEW} transactions, whole service`,
      unit: 'requests/s',
      target: TARGET,
      measure: (run: Run) => longHistory(run, dialect),
    },
  ]);
}

async function besideOthers(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  const start = (others: number) =>
    startFakeService(run, dialect, async ({ database, ledger, funded }) => {
      const own = { first: Math.min(...funded.map(({ ledgerAccount }) => ledgerAccount)), count: funded.length };
      if (others > 0) {
        const accounts = await openFunded(database, OTHER_WALLETS);
        await openWalletsOf(database, accounts.first);
        await fillWithTransfers(ledger, others / 2, () => spread(accounts));
        await fillWithTransfers(ledger, OWN_TRANSFERS / 2, () => spread(own));
        await fillWithTransfers(ledger, others / 2, () => spread(accounts));
      } else {
        await fillWithTransfers(ledger, OWN_TRANSFERS / 2, () => spread(own));
      }
      await fillWithTransfers(ledger, OWN_TRANSFERS / 2, () => spread(own));
    });
  run.progress('filling');
  await using many = await start(run.sizes.others);
  await using none = await start(0);
  return await slowest(run, [`${run.sizes.others.toLocaleString('en')} transfers of others`, many], ['none', none], () => ACCOUNT_READS);
}

async function longHistory(run: Run, dialect: Dialect): Promise<readonly Figure[]> {
  run.progress('filling');
  await using service = await startFakeService(run, dialect, async ({ ledger, funded }) => {
    const [short = 0, long = 0, ...others] = funded.map(({ ledgerAccount }) => ledgerAccount);
    let next = 0;
    const other = () => others[next++ % others.length] ?? 0;
    await fillWithTransfers(ledger, run.sizes.listed, () => transfer(long, other()));
    await fillWithTransfers(ledger, FEW, () => transfer(short, other()));
  });
  const [short = '', long = ''] = service.wallets;
  const name = (count: number) => `${count.toLocaleString('en')} transactions`;
  return await slowest(run, [name(run.sizes.listed), service, long], [name(FEW), service, short], walletReads);
}

type Read = readonly [name: string, service: FakeService, wallet?: string];

/** Compares each kind of read. @returns the pair with the smallest ratio. */
async function slowest(run: Run, many: Read, few: Read, reads: (wallet: string) => Record<string, string>): Promise<readonly Figure[]> {
  const side = ([name, service, wallet = '']: Read, kind: string) => {
    const requests = [getRequest(reads(wallet)[kind] ?? '', service.secretKey)];
    return loaded(run, { name: `${kind}, ${name}`, server: service, requests }, CONNECTIONS);
  };
  const compared: (readonly Figure[])[] = [];
  for (const kind of Object.keys(reads(''))) compared.push(await compare(run, side(many, kind), side(few, kind)));
  const ratio = ([first, second]: readonly Figure[]) => (first?.median ?? 0) / (second?.median ?? 1);
  const [worst = [], ...others] = compared.toSorted((a, b) => ratio(a) - ratio(b));
  return [...worst, ...others.flat()];
}
