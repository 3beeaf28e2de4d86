import { type Browser, type BrowserContextOptions, firefox } from 'playwright-core';

/*
 * The tests of the dashboard in Firefox instead of Chromium. Playwright controls a released Firefox through WebDriver BiDi:
 *
 *   FIREFOX_BIN=/usr/bin/firefox npx vitest run --project thorough test/web/journey
 *
 * Tests that need Chromium's DevTools (a camera, passkeys, Web Push, slow processors) fail there. Playwright asks Firefox 153 and earlier for a
 * command that they lack (emulation.setMediaFeaturesOverride); its version 1.62 does not.
 */

/** The Firefox that the tests use, or undefined: they use Chromium. */
export const FIREFOX_BIN = process.env.FIREFOX_BIN || undefined;

/** Starts Firefox with an empty profile. No name is looked up, so that no request leaves the machine. */
export function launchFirefox(executablePath: string): Promise<Browser> {
  return firefox.launch({
    executablePath,
    channel: 'moz-firefox',
    firefoxUserPrefs: {
      'network.dns.disabled': true,
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
    },
  });
}

/** Playwright's own element in screenshots, `<style>body {}</style>`, which Firefox reports as a violation and Chromium does not. */
export const STYLE_OF_SCREENSHOTS = /sha256-YjaKGiklmzC6wjXA513HAMmzus8VE61XCOT\+SmwNZWA=/;

/** The options of a page that Firefox supports: the size of a phone without its kind of screen. */
export function supportedByFirefox({ isMobile, hasTouch, ...options }: BrowserContextOptions): BrowserContextOptions {
  return options;
}
