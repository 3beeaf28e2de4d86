import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('shortcuts', ({ client, openLoggedIn }) => {
  const FOCUSED = 'document.activeElement.getAttribute("aria-label") ?? document.activeElement.labels?.[0]?.textContent';

  it('start the search of the page, or of all pages where it has none', async () => {
    const wallet = await client.wallet(100);
    const page = await openLoggedIn('/wallets');
    await page.getByRole('searchbox').waitFor();
    await page.keyboard.press('/');
    expect(await page.evaluate(FOCUSED)).toBe('Label or id');
    await page.goto(`/wallets/${wallet.id}`);
    await page.getByRole('button', { name: 'Memo, label or hash' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog').getByLabel('Memo, label or hash').waitFor();
    expect(await page.evaluate(FOCUSED)).toBe('Memo, label or hash');
    await page.goto('/keys');
    await page.getByRole('button', { name: 'New key' }).waitFor();
    await page.keyboard.press('/');
    await page.getByRole('dialog', { name: 'Search' }).waitFor();
  });

  it('are listed by ?, and Esc closes the list', async () => {
    const page = await openLoggedIn('/keys');
    await page.getByRole('button', { name: 'New key' }).waitFor();
    await page.keyboard.press('?');
    const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await list.getByText('Search or filter this page').waitFor();
    await list.getByText('Overview of the operator').waitFor();
    await page.keyboard.press('Escape');
    await list.waitFor({ state: 'detached' });
    await page.keyboard.press('?');
    await list.waitFor();
  });

  it('do nothing while a person types in a field or a sheet is open', async () => {
    const page = await openLoggedIn('/wallets');
    const search = page.getByRole('searchbox');
    await search.pressSequentially('g k/?');
    expect(await search.inputValue()).toBe('g k/?');
    await page.goto('/wallets/new');
    await page.getByRole('dialog').waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).focus();
    await page.keyboard.press('?');
    await page.keyboard.press('/');
    await page.keyboard.press('Control+k');
    expect(await page.locator('dialog[open]').count()).toBe(1);
    expect(new URL(page.url()).pathname).toBe('/wallets/new');
  });
});
