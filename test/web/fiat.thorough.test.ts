import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeEach, expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('fiat values', ({ client, rows, execute, open, openLoggedIn, logIn, newPerson }) => {
  const change = (method: 'PUT' | 'DELETE', json?: object) =>
    client.request(method, '/v1/operator/fiat-rate', {
      key: client.secretKey,
      headers: { 'idempotency-key': randomUUID() },
      ...(json && { json }),
    });
  const setRate = (perBtc: string, currency = 'EUR') => change('PUT', { currency, per_btc: perBtc });
  const fiatOf = (page: Page, text: string) => page.getByText(text, { exact: true });
  const chooseFiat = async (page: Page, label = 'sats and EUR') => {
    await page.goto('/settings');
    await page.getByRole('button', { name: label }).click();
  };

  beforeEach(async () => {
    await change('DELETE');
  });

  it('appear beside the sats once the operator has set a rate, and disappear when it is removed', async () => {
    const { id } = await client.wallet(1_000_000);
    const page = await openLoggedIn('/settings');
    await page.getByRole('button', { name: 'BTC', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /sats and/ }).count()).toBe(0);

    await page.goto('/operator/limits');
    await page.getByText('No rate is set.').waitFor();
    await page.getByLabel('Currency').selectOption('EUR');
    await page.getByLabel('Price of 1 BTC').fill('61 234.50');
    await page.getByRole('button', { name: 'Set rate' }).dblclick();
    await page.getByText('1 BTC = 61\u202f234.50 EUR, set by the operator less than a minute ago').waitFor();
    expect(await client.get('/v1/fiat-rate')).toMatchObject({ currency: 'EUR', per_btc: '61234.50' });

    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('button', { name: 'sats and EUR' }).click();
    await page.goto(`/wallets/${id}`);
    await page.getByText('1\u202f000\u202f000').first().waitFor();
    const value = page.locator('.fiat > span').first();
    expect(await value.textContent()).toBe('612.35 EUR');
    expect(await value.getAttribute('title')).toBe('1 BTC = 61\u202f234.50 EUR, set by the operator less than a minute ago');

    await page.goto('/operator/limits');
    await page.getByRole('button', { name: 'Remove rate' }).click();
    await page.getByText('No rate is set.').waitFor();
    await page.getByRole('link', { name: 'Wallets' }).click();
    await page.getByText('1\u202f000\u202f000').first().waitFor();
    expect(await page.getByText('EUR').count()).toBe(0);
    await page.goto('/settings');
    await page.getByText('The operator has removed the fiat rate. Amounts are in sats.').waitFor();
    expect(await page.getByRole('button', { name: 'sats', exact: true }).getAttribute('aria-pressed')).toBe('true');
  });

  it('are set once by a double click, and not to what is no price', async () => {
    const page = await openLoggedIn('/operator/limits');
    const [price, set] = [page.getByLabel('Price of 1 BTC'), page.getByRole('button', { name: 'Set rate' })];
    expect(await set.isDisabled()).toBe(true);
    for (const text of ['0', '-1', '1e9', '61,234', '61.23.50', 'NaN', '<b>1</b>', '1.123456789', '1'.repeat(16)]) {
      await price.fill(text);
      await page.getByText('A number above 0, such as 61234.50.').waitFor();
      expect([text, await set.isDisabled()]).toEqual([text, true]);
    }
    const before = (await rows('SELECT count(*) AS n FROM fiat_rate'))[0]?.n as number;
    await price.fill('0.00000001');
    await set.dblclick();
    await page.getByText('1 BTC = 0.00000001 EUR').waitFor();
    expect((await rows('SELECT count(*) AS n FROM fiat_rate'))[0]?.n).toBe(before + 1);
    await page.getByLabel('Currency').selectOption('JPY');
    await price.fill('14500000');
    await set.click();
    await page.getByText('1 BTC = 14\u202f500\u202f000 JPY').waitFor();
  });

  it('are chosen by each person in the settings, kept over a reload, and shown in balances and forms', async () => {
    await setRate('14500000', 'JPY');
    const person = await newPerson();
    const page = await open();
    await logIn(page, person);
    await chooseFiat(page, 'sats and JPY');
    await page.reload();
    expect(await page.getByRole('button', { name: 'sats and JPY' }).getAttribute('aria-pressed')).toBe('true');
    await page.goto('/wallets/new');
    await page.getByRole('dialog').getByLabel('Label').fill('shop');
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.waitForURL(/\/wallets\/wal_/);
    await fiatOf(page, '0 JPY').first().waitFor();
    await page.getByRole('link', { name: 'Receive' }).click();
    await page.getByLabel('Amount').fill('12 500');
    await fiatOf(page, '1\u202f813 JPY').waitFor();
    await page.getByRole('button', { name: 'Create invoice' }).click();
    const amount = page.locator('dialog .hero-amount');
    expect(await amount.textContent()).toBe('12\u202f500sats');
    await page.getByRole('dialog').getByText('1\u202f813 JPY', { exact: true }).waitFor();
  });

  it('are marked with the age of a rate that is older than a day', async () => {
    await setRate('61234.50');
    await execute('UPDATE fiat_rate SET set_at = set_at - 259201');
    await client.wallet(1_000);
    const page = await openLoggedIn('/settings');
    await chooseFiat(page);
    await page.goto('/wallets');
    await page.getByText(/^· rate 3 days old$/).waitFor();
    await page
      .getByText(/^· 3 days old$/)
      .first()
      .waitFor();
    await page.goto('/operator/limits');
    await page.getByText(/The rate is 3 days old/).waitFor();
  });

  it('cost nothing for people who have not chosen them', async () => {
    await setRate('61234.50');
    await client.wallet(1_000);
    const page = await openLoggedIn();
    const requests: string[] = [];
    page.on('request', (request) => requests.push(new URL(request.url()).pathname));
    await page.goto('/wallets');
    await page.getByText('1\u202f000').first().waitFor();
    expect(requests.filter((path) => /fiat/.test(path))).toEqual([]);
    expect(await page.getByText('EUR').count()).toBe(0);
  });
});
