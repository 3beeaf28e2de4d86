import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

// Without PUBLIC_URL, as after `npm start`.
onDashboard(
  'passkeys on the default address',
  ({ client, newPerson, open, setupLink }) => {
    /** Opens the service at its public URL, with a device that has a fingerprint reader. */
    async function openAtLocalhost(path?: string): Promise<Page> {
      const page = await open(undefined, { context: { baseURL: client.url.replace('127.0.0.1', 'localhost') }, expected: [/localhost/] });
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('WebAuthn.enable');
      const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
      await devTools.send('WebAuthn.addVirtualAuthenticator', {
        options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
      });
      if (path !== undefined) await page.goto(path);
      return page;
    }

    it('sends a browser that opens the dashboard at an IP address to localhost, with the path, the query and the fragment', async () => {
      const page = await openAtLocalhost(`${client.url}/login?next=%2Fkeys#token`);
      const { port } = new URL(client.url);
      expect(page.url()).toBe(`http://localhost:${port}/login?next=%2Fkeys#token`);
    });

    it('are the first choice of a set-up, and recovery codes follow, each of which logs in once', async () => {
      const before = await openAtLocalhost('/login');
      await before.getByRole('heading', { name: 'This Satchel has no operator yet' }).waitFor();
      await before.getByText('cat data/setup-link').waitFor();
      const page = await openAtLocalhost(await setupLink());
      await page.getByText('so you become the operator').waitFor();
      await page.getByLabel('E-mail').fill('nora');
      await page.getByRole('button', { name: 'Create a passkey' }).click();
      await page.getByText('Enter an e-mail address such as').waitFor();
      await page.getByLabel('E-mail').fill('nora@example.com');
      await page.getByRole('button', { name: 'Create a passkey' }).click();
      await page.getByRole('heading', { name: 'Keep a way back in' }).waitFor();
      const codes = await page.getByRole('list', { name: 'Recovery codes' }).getByRole('listitem').allTextContents();
      expect(codes).toHaveLength(10);
      expect(await page.getByRole('button', { name: 'Go to the dashboard' }).isDisabled()).toBe(true);
      await page.getByLabel('I have stored the codes').check();
      await page.getByRole('button', { name: 'Go to the dashboard' }).click();
      await page.waitForURL('**/wallets');
      const account = (await client.get('/v1/accounts')).at(-1);
      expect(account).toMatchObject({ email: 'nora@example.com', has_password: false });

      await page.context().clearCookies();
      await page.goto('/login');
      // The passkey comes first, and is the only filled button.
      expect(await page.locator('.entry-form .button').first().innerText()).toBe('Log in with a passkey');
      expect(await page.locator('.entry-form .button.primary').allInnerTexts()).toEqual(['Log in with a passkey']);
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.waitForURL('**/wallets');
      for (const [code, outcome] of [
        [codes[0], '**/wallets'],
        [codes[0], 'refused'],
      ] as const) {
        await page.context().clearCookies();
        await page.goto('/login');
        await page.getByRole('button', { name: 'Use a recovery code' }).click();
        await page.getByLabel('E-mail').fill('nora@example.com');
        await page.getByLabel('Recovery code').fill(code ?? '');
        await page.getByRole('button', { name: 'Log in' }).click();
        if (outcome === 'refused') await page.getByRole('alert').filter({ hasText: 'or the code has been used' }).waitFor();
        else await page.waitForURL(outcome);
      }
    });

    it('are added in the settings, log in, and are removed', async () => {
      const person = await newPerson();
      const page = await openAtLocalhost();
      await page.goto('/login');
      await fillLogin(page, person);
      await page.waitForURL('**/wallets');
      await page.goto('/settings');
      await page.getByRole('button', { name: 'Add a passkey' }).click();
      await page.getByLabel('Name of the passkey').fill('laptop');
      await page.locator('form').filter({ hasText: 'Name of the passkey' }).getByLabel('Current password').fill(person.password);
      await page.getByRole('button', { name: 'Create the passkey' }).click();
      await page.getByText('laptop').waitFor();

      await page.context().clearCookies();
      await page.goto('/login');
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.waitForURL('**/wallets');

      await page.goto('/settings');
      await page.getByRole('button', { name: 'Remove passkey' }).click();
      await page.getByRole('heading', { name: 'Remove “laptop”?' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.getByText('laptop').count()).toBe(1);
      await page.getByRole('button', { name: 'Remove passkey' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove passkey' }).click();
      await expect.poll(() => page.getByText('laptop').count()).toBe(0);
      await page.context().clearCookies();
      await page.goto('/login');
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.getByRole('alert').waitFor();
    });

    it('can be left out for a password, and where there are none, the page says why', async () => {
      const { id } = await client.post('/v1/accounts', { invite: true });
      const page = await openAtLocalhost(await setupLink(id));
      await page.getByRole('button', { name: 'Use a password instead' }).click();
      await page.getByLabel('E-mail').fill('otto@example.com');
      await page.getByLabel('Password').fill('short');
      await page.getByRole('button', { name: 'Create the login' }).click();
      await page.getByText('The password needs at least 10 characters.').waitFor();
      await page.getByLabel('Password').fill('a long password');
      await page.getByRole('button', { name: 'Create the login' }).click();
      await page.waitForURL('**/wallets');
    });
  },
  { PUBLIC_URL: '' },
);
