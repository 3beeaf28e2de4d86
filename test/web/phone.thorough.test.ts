import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Without transitions, in which axe would find colors between two themes. */
const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

onDashboard('the bar of a phone', ({ client, openLoggedIn, open, logIn, newPerson }) => {
  const bar = (page: Page) => page.getByRole('navigation', { name: 'Main, bottom' });
  const inBar = (page: Page, name: string) => bar(page).getByRole('link', { name });

  it('has Wallet, Receive, Scan, Send and More, in this order', async () => {
    const page = await openLoggedIn('/wallets', PHONE);
    await inBar(page, 'Scan').waitFor();
    expect(await bar(page).getByRole('link').allInnerTexts()).toEqual(['Wallet', 'Receive', 'Scan', 'Send', 'More']);
  });

  it('asks for the wallet when there are several, then acts on the one that was opened last', async () => {
    const first = await client.namedWallet('Till');
    const second = await client.namedWallet('Savings');
    const page = await openLoggedIn('/wallets', PHONE);
    await inBar(page, 'Receive').click();
    await page.getByRole('heading', { name: 'Receive to which wallet?' }).waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByLabel('Find a wallet').fill('sav');
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.waitForURL(`**/wallets/${second.id}/receive`);
    await page.getByRole('dialog', { name: 'Receive' }).waitFor();
    expect(await bar(page).isVisible(), 'over a sheet').toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();
    await inBar(page, 'More').click();
    await inBar(page, 'Send').click();
    await page.waitForURL(`**/wallets/${second.id}/send`);
    await page.goto(`/wallets/${first.id}`);
    await page.getByRole('heading', { name: 'Till' }).waitFor();
    await page.goto('/settings');
    await inBar(page, 'Wallet').click();
    await page.waitForURL(`**/wallets/${first.id}`);
  });

  it('does not ask when there is one wallet, and keeps the wallets of two people apart', async () => {
    const page = await open(undefined, PHONE);
    const [ann, bob] = [await newPerson(), await newPerson()];
    await logIn(page, ann);
    await page.goto('/send');
    await page.getByText('No wallets yet').waitFor();
    await page.getByRole('link', { name: 'New wallet' }).click();
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await page.waitForURL(/\/wallets\/wal/);
    const own = new URL(page.url()).pathname;
    await page.goto('/send');
    await page.waitForURL(`**${own}/send`);
    await page.context().clearCookies();
    await logIn(page, bob);
    await page.goto('/more');
    expect(await inBar(page, 'Receive').getAttribute('href')).toBe('/receive');
  });
});

onDashboard('the page More', ({ openLoggedIn, open, logIn, newPerson }) => {
  it('lists every page that the navigation of a desktop has', async () => {
    const desktop = await openLoggedIn('/wallets');
    const names = await desktop.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link').allInnerTexts();
    const page = await openLoggedIn('/more', PHONE);
    const list = page.getByRole('navigation', { name: 'All pages' });
    await list.getByRole('link', { name: 'Settings' }).waitFor();
    const shown = await list.getByRole('link').allInnerTexts();
    expect(shown).toEqual(names.filter((name) => name !== 'Satchel'));
    expect(shown).toContain('Playground');
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('has no pages of operators for members', async () => {
    const page = await open(undefined, PHONE);
    await logIn(page, await newPerson());
    await page.goto('/more');
    await page.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await page.getByRole('link', { name: 'Customers' }).count()).toBe(0);
  });

  it('ends the session', async () => {
    const page = await open(undefined, PHONE);
    await logIn(page, await newPerson());
    await page.goto('/more');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});
