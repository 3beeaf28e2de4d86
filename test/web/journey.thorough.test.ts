import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { decodeLnurl } from '../../src/lnurl/bech32.ts';
import type { Client, Json } from '../support/client.ts';
import { onPlaygroundDashboard } from '../support/dashboard.ts';
import { readQrOn } from '../support/page-qr.ts';
import { startReceiver } from '../webhooks/receiver.ts';

/** Everything that a new user does, in a browser on a phone and on a desktop, on the playground with its real nodes. */
onPlaygroundDashboard(
  'a person',
  ({ client, open, setupLink, newPerson, logIn }) => {
    const receiver = startReceiver();

    it.each([
      { device: 'desktop', theme: 'light' },
      { device: 'phone', theme: 'dark' },
    ] as const)('goes from the first login to money in and out, on a $device, $theme', async ({ device, theme }) => {
      const { id } = await client.post('/v1/accounts', { invite: true, role: 'operator' });
      const page = await open(await setupLink(id), { device, theme });
      await firstRun(page, device);
      await newWallet(page, 'Till');
      const wallet = /\/wallets\/(wal_\w+)/.exec(page.url())?.[1] ?? '';
      await addWebhook(page, receiver.url(`/${device}`));
      await receive(page, wallet, client);
      await send(page, wallet, client);
      await keysendWithoutRoute(page, wallet, client);
      await claimWithdrawLink(page, client);
      await keyLifetime(page, wallet, client);
      await expect.poll(() => receiver.accepted(`/${device}`).map(({ event }: Json) => event.name)).toContain('wallet_receive');
      await page.goto('/webhooks');
      await page.getByText('Delivering').first().waitFor();

      const member = await newPerson();
      await page.context().clearCookies();
      await logIn(page, member);
      await page.goto('/wallets');
      await page.getByText('No wallets yet').waitFor();
      for (const path of [`/wallets/${wallet}`, '/operator', '/accounts', '/playground']) {
        await page.goto(path);
        await page
          .getByRole('heading', { name: /not found|No such wallet/i })
          .first()
          .waitFor();
      }
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', STUCK_PAYMENT_SECONDS: '0', PAYMENT_WAIT_SECONDS: '20' },
);

async function firstRun(page: Page, device: string): Promise<void> {
  await page.getByLabel('E-mail').fill(`${device}@example.com`);
  await page.getByLabel('Password').fill('a long password');
  await page.getByRole('button', { name: 'Create the login' }).click();
  await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
}

async function newWallet(page: Page, label: string): Promise<void> {
  await page.getByRole('link', { name: 'New wallet' }).first().click();
  await page.getByLabel('Label').fill(label);
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /wallet/ })
    .click();
  await page.getByRole('heading', { name: label, level: 1 }).waitFor();
}

/** Another node pays the invoice of the QR code, and the page changes by itself. */
async function receive(page: Page, wallet: string, client: Client): Promise<void> {
  await page.goto(`/wallets/${wallet}`);
  await page.getByRole('link', { name: 'Receive' }).click();
  await page.getByLabel('Amount').fill('50000');
  await page.getByLabel('Memo').fill('Opening balance');
  await page.getByRole('button', { name: 'Create invoice' }).click();
  await page.getByText('Waiting for payment').waitFor();
  const invoice = await readQrOn(page);
  await client.post('/playground/pay', { payment_request: invoice.replace(/^lightning:/i, ''), from: 'carol' });
  await page.getByRole('dialog').getByRole('status').filter({ hasText: 'Paid' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Opening balance').first().waitFor();
}

async function send(page: Page, wallet: string, client: Client): Promise<void> {
  const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 1_200, memo: 'Beans', at: 'carol' });
  await page.goto(`/wallets/${wallet}/send`);
  await page.getByLabel('To', { exact: true }).fill(payment_request);
  await page.getByText('Beans').waitFor();
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: /^Send 1.200 sats$/ }).click();
  await page.getByText('The receiver has it.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByText('Beans').first().waitFor();
}

async function keysendWithoutRoute(page: Page, wallet: string, client: Client): Promise<void> {
  const { unreachable_pubkey } = await client.get('/playground');
  await page.goto(`/wallets/${wallet}/send`);
  await page.getByLabel('To', { exact: true }).fill(unreachable_pubkey);
  await page.getByLabel('Amount').fill('300');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Send 300 sats' }).click();
  await page.getByText('Nothing was paid; the hold is released.').waitFor();
  await page.getByText('No route to the receiver').waitFor();
}

/** A wallet app claims the withdraw link of the QR code. */
async function claimWithdrawLink(page: Page, client: Client): Promise<void> {
  await page.goto('/links/withdraw');
  await page.getByLabel('From').selectOption({ label: 'Till' });
  await page.getByLabel('Sats per claim').fill('500');
  await page.getByLabel('Claims').fill('1');
  await page.getByLabel('Text for the claiming wallet').fill('A coffee on us');
  await page.getByRole('button', { name: 'Create link' }).click();
  await page.getByText('The withdraw link is created').waitFor();
  const offer = await getJson(decodeLnurl(await readQrOn(page)));
  const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 500, memo: offer.defaultDescription });
  const callback = new URL(offer.callback);
  callback.searchParams.set('k1', offer.k1);
  callback.searchParams.set('pr', payment_request);
  expect(await getJson(callback.href)).toEqual({ status: 'OK' });
  await page.getByRole('button', { name: 'I have stored it' }).click();
}

/** A key of the wallet is created, works, is revoked, and no longer works. */
async function keyLifetime(page: Page, wallet: string, client: Client): Promise<void> {
  await page.goto(`/keys?wallet=${wallet}`);
  await page.getByRole('button', { name: 'New key' }).click();
  await page.getByLabel('Label').fill('Card terminal');
  await page.getByRole('button', { name: 'Create key' }).click();
  await page.getByText('Key “Card terminal” is created. Copy it now').waitFor();
  const key = (await page.locator('.secret-once code').textContent()) ?? '';
  const status = async () => (await client.request('GET', `/v1/wallet/${wallet}`, { key })).status;
  expect(await status()).toBe(200);
  await page.getByRole('row').filter({ hasText: 'Card terminal' }).getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
  await expect.poll(status).toBe(401);
}

async function addWebhook(page: Page, url: string): Promise<void> {
  await page.goto('/webhooks/new');
  await page.getByLabel('URL').fill(url);
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByText(/The signing secret of .* Copy it now/).waitFor();
}

async function getJson(url: string): Promise<Json> {
  return (await fetch(url)).json();
}
