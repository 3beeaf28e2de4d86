import type { Locator, Page } from 'playwright-core';
import { PNG } from 'pngjs';
import readQr from 'qr/decode.js';

/** Reads the QR code on a page as a phone's camera does. */
export function readQrOn(page: Page): Promise<string> {
  return readQrIn(page.getByRole('img', { name: /QR code/ }));
}

/** The same of an element. */
export async function readQrIn(element: Locator): Promise<string> {
  const { data, width, height } = PNG.sync.read(await element.screenshot());
  return readQr({ data, width, height });
}
