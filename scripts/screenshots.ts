/**
 * Writes pictures of the dashboard: starts the service on a simulated Lightning network, fills it with the six weeks of a small business, and
 * opens its screens in Chromium, light and dark, on a desktop and on a phone. Run it by hand with `npm run screenshots`; `-- --only=<part of a
 * name>` writes some. Those that a document shows are written to docs/screenshots, the others to screenshots/, which git ignores.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import type { Browser, Page } from 'playwright-core';
import { FakeNetwork } from '../devnet/fake/fake.ts';
import { noWaiting } from '../devnet/fake/time.ts';
import { startSatchel } from '../src/app.ts';
import { readConfig } from '../src/config.ts';
import { newKeyText } from '../src/core/accounts/keys.ts';
import { openDatabase } from '../src/core/db/open.ts';
import { type Business, fillBusiness } from '../test/support/business.ts';
import { DEVICES, type Device, launchChromium, openPage, THEMES, type Theme } from '../test/support/chromium.ts';
import { clientOf } from '../test/support/client.ts';
import { type Example, existingExamples, visit } from '../test/support/screens.ts';

const ROOT = join(import.meta.dirname, '..');

const DAY_MS = 86_400_000;
/** The time in the pictures: today, because the database compares the end of the session with its own clock. */
const NOW_MS = Date.now() - (Date.now() % DAY_MS) + 14 * 3_600_000 + 32 * 60_000;
const PORT = 4029;

const { values: options } = parseArgs({ options: { only: { type: 'string' } } });

/** The pictures in the documents, which are in git. */
const documents = globSync(['*.md', 'docs/**/*.md'], { cwd: ROOT }).map((name) => readFileSync(join(ROOT, name), 'utf8'));
const shown = new Set(documents.join('\n').match(/[\w-]+\.png/g));

/** The service reads the time from here, so the business can have a past. */
const clock = { atMs: NOW_MS, sinceMs: performance.now() };
Date.now = () => Math.floor(clock.atMs + performance.now() - clock.sinceMs);

function setTime(daysAgo: number, hour: number): void {
  clock.atMs = NOW_MS - (NOW_MS % DAY_MS) - daysAgo * DAY_MS + hour * 3_600_000;
  clock.sinceMs = performance.now();
}

const dataDir = mkdtempSync(join(tmpdir(), 'satchel-screenshots-'));
setTime(43, 8);
const net = new FakeNetwork({ seed: 'screenshots', time: noWaiting() });
const secretKey = newKeyText('secret_api');
const config = readConfig({
  DATA_DIR: dataDir,
  PORT: String(PORT),
  LOG_LEVEL: 'silent',
  BOOTSTRAP_SECRET_KEY: secretKey,
  OUTBOUND_ALLOW: '127.0.0.1',
  ADDRESS_DOMAINS: 'riverside.example',
  PAYMENT_WAIT_SECONDS: '1',
  RECONCILE_SECONDS: '1',
});
const openNode = async () => ({ node: net.connect(), playground: net.control });
const satchel = await startSatchel(config, { openDatabase, openNode, jobTiming: { probe: { againMs: 1, arrivalMs: 1 } } });
await satchel.server.listen({ host: '127.0.0.1', port: PORT });
const client = clientOf(`http://localhost:${PORT}`, secretKey, '');
const browser = await launchChromium();
try {
  const business = await fillBusiness({ client, net, setTime, addressDomain: 'riverside.example' });
  clock.atMs = NOW_MS;
  clock.sinceMs = performance.now();
  for (const folder of ['screenshots', 'docs/screenshots']) mkdirSync(join(ROOT, folder), { recursive: true });
  const cookie = await logIn();
  for (const example of chosen())
    for (const device of DEVICES) for (const theme of THEMES) await picture({ example, device, theme, business, cookie, browser });
  await business.close();
} finally {
  await browser.close();
  await satchel.close();
  rmSync(dataDir, { recursive: true, force: true });
}

function chosen(): Example[] {
  const { only } = options;
  return existingExamples().filter(({ name }) => only === undefined || name.includes(only));
}

interface Picture {
  readonly example: Example;
  readonly device: Device;
  readonly theme: Theme;
  readonly business: Business;
  readonly cookie: { name: string; value: string };
  readonly browser: Browser;
}

async function picture({ example, device, theme, business, cookie, browser }: Picture): Promise<void> {
  const page: Page = await openPage(browser, client.url, { device, theme, context: { reducedMotion: 'reduce' } }, (problem) =>
    process.stderr.write(`${example.name} ${device} ${theme}: ${problem}\n`),
  );
  await page.clock.setFixedTime(NOW_MS);
  if (!example.isPublic) await page.context().addCookies([{ ...cookie, url: client.url }]);
  await visit(page, example.address(business));
  const file = `${example.name}-${device}-${theme}.png`;
  await page.screenshot({ path: join(ROOT, shown.has(file) ? 'docs/screenshots' : 'screenshots', file) });
  await page.context().close();
}

/** Logs the operator in and returns the cookie. */
async function logIn(): Promise<{ name: string; value: string }> {
  const accounts = await client.get('/v1/accounts');
  const { setup_url } = await client.post(`/v1/accounts/${accounts.at(-1).id}/setup-link`);
  const json = { token: new URL(setup_url).hash.slice(1), email: 'lena@riverside.example', password: 'a long password' };
  const response = await client.request('POST', '/v1/session/setup', { json, headers: { 'sec-fetch-site': 'same-origin' } });
  const [name = '', value = ''] = (response.headers.get('set-cookie') ?? '').split(/[=;]/);
  return { name, value };
}
