import type { Page, Route } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { violationsOn } from '../support/axe.ts';
import type { TestWallet } from '../support/client.ts';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';

onDashboard('the choice of a wallet', ({ client, openLoggedIn }) => {
  let oldest: TestWallet;
  let second: TestWallet;
  beforeAll(async () => {
    oldest = await client.namedWallet('Corner bakery', 0);
    second = await client.namedWallet('Harbour kiosk', 0);
    for (let index = 0; index < 100; index++) await client.post('/v1/wallet', { user_label: `Stand ${index}` });
  });

  const options = (page: Page) => page.getByRole('option').allTextContents();

  it('offers the newest wallets, and finds every other one by its label or id', async () => {
    const page = await openLoggedIn('/links/new');
    const field = page.getByRole('combobox', { name: 'Into' });
    await field.click();
    await page.getByRole('option', { name: 'Stand 99', exact: true }).waitFor();
    expect(await options(page)).not.toContain('Corner bakery');
    await field.pressSequentially('bak');
    await expect.poll(() => options(page)).toEqual(['Corner bakery']);
    await field.fill(oldest.id);
    await expect.poll(() => options(page)).toEqual(['Corner bakery']);
    await field.fill('nothing has this label');
    await page.getByRole('status').filter({ hasText: 'No wallet has such a label or id.' }).waitFor();
    expect(await field.getAttribute('aria-expanded')).toBe('false');
  });

  it('works with the keyboard and has nothing that axe finds', async () => {
    const page = await openLoggedIn('/links/new', { context: { reducedMotion: 'reduce' } });
    const field = page.getByRole('combobox', { name: 'Into' });
    await field.focus();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Stand 99', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Stand 98', exact: true, selected: true }).waitFor();
    const active = await page.locator(`id=${await field.getAttribute('aria-activedescendant')}`).textContent();
    expect(active).toBe('Stand 98');
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Stand 98');
    expect(await page.getByRole('option').count()).toBe(0);
    await field.fill('harbour');
    await page.getByRole('option', { name: 'Harbour kiosk' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await field.inputValue()).toBe('Stand 98');
    await page.getByRole('dialog').waitFor();
  });

  it('keeps the selected wallet when another one is listed before it', async () => {
    const page = await openLoggedIn('/links/new');
    const field = page.getByRole('combobox', { name: 'Into' });
    await field.click();
    await page.getByRole('option', { name: 'Stand 99', exact: true }).waitFor();
    await page.keyboard.press('ArrowDown');
    await page.getByRole('option', { name: 'Stand 99', exact: true, selected: true }).waitFor();
    await client.post('/v1/wallet', { user_label: 'Newcomer' });
    await page.getByRole('option', { name: 'Newcomer', exact: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await field.inputValue()).toBe('Stand 99');
  });

  it('shows the label of the wallet in the address, which is not one of the newest', async () => {
    const page = await openLoggedIn(`/keys?wallet=${oldest.id}`);
    const field = page.getByRole('combobox', { name: 'Keys of' });
    await expect.poll(() => field.inputValue()).toBe('Corner bakery');
    await chooseWallet(field, 'Harbour kiosk');
    await page.waitForURL(`**wallet=${second.id}`);
    await field.click();
    await page.getByRole('option', { name: 'The account' }).click();
    await expect.poll(() => new URL(page.url()).search).toBe('');
  });

  it('ignores the response to a text that has changed since', async () => {
    const page = await openLoggedIn('/links/new');
    const held: Route[] = [];
    await page.route('**/v1/search?q=corner*', (route) => void held.push(route));
    const field = page.getByRole('combobox', { name: 'Into' });
    await field.fill('corner');
    await expect.poll(() => held.length).toBe(1);
    await field.fill('harbour');
    await expect.poll(() => options(page)).toEqual(['Harbour kiosk']);
    await held[0]?.continue().catch(() => undefined);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 100))');
    expect(await options(page)).toEqual(['Harbour kiosk']);
  });

  it('reads the labels of a list of links with one request', async () => {
    const links = await client.get('/v1/lnurlp?per-page=50');
    const ids = new Set<string>(links.map(({ wallet_id }: { wallet_id: string }) => wallet_id));
    expect(ids.size).toBe(50);
    const page = await openLoggedIn();
    // Otherwise the first screen may still send requests.
    await page.goto('about:blank');
    const requests: string[] = [];
    page.on('request', (request) => {
      const id = new URL(request.url()).searchParams.get('id');
      if (id !== null) requests.push(id);
    });
    await page.goto('/links');
    await page.getByRole('table').getByText('Stand 99', { exact: true }).waitFor();
    expect(requests.filter((id) => id.includes(','))).toEqual([[...ids].sort().join()]);
  });

  it('is made in the palette, too', async () => {
    const page = await openLoggedIn('/keys');
    await page.getByRole('heading', { level: 1 }).waitFor();
    const found = async (text: string) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: 'Search' }).fill(text);
    };
    await found('Corner');
    await page.getByRole('option', { name: 'Receive to Corner bakery' }).waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/wallets/${oldest.id}`);
    await found('send from harb');
    await page.getByRole('option', { name: 'Send from Harbour kiosk' }).waitFor();
    expect(await violationsOn(page)).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/wallets/${second.id}/send`);
    await page.getByLabel('To', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await found('nothing is called this');
    await page.getByText('Nothing was found.').waitFor();
  });
});
