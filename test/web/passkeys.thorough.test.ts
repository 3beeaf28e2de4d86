import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

// Without PUBLIC_URL, as after `npm start`.
onDashboard(
  'passkeys on the default address',
  ({ client, newPerson, open }) => {
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
      await expect.poll(() => page.getByText('laptop').count()).toBe(0);
      await page.context().clearCookies();
      await page.goto('/login');
      await page.getByRole('button', { name: 'Log in with a passkey' }).click();
      await page.getByRole('alert').waitFor();
    });
  },
  { PUBLIC_URL: '' },
);
