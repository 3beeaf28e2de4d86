import type { Page } from 'playwright-core';
import { beforeAll, expect, it, vi } from 'vitest';
import { decodeLnurl } from '../../src/core/lightning/bech32.ts';
import { DEVICES, THEMES } from '../support/chromium.ts';
import type { Client, Json } from '../support/client.ts';
import { chooseWallet, onPlaygroundDashboard, tapSend } from '../support/dashboard.ts';
import { readQrOn } from '../support/page-qr.ts';
import { startReceiver } from '../webhooks/receiver.ts';

/** Everything that a new user does, in a browser on a phone and on a desktop, on the playground with its real nodes. */
onPlaygroundDashboard(
  'a person',
  ({ client, net, open, setupLink, newPerson, logIn, problems }) => {
    const receiver = startReceiver();
    /** A wallet of a customer on each of the two nodes. */
    let onPlayground: string;
    let onFakeNode: string;

    beforeAll(async () => {
      const [playground, fake] = (await client.get('/v1/nodes')).map(({ id }: Json) => id);
      onPlayground = (await client.post('/v1/wallet', { ln_node_id: playground })).id;
      onFakeNode = (await client.post('/v1/wallet', { ln_node_id: fake })).id;
      // The wallets that the person creates are on the playground.
      await client.post(`/v1/operator/nodes/${fake}/drain`, { reason: 'a test' });
      await client.post('/playground/fund', { wallet_id: onPlayground, num_satoshis: 100_000 });
      const { payment_request } = await client.post(`/v1/wallet/${onFakeNode}/invoice`, { num_satoshis: 100_000 });
      await net.outside.pay({ paymentRequest: payment_request });
      await vi.waitUntil(async () => (await client.get(`/v1/wallet/${onFakeNode}`)).balance === 100_000, { timeout: 150_000 });
    });

    /** Sends a payment of the customer that stays pending. */
    async function startPayment(wallet: string, payment_request: string): Promise<void> {
      const headers = { prefer: 'respond-async' };
      const json = { payment_request, fee_limit_msat: 100_000 };
      const { status } = await client.request('POST', `/v1/wallet/${wallet}/withdraw`, { key: client.secretKey, json, headers });
      expect(status).toBe(202);
    }
    const moneyOf = (wallet: string) => client.get(`/v1/wallet/${wallet}?fields=balance_msat,pending_msat`);

    /** The receiver of a payment over the real nodes neither takes nor returns it: no operator can end it before the receiver does. */
    async function waitForReceiver(page: Page): Promise<void> {
      const before = await moneyOf(onPlayground);
      const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 700, at: 'carol', hold: true });
      await startPayment(onPlayground, payment_request);
      await page.goto('/operator');
      await page.getByText(payment_hash).waitFor();
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText(/^Node reports: pending/).waitFor();
      await resolveAsFailed(page);
      await page
        .getByRole('alert')
        .filter({ hasText: /still in flight|do not prove a failure/ })
        .waitFor();
      await client.decideHold(payment_hash, 'cancel');
      await expect.poll(() => moneyOf(onPlayground)).toEqual(before);
      await page.reload();
      await page.getByText('No stuck payments').waitFor();
    }

    /**
     * The operator ends a payment that no channel carries. The nodes of the playground collect no such proof, and never lose a payment between
     * its registration and its sending; the fake node can.
     */
    async function resolveStuckPayment(page: Page): Promise<void> {
      const before = await moneyOf(onFakeNode);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 900_000, script: { fee: 0, stuck: true } });
      await startPayment(onFakeNode, paymentRequest);
      await page.goto('/operator');
      await page.getByText(paymentHash).waitFor();
      expect((await moneyOf(onFakeNode)).pending_msat).toBe(1_000_000);
      await resolveAsFailed(page);
      await page.getByText('No stuck payments').waitFor({ timeout: 150_000 });
      expect(await moneyOf(onFakeNode)).toEqual(before);
    }

    /** A member logs in in the same browser. */
    async function seeNothing(page: Page, wallet: string): Promise<void> {
      const member = await newPerson();
      await page.context().clearCookies();
      await logIn(page, member);
      await page.goto('/wallets');
      await page.getByText('No wallets yet').waitFor();
      for (const path of [`/wallets/${wallet}`, `/wallets/${onFakeNode}`, '/operator', '/accounts', '/playground']) {
        await page.goto(path);
        await page
          .getByRole('heading', { name: /not found|No such wallet/i })
          .first()
          .waitFor();
      }
      for (const path of ['/links', '/keys', '/webhooks', '/activity', '/activity/events']) {
        await page.goto(path);
        await page.getByRole('heading', { level: 1 }).waitFor();
        for (const text of ['Till', 'Card terminal', receiver.url('/')]) expect(await page.getByText(text).count()).toBe(0);
      }
    }

    const combinations = DEVICES.flatMap((device) => THEMES.map((theme) => ({ device, theme })));
    it.each(combinations)('goes from the first login to money in and out, on a $device, $theme', async ({ device, theme }) => {
      const { id } = await client.post('/v1/accounts', { invite: true, role: 'operator' });
      const hook = `/${device}-${theme}`;
      const page = await open(await setupLink(id), { device, theme });
      await firstRun(page, `${device}.${theme}@example.com`);
      await newWallet(page, 'Till');
      const wallet = /\/wallets\/(wal_\w+)/.exec(page.url())?.[1] ?? '';
      await addWebhook(page, receiver.url(hook));
      await receive(page, wallet, client);
      await send(page, wallet, client);
      await keysendWithoutRoute(page, wallet, client);
      await claimWithdrawLink(page, client);
      await keyLifetime(page, wallet, client);
      await expect.poll(() => receiver.accepted(hook).map(({ event }: Json) => event.name)).toContain('wallet_receive');
      await page.goto('/webhooks');
      await page
        .getByText(/^(Active|Nothing delivered yet)$/)
        .first()
        .waitFor();
      await waitForReceiver(page);
      await resolveStuckPayment(page);
      await seeNothing(page, wallet);
      expect(await problems()).toEqual([]);
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', STUCK_PAYMENT_SECONDS: '0', PAYMENT_WAIT_SECONDS: '20' },
);

async function resolveAsFailed(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Resolve', exact: true }).click();
  await page.getByLabel('Reason').fill('no channel carries it');
  await page.getByRole('button', { name: 'Resolve as failed' }).click();
}

async function firstRun(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
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
  await tapSend(page, 'Send 300 sats');
  await page.getByText('Nothing was paid; the hold is released.').waitFor();
  // The page behind the dialog lists the payment with the same words, as soon as it has read it.
  await page.getByRole('dialog').getByText('No route to the receiver', { exact: true }).waitFor();
}

/** A wallet app claims the withdraw link of the QR code. */
async function claimWithdrawLink(page: Page, client: Client): Promise<void> {
  await page.goto('/links/withdraw');
  await chooseWallet(page.getByLabel('From'), 'Till');
  await page.getByLabel('Sats per claim').fill('500');
  await page.getByText('More options').click();
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
