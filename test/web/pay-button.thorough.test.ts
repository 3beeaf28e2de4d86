import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Two sites on other origins: the operator lists the first one. Their page has the button of the query. */
const servers = [0, 1].map(() =>
  createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://site.test');
    const [service, href] = [searchParams.get('service'), searchParams.get('href')];
    response
      .setHeader('content-type', 'text/html')
      .setHeader('content-security-policy', `default-src 'self'; script-src ${service}; frame-src ${service}; img-src data:`);
    response.end(`<!doctype html><html lang="en"><title>Site</title><link rel="icon" href="data:,"><main><h1>Recipe</h1>
<a class="satchel-pay" href="${href}">Pay with Lightning</a></main><script async src="${service}/pay.js"></script></html>`);
  }),
);
const origins = await Promise.all(
  servers.map(async (server) => {
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }),
);
const [listed = '', other = ''] = origins;
afterAll(() => Promise.all(servers.map((server) => new Promise((resolve) => void server.close(resolve)))));

const OTHER_HOST = { expected: [/request to another host/] };

onDashboard(
  'the button on another site',
  ({ client, open }) => {
    let href: string;

    beforeAll(async () => {
      const wallet = await client.wallet();
      const { page_url } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'recipe' });
      href = `${page_url}?amount=21`;
    });
    const openSite = async (site: string, options = {}) => {
      const page = await open(undefined, { ...OTHER_HOST, ...options });
      await page.goto(`${site}/?${new URLSearchParams({ service: client.url, href })}`);
      await page.waitForLoadState('networkidle');
      return page;
    };

    it('opens the page in a dialog, in which the payer pays', async () => {
      const page = await openSite(listed);
      await page.evaluate("addEventListener('satchel-paid', () => { document.title = 'Thanks'; })");
      const button = page.getByRole('link', { name: 'Pay with Lightning' });
      expect(await page.evaluate('getComputedStyle(document.querySelector(".satchel-pay")).backgroundColor')).toBe('rgb(122, 46, 77)');
      await button.click();
      const frame = page.frameLocator('iframe');
      await frame.getByRole('button', { name: 'Pay 21 sats' }).click();
      await frame.getByText('Waiting for payment').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      await client.post('/playground/pay', { payment_request: await frame.locator('#request').textContent() });
      await frame.getByText('Paid', { exact: true }).waitFor();
      await expect.poll(() => page.title()).toBe('Thanks');
      await page.getByRole('button', { name: 'Close' }).click();
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
      expect(await button.and(page.locator(':focus')).count()).toBe(1);
    });

    it('opens and closes the dialog with the keyboard, also from inside the frame', async () => {
      const page = await openSite(listed);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.frameLocator('iframe').getByRole('textbox', { name: 'Amount' }).press('Escape');
      await expect.poll(() => page.locator('dialog').count()).toBe(0);
    });

    it.each(['a site that is not listed', 'a browser without scripts'])('is a link to the page on %s', async (where) => {
      const page = await openSite(
        where.startsWith('a site') ? other : listed,
        where.startsWith('a site') ? {} : { context: { javaScriptEnabled: false } },
      );
      await page.getByRole('link', { name: 'Pay with Lightning' }).click();
      await page.waitForURL(href);
      expect(await page.getByRole('textbox', { name: 'Amount' }).inputValue()).toBe('21');
    });

    it('L16: cannot frame other pages of the service, and a site that is not listed none', async () => {
      for (const [site, path] of [
        [listed, '/pay/recipe'],
        [listed, '/login'],
        [other, '/embed/pay/recipe'],
      ] as const) {
        const page = await openSite(site, { expected: [/request to another host/, /frame-ancestors|ERR_BLOCKED_BY_RESPONSE/] });
        const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'));
        await page.evaluate(
          `{ const frame = document.createElement('iframe'); frame.src = ${JSON.stringify(client.url + path)}; document.body.append(frame); }`,
        );
        await refused;
        expect(await page.frames()[1]?.locator('main').count(), path).toBe(0);
      }
    });
  },
  { EMBED_SITES: listed, PAY_COLOR: '#7a2e4d', ADDRESS_RATE_LIMIT_PER_SECOND: '0' },
);
