import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStale, RateSource, sendsPrices, setPrices } from '../rates/rate-source.ts';
import { onDashboard } from '../support/dashboard.ts';

const PRICES = { EUR: '50000', JPY: '7000000' };

const source = await RateSource.start('50000');
source.behave = sendsPrices(PRICES);
afterAll(() => source.close());

onDashboard(
  'amounts in a currency',
  (dashboard) => {
    const { client, openLoggedIn } = dashboard;

    beforeAll(() => setPrices(client, source, PRICES));

    it('are chosen with the currency of the account, entered in a new invoice, and shown with rate and source', async () => {
      const { id } = await client.wallet(1_000_000);
      const page = await openLoggedIn('/settings');
      await page.getByLabel('Currency').selectOption('EUR');
      await page.getByText(/^1 BTC = 50\u202f000 EUR, from 127\.0\.0\.1:\d+, less than a minute ago$/).waitFor();
      expect((await client.get('/v1/account')).currency).toBe('EUR');

      await page.goto(`/wallets/${id}`);
      const value = page.locator('.fiat > span').first();
      await value.waitFor();
      expect(await value.textContent()).toBe('500.00 EUR');
      expect(await value.getAttribute('title')).toMatch(/^1 BTC = 50\u202f000 EUR, from 127\.0\.0\.1:\d+, less than a minute ago$/);

      await page.getByRole('link', { name: 'Receive' }).click();
      const [sats, euros] = [page.getByLabel('Amount', { exact: true }), page.getByLabel('Amount in EUR')];
      const create = page.getByRole('button', { name: 'Create invoice' });
      await euros.fill('12.345');
      await page.getByText('A number above 0 with a decimal point, and no more decimals than EUR has.').waitFor();
      expect(await create.isDisabled()).toBe(true);
      await sats.fill('5');
      expect(await euros.inputValue()).toBe('');
      await euros.fill('12.34');
      await page.getByText('About 24\u202f680 sats at the present rate.').waitFor();
      expect(await sats.inputValue()).toBe('');
      await create.click();
      expect(await page.locator('dialog .hero-amount').textContent()).toBe('24\u202f680sats');
      const price = page.getByRole('dialog').getByText('12.34 EUR', { exact: true });
      await price.waitFor();
      const [invoice] = await client.get(`/v1/wallet/${id}/transactions?status=open`);
      expect(invoice).toMatchObject({ num_satoshis: 24_680, amount: '12.34', currency: 'EUR', rate: '50000' });
    });

    it('cannot be entered without a valid rate, and old values are marked', async () => {
      const { id } = await client.wallet(1_000);
      await makeStale(dashboard, source);
      const page = await openLoggedIn('/settings');
      await page.getByLabel('Currency').selectOption('JPY');
      await page.goto(`/wallets/${id}`);
      await page.getByText(/^· rate \d+ days old$/).waitFor();
      await page.getByRole('link', { name: 'Receive' }).click();
      await page.getByLabel('Amount', { exact: true }).waitFor();
      expect(await page.getByLabel('Amount in JPY').count()).toBe(0);
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('');
      await expect.poll(async () => (await client.get('/v1/account')).currency).toBeNull();
    });
  },
  {
    FIAT_RATES: source.entry,
    FIAT_CURRENCIES: 'EUR,JPY',
    FIAT_RATE_MAX_AGE_SECONDS: '86400',
    FIAT_RATE_REFRESH_SECONDS: '5',
    OUTBOUND_ALLOW: '127.0.0.1',
  },
);
