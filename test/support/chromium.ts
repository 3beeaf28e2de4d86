import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect } from 'vitest';
import { FIREFOX_BIN, launchFirefox, STYLE_OF_SCREENSHOTS, supportedByFirefox } from './firefox.ts';

/*
 * A real browser: the Chromium of @sparticuz/chromium, for tests of the dashboard. test/support/dashboard.ts has the service for it.
 *
 *   const chromium = useChromium();
 *   it('shows the login', async () => {
 *     const page = await chromium.open(url, { device: 'phone', theme: 'dark' });
 *     await page.goto('/login');
 *     await page.getByRole('button', { name: 'Log in' }).waitFor();
 *   });
 *
 * After each test its pages are closed. The test fails if one of them wrote an error to the console, threw, violated the
 * Content-Security-Policy, received a 5xx or sent a request to another host.
 */

export type Device = 'desktop' | 'phone';
export type Theme = 'light' | 'dark';

export const DEVICES: readonly Device[] = ['desktop', 'phone'];
export const THEMES: readonly Theme[] = ['light', 'dark'];

export interface PageOptions {
  /** `desktop` by default. */
  readonly device?: Device;
  /** `light` by default. */
  readonly theme?: Theme;
  /** Problems that the test causes on purpose. */
  readonly expected?: readonly RegExp[];
  /** Further options of Playwright. */
  readonly context?: BrowserContextOptions;
}

export interface Chromium {
  /** Opens an empty page in a browser context of its own. Paths in `page.goto` are relative to `url`. */
  open(url: string, options?: PageOptions): Promise<Page>;
  /** The problems of the pages of this test so far. */
  problems(): readonly string[];
}

const SIZES: Record<Device, BrowserContextOptions> = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};

/** Starts Chromium, or the Firefox of FIREFOX_BIN, before the tests of a file and ends it after them. */
export function useChromium(): Chromium {
  let browser: Browser | undefined;
  let problems: string[] = [];
  beforeAll(async () => {
    browser = FIREFOX_BIN ? await launchFirefox(FIREFOX_BIN) : await launchChromium();
  });
  afterEach(async () => {
    const contexts = browser?.contexts() ?? [];
    // A handler of the test may be waiting for a response, which the end of its page takes away.
    await Promise.all(contexts.flatMap((context) => context.pages()).map((page) => page.unrouteAll({ behavior: 'ignoreErrors' })));
    await Promise.all(contexts.map((context) => context.close()));
    const found = problems;
    problems = [];
    expect(found, 'problems that the browser reported').toEqual([]);
  });
  afterAll(async () => browser?.close());
  return {
    problems: () => problems,
    async open(url, options = {}) {
      if (!browser) throw new Error('Chromium starts in beforeAll: open pages inside a test or a hook');
      return openPage(browser, url, options, (problem) => problems.push(problem));
    },
  };
}

/** Opens a page with the size and theme of `options`. `report` is called for each problem. */
export async function openPage(
  browser: Browser,
  url: string,
  { device = 'desktop', theme = 'light', expected = [], context: more = {} }: PageOptions,
  report: (problem: string) => void,
): Promise<Page> {
  const all: BrowserContextOptions = {
    baseURL: url,
    locale: 'en-GB',
    timezoneId: 'UTC',
    colorScheme: theme,
    // Playwright does not see the requests of a page that a service worker sends. Tests of the service worker allow it.
    serviceWorkers: 'block',
    ...SIZES[device],
    ...more,
  };
  const context = await browser.newContext(FIREFOX_BIN ? supportedByFirefox(all) : all);
  const reportUnexpected = (problem: string) => {
    if (![...expected, STYLE_OF_SCREENSHOTS].some((pattern) => pattern.test(problem))) report(problem);
  };
  context.on('console', (message) => {
    // A 4xx is an ordinary response of the API, which the browser also writes to the console. A file of the dashboard must not be missing.
    const isResponse = /Failed to load resource: the server responded with a status of 4\d\d/.test(message.text());
    const isOfApi = isResponse && /\/v1\/|\/playground\//.test(message.location().url);
    if (message.type() === 'error' && !isOfApi) reportUnexpected(`console: ${message.text()} (${message.location().url})`);
  });
  context.on('weberror', (error) => reportUnexpected(`error: ${error.error().stack ?? String(error.error())}`));
  context.on('response', (response) => {
    if (response.status() >= 500) reportUnexpected(`response: ${response.status()} ${response.url()}`);
  });
  context.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    const isOwn = origin === new URL(url).origin || protocol === 'data:' || protocol === 'blob:';
    if (!isOwn) reportUnexpected(`request to another host: ${request.url()}`);
  });
  // A busy machine may take longer than the default of 30 seconds.
  context.setDefaultTimeout(150_000);
  return context.newPage();
}

const FLAGS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--force-color-profile=srgb',
  // No name is looked up, so that no request leaves the machine.
  '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1, EXCLUDE localhost',
];

/** Starts Chromium with an empty profile. It needs no display, no network and no fonts of the system. */
export async function launchChromium(flags: readonly string[] = []): Promise<Browser> {
  const folder = await unpackedChromium();
  const launch = (env: Record<string, string>) =>
    chromium.launch({
      executablePath: join(folder, 'chromium'),
      args: [...FLAGS, ...flags],
      chromiumSandbox: false,
      env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts.conf'), ...env },
    });
  try {
    return await launch({});
  } catch (error) {
    if (!missingLibrary(error)) throw error;
  }
  try {
    // The package brings the libraries that small systems lack.
    return await launch({ LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') });
  } catch (error) {
    const library = missingLibrary(error);
    if (!library) throw error;
    throw new Error(`Chromium needs the shared library ${library}, which this machine lacks. On Debian: apt-get install libnss3 libexpat1`);
  }
}

function missingLibrary(error: unknown): string | undefined {
  return /error while loading shared libraries: ([^:\s]+)/.exec(String(error))?.[1];
}

const MODULES = join(import.meta.dirname, '..', '..', 'node_modules');

/** Returns the folder with the unpacked program. Test files that start at the same time unpack it once each at most; the first one stays. */
async function unpackedChromium(): Promise<string> {
  const { version } = JSON.parse(readFileSync(join(MODULES, '@sparticuz', 'chromium', 'package.json'), 'utf8')) as { version: string };
  const cache = join(MODULES, '.cache', 'satchel');
  const folder = join(cache, `chromium-${version}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, 'unpacking-'));
  try {
    await unpackInto(own);
    writeFileSync(join(own, 'fonts.conf'), fontsConf(folder));
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** The package unpacks into the folder for temporary files, in another process so that this one keeps its own. */
async function unpackInto(folder: string): Promise<void> {
  const code = "import chromium from '@sparticuz/chromium'; await chromium.executablePath();";
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: join(MODULES, '..'),
    // With this variable the package also unpacks its shared libraries.
    env: { PATH: process.env.PATH, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' },
  });
}

/** The fonts of the package and those of the system, if it has any. */
function fontsConf(folder: string): string {
  return `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <include ignore_missing="yes">/etc/fonts/fonts.conf</include>
  <dir>${join(folder, 'fonts')}</dir>
  <cachedir>${join(folder, 'fonts-cache')}</cachedir>
</fontconfig>
`;
}
