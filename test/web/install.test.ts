import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

const page = readFileSync(new URL('../../web/index.html', import.meta.url), 'utf8');

it('the app is installed below the path of PUBLIC_URL: all its addresses are relative', () => {
  const manifest = JSON.parse(readFileSync(new URL('../../web/public/manifest.webmanifest', import.meta.url), 'utf8'));
  expect(manifest).toMatchObject({ start_url: './', scope: './' });
  for (const { src } of manifest.icons) expect(src).toMatch(/^[\w-]+\.png$/);
  expect(page).toContain('<link rel="manifest" href="./manifest.webmanifest" />');
});

onDashboard('installing the dashboard as an app', ({ client, open }) => {
  it('meets the criteria of Chromium', async () => {
    const page = await open('/login');
    const devTools = await page.context().newCDPSession(page);
    const { errors, url } = await devTools.send('Page.getAppManifest');
    expect({ errors, url }).toEqual({ errors: [], url: `${client.url}/manifest.webmanifest` });
    const { installabilityErrors } = await devTools.send('Page.getInstallabilityErrors');
    // The pages of tests are in private windows.
    expect(installabilityErrors.filter(({ errorId }) => errorId !== 'in-incognito')).toEqual([]);
  });
});
