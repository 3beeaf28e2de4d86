import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { LinkingKey } from '../lnurl/linking-key.ts';
import { codeOf } from '../support/browser.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('Lightning wallets', ({ client, newPerson, open, logIn }) => {
  /** The LNURL that the page shows, as its link for wallets has it. */
  async function shownUrl(page: Page): Promise<string> {
    const href = await page.getByRole('link', { name: 'Open in a wallet' }).getAttribute('href');
    return decodeLnurl((href ?? '').replace('lightning:', ''));
  }

  async function link(page: Page, wallet: LinkingKey, password: string): Promise<void> {
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Link a Lightning wallet' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name of the wallet').fill('phone');
    await sheet.getByLabel('Current password').fill(password);
    await sheet.getByRole('button', { name: 'Continue' }).click();
    expect(await wallet.call(client.url, await shownUrl(page))).toEqual({ status: 'OK' });
    await page.getByText('phone', { exact: true }).waitFor();
    await sheet.waitFor({ state: 'detached' });
  }

  it('are linked in the settings, cannot log in without an authenticator app, and are removed', async () => {
    const person = await newPerson();
    const wallet = new LinkingKey();
    const page = await open();
    await logIn(page, person);
    await link(page, wallet, person.password);

    const fresh = await open('/login');
    await fresh.getByRole('button', { name: 'Log in with a Lightning wallet' }).click();
    await fresh.getByRole('img', { name: 'QR code to log in with a Lightning wallet' }).waitFor();
    await wallet.call(client.url, await shownUrl(fresh));
    await fresh.getByRole('alert').waitFor();
    expect(new URL(fresh.url()).pathname).toBe('/login');

    await page.getByRole('button', { name: 'Remove wallet' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove wallet' }).click();
    await expect.poll(() => page.getByText('phone', { exact: true }).count()).toBe(0);
    const rejected = await open('/login');
    await rejected.getByRole('button', { name: 'Log in with a Lightning wallet' }).click();
    await wallet.call(client.url, await shownUrl(rejected));
    await rejected.getByRole('alert').waitFor();
    expect(new URL(rejected.url()).pathname).toBe('/login');
  });

  it('need the code of the authenticator app, too, if the account has one', async () => {
    const person = await newPerson();
    const wallet = new LinkingKey();
    const page = await open();
    await logIn(page, person);
    await link(page, wallet, person.password);
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Current password').fill(person.password);
    await sheet.getByRole('button', { name: 'Continue' }).click();
    const seed = (await sheet.locator('code').first().textContent()) ?? '';
    await sheet.getByLabel('Code', { exact: true }).fill(codeOf(seed));
    await sheet.getByRole('button', { name: 'Continue' }).click();
    await sheet.getByRole('button', { name: 'I have stored the codes' }).click();

    const fresh = await open('/login');
    await fresh.getByRole('button', { name: 'Log in with a Lightning wallet' }).click();
    await wallet.call(client.url, await shownUrl(fresh));
    await fresh.getByLabel('Code', { exact: true }).fill(codeOf(seed, 1));
    await fresh.getByRole('button', { name: 'Continue' }).click();
    await fresh.waitForURL('**/wallets');
  });
});
