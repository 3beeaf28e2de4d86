import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

const ORIGIN = 'http://localhost:4021';

onDashboard(
  'passkeys',
  ({ client, newPerson, open }) => {
    /** Opens the service at its PUBLIC_URL, with a device that has a fingerprint reader. */
    async function openAtOrigin(): Promise<Page> {
      const page = await open(undefined, { context: { baseURL: ORIGIN }, expected: [/localhost:4021/, /ERR_FAILED/] });
      await page.route(`${ORIGIN}/**`, async (route) => {
        const url = route.request().url();
        // A stream has no end, so it cannot be passed on.
        if (/\/v1\/events/.test(url)) return route.abort();
        return route.fulfill({ response: await route.fetch({ url: url.replace(ORIGIN, client.url) }) });
      });
      const devTools = await page.context().newCDPSession(page);
      await devTools.send('WebAuthn.enable');
      const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
      await devTools.send('WebAuthn.addVirtualAuthenticator', {
        options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
      });
      return page;
    }

    it('are added in the settings, log in, and are removed', async () => {
      const person = await newPerson();
      const page = await openAtOrigin();
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
  { PUBLIC_URL: ORIGIN },
);
