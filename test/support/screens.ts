import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Business } from './business.ts';
import type { PageOptions } from './chromium.ts';
import type { Pages } from './dashboard.ts';

/*
 * Every screen of the dashboard with an address that shows data. Tests visit all of them; a screen that is missing here fails
 * test/web/screens.test.ts.
 */

/** An address of a screen, without the operator's login only if `isPublic`. */
export interface Example {
  readonly name: string;
  readonly address: (business: Business) => string;
  readonly isPublic?: boolean;
  /** Nothing is at the address. */
  readonly isMissing?: boolean;
}

/** The request of a site for a connection. */
const APP_REQUEST = `/apps/new?${new URLSearchParams({
  name: 'Zap Club',
  pubkey: 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5',
  return_to: 'https://zaps.example/wallet',
  max_amount: '50000000',
  budget_renewal: 'monthly',
  request_methods: 'get_balance pay_invoice',
})}`;

export const EXAMPLES: readonly Example[] = [
  { name: 'login', address: () => '/login', isPublic: true },
  { name: 'setup', address: () => '/setup#token', isPublic: true },
  { name: 'wallets', address: () => '/wallets' },
  { name: 'wallets-new', address: () => '/wallets/new' },
  { name: 'wallet', address: ({ wallet }) => `/wallets/${wallet}` },
  { name: 'wallet-empty', address: ({ emptyWallet }) => `/wallets/${emptyWallet}` },
  { name: 'wallet-filtered', address: ({ wallet }) => `/wallets/${wallet}?status=failed` },
  { name: 'receive', address: ({ wallet }) => `/wallets/${wallet}/receive` },
  { name: 'receive-open', address: ({ wallet, openInvoice }) => `/wallets/${wallet}/receive/${openInvoice}` },
  { name: 'receive-paid', address: ({ wallet, paidInvoice }) => `/wallets/${wallet}/receive/${paidInvoice}` },
  { name: 'send', address: ({ wallet }) => `/wallets/${wallet}/send` },
  { name: 'transfer', address: ({ wallet }) => `/wallets/${wallet}/transfer` },
  { name: 'wallet-switch', address: ({ wallet }) => `/wallets/${wallet}/switch` },
  { name: 'wallet-statement', address: ({ wallet }) => `/wallets/${wallet}/statement` },
  { name: 'wallet-rename', address: ({ wallet }) => `/wallets/${wallet}/rename` },
  { name: 'wallet-limits', address: ({ wallet }) => `/wallets/${wallet}/limits` },
  { name: 'wallet-fees', address: ({ wallet }) => `/wallets/${wallet}/fees` },
  { name: 'wallet-deactivate', address: ({ wallet }) => `/wallets/${wallet}/deactivate` },
  { name: 'wallet-activate', address: ({ emptyWallet }) => `/wallets/${emptyWallet}/activate` },
  { name: 'wallet-keys', address: ({ wallet }) => `/wallets/${wallet}/keys` },
  { name: 'payment', address: ({ settledPayment }) => `/payments/${settledPayment}` },
  { name: 'payment-failed', address: ({ failedPayment }) => `/payments/${failedPayment}` },
  { name: 'payment-pending', address: ({ pendingPayment }) => `/payments/${pendingPayment}` },
  { name: 'invoice-open', address: ({ openInvoice }) => `/payments/${openInvoice}` },
  { name: 'links', address: () => '/links' },
  { name: 'links-new', address: () => '/links/new' },
  { name: 'links-withdraw', address: () => '/links/withdraw' },
  { name: 'link', address: ({ payLink }) => `/links/${payLink}` },
  { name: 'link-edit', address: ({ payLink }) => `/links/${payLink}/edit` },
  { name: 'payouts', address: ({ wallet }) => `/payouts?wallet=${wallet}` },
  { name: 'payouts-new', address: ({ wallet }) => `/payouts/new?wallet=${wallet}` },
  { name: 'payout', address: ({ wallet, payout }) => `/payouts/${payout}?wallet=${wallet}` },
  { name: 'apps', address: () => '/connections' },
  { name: 'apps-empty', address: ({ emptyWallet }) => `/apps?wallet=${emptyWallet}` },
  { name: 'connection', address: ({ key }) => `/connections/${key}` },
  { name: 'connection-missing', address: () => '/connections/nwc_nothing' },
  { name: 'apps-connect', address: ({ wallet }) => `/apps/connect?wallet=${wallet}` },
  { name: 'connections-new', address: ({ wallet }) => `/connections/new?wallet=${wallet}` },
  { name: 'apps-new', address: () => APP_REQUEST },
  { name: 'keys', address: () => '/keys' },
  { name: 'keys-new', address: () => '/keys/new' },
  { name: 'webhooks', address: () => '/webhooks' },
  { name: 'webhooks-new', address: () => '/webhooks/new' },
  { name: 'webhook', address: ({ webhook }) => `/webhooks/${webhook}` },
  { name: 'activity', address: () => '/activity' },
  { name: 'activity-filtered', address: ({ wallet }) => `/activity?wallet=${wallet}&status=failed` },
  { name: 'activity-events', address: () => '/activity/events' },
  { name: 'activity-deliveries', address: () => '/activity/deliveries' },
  { name: 'events', address: () => '/events' },
  { name: 'developers', address: () => '/developers' },
  { name: 'settings', address: () => '/settings' },
  { name: 'scan', address: () => '/scan' },
  { name: 'contacts', address: () => '/contacts' },
  { name: 'more', address: () => '/more' },
  { name: 'choose-receive', address: () => '/receive' },
  { name: 'choose-send', address: () => '/send' },
  { name: 'operator', address: () => '/operator' },
  { name: 'pending payments', address: () => '/operator/payments' },
  { name: 'operator payment', address: ({ pendingPayment }) => `/operator/payments/${pendingPayment}` },
  { name: 'suspense', address: () => '/operator/suspense' },
  { name: 'channels', address: () => '/operator/channels' },
  { name: 'reconciliation', address: () => '/operator/reconciliation' },
  { name: 'proofs', address: () => '/operator/proofs' },
  { name: 'instances', address: () => '/operator/instances' },
  { name: 'limits', address: () => '/operator/limits' },
  { name: 'accounts', address: () => '/accounts' },
  { name: 'accounts-new', address: () => '/accounts/new' },
  { name: 'account', address: ({ member }) => `/accounts/${member}` },
  { name: 'accounts-search', address: () => '/accounts?q=co' },
  { name: 'account-state', address: ({ member }) => `/accounts/${member}/state` },
  { name: 'account-change', address: ({ member }) => `/accounts/${member}/change` },
  { name: 'account-wallet-fees', address: ({ member, wallet }) => `/accounts/${member}/fees?wallet=${wallet}` },
  { name: 'account-fees', address: ({ member }) => `/accounts/${member}/fees` },
  { name: 'account-fee-versions', address: ({ member }) => `/accounts/${member}/fee-versions` },
  { name: 'account-limits', address: ({ member }) => `/accounts/${member}/limits` },
  { name: 'playground', address: () => '/playground' },
  { name: 'not-found', address: () => '/keys/nothing/is/here', isMissing: true },
];

