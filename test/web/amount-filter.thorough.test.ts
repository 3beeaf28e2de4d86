import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import type { TestWallet } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('the filter of transactions by amount', ({ client, openLoggedIn }) => {
  let wallet: TestWallet;
  let other: TestWallet;
  beforeAll(async () => {
    [wallet, other] = [await client.namedWallet('Everyday', 5000), await client.namedWallet('Savings')];
    await transfer(wallet, other, 154, 'old payment');
    await transfer(other, wallet, 154, 'came back');
    await transfer(wallet, other, 155, 'other payment');
  });

  async function transfer(from: TestWallet, to: TestWallet, num_satoshis: number, memo: string): Promise<void> {
    await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis, memo });
  }

  const row = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
  const filtersOf = (page: Page) => new URL(page.url()).search;

  it('is offered on a phone where no label has the number that was typed', async () => {
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { device: 'phone' });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Memo, label or hash').fill('154');
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Look for an amount of 154 sats' }).click();
    await row(page, 'old payment').waitFor();
    await row(page, 'came back').waitFor();
    expect(await row(page, 'other payment').count()).toBe(0);
    expect(filtersOf(page)).toBe('?min=154&max=154');
    expect(await violationsInThemes(page)).toEqual([]);
    await page.reload();
    await row(page, 'old payment').waitFor();
    await page.getByRole('button', { name: 'Remove the filter: Amount' }).click();
    await row(page, 'other payment').waitFor();
    expect(filtersOf(page)).toBe('');
  });

  it('takes one or two amounts in the sheet, and refuses a range that ends before it begins', async () => {
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { device: 'phone' });
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Amount from').fill('1\u202f000');
    await sheet.getByLabel('Amount to').fill('155');
    await sheet.getByText('“Amount to” must not be less than “Amount from”.').waitFor();
    await sheet.getByRole('button', { name: 'Apply filters' }).click();
    await sheet.getByLabel('Amount from').fill('some');
    await sheet.getByText('A whole number of sats, 1 or more.').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await sheet.getByLabel('Amount from').fill('155');
    await sheet.getByRole('button', { name: 'Apply filters' }).click();
    await page.waitForURL('**?min=155&max=155');
    await row(page, 'other payment').waitFor();
    expect(await row(page, 'old payment').count()).toBe(0);
    await page.getByRole('button', { name: '155 sats', exact: true }).click();
    await sheet.getByLabel('Amount to').fill('');
    await sheet.getByRole('button', { name: 'Apply filters' }).click();
    await page.getByRole('button', { name: '155 – … sats', exact: true }).waitFor();
    await page.getByText('1 – 2 of 2').waitFor();
  });

  it('selects the transactions of all wallets, their number and the export, which has no sums', async () => {
    const page = await openLoggedIn('/activity?min=154&max=154');
    await page.getByText('1 – 4 of 4').waitFor();
    expect(await page.getByRole('region', { name: 'Sums' }).count()).toBe(0);
    const href = await page.getByRole('link', { name: 'Export' }).getAttribute('href');
    expect(new URL(href ?? '', page.url()).search).toBe('?status=all&min_satoshis=154&max_satoshis=154');
    await page.goto('/activity?min=154153');
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'other payment').first().waitFor();
    expect(filtersOf(page)).toBe('');
  });
});
