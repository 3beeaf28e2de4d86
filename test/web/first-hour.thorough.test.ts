import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useChromium } from '../support/chromium.ts';
import { onDashboard } from '../support/dashboard.ts';
import { processSettings, type ServiceProcess, startProcess } from '../support/process.ts';

const THIN = '\u202f';

async function addAuthenticator(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send('WebAuthn.enable');
  const options = { protocol: 'ctap2', transport: 'internal', hasResidentKey: true, hasUserVerification: true } as const;
  await devTools.send('WebAuthn.addVirtualAuthenticator', {
    options: { ...options, isUserVerified: true, automaticPresenceSimulation: true },
  });
}

describe('the first hour, from the output of the start', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'satchel-first-'));
  const chromium = useChromium();
  let service: ServiceProcess;
  beforeAll(async () => {
    const settings = await processSettings(dataDir, `sqlite:${join(dataDir, 'satchel.db')}`);
    service = await startProcess({ ...settings, PUBLIC_URL: '' });
  });
  afterAll(async () => {
    await service?.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('leads from the setup link over a passkey to the first payment, without leaving the dashboard', async () => {
    const file = /is in (\S+setup-link)/.exec(service.output())?.[1] ?? '';
    const link = readFileSync(file, 'utf8').trim();
    const page = await chromium.open(new URL(link).origin);
    await addAuthenticator(page);
    await page.goto(link);
    await page.getByLabel('E-mail').fill('nora@example.com');
    await page.getByRole('button', { name: 'Create a passkey' }).click();
    await page.getByLabel('I have stored the codes').check();
    await page.getByRole('button', { name: 'Go to the dashboard' }).click();

    await page.getByText('0 of 7').waitFor();
    const step = (name: string) => page.getByRole('listitem').filter({ hasText: name });
    await step('Create a wallet').getByRole('link', { name: 'New wallet' }).click();
    await page.getByLabel('Label').fill('Coffee till');
    await page.getByRole('dialog').getByRole('button', { name: 'Create the wallet' }).click();
    await page.waitForURL(/\/wallets\/wal_/);
    await page.goto('/wallets');
    await page.getByText('1 of 7').waitFor();
    await page.getByRole('button', { name: `Receive 21${THIN}000 sats` }).click();
    await page.getByText('2 of 7').waitFor();
    await page.getByRole('button', { name: 'Get an invoice' }).click();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: `Send 1${THIN}000 sats` }).click();
    await page.getByText('The receiver has it.').waitFor();
    await page.goto('/wallets');
    await page.getByText('3 of 7').waitFor();
    await page.getByText(`20${THIN}000`).first().waitFor();
  }, 120_000);
});

/** Runs in the page before its own code. */
const OBSERVE = `
  globalThis.shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
`;

onDashboard('the first steps', ({ client, openLoggedIn, open, logIn, newPerson }) => {
  it.each(['desktop', 'phone'] as const)('appear without moving what a person sees on a %s', async (device) => {
    const page = await openLoggedIn(undefined, { device });
    await page.addInitScript(OBSERVE);
    // The slow part is the checklist.
    const steps = '**/v1/operator/first-steps';
    await page.route(steps, async (route) => {
      await page.waitForTimeout(300);
      await route.continue();
    });
    await page.goto('/wallets');
    await page.getByRole('heading', { name: 'First steps' }).waitFor();
    await page.getByText('Spendable, all wallets').waitFor();
    expect(await page.evaluate('shift')).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
  });

  it('are recognized when the API does them, and are hidden for the account', async () => {
    const page = await openLoggedIn('/wallets');
    await page.getByText('0 of 7').waitFor();
    const wallet = await client.wallet();
    await page.reload();
    await page.getByText('1 of 7').waitFor();
    const filled = page.locator('.steps .button.primary, .steps .primary');
    expect(await filled.allTextContents()).toEqual([`Receive 21${THIN}000 sats`]);
    await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'till' });
    await page.reload();
    await page.getByText('2 of 7').waitFor();
    await page.getByRole('button', { name: 'Hide' }).click();
    await expect.poll(() => page.getByText('First steps').count()).toBe(0);
    const elsewhere = await openLoggedIn('/wallets');
    await elsewhere.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    await expect.poll(() => elsewhere.getByRole('link', { name: 'New wallet' }).count()).toBe(1);
    expect(await elsewhere.getByText('First steps').count()).toBe(0);
  });

  it('have forms that say in their own words what is wrong with a field', async () => {
    const page = await openLoggedIn('/webhooks/new');
    const form = page.getByRole('dialog').locator('form');
    const submit = form.locator('button[type=submit]');
    await submit.click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^Fill in “.+”\.$/ })
      .waitFor();
    await form.locator('input[type=url]').fill('nonsense');
    await submit.click();
    await page.getByRole('alert').filter({ hasText: 'is not valid.' }).waitFor();
    expect((await client.get('/v1/webhooks')).length).toBe(0);
  });

  it('are not shown to a member', async () => {
    const page = await open();
    await logIn(page, await newPerson());
    await page.goto('/wallets');
    await page.getByRole('heading', { name: 'Wallets', level: 1 }).waitFor();
    expect(await page.getByText('First steps').count()).toBe(0);
  });

  it('go on in an empty wallet, which the playground funds', async () => {
    const wallet = await client.wallet();
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { device: 'phone' });
    await page.getByRole('button', { name: `Receive 21${THIN}000 sats` }).click();
    await page.locator('.row-amount').getByText(`+21${THIN}000`).waitFor();
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(21_000);
    // The line of trend follows the payment.
    await page.locator('.trend').getByText(`+21${THIN}000`).waitFor();
  });
});

onDashboard('the first steps', ({ client, openLoggedIn }) => {
  it('stand above the balance until the first payment, then below the wallets', async () => {
    const page = await openLoggedIn('/wallets');
    const [balance, steps] = [page.getByText('Spendable, all wallets'), page.getByRole('heading', { name: 'First steps' })];
    const isAbove = async () => ((await balance.boundingBox())?.y ?? 0) < ((await steps.boundingBox())?.y ?? 0);
    await Promise.all([balance.waitFor(), steps.waitFor()]);
    expect(await isAbove()).toBe(false);
    const wallet = await client.wallet(1000);
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 10 });
    await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request });
    await page.reload();
    await expect.poll(isAbove).toBe(true);
  });
});
