import { expect, it } from 'vitest';
import { codeOf } from '../support/browser.ts';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

onDashboard('the settings', ({ open, openLoggedIn, logIn, newPerson }) => {
  it('keep the theme over a reload, without a flash of the other one', async () => {
    const page = await openLoggedIn('/settings', { theme: 'light' });
    await page.getByRole('button', { name: 'Dark' }).click();
    await page.reload();
    expect(await page.locator('html').getAttribute('data-theme')).toBe('dark');
    expect(await page.evaluate('getComputedStyle(document.body).backgroundColor')).toBe('rgb(20, 19, 17)');
    await page.getByRole('button', { name: 'System' }).click();
    expect(await page.locator('html').getAttribute('data-theme')).toBeNull();
  });

  it('change the password, which ends the other sessions', async () => {
    const person = await newPerson();
    const [page, other] = [await open(), await open(undefined, { expected: [/401/] })];
    await logIn(page, person);
    await other.goto('/login');
    await fillLogin(other, person);
    await other.waitForURL('**/wallets');
    await page.goto('/settings');
    await page.getByLabel('Current password').fill(person.password);
    await page.getByLabel('New password').fill('another long password');
    await page.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('All other sessions have ended').first().waitFor();
    // A revoked session may still read for one second.
    const logInButton = other.getByRole('button', { name: 'Log in', exact: true });
    await expect
      .poll(async () => {
        await other.reload();
        await other.getByRole('heading', { level: 1 }).waitFor();
        return logInButton.count();
      })
      .toBe(1);
    await fillLogin(other, { ...person, password: 'another long password' });
    await other.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
  });

  it('add an authenticator app, whose code the next login needs; a recovery code replaces it', async () => {
    const person = await newPerson();
    const page = await open();
    await logIn(page, person);
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Add an authenticator app' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Current password').fill(person.password);
    await sheet.getByRole('button', { name: 'Continue' }).click();
    const seed = (await sheet.locator('code').first().textContent()) ?? '';
    await sheet.getByLabel('Code', { exact: true }).fill(codeOf(seed));
    await sheet.getByRole('button', { name: 'Continue' }).click();
    const codes = await sheet.getByRole('listitem').allTextContents();
    expect(codes).toHaveLength(10);
    await sheet.getByRole('button', { name: 'I have stored the codes' }).click();
    await page.getByRole('button', { name: 'Remove the authenticator app' }).waitFor();

    const fresh = await open('/login', { expected: [/401/] });
    await fillLogin(fresh, person);
    await fresh.getByLabel('Code', { exact: true }).fill(codes[0] ?? '');
    await fresh.getByRole('button', { name: 'Continue' }).click();
    await fresh.waitForURL('**/wallets');
  });
});
