import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodeLnurl } from '../../src/core/lightning/bech32.ts';
import { violationsInThemes } from '../support/axe.ts';
import { launchChromium, openPage } from '../support/chromium.ts';
import { onDashboard } from '../support/dashboard.ts';
import { fakeCamera, pictureOf } from '../support/fake-camera.ts';

const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

onDashboard(
  'the camera of Scan',
  ({ client, logIn, net }) => {
    let browser: Browser;
    let paymentRequest: string;
    beforeAll(async () => {
      // An invoice as it is in most codes: capitals behind a scheme.
      ({ paymentRequest } = net.outside.invoice({ amountMsat: 420_000, memo: 'Roastery, invoice 2231' }));
      const video = join(mkdtempSync(join(tmpdir(), 'satchel-camera-')), 'code.y4m');
      browser = await launchChromium(fakeCamera(video, `LIGHTNING:${paymentRequest.toUpperCase()}`));
    });
    afterAll(() => browser.close());

    it('reads an invoice and opens Send with it', async () => {
      const wallet = await client.wallet(1000);
      const problems: string[] = [];
      const options = { ...PHONE, context: { ...PHONE.context, permissions: ['camera'] } };
      const page = await openPage(browser, client.url, options, (problem) => problems.push(problem));
      await logIn(page);
      await page.goto(`/wallets/${wallet.id}`);
      await page.getByText('spendable').waitFor();
      const files: string[] = [];
      page.on('request', (request) => files.push(request.url()));
      await page.getByRole('link', { name: 'Scan' }).click();
      const start = page.getByRole('button', { name: 'Start the camera' });
      await start.waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      const before = files.splice(0);
      expect(
        before.filter((url) => url.includes('/decode-')),
        'the decoder before a tap',
      ).toEqual([]);
      await start.click();
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('Roastery, invoice 2231').waitFor();
      expect(files.filter((url) => url.includes('/decode-'))).toHaveLength(1);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 420 sats' }).click();
      await page.getByText('The receiver has it.').waitFor();
      expect(problems).toEqual([]);
      await page.context().close();
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);

onDashboard(
  'Scan without a camera',
  ({ client, openLoggedIn, net }) => {
    async function openScan(context: object = {}) {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}`, { ...PHONE, context: { ...PHONE.context, ...context } });
      await page.getByText('spendable').waitFor();
      await page.goto('/scan');
      return { wallet, page };
    }
    const choose = (page: Page, buffer: Buffer, mimeType = 'image/png') =>
      page.locator('input[type=file]').setInputFiles({ name: 'code', mimeType, buffer });

    it.each([
      ['NotAllowedError', 'The browser refuses the camera.'],
      ['NotFoundError', 'This device has no camera.'],
      ['NotReadableError', 'The camera is in use by another program.'],
    ])('says what to do when the camera does not start: %s', async (name, text) => {
      const page = await openLoggedIn(undefined, PHONE);
      await page.addInitScript(`MediaDevices.prototype.getUserMedia = () => Promise.reject(new DOMException('', '${name}'));`);
      await page.goto('/scan');
      await page.getByRole('button', { name: 'Start the camera' }).click();
      await page.getByText(text).waitFor();
      await page.getByRole('button', { name: 'Try the camera again' }).waitFor();
      await page.getByRole('button', { name: 'Paste' }).waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
    });

    it('reads a picture', async () => {
      const { page, wallet } = await openScan();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 21_000, memo: 'From a picture' });
      await choose(page, pictureOf(paymentRequest));
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('From a picture').waitFor();
    });

    it('says so when a picture has no code, and when a file is no picture', async () => {
      const { page } = await openScan();
      await choose(page, await page.screenshot());
      await page.getByText('No QR code was found in the picture.').waitFor();
      await choose(page, Buffer.from('%PDF-1.7'), 'application/pdf');
      await page.getByText('The file cannot be read as a picture.').waitFor();
    });

    it('says what a code is that cannot be paid', async () => {
      const { page } = await openScan();
      await choose(page, pictureOf('https://shop.example/menu'));
      await page.getByText('there is nothing to pay or to receive').waitFor();
      await page.getByText('https://shop.example/menu').waitFor();
      await choose(page, pictureOf('bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq'));
      await page.getByText('This is a Bitcoin address.').waitFor();
      await choose(page, pictureOf('keyauth://login.example/auth?k1=ab'));
      await page.getByText('This is a login link').waitFor();
      await choose(page, pictureOf(`nostr+walletauth://${'ab'.repeat(32)}?relay=wss://relay.example`));
      await page.getByText('This code connects an app').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
    });

    it('opens what was copied', async () => {
      const { page, wallet } = await openScan({ permissions: ['clipboard-read', 'clipboard-write'] });
      const payer = await client.wallet(500);
      const { lnurl } = await client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(`lightning:${lnurl.toUpperCase()}`)})`);
      await page.getByRole('button', { name: 'Paste' }).click();
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('Withdraw link', { exact: true }).waitFor();
    });

    it('leads to the amount and its keys when the code has none, without the keyboard of the phone', async () => {
      const { page } = await openScan({ hasTouch: true, isMobile: true });
      const { pubkey } = (await client.get('/playground')).nodes[0];
      await choose(page, pictureOf(pubkey));
      await page.getByRole('group', { name: 'Number pad' }).waitFor();
      // The sheet has the focus first.
      await page.locator('input[inputmode=none]:focus').waitFor();
      await page.keyboard.type('12');
      expect(await page.getByLabel('Amount', { exact: true }).inputValue()).toBe('12');
      const { paymentRequest } = net.outside.invoice({ amountMsat: 420_000, memo: 'Roastery' });
      await page.getByRole('button', { name: 'Close' }).click();
      await page.goto('/scan');
      await choose(page, pictureOf(paymentRequest));
      await page.getByText('Roastery').waitFor();
      // The field of the picture has the focus until the sheet takes it.
      await expect.poll(() => page.locator(':is(input, textarea):focus').count()).toBe(0);
    });

    it('does not move its sign in the bar', async () => {
      const wallet = await client.wallet(0);
      const page = await openLoggedIn(`/wallets/${wallet.id}`, PHONE);
      const sign = page.locator('.bar .scan .sign');
      const before = await sign.boundingBox();
      await page.getByRole('link', { name: 'Scan' }).click();
      await page.getByRole('button', { name: 'Start the camera' }).waitFor();
      expect(await sign.boundingBox()).toEqual(before);
    });

    it('opens what was typed, and asks for the wallet if none was opened before', async () => {
      const page = await openLoggedIn('/scan', PHONE);
      const wallet = await client.wallet(100);
      await client.wallet(100);
      await page.getByLabel('Invoice, address or link').fill(encodeLnurl('https://pay.example/x'));
      await page.getByLabel('Invoice, address or link').press('Enter');
      await page.getByRole('heading', { name: 'Send from which wallet?' }).waitFor();
      await page.getByLabel('Find a wallet').fill(wallet.id);
      await page.locator(`a[href="/wallets/${wallet.id}/send"]`).click();
      await page.getByRole('dialog').getByLabel('To', { exact: true }).waitFor();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(encodeLnurl('https://pay.example/x'));
    });

    it('says what to do where the camera needs https, and where the clipboard cannot be read', async () => {
      const page = await openLoggedIn(undefined, PHONE);
      await page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false }); delete Navigator.prototype.clipboard;");
      await page.goto('/scan');
      await page.getByRole('button', { name: 'Start the camera' }).click();
      await page.getByText('Browsers allow the camera only at https addresses.').waitFor();
      await page.getByRole('button', { name: 'Paste' }).click();
      await page.getByText('Paste it into the field below.').waitFor();
      expect(await page.evaluate('document.activeElement.tagName')).toBe('INPUT');
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);

onDashboard('the permission for the camera', ({ client }) => {
  it('is given to the dashboard, and to no other page of the service', async () => {
    const policyOf = async (path: string) =>
      (await fetch(client.url + path, { headers: { accept: 'text/html' } })).headers.get('permissions-policy');
    expect(await policyOf('/scan')).toContain('camera=(self)');
    for (const path of ['/docs', '/v1/nothing', '/embed/pay/nobody', '/pay/nobody'])
      expect(await policyOf(path), path).toContain('camera=()');
  });
});
