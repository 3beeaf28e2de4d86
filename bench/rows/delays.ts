import type { Dialect } from '../../src/core/db/database.ts';
import { type FakeService, startFakeService } from '../fake-service.ts';
import { load } from '../load-worker.ts';
import type { Figure, Row, Target } from '../row.ts';
import { DATABASE_NAMES, DIALECTS, type Run } from '../run.ts';
import { figureOf } from '../sides.ts';
import { getRequest } from '../web.ts';

const TARGET: Target = { goal: 20, floor: 50 };
const ROWS = 500;
/** A `passThru` of nearly the maximum size, with many small values. */
const PASS_THRU = Object.fromEntries(Array.from({ length: 180 }, (_, i) => [`field${i}`, `value ${i}`]));
const SUBPATHS = Array.from({ length: 49 }, (_, i) => `passThru.field${i}`).join();

/** The slowest known requests. `list` is the path of a page of the largest rows. The first request is the baseline of the machine. */
const WORST: readonly { readonly name: string; request(list: string, key: string, wallet: string): string }[] = [
  { name: 'the same cheap request', request: (_list, key, wallet) => getRequest(`/v1/wallet/${wallet}`, key) },
  { name: 'a page of 500 large rows', request: (list, key) => getRequest(list, key) },
  { name: 'fields on 500 large rows', request: (list, key) => getRequest(`${list}&fields=${SUBPATHS}`, key) },
  { name: 'whole objects as fields of 500 large rows', request: (list, key) => getRequest(`${list}&fields=lnTx,passThru,wal`, key) },
  { name: 'all rows by filters', request: (list, key) => getRequest(`${list}&status=all&from=1`, key) },
  { name: 'a statement', request: (_list, key, wallet) => getRequest(`/v1/wallet/${wallet}/statement`, key) },
  { name: 'an export of all transactions', request: (_list, key) => getRequest('/v1/wallet-transactions/export', key) },
  { name: 'a label that no row has', request: (list, key) => getRequest(`${list}&label=nothing`, key) },
  { name: 'a passThru that no row has', request: (list, key) => getRequest(`${list}&pass_through[field0]=nothing`, key) },
  { name: 'a nested body of 64 kB', request: (_list, key, wallet) => body(wallet, key, 'application/json', nestedJson()) },
  { name: 'a form of 100 fields', request: (_list, key, wallet) => body(wallet, key, 'application/x-www-form-urlencoded', largeForm()) },
  { name: 'a query of 12,000 characters', request: (list, key) => getRequest(`${list}&${query()}`, key) },
];

/** The longest time of a cheap request of one caller, while another caller repeats an expensive request. */
export function delayRows(): Row[] {
  return DIALECTS.flatMap((dialect) =>
    WORST.map(({ name, request }) => ({
      name: `${DATABASE_NAMES[dialect]} longest delay by ${name}`,
      meaning: 'the slowest GET wallet of one caller, while another caller repeats this request',
      unit: 'ms',
      target: TARGET,
      measure: (run: Run) => measure(run, dialect, request),
    })),
  );
}

async function measure(run: Run, dialect: Dialect, request: (typeof WORST)[number]['request']): Promise<readonly Figure[]> {
  await using service = await startFakeService(run, dialect);
  const wallet = await walletWithLargeRows(service);
  const { port, secretKey } = service;
  const worst = [request(`/v1/wallet/${wallet}/transactions?per-page=${ROWS}`, secretKey, wallet)];
  const cheap = [getRequest(`/v1/wallet/${service.wallets[1]}`, secretKey)];
  const { seconds, rounds } = run.sizes;
  const slowest: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    const attack = load({ port, requests: worst, connections: 1, seconds: seconds * 2, mayBeRefused: true });
    // The worker thread needs time to start.
    await new Promise((resolve) => setTimeout(resolve, (seconds * 1000) / 2));
    const { maxMs } = await load({ port, requests: cheap, connections: 1, seconds });
    await attack;
    // The first round is a warm-up.
    if (round > 0) slowest.push(maxMs);
  }
  return [figureOf('slowest GET wallet', slowest)];
}

/** Fills the first wallet with payments. Each of its rows has the large `passThru` twice: in the row and in its lightning transaction. */
async function walletWithLargeRows(service: FakeService): Promise<string> {
  const [payer = ''] = service.wallets;
  const requests = await service.invoicePayments(ROWS, { payer, passThru: PASS_THRU });
  await load({ port: service.port, requests, connections: 16, seconds: 60, total: requests.length });
  return payer;
}

function body(wallet: string, key: string, type: string, text: string): string {
  const head = `POST /v1/wallet/${wallet}/invoice HTTP/1.1\r\nhost: bench\r\nx-api-key: ${key}\r\ncontent-type: ${type}`;
  return `${head}\r\ncontent-length: ${text.length}\r\n\r\n${text}`;
}

const NESTED = 10_000;

function nestedJson(): string {
  return `{"passThru":${'{"a":'.repeat(NESTED)}1${'}'.repeat(NESTED)}}`;
}

function largeForm(): string {
  return Array.from({ length: 100 }, (_, i) => `passThru[a][b][c][d][f${i}]=${'%20'.repeat(200)}`).join('&');
}

function query(): string {
  return Array.from({ length: 90 }, (_, i) => `_${i}=${'%20'.repeat(40)}`).join('&');
}
