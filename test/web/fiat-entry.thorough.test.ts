import { afterAll, beforeAll, expect, it } from 'vitest';
import { makeStale, RateSource, sendsPrices, setPrices, stall } from '../rates/rate-source.ts';
import type { Json } from '../support/client.ts';
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
      await page.getByText('A number above 0, with no more decimals than EUR has.').waitFor();
      expect(await create.isDisabled()).toBe(true);
      await sats.fill('5');
      expect(await euros.inputValue()).toBe('');
      await euros.fill('12.34');
      await page
        .getByText(/About 24\u202f680 sats at the present rate\. 1 BTC = 50\u202f000 EUR, from 127\.0\.0\.1:\d+, less than a minute ago\.$/)
        .waitFor();
      expect(await sats.inputValue()).toBe('');
      await create.click();
      expect(await page.locator('dialog .hero-amount').textContent()).toBe('24\u202f680sats');
      const price = page.getByRole('dialog').getByText('12.34 EUR', { exact: true });
      await price.waitFor();
      const [invoice] = await client.get(`/v1/wallet/${id}/transactions?status=open`);
      expect(invoice).toMatchObject({ num_satoshis: 24_680, amount: '12.34', currency: 'EUR', rate: '50000' });
    });

    it('are entered to send and to transfer, and shown in the review and the history with the rate', async () => {
      const [from, to] = [await client.wallet(100_000), await client.namedWallet('Kiosk', 0)];
      const page = await openLoggedIn('/settings');
      await page.getByLabel('Currency').selectOption('EUR');
      await page.getByText(/^1 BTC = /).waitFor();

      await page.goto(`/wallets/${from.id}/send`);
      const { pubkey } = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice');
      await page.getByLabel('To', { exact: true }).fill(pubkey);
      await page.getByLabel('Amount', { exact: true }).fill('7');
      await page.getByLabel('Amount in EUR').fill('1.25');
      await page.getByText(/About 2\u202f500 sats at the present rate\. 1 BTC = 50\u202f000 EUR, from/).waitFor();
      expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByText('The service converts the amount at its rate').waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      expect(await page.getByLabel('Amount in EUR').inputValue()).toBe('1.25');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 1.25 EUR' }).click();
      await page.getByText('The receiver has it.').waitFor();

      await page.goto(`/wallets/${from.id}/transfer`);
      await page.getByLabel('Kiosk').check();
      await page.getByLabel('Amount in EUR').fill('0.5');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 0.5 EUR' }).click();
      await expect.poll(async () => (await client.get(`/v1/wallet/${to.id}`)).balance).toBe(1000);

      const [transfer, ...others] = await client.get(`/v1/wallet/${from.id}/transactions`);
      const sent = others.find(({ lnTx, amount }: Json) => lnTx?.is_keysend === 1 && amount !== undefined);
      expect(transfer).toMatchObject({ num_msat: -1_000_000, amount: '0.5', currency: 'EUR', rate: '50000' });
      expect(sent).toMatchObject({ num_msat: -2_500_000, amount: '1.25', currency: 'EUR', rate: '50000' });
      await page.goto(`/wallets/${from.id}`);
      const price = page.getByRole('table').getByText('1.25 EUR', { exact: true });
      await price.waitFor();
      expect(await price.locator('..').getAttribute('title')).toMatch(/^1 BTC = 50\u202f000 EUR, from 127/);
    });

    it('cannot be entered without a valid rate, and old values are marked', async () => {
      const { id } = await client.wallet(1_000);
      await stall(source);
      await makeStale(dashboard, source);
      const page = await openLoggedIn('/settings');
      await page.getByLabel('Currency').selectOption('JPY');
      await page.goto(`/wallets/${id}`);
      await page.getByText(/^· rate [\d\s]+ days old$/).waitFor();
      await page.getByRole('link', { name: 'Receive' }).click();
      await page.getByLabel('Amount', { exact: true }).waitFor();
      expect(await page.getByLabel('Amount in JPY').count()).toBe(0);
      await page.goto('/settings');
      await page.getByLabel('Currency').selectOption('');
      await expect.poll(async () => (await client.get('/v1/account')).currency).toBeNull();
    });
  },
  {
    ...source.settings('EUR,JPY'),
    FIAT_RATE_REFRESH_SECONDS: '5',
  },
);
