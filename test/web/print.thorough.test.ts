import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Business, fillBusiness } from '../support/business.ts';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';
import { readQrIn } from '../support/page-qr.ts';
import { visit } from '../support/screens.ts';

/** Counts the calls of `print`, which opens a dialog of the browser. */
const COUNT_PRINTS = 'window.prints = 0; window.print = () => { window.prints++; };';

/** The text that is on paper. */
async function printedText(page: Page): Promise<string> {
  await page.emulateMedia({ media: 'print' });
  return page.evaluate<string>('document.body.innerText');
}

onDashboard(
  'on paper',
  ({ client, net, openLoggedIn }) => {
    let business: Business;
    beforeAll(async () => {
      business = await fillBusiness({ client, net });
    });
    afterAll(() => business.close());

    async function onPage(path: string): Promise<Page> {
      const page = await openLoggedIn();
      await page.addInitScript(COUNT_PRINTS);
      await visit(page, path);
      return page;
    }

    it('a settled payment is a receipt with amount, fee, date with zone, wallet, hash and preimage', async () => {
      const page = await onPage(`/payments/${business.settledPayment}`);
      await page.getByRole('button', { name: 'Print receipt' }).click();
      expect(await page.evaluate('window.prints')).toBe(1);
      const lntx = await client.get(`/v1/lntx/${business.settledPayment}`);
      const text = await printedText(page);
      expect(text).toContain('Receipt: Payment sent');
      expect(text).toMatch(/Amount\n[\d\u202f]+ sats/);
      expect(text).toMatch(/Routing fee\n[\d\u202f.]+ sats/);
      expect(text).toMatch(/Date\n\d+ \w+ \d{4}(,| at) \d\d:\d\d:\d\d UTC/);
      for (const part of [lntx.r_hash_decoded, lntx.payment_preimage, lntx.id, '127.0.0.1']) expect(text).toContain(part);
      // Neither the navigation nor a button.
      expect(text).not.toMatch(/Wallets\n|Log out|Print receipt|Copy/);
      expect(await page.pdf({ format: 'A4' })).toBeInstanceOf(Buffer);
    });

    it.each(['failedPayment', 'pendingPayment'] as const)('a payment that is not settled has no receipt: %s', async (payment) => {
      const page = await onPage(`/payments/${business[payment]}`);
      await page.getByText('Timeline').waitFor();
      expect(await page.getByRole('button', { name: 'Print receipt' }).count()).toBe(0);
    });

    it('several vouchers are separate links that are claimed once each, each with its code', async () => {
      const wallet = await client.namedWallet('Meetup', 100_000);
      const page = await onPage('/links/withdraw');
      const sheet = page.getByRole('dialog');
      await chooseWallet(sheet.getByLabel('From'), 'Meetup');
      await sheet.getByLabel('Sats per claim').fill('2.100');
      await sheet.getByText('More options').click();
      await sheet.getByLabel('Vouchers').fill('3');
      await sheet.getByLabel('Text for the claiming wallet').fill('One drink');
      await sheet.getByRole('button', { name: 'Create link' }).dblclick();
      await page.getByRole('button', { name: 'Print vouchers' }).click();
      const links = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws`);
      expect(links).toHaveLength(3);
      for (const link of links) expect(link).toMatchObject({ num_satoshis: 2100, uses: 1, memo: 'One drink' });
      const text = await printedText(page);
      expect(text.match(/One drink\n+2\u202f100 sats/g)).toHaveLength(3);
      const codes = page.locator('.print-sheet .voucher .qr svg');
      await expect.poll(() => codes.count()).toBe(3);
      const texts = await Promise.all((await codes.all()).map((code) => readQrIn(code)));
      expect(new Set(texts).size).toBe(3);
      for (const one of texts) expect(one.toUpperCase()).toMatch(/^(LIGHTNING:)?LNURL1/);
    });

    it('an address is a card with its code', async () => {
      const page = await onPage(`/links/${business.payLink}`);
      await page.getByRole('button', { name: 'Print card' }).click();
      const text = await printedText(page);
      expect(text).toContain('Lightning wallet');
      expect(text).not.toMatch(/Edit|Copy|Wallets\n/);
      expect(await page.locator('.print-sheet .qr svg').count()).toBe(1);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '1' },
);
