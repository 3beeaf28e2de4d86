import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('the wallets', ({ client, openLoggedIn, open, newPerson, logIn }) => {
  const name = (page: Page, label: string) => page.getByRole('link', { name: label, exact: true });
  const hero = (page: Page) => page.locator('.hero-amount').textContent();

  it('are created in a sheet, once for a double click, and opened', async () => {
    const page = await openLoggedIn('/wallets');
    await page.getByRole('link', { name: 'New wallet' }).first().click();
    await page.getByLabel('Label', { exact: true }).last().fill('Coffee <b>till</b>');
    await page.getByRole('button', { name: 'Create the wallet' }).dblclick();
    await page.getByRole('heading', { name: 'Coffee <b>till</b>', level: 1 }).waitFor();
    expect(await client.get('/v1/wallets?label=coffee')).toHaveLength(1);
    await page.goBack();
    await name(page, 'Coffee <b>till</b>').waitFor();
    expect(new URL(page.url()).pathname).toBe('/wallets');
  });

  it('show new balances and their sum without a reload', async () => {
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn('/wallets');
    await expect.poll(() => hero(page)).toContain('1\u202f000');
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 234 });
    await expect.poll(() => hero(page)).toContain('1\u202f234');
    await page.locator('tbody').getByText('1\u202f234').waitFor();
  });

  it('show what came into all of them and left them in 30 days', async () => {
    const [from, to] = [await client.wallet(500), await client.wallet(0)];
    await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 200 });
    const { in_msat, out_msat } = await client.get(`/v1/account/summary?from=${Math.floor(Date.now() / 3_600_000) * 3600 - 86_400}`);
    const page = await openLoggedIn('/wallets');
    const stat = (name: string) => page.locator('.stat', { has: page.getByText(name, { exact: true }) }).locator('b');
    await expect.poll(async () => (await stat('In, 30 d').innerText()).replaceAll(/\D/g, '')).toBe(String(in_msat / 1000));
    expect(await stat('In, 30 d').innerText()).toMatch(/^\+/);
    expect((await stat('Out, 30 d').innerText()).replaceAll(/[^\d\u2212]/g, '')).toBe(`\u2212${out_msat / 1000}`);
  });

  it('cost at most two requests a second while money moves all the time', async () => {
    const [from, to] = [await client.wallet(1000), await client.wallet()];
    for (const address of ['/wallets', `/wallets/${from.id}`]) {
      const page = await openLoggedIn(address);
      await page.waitForLoadState('load');
      await page.getByText(/sat/).first().waitFor();
      // The first requests of the screen are no part of what an open tab costs.
      await page.waitForTimeout(3000);
      let requests = 0;
      page.on('request', (request) => {
        if (new URL(request.url()).pathname.startsWith('/v1/')) requests += 1;
      });
      const start = performance.now();
      for (let sent = 0; sent < 100; sent++) {
        await client.post(`/v1/wallet/${from.id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 1 });
        await page.waitForTimeout(100);
      }
      // The bound grows with the time that the transfers took, so a slow machine passes, too. Four requests may be sent at once.
      const seconds = (performance.now() - start) / 1000;
      expect(requests, address).toBeGreaterThan(3);
      expect(requests, address).toBeLessThanOrEqual(4 + 2 * seconds);
      await page.close();
    }
  });

  it('are found by their id', async () => {
    const { id } = await client.post('/v1/wallet', { user_label: 'Only this one' });
    await client.post('/v1/wallet', { user_label: 'Another one' });
    const page = await openLoggedIn('/wallets');
    await page.getByRole('searchbox', { name: 'Label or id' }).fill(id);
    await expect.poll(() => page.locator('.wallets-table tbody .name').allInnerTexts()).toEqual(['Only this one']);
  });

  it('are found by label and status, which stay in the address', async () => {
    const { id } = await client.post('/v1/wallet', { user_label: 'Needle one' });
    await client.post('/v1/wallet', { user_label: 'Needle two' });
    await client.request('PATCH', `/v1/wallet/${id}`, { key: client.secretKey, json: { status: 'inactive' } });
    const page = await openLoggedIn('/wallets');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('needle');
    await page.waitForURL('**/wallets?label=needle');
    await name(page, 'Needle one').waitFor();
    await page.getByRole('button', { name: 'Inactive' }).click();
    await name(page, 'Needle two').waitFor({ state: 'detached' });
    await page.reload();
    await name(page, 'Needle one').waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe('needle');
    await page.goto('/wallets?label=absent');
    await page.getByRole('button', { name: 'Clear the search' }).click();
    await name(page, 'Needle two').waitFor();
  });

  it('are listed 50 at a time', async () => {
    for (let index = 0; index < 51; index++) await client.post('/v1/wallet', { user_label: `page ${index}` });
    const page = await openLoggedIn('/wallets?label=page');
    await expect.poll(() => page.locator('tbody tr').count()).toBe(50);
    await page.getByRole('button', { name: 'Older' }).click();
    await name(page, 'page 0').waitFor();
    expect(await page.locator('tbody tr').count()).toBe(1);
    await page.getByText('51 – 51').waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await name(page, 'page 50').waitFor();
    const { wallets } = await client.get('/v1/account/summary');
    await page.goto('/wallets');
    await page.getByText(`1 – 50 of ${wallets}`).waitFor();
  });

  it('have a first step for a new person', async () => {
    const page = await open();
    await logIn(page, await newPerson());
    await page.goto('/wallets');
    await page.getByText('No wallets yet').waitFor();
    await expect.poll(() => hero(page)).toContain('0');
  });
});
