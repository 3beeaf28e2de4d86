import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { violationsOn } from '../support/axe.ts';
import type { TestWallet } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('the search of the dashboard', ({ client, newPerson, open, openLoggedIn, logIn }) => {
  let wallet: TestWallet;
  let invoice: { id: string; payment_request: string; r_hash_decoded: string };
  beforeAll(async () => {
    wallet = await client.namedWallet('Corner bakery', 5000);
    invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 21, memo: 'Plum cake for Sunday' });
    for (let index = 0; index < 30; index++) await client.post('/v1/wallet', { user_label: `Stand ${index}` });
  });

  async function search(page: Page, text: string): Promise<void> {
    await page.getByRole('heading', { level: 1 }).first().waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill(text);
  }

  it('finds an invoice by its memo, its payment hash and its text', async () => {
    const page = await openLoggedIn('/keys');
    for (const text of ['plum', invoice.r_hash_decoded, invoice.payment_request, invoice.id]) {
      await search(page, text);
      await page.getByRole('option', { name: /Plum cake for Sunday.*Payment or invoice/ }).waitFor();
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/payments/${invoice.id}`);
    }
  });

  it('finds a Lightning address and a transfer, which opens although other transactions are newer', async () => {
    const json = { lnurlp_identifier: 'bakery', lnurlp_short_desc: 'Bakery', lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 5000 };
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, json);
    const other = await client.wallet();
    const transfer = (memo: string) => client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 1, memo });
    await transfer('Rent of the oven');
    for (let index = 0; index < 55; index++) await transfer(`Flour ${index}`);
    const page = await openLoggedIn('/keys');
    await search(page, link.ln_address);
    await page.getByRole('option', { name: /Pay link/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/links/${link.id}`);
    await search(page, 'oven');
    const found = page.getByRole('option', { name: /Rent of the oven.*[+−]1 sats · Today/ }).first();
    await found.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await found.click();
    await page.getByText('Selected', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Rent of the oven', expanded: true }).waitFor();
  });

  it('finds a transaction by its amount on a phone, with the amount and the date', async () => {
    const [from, to] = [await client.wallet(2000), await client.wallet()];
    await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1540, memo: 'Bicycle' });
    const page = await openLoggedIn('/wallets', { device: 'phone' });
    for (const text of ['1540', '1 540', '+1\u202f540', '1,540 sats']) {
      await search(page, text);
      await page.getByRole('option', { name: /Bicycle\s*\+1\s540 sats · Today/ }).waitFor();
      await page.getByRole('option', { name: /Bicycle\s*−1\s540 sats · Today/ }).waitFor();
      await page.keyboard.press('Escape');
    }
    await search(page, '1540');
    const found = page.getByRole('option', { name: /Bicycle\s*−1\s540 sats/ });
    await found.waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await found.click();
    await page.waitForURL(`**/wallets/${from.id}?tx=*`);
    await page.getByRole('button', { name: 'Bicycle', expanded: true }).waitFor();
  });

  it('finds accounts and their wallets for operators only', async () => {
    const person = await newPerson();
    const page = await openLoggedIn('/keys');
    await search(page, person.email.slice(0, 8));
    await page.getByRole('option', { name: `${person.email} Account` }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/accounts/${person.accountId}`);
    const own = await open();
    await logIn(own, person);
    await own.goto('/keys');
    await search(own, 'Corner bakery');
    await own.getByText('Nothing was found.').waitFor();
  });
});
