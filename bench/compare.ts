import { parseArgs } from 'node:util';
import type { Dialect } from '../src/core/db/database.ts';
import { checkOut } from './base.ts';
import { type Contender, startContender } from './contender.ts';
import { load } from './load-worker.ts';
import { measureRows } from './measure-rows.ts';
import type { Row, Target } from './row.ts';
import { DATABASE_NAMES, DIALECTS, Run } from './run.ts';
import { compare } from './sides.ts';
import { invoicePaymentRequests, transferRequests } from './wallet-requests.ts';
import { getRequest, postRequest } from './web.ts';

/**
 * `npm run bench:compare -- --base <commit>` measures this clone and another commit in turns, as processes with the same Node, through the
 * API, and prints the ratio of their medians. Options: `--only=<part of a name>`, `--quick` for rough figures, `--json`.
 */
const { values: options } = parseArgs({
  options: {
    base: { type: 'string' },
    only: { type: 'string', default: '' },
    quick: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
  },
});
if (options.base === undefined) {
  process.stderr.write('Name the commit to compare with: npm run bench:compare -- --base <commit>\n');
  process.exit(2);
}

const SECONDS = options.quick ? 0.5 : 3;
const PER_SECOND = 3000;
const HISTORY = options.quick ? 1000 : 10_000;

/** What is measured of a service: requests per second. */
interface Load {
  readonly name: string;
  readonly connections: number;
  /** By database. */
  readonly targets: Readonly<Record<Dialect, Target>>;
  /** Runs once before the rounds. */
  prepare?(contender: Contender): Promise<void>;
  /** Returns the requests of a round. Without `once`, they are repeated. */
  requests(contender: Contender): Promise<readonly string[]> | readonly string[];
  /** Each request can be sent only once. */
  readonly once?: boolean;
}

const payments = (connections: number): Load => ({
  name: `payments of invoices of the service, ${connections} connections`,
  connections,
  targets: { postgres: { goal: 1.1, floor: 1 }, sqlite: { goal: 1, floor: 0.9 } },
  once: true,
  requests: (contender) => invoicePaymentRequests(contender, Math.ceil((SECONDS * PER_SECOND) / (connections === 1 ? 8 : 1))),
});

const LOADS: readonly Load[] = [
  ...[1, 16, 64].map(payments),
  {
    name: 'transfers, 1 connection',
    connections: 1,
    targets: { postgres: { goal: 0.8, floor: 0.7 }, sqlite: { goal: 0.8, floor: 0.7 } },
    requests: transferRequests,
  },
  {
    name: 'transfers, 64 connections',
    connections: 64,
    targets: { postgres: { goal: 0.85, floor: 0.7 }, sqlite: { goal: 0.6, floor: 0.45 } },
    requests: transferRequests,
  },
  {
    name: 'balances, 64 connections',
    connections: 64,
    targets: { postgres: { goal: 0.9, floor: 0.8 }, sqlite: { goal: 1, floor: 0.9 } },
    requests: ({ wallets, secretKey }) => wallets.map((id) => getRequest(`/v1/wallet/${id}`, secretKey)),
  },
  {
    name: 'new invoices, 16 connections',
    connections: 16,
    targets: { postgres: { goal: 0.9, floor: 0.8 }, sqlite: { goal: 1, floor: 0.9 } },
    requests: ({ wallets, secretKey }) => wallets.map((id) => postRequest(`/v1/wallet/${id}/invoice`, secretKey, { num_satoshis: 1 })),
  },
  {
    name: `lists of 20 in a wallet of ${HISTORY.toLocaleString('en')} transactions, 16 connections`,
    connections: 16,
    targets: { postgres: { goal: 0.9, floor: 0.8 }, sqlite: { goal: 1, floor: 0.9 } },
    async prepare({ port, wallets: [wallet, other], secretKey }) {
      const transfer = postRequest(`/v1/wallet/${wallet}/transfer`, secretKey, { dest_wallet_id: other, num_satoshis: 1 });
      await load({ port, requests: [transfer], connections: 64, seconds: 600, total: HISTORY });
    },
    requests: ({ wallets: [wallet], secretKey }) => [getRequest(`/v1/wallet/${wallet}/transactions`, secretKey)],
  },
];

const run = new Run({ quick: options.quick, large: false });
const base = checkOut(run, options.base);
const rows = DIALECTS.flatMap((dialect) => LOADS.map((measured): Row => rowOf(dialect, measured)));
await measureRows(run, rows, options);

function rowOf(dialect: Dialect, measured: Load): Row {
  return {
    name: `${DATABASE_NAMES[dialect]} ${measured.name}`,
    meaning: `this clone ÷ ${base.commit}`,
    unit: '/s',
    target: measured.targets[dialect],
    async measure() {
      await using own = await startContender(run, dialect);
      await using other = await startContender(run, dialect, base.folder);
      for (const contender of [own, other]) await measured.prepare?.(contender);
      const round = (contender: Contender) => async () => {
        const requests = await measured.requests(contender);
        const order = { port: contender.port, requests, connections: measured.connections };
        const total = measured.once ? { seconds: 600, total: requests.length } : { seconds: SECONDS };
        return (await load({ ...order, ...total })).perSecond;
      };
      return await compare(run, { name: 'this clone', round: round(own) }, { name: base.commit, round: round(other) });
    },
  };
}
