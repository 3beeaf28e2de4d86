import { setTimeout as delay } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { launchChromium, openPage } from '../../test/support/chromium.ts';
import { apiOf, logIn } from '../dashboard-login.ts';
import { type FakeService, startFakeService } from '../fake-service.ts';
import { fillWithTransfers, fundWallets, spread } from '../filling.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import type { Web } from '../web.ts';

const WALLETS = 10_000;
const TRANSACTIONS = 100_000;
const PAYMENTS_PER_SECOND = 10;
const WATCHED_MS = 10_000;

/** The screens whose contents change with every payment, and those with the longest lists. `{wallet}` takes part in most payments. */
const SCREENS = [
  '/wallets',
  '/wallets/{wallet}',
  '/activity',
  '/activity/events',
  '/links',
  '/keys',
  '/accounts',
  '/accounts/{account}',
  '/operator',
];

interface Watched {
  readonly longestTaskMs: number;
  readonly requestsPerSecond: number;
}

/** The dashboard of an account with many wallets and transactions, while payments arrive. */
export function dashboardAtScaleRows(): Row[] {
  const under = `with ${WALLETS.toLocaleString('en')} wallets, ${TRANSACTIONS.toLocaleString('en')} transactions and ${PAYMENTS_PER_SECOND} payments a second`;
  return [
    {
      name: 'dashboard at scale: longest task',
      meaning: `longest task of the main thread in ${WATCHED_MS / 1000} s after the load of a screen, of all screens, ${under}`,
      unit: 'ms',
      target: { goal: 200, floor: 400 },
      measure: (run) => worst(run, ({ longestTaskMs }) => longestTaskMs),
    },
    {
      name: 'dashboard at scale: requests',
      meaning: `most requests of a tab per second in the same time, ${under}`,
      unit: '/s',
      target: { goal: 2, floor: 4 },
      measure: (run) => worst(run, ({ requestsPerSecond }) => requestsPerSecond),
    },
  ];
}

async function worst(run: Run, figure: (watched: Watched) => number): Promise<readonly Figure[]> {
  run.progress('filling');
  await using service = await startFakeService(run, 'sqlite', fill);
  const url = `http://127.0.0.1:${service.port}`;
  const api = apiOf(url, service.secretKey);
  const cookie = await logIn(api);
  const { id: account } = await api.get<{ id: string }>('/v1/account');
  const browser = await launchChromium();
  const stop = new AbortController();
  const paying = pay(service, stop.signal);
  try {
    const values = new Map<string, number>();
    for (const screen of SCREENS) {
      run.progress(screen);
      const page = await openPage(browser, url, {}, (problem) => run.progress(problem));
      await page.context().addCookies([{ ...cookie, url }]);
      values.set(screen, figure(await watch(page, screen.replace('{wallet}', service.wallets[0] ?? '').replace('{account}', account))));
      await page.context().close();
    }
    const name = [...values].map(([screen, value]) => `${screen} ${value.toFixed(1)}`).join(', ');
    return [{ name, median: Math.max(...values.values()), spread: 0 }];
  } finally {
    stop.abort();
    await paying;
    await browser.close();
  }
}

/** Runs in the page before its own code. */
const OBSERVE = `
  globalThis.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) longest = Math.max(longest, duration);
  }).observe({ type: 'longtask', buffered: true });
`;

async function watch(page: Page, path: string): Promise<Watched> {
  await page.addInitScript(OBSERVE);
  await page.goto(path);
  await page.locator('h1').first().waitFor();
  await page.waitForLoadState('load');
  await page.waitForTimeout(1000);
  let requests = 0;
  page.on('request', () => requests++);
  const begin = performance.now();
  await page.waitForTimeout(WATCHED_MS);
  const seconds = (performance.now() - begin) / 1000;
  return { longestTaskMs: await page.evaluate<number>('longest'), requestsPerSecond: requests / seconds };
}

async function fill({ wallets, ledger, database, funded }: Web): Promise<void> {
  const [first] = funded;
  if (!first) throw new Error('there is no wallet');
  const labels = Array.from({ length: WALLETS - funded.length }, (_, index) => `Customer ${index}`);
  for (let done = 0; done < labels.length; done += 100)
    await Promise.all(labels.slice(done, done + 100).map((label) => wallets.create(first.accountId, label)));
  await fundWallets(database);
  const accounts = { first: first.ledgerAccount, count: WALLETS };
  await fillWithTransfers(ledger, TRANSACTIONS / 2, () => spread(accounts));
}

/** Transfers between the first wallet and others. */
async function pay({ port, secretKey, wallets }: FakeService, signal: AbortSignal): Promise<void> {
  const { post } = apiOf(`http://127.0.0.1:${port}`, secretKey);
  for (let index = 1; !signal.aborted; index++) {
    const [from, to] = [wallets[0], wallets[(index % (wallets.length - 1)) + 1]];
    const [payer, payee] = index % 2 === 0 ? [from, to] : [to, from];
    await post(`/v1/wallet/${payer}/transfer`, { dest_wallet_id: payee, num_satoshis: 1, memo: `Payment ${index}` });
    await delay(1000 / PAYMENTS_PER_SECOND, undefined, { signal }).catch(() => undefined);
  }
}