const SOURCES = join(import.meta.dirname, '..', '..', 'web', 'src');

/** The paths of all screens and sheets in the source code, in the order in which they are compared. */
export function routePatterns(): string[] {
  const routes = readFileSync(join(SOURCES, 'routes.ts'), 'utf8');
  const ofWallet = readFileSync(join(SOURCES, 'screens', 'wallet', 'sheets.tsx'), 'utf8').match(/SHEETS:[^\n]*= \{([^;]*)\};/)?.[1] ?? '';
  const sheets = Array.from(ofWallet.matchAll(/^\s*(\w+): (?:async )?\(\) =>/gm), ([, name]) => `/wallets/:id/${name}/*?`);
  const screens = Array.from(routes.matchAll(/'(\/[^']*)'/g), ([, path = '']) => path);
  return [...sheets, ...screens];
}

/** Returns the pattern of the screen that an address shows. */
export function patternOf(address: string, patterns: readonly string[]): string | undefined {
  const path = address.replace(/[?#].*/, '');
  return patterns.find((pattern) => {
    const source = pattern
      .replaceAll(/\/\*\?/g, '(?:/.*)?')
      .replaceAll(/\/:\w+\?/g, '(?:/[^/]+)?')
      .replaceAll(/:\w+/g, '[^/]+');
    return new RegExp(`^${source}$`).test(path);
  });
}

const ANIMATIONS_END = `Promise.allSettled(
  document.getAnimations().filter(({ effect }) => effect.getComputedTiming().endTime < Infinity).map(({ finished }) => finished),
)`;

/** The examples of screens that exist. */
export function existingExamples(): Example[] {
  const patterns = routePatterns();
  const anyId = new Proxy({} as Business, { get: () => 'id' });
  return EXAMPLES.filter(({ address, isPublic, isMissing }) => isPublic || isMissing || patternOf(address(anyId), patterns));
}

/** The screens that show something without a login. */
const publicExamples = (): Example[] => existingExamples().filter(({ isPublic }) => isPublic);
/** The screens of a person who is logged in. */
export const privateExamples = (): Example[] => existingExamples().filter(({ isPublic }) => !isPublic);

/**
 * Visits screens one after the other with one page, so that the browser keeps the files of the dashboard. Each begins with the page's first
 * size. Returns what `find` finds, by the name of the screen.
 */
export async function findOnScreens(
  page: Page,
  business: Business,
  examples: readonly Example[],
  find: (example: Example) => Promise<readonly string[]>,
): Promise<Record<string, readonly string[]>> {
  const size = page.viewportSize();
  const found: Record<string, readonly string[]> = {};
  for (const example of examples) {
    if (size) await page.setViewportSize(size);
    await visit(page, example.address(business));
    const problems = await find(example);
    if (problems.length > 0) found[example.name] = problems;
  }
  return found;
}

/** The same on all screens, each as who sees it. */
export async function findOnAllScreens(
  { open, openLoggedIn }: Pick<Pages, 'open' | 'openLoggedIn'>,
  options: PageOptions,
  business: Business,
  find: (page: Page) => Promise<readonly string[]>,
): Promise<Record<string, readonly string[]>> {
  const [anyone, person] = [await open(undefined, options), await openLoggedIn(undefined, options)];
  return {
    ...(await findOnScreens(anyone, business, publicExamples(), () => find(anyone))),
    ...(await findOnScreens(person, business, privateExamples(), () => find(person))),
  };
}

/** Opens an address and waits until the screen has all its data and nothing moves. */
export async function visit(page: Page, address: string): Promise<void> {
  await page.goto('about:blank');
  let open = 0;
  let lastChange = Date.now();
  const isStream = (url: string) => /\/v1\/(?:wallet\/[^/]+\/)?events/.test(url);
  const count = (by: number) => (request: { url(): string }) => {
    if (isStream(request.url())) return;
    open += by;
    lastChange = Date.now();
  };
  const [started, ended] = [count(1), count(-1)];
  page.on('request', started).on('requestfinished', ended).on('requestfailed', ended);
  try {
    await page.goto(address);
    await page.locator('h1, dialog[open]').first().waitFor();
    const isQuiet = () => open === 0 && Date.now() - lastChange > 250;
    while (!isQuiet() || (await page.locator('.skeleton').count()) > 0) await page.waitForTimeout(50);
    await page.evaluate(ANIMATIONS_END);
  } finally {
    page.off('request', started).off('requestfinished', ended).off('requestfailed', ended);
  }
}
