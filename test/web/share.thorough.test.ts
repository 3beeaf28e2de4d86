import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { PNG } from 'pngjs';
import readQr from 'qr/decode.js';
import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;
/** Chromium on Linux has no list of programs to share with. */
const SHARING = 'window.shared = []; Navigator.prototype.share = async (data) => { window.shared.push(data.text); };';

onDashboard('sharing', ({ client, openLoggedIn }) => {
  async function saved(page: Page, name: string | RegExp): Promise<{ name: string; content: Buffer }> {
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name }).click()]);
    return { name: download.suggestedFilename(), content: readFileSync(await download.path()) };
  }

  async function openInvoice(script = '') {
    const wallet = await client.wallet(0);
    const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 21 });
    const page = await openLoggedIn(undefined, PHONE);
    if (script !== '') await page.addInitScript(script);
    await page.goto(`/wallets/${wallet.id}/receive/${invoice.id}`);
    await page.getByRole('button', { name: 'QR code as PNG' }).waitFor();
    return { page, invoice };
  }

  it('hands an invoice to the programs of the device', async () => {
    const { page, invoice } = await openInvoice(SHARING);
    await page.getByRole('button', { name: 'Share' }).click();
    expect(await page.evaluate('window.shared')).toEqual([invoice.payment_request]);
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('leaves Copy where the browser cannot share', async () => {
    const { page } = await openInvoice('delete Navigator.prototype.share;');
    await page.getByRole('button', { name: 'Copy invoice' }).waitFor();
    expect(await page.getByRole('button', { name: 'Share' }).count()).toBe(0);
  });

  it('saves the code of an invoice as a PNG that can be scanned, and as an SVG', async () => {
    const { page, invoice } = await openInvoice();
    const png = await saved(page, 'QR code as PNG');
    expect(png.name).toBe(`${invoice.id}.png`);
    const { data, width, height } = PNG.sync.read(png.content);
    expect(readQr({ data, width, height }).toLowerCase()).toBe(invoice.payment_request);
    const svg = await saved(page, 'as SVG');
    expect(svg.name).toBe(`${invoice.id}.svg`);
    expect(svg.content.toString()).toMatch(
      /^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" viewBox="-4 -4 [^"]+"><rect[^>]*fill="#fff"\/><path d="M/,
    );
  });

  it('shares the Lightning address of a pay link', async () => {
    const wallet = await client.wallet(0);
    const { id, ln_address } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'shared' });
    const page = await openLoggedIn(undefined, PHONE);
    await page.addInitScript(SHARING);
    await page.goto(`/links/${id}`);
    await page.getByRole('button', { name: 'Share' }).click();
    expect(await page.evaluate('window.shared')).toEqual([ln_address]);
  });
});
