import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { onDashboard } from '../support/dashboard.ts';
import { type Example, existingExamples, visit } from '../support/screens.ts';

const WITH_EXPORT = [
  'accounts',
  'activity-deliveries',
  'activity-events',
  'apps',
  'keys',
  'links',
  'own account',
  'payouts',
  'wallet-keys',
  'wallets',
  'webhook',
];

onDashboard(
  'the export of a list',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    let accountId: string;
    const found = new Set<string>();
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
      accountId = (await client.get('/v1/account')).id;
    });
    afterAll(() => business.close());

    const examples = existingExamples().filter(({ isPublic }) => !isPublic);
    // An account with wallets.
    const own: Example = { name: 'own account', address: () => `/accounts/${accountId}` };

    it.each([...examples, own])('on $name saves the items of all pages', async ({ name, address }) => {
      const page = await openLoggedIn();
      await visit(page, address(business));
      const links = page.locator('footer', { has: page.locator('a[download][href*="format=csv"]') });
      for (const footer of await links.all()) {
        const href = (await footer.getByRole('link', { name: 'Export' }).getAttribute('href')) ?? '';
        const response = await page.request.get(href);
        expect([href, response.status(), response.headers()['content-type']]).toEqual([href, 200, 'text/csv; charset=utf-8']);
        const rows = (await response.text()).split('\r\n').length - 2;
        const total = /of (?:more than )?([\d\u202f]+)$/.exec(await footer.locator('.number').first().innerText())?.[1];
        if (total !== undefined) expect([href, rows]).toEqual([href, Number(total.replaceAll('\u202f', ''))]);
        found.add(name);
      }
    });

    it('is offered by each list with pages', () => {
      expect(WITH_EXPORT.filter((name) => !found.has(name))).toEqual([]);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
