import { type Browser, type BrowserContextOptions, firefox } from 'playwright-core';

/*
 * The tests of the dashboard in Firefox instead of Chromium. Playwright controls a released Firefox through WebDriver BiDi:
 *
 *   FIREFOX_BIN=/usr/bin/firefox npx vitest run --project thorough test/web/journey
 *
 * Tests that need what WebDriver BiDi does not offer fail there: Chromium's DevTools (a camera, passkeys, Web Push, slow processors), touch, printing,
 * a second `fill` of an e-mail or number field, the count of clicks, and downloads of blobs. Playwright 1.65 sends a command
 * (emulation.setMediaFeaturesOverride) that Firefox 153 and earlier lack; Playwright 1.62 does not send it.
 */

/** The path of the Firefox that runs the tests; undefined: Chromium runs them. */
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

/** Returns the page options that Firefox supports: the size of a phone, without touch and mobile emulation. */
export function supportedByFirefox({ isMobile, hasTouch, ...options }: BrowserContextOptions): BrowserContextOptions {
  return options;
}
