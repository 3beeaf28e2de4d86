import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { EXAMPLES, visit } from '../support/screens.ts';

/** Names of screens with lists that have a count and an export. */
const LISTS = ['accounts', 'activity-deliveries', 'apps', 'keys', 'links', 'payouts', 'wallet-keys', 'wallets', 'webhook'];

onDashboard(
  'the export of a list',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    /** Returns the numbers of items that the lists of a screen show, and those of their exports. */
    async function countsOn(address: string): Promise<{ shown: (number | undefined)[]; exported: number[] }> {
      const page = await openLoggedIn();
      await visit(page, address);
      const footers = page.locator('footer', { has: page.locator('a[download][href*="format=csv"]') });
      await footers.first().waitFor();
      const counts = { shown: [] as (number | undefined)[], exported: [] as number[] };
      for (const footer of await footers.all()) {
        const text = await footer.locator('.number').filter({ hasText: '–' }).innerText();
        const total = / of (.+)$/.exec(text)?.[1]?.replaceAll('\u202f', '');
        counts.shown.push(total === undefined ? undefined : Number(total));
        const href = await footer.getByRole('link', { name: 'Export' }).getAttribute('href');
        const response = await page.request.get(href ?? '');
        expect([href, response.status(), response.headers()['content-type']]).toEqual([href, 200, 'text/csv; charset=utf-8']);
        counts.exported.push((await response.text()).split('\r\n').length - 2);
      }
      return counts;
    }

    it.each(LISTS)('on %s has as many items as the list', async (name) => {
      const { shown, exported } = await countsOn(EXAMPLES.find((one) => one.name === name)?.address(business) ?? '');
      expect(exported).toEqual(shown);
    });

    it('on the page of an account has its wallets', async () => {
      const { shown, exported } = await countsOn(`/accounts/${(await client.get('/v1/account')).id}`);
      expect(exported).toEqual(shown);
    });

    it('of events has at least those on the page', async () => {
      expect((await countsOn('/activity/events')).exported[0]).toBeGreaterThanOrEqual(50);
    });

    it('of a search has what the search finds, also by id', async () => {
      for (const text of ['till', business.wallet]) {
        const { exported } = await countsOn(`/wallets?label=${text}`);
        expect([text, exported]).toEqual([text, [1]]);
      }
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
