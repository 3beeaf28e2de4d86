import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { useChromium } from '../support/chromium.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Without a network, the browser writes each failed request to the console. */
const PHONE = {
  device: 'phone',
  context: { reducedMotion: 'reduce', serviceWorkers: 'allow' },
  expected: [/Failed to load resource|Failed to fetch|net::ERR/],
} as const;

/** Chromium tells a page that the device is offline some time after the test has cut its network. */
const NO_SERVICE = /(The service does not answer|This device is offline)\./;

/** The addresses in all caches, without the origin. */
const KEPT = `caches.keys().then((names) => Promise.all(names.map(async (name) => {
  const keys = await (await caches.open(name)).keys();
  return keys.map(({ url }) => url.replace(location.origin, ''));
}))).then((all) => all.flat())`;

async function kept(page: Page): Promise<string[]> {
  return (await page.evaluate<string[]>(KEPT)).filter((url) => url.startsWith('/v1/')).map((url) => url.replace(/\?.*/, ''));
}

onDashboard('the dashboard without a network', ({ client, net, open, openLoggedIn, logIn, newPerson }) => {
  async function openWallet() {
    const wallet = await client.namedWallet('Till', 50_000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 420_000, memo: 'Roastery' });
    await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
    const page = await openLoggedIn(`/wallets/${wallet.id}`, PHONE);
    await page.getByRole('button', { name: 'Roastery' }).waitFor();
    await expect
      .poll(() => kept(page))
      .toEqual(expect.arrayContaining(['/v1/session', `/v1/wallet/${wallet.id}`, `/v1/wallet/${wallet.id}/transactions`]));
    return { page, wallet };
  }

  it('shows a wallet and its transactions with the time of the data, and offers nothing that moves money', async () => {
    const { page, wallet } = await openWallet();
    await page.context().setOffline(true);
    await page.goto(`/wallets/${wallet.id}`);
    await page.getByText(new RegExp(`${NO_SERVICE.source} The data below is from Today \\d\\d:\\d\\d\\.`)).waitFor();
    await page.getByRole('button', { name: 'Roastery' }).waitFor();
    await page.getByText('49 5').first().waitFor();
    const bar = page.getByRole('navigation', { name: 'Main, bottom' });
    expect(await bar.getByRole('link').allInnerTexts()).toEqual(['Wallet', 'More']);
    expect(await violationsInThemes(page)).toEqual([]);
    await page.goto(`/wallets/${wallet.id}/receive`);
    await page.getByRole('dialog').getByText(NO_SERVICE).waitFor();
    expect(await page.getByRole('button', { name: 'Create invoice' }).isDisabled()).toBe(true);
    await page.goto(`/wallets/${wallet.id}`);
    await page.getByText('The data below is from').waitFor();
    await client.post('/playground/fund', { wallet_id: wallet.id, num_satoshis: 777 });
    await page.context().setOffline(false);
    await bar.getByRole('link', { name: 'Send' }).waitFor();
    await page.getByText('+777').waitFor();
    expect(await page.getByText('The data below is from').count()).toBe(0);
  });

  it('keeps no keys and no links', async () => {
    const { page, wallet } = await openWallet();
    await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
    for (const path of ['/keys', '/links', '/webhooks', '/settings', '/wallets']) {
      await page.goto(path);
      await page.getByRole('heading', { level: 1 }).waitFor();
    }
    await expect.poll(() => kept(page)).toContain('/v1/wallets');
    expect(
      (await kept(page)).filter(
        (url) => !/^\/v1\/(session|account|wallets|rates|fiat-rate|wallet\/[^/]+(\/(transactions|summary))?)$/.test(url),
      ),
    ).toEqual([]);
  });

  it('forgets the data at the log-out, and when another account logs in', async () => {
    const page = await open(undefined, PHONE);
    const [ann, bob] = [await newPerson(), await newPerson()];
    await logIn(page, ann);
    await page.goto('/more');
    await expect.poll(() => kept(page)).toContain('/v1/session');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await expect.poll(() => kept(page)).toEqual([]);
    await page.context().setOffline(true);
    await page.goto('/wallets');
    await page.getByText('The service did not answer.').waitFor();
    await page.context().setOffline(false);
    await logIn(page, bob);
    await page.goto('/wallets');
    await page.getByText('No wallets yet').waitFor();
  });
});

const DIST = join(import.meta.dirname, '..', '..', 'web', 'dist');
const TYPES: Record<string, string> = {
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.html': 'text/html',
  '.svg': 'image/svg+xml',
  '.webmanifest': 'application/manifest+json',
};

/** Serves the files of the build below a path, as a proxy would, with the name of a build in its page. */
function serveBuild(build: { name: string }): Server {
  return createServer(({ url = '' }, response) => {
    const path = url.replace(/^\/wallet-service\//, '').replace(/\?.*/, '');
    const isFile = extname(path) !== '';
    if (path.startsWith('v1/')) {
      response.writeHead(401, { 'content-type': 'application/json' }).end('{}');
      return;
    }
    let content: Buffer | string = readFileSync(join(DIST, isFile ? path : 'index.html'));
    if (!isFile)
      content = `${content}`.replace('<base href="/"', '<base href="/wallet-service/"').replace('<title>Satchel', `<title>${build.name}`);
    if (path === 'sw.js') content = `${content}`.replace(/BUILD = "\w+"/, `BUILD = "${build.name}"`);
    response.writeHead(200, { 'content-type': TYPES[isFile ? extname(path) : '.html'] ?? 'application/octet-stream' }).end(content);
  });
}

const chromium = useChromium();
const build = { name: 'first' };
const server = serveBuild(build);
beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => new Promise((resolve) => server.close(resolve)));

it('a new build replaces the old one at the next load, below the path of PUBLIC_URL too', async () => {
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const page = await chromium.open(origin, PHONE);
  await page.goto('/wallet-service/login');
  await page.evaluate("navigator.serviceWorker.register('/wallet-service/sw.js', { scope: '/wallet-service/', updateViaCache: 'none' })");
  const names = () => page.evaluate<string[]>('caches.keys()');
  await expect.poll(names).toEqual([`satchel ${origin}/wallet-service/ files first`]);
  await expect.poll(() => page.evaluate('navigator.serviceWorker.controller !== null')).toBe(true);
  build.name = 'second';
  await page.goto('/wallet-service/login');
  expect(
    await page.evaluate("document.querySelector('title').text.length > 0 && document.documentElement.outerHTML.includes('second')"),
  ).toBe(true);
  await expect.poll(names).toEqual([`satchel ${origin}/wallet-service/ files second`]);
});
