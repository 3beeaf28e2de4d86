import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import readQr from 'qr/decode.js';

/** Reads the QR code on a page as a phone's camera does. */
export async function readQrOn(page: Page): Promise<string> {
  const { data, width, height } = PNG.sync.read(await page.getByRole('img', { name: /QR code/ }).screenshot());
  return readQr({ data, width, height });
}
