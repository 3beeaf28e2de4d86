import type { Page } from 'playwright-core';
import { launchChromium, openPage } from '../../test/support/chromium.ts';
import { type Api, apiOf, logIn } from '../dashboard-login.ts';
import type { Figure, Row } from '../row.ts';
import type { Run } from '../run.ts';
import { startService } from '../service-process.ts';
import { figureOf } from '../sides.ts';

const SECRET_KEY = `sak_${'b'.repeat(40)}`;
const WALLETS = 40;
const PAYMENTS = 60;
/** The processor of a phone of the middle class. */
const SLOWDOWN = 4;
/** How long a page is watched after its largest paint. */
const WATCHED_MS = 1500;

interface Load {
  readonly paintMs: number;
  readonly shift: number;
}

/** What a person sees of the dashboard in Chromium, with an empty cache and a slow processor. */
export function dashboardRows(): Row[] {
  return [
    {
      name: 'dashboard: largest paint of the wallets',
      meaning: `time to the largest contentful paint of /wallets with ${WALLETS} wallets, empty cache, processor slowed down ${SLOWDOWN} times`,
      unit: 'ms',
      target: { goal: 1000, floor: 2500 },
      measure: (run) =>
        measure(
          run,
          () => '/wallets',
          ({ paintMs }) => paintMs,
        ),
    },
    {
      name: 'dashboard: largest paint of a wallet',
      meaning: `the same for /wallets/:id with ${PAYMENTS} transactions`,
      unit: 'ms',
      target: { goal: 1000, floor: 2500 },
      measure: (run) =>
        measure(
          run,
          (wallet) => `/wallets/${wallet}`,
          ({ paintMs }) => paintMs,
        ),
    },
    {
      name: 'dashboard: layout shift of a wallet',
      meaning: 'cumulative layout shift of the same page',
      unit: '',
      target: { goal: 0.01, floor: 0.1 },
      measure: (run) =>
        measure(
          run,
          (wallet) => `/wallets/${wallet}`,
          ({ shift }) => shift,
        ),
    },
    {
      name: 'dashboard: layout shift of the wallets',
      meaning: 'cumulative layout shift of /wallets',
      unit: '',
      target: { goal: 0.01, floor: 0.1 },
      measure: (run) =>
        measure(
          run,
          () => '/wallets',
          ({ shift }) => shift,
        ),
    },
  ];
}

async function measure(run: Run, path: (wallet: string) => string, figure: (load: Load) => number): Promise<readonly Figure[]> {
  await using service = await startService({ DATA_DIR: run.folder(), BOOTSTRAP_SECRET_KEY: SECRET_KEY });
  const api = apiOf(service.url, SECRET_KEY);
  const wallet = await fill(api);
  const browser = await launchChromium();
  try {
    const cookie = await logIn(api);
    const values: number[] = [];
    for (let round = 0; round < run.sizes.rounds + 1; round++) {
      run.progress(`round ${round} of ${run.sizes.rounds}`);
      const problems: string[] = [];
      const page = await openPage(browser, service.url, { device: 'phone' }, (problem) => problems.push(problem));
      await page.context().addCookies([{ ...cookie, url: service.url }]);
      const load = await loadOf(page, path(wallet));
      await page.context().close();
      if (problems.length > 0) throw new Error(problems.join('\n'));
      // The first round warms up the service.
      if (round > 0) values.push(figure(load));
    }
    return [figureOf('dashboard', values)];
  } finally {
    await browser.close();
  }
}

/** Runs in the page before its own code. */
const OBSERVE = `
  globalThis.seen = { paintMs: 0, shift: 0 };
  new PerformanceObserver((list) => {
    for (const { startTime } of list.getEntries()) seen.paintMs = startTime;
  }).observe({ type: 'largest-contentful-paint', buffered: true });
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) seen.shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

async function loadOf(page: Page, path: string): Promise<Load> {
  const session = await page.context().newCDPSession(page);
  await session.send('Emulation.setCPUThrottlingRate', { rate: SLOWDOWN });
  await page.addInitScript(OBSERVE);
  await page.goto(path);
  await page.locator('h1').waitFor();
  for (let paintMs = -1; ; ) {
    const seen = await page.evaluate<Load>('seen');
    if (seen.paintMs === paintMs && paintMs > 0) return seen;
    paintMs = seen.paintMs;
    await page.waitForTimeout(WATCHED_MS);
  }
}

/** Creates wallets, and one with transactions. @returns its id */
async function fill({ post }: Api): Promise<string> {
  const ids: string[] = [];
  for (let i = 0; i < WALLETS; i++) ids.push((await post('/v1/wallet', { user_label: `Wallet ${i + 1}` })).id ?? '');
  const wallet = ids.at(-1) ?? '';
  for (let i = 0; i < PAYMENTS; i++)
    await post('/playground/fund', { wallet_id: i % 3 === 0 ? (ids[i % WALLETS] ?? wallet) : wallet, num_satoshis: 1000 + i });
  return wallet;
}
