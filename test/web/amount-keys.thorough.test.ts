import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { RateSource, sendsPrices, setPrices } from '../rates/rate-source.ts';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Without transitions, in which axe would find colors between two themes. */
const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

const PRICES = { EUR: '50000', JPY: '7000000' };

const source = await RateSource.start('50000');
source.behave = sendsPrices(PRICES);
afterAll(() => source.close());

function keysOf(page: Page) {
  return page.getByRole('group', { name: 'Number keys' });
}

async function tapKeys(page: Page, ...names: string[]) {
  for (const name of names) await keysOf(page).getByRole('button', { name, exact: true }).tap();
}

async function hasFocus(field: Locator): Promise<boolean> {
  return (await field.and(field.page().locator(':focus')).count()) === 1;
}

/** Returns whether one part of the page ends above another. */
async function isAbove(upper: Locator, lower: Locator): Promise<boolean> {
  const [one, other] = [await upper.boundingBox(), await lower.boundingBox()];
  return one !== null && other !== null && one.y + one.height <= other.y;
}

onDashboard(
  'the keys for amounts on a phone',
  ({ client, openLoggedIn }) => {
    beforeAll(() => setPrices(client, source, PRICES));

    async function openReceive(options: Parameters<typeof openLoggedIn>[1] = PHONE) {
      const { id } = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${id}/receive`, options);
      const amount = page.getByLabel('Amount', { exact: true });
      await amount.waitFor();
      return { id, page, amount };
    }

    it('write an amount in place of the keyboard of the device, and an invoice is created', async () => {
      const { id, page, amount } = await openReceive();
      await keysOf(page).waitFor();
      expect(await amount.getAttribute('inputmode')).toBe('none');
      expect(await violationsInThemes(page)).toEqual([]);
      for (const key of await keysOf(page).getByRole('button').all()) {
        const { width = 0, height = 0 } = (await key.boundingBox()) ?? {};
        expect(Math.min(width, height)).toBeGreaterThanOrEqual(44);
      }
      await tapKeys(page, '2', '1', '000', 'Delete');
      expect(await amount.inputValue()).toBe('2100');
      await page.getByRole('button', { name: 'Create invoice' }).tap();
      await page.getByText('Waiting for payment').waitFor();
      expect(await keysOf(page).count()).toBe(0);
      expect((await client.get(`/v1/wallet/${id}/transactions?status=open`))[0]).toMatchObject({ num_satoshis: 2100 });
    });

    it('write at the caret and over a selection, and the field keeps the focus', async () => {
      const { page, amount } = await openReceive();
      await page.keyboard.type('1230');
      await page.evaluate('document.activeElement.setSelectionRange(1, 1)');
      await tapKeys(page, '9', '8', 'Delete');
      expect(await amount.inputValue()).toBe('19230');
      expect(await hasFocus(amount)).toBe(true);
      await page.keyboard.type('7');
      expect(await amount.inputValue()).toBe('197230');
      await page.evaluate('document.activeElement.setSelectionRange(0, 6)');
      await tapKeys(page, '5');
      expect(await amount.inputValue()).toBe('5');
      await tapKeys(page, 'Delete', 'Delete', '4');
      expect(await amount.inputValue()).toBe('4');
    });

    it('accept a pasted amount', async () => {
      const { page, amount } = await openReceive({
        ...PHONE,
        context: { ...PHONE.context, permissions: ['clipboard-read', 'clipboard-write'] },
      });
      await page.evaluate("navigator.clipboard.writeText('12\u202f500')");
      await page.keyboard.press('Control+V');
      await tapKeys(page, '0');
      expect(await amount.inputValue()).toBe('12\u202f5000');
    });

    it('are hidden while another field has the focus, and stay while a button has it', async () => {
      const { page, amount } = await openReceive();
      await keysOf(page).waitFor();
      await page.getByRole('button', { name: 'Create invoice' }).focus();
      expect(await keysOf(page).count()).toBe(1);
      await tapKeys(page, '7');
      expect(await hasFocus(amount)).toBe(true);
      await page.getByLabel('Memo').tap();
      await expect.poll(() => keysOf(page).count()).toBe(0);
      expect(await hasFocus(page.getByLabel('Memo'))).toBe(true);
      await amount.tap();
      await tapKeys(page, '5');
      expect(await amount.inputValue()).toBe('75');
    });

    it('leave the button of a long form in sight above them', async () => {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/links/withdraw?wallet=${wallet.id}`, PHONE);
      await page.getByLabel('Sats per claim').tap();
      await tapKeys(page, '2', '1');
      const create = page.getByRole('button', { name: 'Create link' });
      expect(await isAbove(create, keysOf(page))).toBe(true);
      await create.tap();
      await page.getByText('Pays 21\u202fsats per claim.').or(page.getByText('Pays 21 sats per claim.')).waitFor();
    });

    it('belong to the field of the fee limit as well', async () => {
      const { id } = await client.wallet(10_000);
      const page = await openLoggedIn(`/wallets/${id}/send`, PHONE);
      const { pubkey } = (await client.get('/playground')).nodes[0];
      await page.getByLabel('To', { exact: true }).fill(pubkey);
      const [amount, fee] = [page.getByLabel('Amount', { exact: true }), page.getByLabel('Fee limit, sats')];
      await amount.tap();
      await tapKeys(page, '5', '0', '0');
      await fee.tap();
      await page.evaluate('document.activeElement.select()');
      await tapKeys(page, '7');
      expect([await amount.inputValue(), await fee.inputValue()]).toEqual(['500', '7']);
      expect(await keysOf(page).count()).toBe(1);
    });

    it('cover neither the field nor the button on a small phone', async () => {
      const { id } = await client.wallet(10_000);
      const context = { ...PHONE.context, viewport: { width: 320, height: 568 } };
      const page = await openLoggedIn(`/wallets/${id}/send`, { ...PHONE, context });
      const { pubkey } = (await client.get('/playground')).nodes[0];
      await page.getByLabel('To', { exact: true }).fill(pubkey);
      const review = page.getByRole('button', { name: 'Review' });
      for (const name of ['Amount', 'Fee limit, sats']) {
        const field = page.getByLabel(name, { exact: true });
        await field.focus();
        await keysOf(page).waitFor();
        await expect.poll(async () => (await isAbove(field, review)) && (await isAbove(review, keysOf(page)))).toBe(true);
      }
    });

    it('have the decimal mark for a currency with decimals, from left to right in every language', async () => {
      const { page, amount } = await openReceive();
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('EUR');
      await page.getByText(/^1 BTC = /).waitFor();
      await page.goBack();
      await page.evaluate("document.documentElement.dir = 'rtl'");
      const euros = page.getByLabel('Amount in EUR');
      await euros.tap();
      expect(await keysOf(page).getByRole('button', { name: '000' }).count()).toBe(0);
      await tapKeys(page, '1', '2', '.', '5');
      expect(await euros.inputValue()).toBe('12.5');
      await page.getByText(/^About 25\u202f000 sats/).waitFor();
      const [one, three] = [
        await keysOf(page).getByText('1', { exact: true }).boundingBox(),
        await keysOf(page).getByText('3').boundingBox(),
      ];
      expect(one?.x).toBeLessThan(three?.x ?? 0);
      await amount.tap();
      await tapKeys(page, '9', '000');
      expect([await amount.inputValue(), await euros.inputValue()]).toEqual(['9000', '']);
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('JPY');
      await page.getByText(/^1 BTC = /).waitFor();
      await page.goBack();
      const yen = page.getByLabel('Amount in JPY');
      await yen.tap();
      await tapKeys(page, '7', '000');
      expect(await yen.inputValue()).toBe('7000');
      await page.evaluate("localStorage.setItem('unit', 'btc')");
      await page.reload();
      await amount.tap();
      await tapKeys(page, '3', '000');
      expect(await amount.inputValue()).toBe('3000');
    });

    it('are absent without a touch screen and in a wide window', async () => {
      const narrow = await openReceive({ context: { viewport: { width: 390, height: 844 } } });
      const wide = await openReceive({ context: { viewport: { width: 1024, height: 768 }, hasTouch: true, isMobile: true } });
      for (const { page, amount } of [narrow, wide]) {
        await amount.focus();
        expect(await amount.getAttribute('inputmode')).toBe('numeric');
        expect(await keysOf(page).count()).toBe(0);
      }
    });
  },
  { ...source.settings('EUR,JPY'), FIAT_RATE_REFRESH_SECONDS: '5' },
);
