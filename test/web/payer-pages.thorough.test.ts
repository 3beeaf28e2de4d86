import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RateSource, setPrices } from '../rates/rate-source.ts';
import { violationsInThemes } from '../support/axe.ts';
import { DEVICES, type PageOptions, THEMES } from '../support/chromium.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';
import { readQrOn } from '../support/page-qr.ts';

const source = await RateSource.start('89400');
afterAll(() => source.close());

/** What one page may take on the network, in bytes, without the font. */
const BUDGET = 20_000;
const SCREENS = DEVICES.flatMap((device) => THEMES.map((theme) => ({ device, theme })));
const LONG = 'no spaces'.replace(' ', '').repeat(75).slice(0, 600);
const textIn = async (page: Page) => (await page.locator('body').innerText()).replaceAll(/[\s\u202f]+/g, ' ');
const amountIn = (page: Page) => page.getByRole('textbox', { name: 'Amount' });

onDashboard(
  'the pages for payers',
  ({ client, execute, open }) => {
    let wallet: TestWallet;
    let names = 0;

    beforeAll(async () => {
      wallet = await client.wallet();
      await setPrices(client, source, { EUR: '89400' });
    });

    async function newLink(fields: object = {}): Promise<string> {
      const name = `shop${++names}`;
      await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: name, lnurlp_maxSendable_msat: 500_000_000, ...fields });
      return `/pay/${name}`;
    }
    const newInvoice = (fields: object): Promise<Json> => client.post(`/v1/wallet/${wallet.id}/invoice`, fields);
    const openInvoice = async (invoice: Json, options: PageOptions = {}) => open(new URL(invoice.page_url).pathname, options);
    const pay = (payment_request: string | null) => client.post('/playground/pay', { payment_request });

    it('are shared where the browser can share, and nowhere else', async () => {
      const invoice = await newInvoice({ num_satoshis: 21 });
      const page = await openInvoice(invoice);
      const share = page.getByRole('button', { name: 'Share' });
      await page.addInitScript('delete Navigator.prototype.share;');
      await page.reload();
      await page.getByRole('button', { name: 'Copy invoice' }).waitFor();
      expect(await share.count()).toBe(0);
      await page.addInitScript('window.shared = []; Navigator.prototype.share = async ({ url }) => { window.shared.push(url); };');
      await page.reload();
      await share.click();
      expect(await page.evaluate('window.shared')).toEqual([page.url()]);
    });

    it.each(SCREENS)('take an amount, a comment and the payment, on $device in the $theme theme', async (screen) => {
      const page = await open(await newLink({ lnurlp_short_desc: 'Beans' }), screen);
      await amountIn(page).fill('5');
      await page
        .locator('#converted')
        .filter({ hasText: /^5.593 sats$/ })
        .waitFor();
      await page.getByLabel('Comment').fill('For Mara');
      await page.getByRole('button', { name: 'Pay 5 593 sats' }).click();
      await page.getByText('Waiting for payment').waitFor();
      expect(await textIn(page)).toMatch(/5 593 sats 5\.00 EUR at 89 400 EUR per BTC, .* For Mara/);
      const request = await page.locator('#request').textContent();
      expect(await readQrOn(page)).toBe(`lightning:${request?.toUpperCase()}`);
      expect(await page.getByRole('link', { name: 'Open in wallet' }).getAttribute('href')).toBe(`lightning:${request}`);
      await pay(request);
      await page.getByText('Paid', { exact: true }).waitFor();
      expect((await page.getByRole('status').textContent())?.replaceAll('\u202f', ' ')).toBe('Paid, 5 593 sats');
      expect(await textIn(page)).toMatch(/5 593 sats Paid .*For Beans Comment For Mara Payment hash/);
      await page.emulateMedia({ media: 'print' });
      expect(await page.getByRole('button', { name: 'Print receipt' }).isVisible()).toBe(false);
      await page.emulateMedia({ media: 'screen' });
      await page.getByRole('link', { name: 'Pay again' }).click();
      await amountIn(page).waitFor();
    });

    it.each(DEVICES)('have no violation that axe finds, on a %s', async (device) => {
      const [waiting, paid, gone] = [
        await newInvoice({ num_satoshis: 5, memo: 'tea' }),
        await newInvoice({ num_satoshis: 6 }),
        await newInvoice({ num_satoshis: 7 }),
      ];
      await pay(paid.payment_request);
      await client.request('DELETE', `/v1/lntx/${gone.id}`, { key: client.secretKey });
      const paths = [await newLink(), ...[waiting, paid, gone].map(({ page_url }) => new URL(page_url).pathname), '/pay/nobody'];
      const page = await open(undefined, { device, expected: [/400/] });
      for (const path of paths) {
        await page.goto(path);
        expect(await violationsInThemes(page), path).toEqual([]);
      }
      await page.goto(paths[0] ?? '');
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Enter an amount.').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
    });

    it('stay within 320 px, and within 200 % zoom, with long texts', async () => {
      const path = await newLink({ lnurlp_short_desc: LONG, lnurlp_long_desc: LONG, lnurlp_commentAllowed: 500 });
      const invoice = await newInvoice({ num_msat: 9_007_199_254_740_000, memo: LONG });
      for (const viewport of [
        { width: 320, height: 640 },
        { width: 640, height: 400 },
        { width: 721, height: 600 },
      ]) {
        const page = await open(undefined, { context: { viewport } });
        for (const at of [path, new URL(invoice.page_url).pathname]) {
          await page.goto(at);
          const { scrollWidth, clientWidth } = (await page.evaluate(
            '({ scrollWidth: document.documentElement.scrollWidth, clientWidth: document.documentElement.clientWidth })',
          )) as Record<string, number>;
          expect(scrollWidth, at).toBe(clientWidth);
        }
        // The whole amount is there, on one line.
        const hero = page.locator('.hero');
        expect((await hero.textContent())?.replaceAll('\u202f', ' ')).toBe('9 007 199 254 740 sats');
        const [inner, outer] = [await hero.boundingBox(), await page.locator('main').boundingBox()];
        expect((inner?.x ?? 0) + (inner?.width ?? 0)).toBeLessThanOrEqual((outer?.x ?? 0) + (outer?.width ?? 0));
      }
    });

    it('show texts with markup and with characters that change the direction as they are written', async () => {
      const hostile = '<b>bold</b>\u202egnirts';
      const page = await open(await newLink({ lnurlp_short_desc: hostile }));
      await page.getByText('<b>bold</b> gnirts').waitFor();
      await amountIn(page).fill('1');
      await page.getByLabel('Comment').fill(hostile);
      await page.getByRole('button', { name: /^Pay/ }).click();
      await page.getByText('Waiting for payment').waitFor();
      await page.getByText('<b>bold</b> gnirts').waitFor();
      expect(await page.locator('main').innerHTML()).not.toContain('\u202e');
    });

    it('write the unit beside each amount, and no minus', async () => {
      const page = await openInvoice(await newInvoice({ num_msat: 1_234_567 }));
      expect(await textIn(page)).toMatch(/1 234\.567 sats About 1\.10 EUR at 89 400 EUR per BTC/);
      expect(await textIn(await openInvoice(await newInvoice({ num_satoshis: 5 })))).not.toContain('About');
      const gone = await newInvoice({ num_satoshis: 70 });
      await client.request('DELETE', `/v1/lntx/${gone.id}`, { key: client.secretKey });
      const other = await openInvoice(gone);
      expect(await textIn(other)).toMatch(/70 sats .*Nothing was paid/);
      expect(await textIn(other)).not.toMatch(/[\u2212-]\d/);
    });

    it('report a wrong field in words of their own, at the field', async () => {
      const page = await open(await newLink({ lnurlp_minSendable_msat: 10_000 }));
      await page.getByLabel('Currency').selectOption('sats');
      await amountIn(page).fill('9');
      await page.keyboard.press('Enter');
      const error = page.locator('#amount-error');
      expect((await error.textContent())?.replaceAll('\u202f', ' ')).toBe('The amount must be from 10 sats to 500 000 sats.');
      expect(await amountIn(page).and(page.locator(':focus')).count()).toBe(1);
      await amountIn(page).fill('10');
      expect(await error.isVisible()).toBe(false);
      expect(await amountIn(page).getAttribute('aria-invalid')).toBeNull();
    });

    it.each(DEVICES)('keep their size when they are paid and when they have ended, on a %s', async (device) => {
      const [paid, cancelled] = [await newInvoice({ num_satoshis: 31 }), await newInvoice({ num_satoshis: 31 })];
      const page = await openInvoice(paid, { device });
      const height = async () => (await page.locator('main').boundingBox())?.height ?? 0;
      // On a phone, each fills the screen; the page that waits may be longer.
      const hasSize = (now: number, before: number) => (device === 'phone' ? now > 780 : Math.abs(now - before) < 5);
      await page.getByText('Waiting for payment').waitFor();
      const waiting = await height();
      await pay(paid.payment_request);
      await page.getByText('Paid', { exact: true }).waitFor();
      expect(hasSize(await height(), waiting)).toBe(true);
      await client.request('DELETE', `/v1/lntx/${cancelled.id}`, { key: client.secretKey });
      await page.goto(new URL(cancelled.page_url).pathname);
      await page.getByRole('heading', { name: 'The invoice was cancelled' }).waitFor();
      expect(hasSize(await height(), waiting)).toBe(true);
    });

    it('notice the payment after the network was away', async () => {
      const invoice = await newInvoice({ num_satoshis: 30 });
      const page = await openInvoice(invoice, { expected: [/ERR_INTERNET_DISCONNECTED/] });
      await page.getByText(/left|until/).waitFor();
      // The page is read again, and nothing on it has changed.
      const read = page.waitForResponse((response) => response.url().includes('/i/'));
      await page.evaluate("dispatchEvent(new Event('online'))");
      await read;
      await page.context().setOffline(true);
      await pay(invoice.payment_request);
      await page.context().setOffline(false);
      await page.getByText('Paid', { exact: true }).waitFor();
    });

    it('copy the invoice, and select it where the clipboard is refused', async () => {
      const invoice = await newInvoice({ num_satoshis: 31 });
      const page = await openInvoice(invoice, { context: { permissions: ['clipboard-read', 'clipboard-write'] } });
      await page.getByRole('button', { name: 'Copy invoice' }).click();
      await page.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate('navigator.clipboard.readText()')).toBe(invoice.payment_request);
      await page.evaluate('navigator.clipboard.writeText = () => Promise.reject(new Error("refused"))');
      await page.getByRole('button', { name: /Copy invoice/ }).click();
      await page.getByRole('button', { name: 'Selected: copy it' }).waitFor();
      expect(await page.evaluate('getSelection().toString()')).toBe(invoice.payment_request);
    });

    it('say that an invoice was cancelled while it was shown', async () => {
      const invoice = await newInvoice({ num_satoshis: 32 });
      const page = await openInvoice(invoice);
      await client.request('DELETE', `/v1/lntx/${invoice.id}`, { key: client.secretKey });
      await page.getByRole('heading', { name: 'The invoice was cancelled' }).waitFor();
      expect(await page.getByRole('link', { name: 'Open in wallet' }).count()).toBe(0);
    });

    it('say that an invoice has expired while it was shown', async () => {
      const invoice = await newInvoice({ num_satoshis: 33 });
      await execute('UPDATE invoice SET expires_at = $1 WHERE id = $2', Math.floor(Date.now() / 1000) + 3, invoice.id);
      const page = await openInvoice(invoice);
      await page.getByRole('heading', { name: 'The invoice has expired' }).waitFor();
      expect(await textIn(page)).toContain('Nothing was paid.');
    });

    it('work with the keyboard alone', async () => {
      const page = await open(await newLink());
      await page.keyboard.press('Tab');
      await page.keyboard.type('2');
      const button = page.getByRole('button', { name: /^Pay/ });
      for (let i = 0; i < 20 && (await button.and(page.locator(':focus')).count()) === 0; i++) await page.keyboard.press('Tab');
      const outline = await page.evaluate('getComputedStyle(document.activeElement).outlineWidth');
      expect(outline).toBe('2px');
      await page.keyboard.press('Enter');
      await page.getByText('Waiting for payment').waitFor();
    });

    it('fill the form in with a quick amount', async () => {
      const page = await open(await newLink());
      await page.getByRole('link', { name: '10 EUR' }).click();
      expect(new URL(page.url()).search).toBe('');
      await page.getByRole('button', { name: 'Pay 11 186 sats' }).waitFor();
      expect(await page.getByRole('link', { name: '10 EUR' }).getAttribute('aria-current')).toBe('true');
    });

    it('work without scripts', async () => {
      const page = await open(await newLink(), { context: { javaScriptEnabled: false } });
      await page.getByRole('link', { name: '2 EUR' }).click();
      await page.getByRole('button', { name: 'Continue' }).click();
      await page.getByText('Waiting for payment').waitFor();
      expect(await page.getByRole('button', { name: 'Copy invoice' }).count()).toBe(0);
      await pay(await page.locator('#request').textContent());
      await expect
        .poll(async () => {
          await page.reload();
          return textIn(page);
        })
        .toMatch(/2 238 sats Paid/);
    });

    it('have markup that is valid: unique ids, one main heading, labels, and no inline script or style', async () => {
      const page = await open();
      for (const path of [
        await newLink({ lnurlp_payerData: { name: { mandatory: true } } }),
        new URL((await newInvoice({ num_satoshis: 5 })).page_url).pathname,
      ]) {
        const response = await page.goto(path);
        const markup = (await response?.text()) ?? '';
        expect(markup).not.toMatch(/ on\w+=|<script(?![^>]*src)|<style|style=|undefined|\[object/);
        const ids = await page.evaluate<string[]>("Array.from(document.querySelectorAll('[id]'), ({ id }) => id)");
        expect(new Set(ids).size).toBe(ids.length);
        expect(await page.locator('h1').count()).toBe(1);
        // The parser of the browser moves or drops what is not allowed where it is.
        expect(await page.locator('p p, p div, button button, a a, body > :not(main, p)').count()).toBe(0);
        // A closing tag too few or too many changes the number of elements.
        for (const tag of ['div', 'p', 'a', 'form', 'button', 'span', 'dl']) {
          const opened = markup.match(new RegExp(`<${tag}[ >]`, 'g'))?.length ?? 0;
          expect(markup.split(`</${tag}>`).length - 1, `${path} ${tag}`).toBe(opened);
        }
      }
    });

    it('take at most 20 kB without the font, and nothing of another host', async () => {
      const invoice = await newInvoice({ num_satoshis: 5, memo: 'm'.repeat(600) });
      for (const path of [await newLink(), new URL(invoice.page_url).pathname]) {
        const page = await open();
        const session = await page.context().newCDPSession(page);
        await session.send('Network.enable');
        const [urls, sizes] = [new Map<string, string>(), new Map<string, number>()];
        session.on('Network.responseReceived', ({ requestId, response }) => urls.set(requestId, response.url));
        session.on('Network.loadingFinished', ({ requestId, encodedDataLength }) => sizes.set(requestId, encodedDataLength));
        await page.goto(path, { waitUntil: 'load' });
        await expect.poll(() => [...urls.values()].some((url) => url.endsWith('pay-page.js'))).toBe(true);
        const counted = [...sizes].filter(([id]) => !urls.get(id)?.endsWith('.woff2'));
        const total = counted.reduce((sum, [, size]) => sum + size, 0);
        expect(total, counted.map(([id, size]) => `${urls.get(id)} ${size}`).join('\n')).toBeLessThanOrEqual(BUDGET);
        expect(total).toBeGreaterThan(3_000);
        await page.close();
      }
    });

    it('load nothing from another host, even if markup names it', async () => {
      const page = await open(await newLink(), { expected: [/Content Security Policy/, /other\.invalid/] });
      const refused = await page.evaluate(`new Promise((resolve) => {
        addEventListener('securitypolicyviolation', ({ effectiveDirective }) => resolve(effectiveDirective));
        document.createElement('img').src = 'https://other.invalid/pixel.png';
      })`);
      expect(refused).toBe('img-src');
    });
  },
  {
    PAY_NAME: 'Harbour Roastery',
    PAY_TEXT: 'Coffee, beans and workshops. 7 Quay Street.',
    PAY_COLOR: '#7a2e4d',
    ...source.settings('EUR'),
    ADDRESS_RATE_LIMIT_PER_SECOND: '0',
  },
);
