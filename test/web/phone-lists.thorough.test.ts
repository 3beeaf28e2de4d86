import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { existingExamples, findOnScreens } from '../support/screens.ts';

const LISTS: ReadonlySet<string> = new Set([
  'wallets',
  'wallet',
  'links',
  'payouts',
  'payout',
  'apps',
  'keys',
  'webhooks',
  'webhook',
  'activity',
  'activity-events',
  'activity-deliveries',
  'settings',
  'reconciliation',
  'proofs',
  'limits',
  'accounts',
  'account',
  'playground',
]);

/** The longest status of each language. Every badge of the lists that may have it gets it, because it is rare while a test looks. */
const LANGUAGES = [
  ['en-GB', 'No more attempts'],
  ['de-DE', 'Keine weiteren Versuche'],
  ['es-ES', 'Sin más intentos'],
] as const;

const WITH_LONGEST: ReadonlySet<string> = new Set([
  'webhooks',
  'webhook',
  'activity-deliveries',
  'payout',
  'playground',
  'wallet',
  'links',
]);

/** Returns the first cells below 120 px and the rows above 160 px that the page shows. A cell of the whole row is no column. */
const NARROW = `(status) => {
  for (const badge of status === null ? [] : document.querySelectorAll('.table .badge')) badge.lastChild.textContent = status;
  return [...document.querySelectorAll('.table tbody tr')].flatMap((row) => {
    const cell = [...row.cells].find((one) => one.getClientRects().length > 0);
    if (!cell || cell.colSpan > 1) return [];
    const [width, height] = [Math.round(cell.getBoundingClientRect().width), Math.round(row.getBoundingClientRect().height)];
    return width < 120 || height > 160 ? [width + ' px wide, ' + height + ' px high: ' + row.innerText.slice(0, 60)] : [];
  });
}`;

async function problemsOf(page: Page, status: string | null): Promise<string[]> {
  const found: string[] = [];
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    const rows = await page.evaluate<string[]>(`(${NARROW})(${JSON.stringify(status)})`);
    found.push(...rows.map((row) => `${width} px: ${row}`));
  }
  return found;
}

onDashboard(
  'the lists on a phone',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    it.each(LANGUAGES)('have a readable first column and low rows, with the longest status in %s', async (locale, status) => {
      await (await openLoggedIn()).close();
      const page = await openLoggedIn(undefined, { context: { locale, viewport: { width: 390, height: 844 }, reducedMotion: 'reduce' } });
      let rows = 0;
      const lists = existingExamples().filter(({ name }) => LISTS.has(name));
      const found = await findOnScreens(page, business, lists, async ({ name }) => {
        rows += await page.locator('.table tbody tr').count();
        return problemsOf(page, WITH_LONGEST.has(name) ? status : null);
      });
      expect(rows).toBeGreaterThan(50);
      expect(found).toEqual({});
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
