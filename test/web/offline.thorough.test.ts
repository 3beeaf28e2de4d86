import type { Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

/** What browsers say of a file that was not loaded, and of the requests that a network without a connection fails. */
const LOST = /Failed to load resource|Failed to fetch/;
const SCREENS = /\/assets\/keys-[^/]*\.js$/;

onDashboard('a dashboard without a network', ({ openLoggedIn }) => {
  it('shows a page that was not loaded yet as soon as the network is back', async () => {
    const page = await openLoggedIn('/wallets', { expected: [LOST] });
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    await page.getByText('This part was not loaded. It is loaded as soon as the service answers.').waitFor();
    await page.context().setOffline(false);
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
  });

  it('loads a page again whose file was lost on the way', async () => {
    const page = await openLoggedIn('/wallets', { expected: [LOST] });
    let isLost = false;
    await page.route(SCREENS, (route: Route) => {
      if (isLost) return route.continue();
      isLost = true;
      return route.abort('connectionreset');
    });
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    await page.getByRole('heading', { name: 'Keys', level: 1 }).waitFor();
    expect(isLost).toBe(true);
  });

  it('offers a reload for a page whose file is gone', async () => {
    const page = await openLoggedIn('/wallets', { expected: [LOST] });
    await page.route(SCREENS, (route) => route.fulfill({ status: 404 }));
    await page.getByRole('link', { name: 'Keys', exact: true }).first().click();
    // After one reload, which would have found the files of another version.
    await page.getByText('This page stopped working').waitFor();
    await page.getByRole('button', { name: 'Reload' }).waitFor();
  });
});
