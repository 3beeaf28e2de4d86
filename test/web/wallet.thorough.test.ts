import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('a wallet', ({ client, net, openLoggedIn }) => {
  const row = (page: Page, label: string) => page.locator('.transactions').getByRole('button', { name: label, exact: true });
  const pay = (key: string, script: object, amountMsat = 10_000) =>
    client.request('POST', `/v1/wallet/${key}/withdraw`, {
      key: client.secretKey,
      json: { payment_request: net.outside.invoice({ amountMsat, script, memo: 'bill' }).paymentRequest },
      headers: { prefer: 'respond-async' },
    });
  async function transfer(from: string, to: string, memo: string) {
    await client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: 1, memo });
  }

  it('shows a payment with its fee in one row, and all of it when the row is opened', async () => {
    const wallet = await client.wallet(1000);
    await pay(wallet.id, { fee: 1500 });
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await page.getByText('fee \u22122').waitFor();
    expect(await page.locator('.transactions').getByText('LN Routing Fees').count()).toBe(0);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const details = page.locator('.transaction-details');
    await details.getByText('1.500 sats').waitFor();
    await page.waitForURL('**?tx=wtx_*');
    await page.reload();
    await details.getByText('Preimage').waitFor();
    await details.getByRole('link', { name: 'Open payment' }).click();
    await page.waitForURL('**/payments/lntx_*');
    await page.getByText('The rest of the fee reserve was released').waitFor();
  });

  it('shows one number for the fee of a payment: exact, and rounded up in lists of whole sats', async () => {
    const wallet = await client.wallet(1000);
    const { body } = await pay(wallet.id, { fee: 1501 });
    const page = await openLoggedIn(`/payments/${body.lnTx.id}`);
    await page.getByText('The rest of the fee reserve was released').waitFor();
    const fees = (await page.locator('main').innerText()).match(/fee (?:of )?[\d.]+/g);
    expect(fees).toEqual(['fee 1.501', 'fee 1.501', 'fee of 1.501']);
    await page.goto(`/wallets/${wallet.id}`);
    await page.getByText('fee \u22122').waitFor();
    await page.locator('.stat').getByText('fees 2').waitFor();
    await page.goto('/operator');
    await page.getByText(/^wallets paid [\d.]+\.\d{3} for routing$/).waitFor();
  });

  it('inserts new transactions at once, but only counts them while a row is open', async () => {
    const [wallet, other] = [await client.wallet(1000), await client.wallet(100)];
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await page.locator('.transactions .name').first().waitFor();
    await transfer(other.id, wallet.id, 'first');
    await row(page, 'first').click();
    await transfer(other.id, wallet.id, 'second');
    await transfer(other.id, wallet.id, 'third');
    const chip = page.getByRole('button', { name: '2 new' });
    await chip.waitFor();
    expect(await row(page, 'second').count()).toBe(0);
    await chip.click();
    await row(page, 'third').waitFor();
    await page.locator('.hero-amount').getByText('1\u202f003').waitFor();
  });

  it('filters by status, label and period in the address, and clears filters that match nothing', async () => {
    const [wallet, other] = [await client.wallet(1000), await client.wallet()];
    await pay(wallet.id, { fail: 'NO_ROUTE' });
    await transfer(wallet.id, other.id, 'rent');
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL('**?status=failed');
    await row(page, 'rent').waitFor({ state: 'detached' });
    await page.getByText('not charged', { exact: true }).waitFor();
    await page.goto(`/wallets/${wallet.id}?label=rent&from=2020-01-01&to=2020-01-02`);
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await row(page, 'rent').waitFor();
    expect(new URL(page.url()).search.replace('?', '')).toBe('');
  });

  it('turns to older and newer pages', async () => {
    const [wallet, other] = [await client.wallet(1000), await client.wallet()];
    for (let index = 0; index < 55; index++) await transfer(wallet.id, other.id, `move ${index}`);
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await row(page, 'move 54').waitFor();
    await page.getByRole('button', { name: 'Older' }).click();
    await row(page, 'move 0').waitFor();
    await page.getByText('51 – 56 of 56').waitFor();
    await page.getByRole('button', { name: 'Newer' }).click();
    await row(page, 'move 54').waitFor();
  });

  it('is renamed, deactivated and activated from its menu', async () => {
    const wallet = await client.wallet(10);
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    const choose = async (entry: string) => {
      await page.getByRole('button', { name: /^More/ }).click();
      await page.getByRole('menuitem', { name: entry }).click();
    };
    await choose('Rename');
    await page.getByRole('dialog').getByLabel('Label').fill('Renamed');
    await page.getByRole('button', { name: 'Save the label' }).click();
    await page.getByRole('heading', { name: 'Renamed', level: 1 }).waitFor();
    await choose('Deactivate');
    await page.getByRole('dialog').getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Inactive', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Send/ }).isDisabled()).toBe(true);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).statusType.name).toBe('inactive');
    await choose('Activate');
    await page.getByRole('dialog').getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('link', { name: 'Send' }).waitFor();
    expect(new URL(page.url()).pathname).toBe(`/wallets/${wallet.id}`);
  });

  it('saves the statement of a period', async () => {
    const wallet = await client.wallet(77);
    const page = await openLoggedIn(`/wallets/${wallet.id}/statement`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Save the statement' }).click()]);
    expect(await readFile(await download.path(), 'utf8')).toMatch(/^\ufefftime,id,type[\s\S]*,77000,77,77000,/);
  });

  it('says that the node is away, disables what needs it, and enables it again by itself', async () => {
    const wallet = await client.wallet(10);
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { expected: [/503/] });
    await page.getByRole('link', { name: 'Receive' }).waitFor();
    net.down();
    try {
      await page.getByText('The Lightning node does not answer.').first().waitFor();
      expect(await page.getByRole('button', { name: /^Receive/ }).isDisabled()).toBe(true);
      await page.getByRole('link', { name: 'Transfer' }).waitFor();
    } finally {
      net.up();
    }
    await page.getByRole('link', { name: 'Receive' }).waitFor();
    expect(await page.getByText('The Lightning node does not answer.').count()).toBe(0);
  });

  it('of another account does not exist', async () => {
    const page = await openLoggedIn('/wallets/wal_0000000000000000000000');
    await page.getByRole('heading', { name: 'No such wallet', level: 1 }).waitFor();
  });
});

onDashboard('a payment', ({ client, net, openLoggedIn }) => {
  async function start(key: string, script: object): Promise<string> {
    const json = { payment_request: net.outside.invoice({ amountMsat: 10_000, script }).paymentRequest };
    await client.request('POST', `/v1/wallet/${key}/withdraw`, { key: client.secretKey, json, headers: { prefer: 'respond-async' } });
    const [newest] = await client.get(`/v1/wallet/${key}/transactions?status=all&per-page=1`);
    return newest.lnTx.id;
  }

  it('is pending, never failed, until its outcome is known, and then settles without a reload', async () => {
    const wallet = await client.wallet(1000);
    const lntx = await start(wallet.id, { hold: true });
    const page = await openLoggedIn(`/payments/${lntx}`);
    await page.getByText('The outcome is not known yet').waitFor();
    expect(await page.getByText('Failed').count()).toBe(0);
    const { r_hash_decoded } = await client.get(`/v1/lntx/${lntx}`);
    await client.decideHold(r_hash_decoded, 'settle');
    await page.getByText('The rest of the fee reserve was released').waitFor();
  });

  it('that failed says first that nothing was paid, and why', async () => {
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn(`/payments/${await start(wallet.id, { fail: 'NO_ROUTE' })}`);
    await page.getByText('Nothing was paid; the hold is released.').waitFor();
    await page.getByText('FAILURE_REASON_NO_ROUTE').waitFor();
    const head = (await page.locator('.page-head').innerText()).replaceAll(/\s+/g, ' ');
    expect(head).toMatch(/ 10 ?sats not charged/);
    expect(head).not.toContain('\u2212');
  });

  it('shows what was held, and how much of it was paid, charged as a fee and released', async () => {
    const wallet = await client.wallet(1000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, memo: 'Beans', script: { fee: 1501 } });
    const json = { payment_request: paymentRequest, fee_limit_msat: 5000 };
    const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json });
    const page = await openLoggedIn(`/payments/${body.lnTx.id}`);
    await page.getByRole('heading', { name: 'Beans', level: 1 }).waitFor();
    const held = page.locator('.held');
    expect((await held.innerText()).replaceAll(/\s+/g, ' ')).toBe('Held 105 sats Paid 100 sats Routing fee 1.501 sats Released 3.499 sats');
    const widths = await held.locator('.held-bar > i').evaluateAll((parts) => parts.map((part) => part.getBoundingClientRect().width));
    const [paid = 0, fee = 0, released = 0] = widths;
    expect(paid).toBeGreaterThan(released);
    expect(released).toBeGreaterThan(fee);
  });

  it('shows the fee of the service as charged or held, and not as released', async () => {
    const wallet = await client.wallet(1000);
    const rules = { ln_out: { flat_msat: 90_000 } };
    await client.request('PUT', `/v1/wallets/${wallet.id}/fees`, { key: client.secretKey, json: { rules, reason: 'prices' } });
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, hold: true, script: { fee: 0 } });
    const json = { payment_request: paymentRequest, fee_limit_msat: 5000 };
    const headers = { prefer: 'respond-async' };
    await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers });
    const page = await openLoggedIn(`/payments/${(await client.get(`/v1/lntx/${paymentHash}`)).id}`);
    const held = async () => (await page.locator('.card.held').innerText()).replaceAll(/\s+/g, ' ');
    await expect.poll(held).toBe('Held 195 sats Amount 100 sats Service fee 90 sats Fee reserve 5 sats');
    await page.getByText('plus a fee limit of 5 sats. Service fee: 90 sats.').waitFor();
    await client.decideHold(paymentHash, 'settle');
    await expect.poll(held).toBe('Held 195 sats Paid 100 sats Service fee 90 sats Released 5 sats');
  });

  it('that failed says that all of the hold was released', async () => {
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn(`/payments/${await start(wallet.id, { fail: 'NO_ROUTE' })}`);
    expect((await page.locator('.held').innerText()).replaceAll(/\s+/g, ' ')).toMatch(/^Held ([\d.]+) sats Released \1 sats$/);
  });

  it('is an open invoice until it is paid', async () => {
    const wallet = await client.wallet();
    const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 21, memo: '<i>tea</i>' });
    const page = await openLoggedIn(`/payments/${invoice.id}`);
    await page.getByRole('img', { name: 'The invoice as a QR code' }).waitFor();
    await page.getByText('<i>tea</i>').first().waitFor();
    await client.post('/playground/pay', { payment_request: invoice.payment_request });
    await page.getByText('were credited to the wallet').waitFor();
    expect(await page.locator('.hero-amount.positive').innerText()).toMatch(/^\+21/);
    expect(await page.getByRole('img', { name: 'The invoice as a QR code' }).count()).toBe(0);
  });

  it('is an open invoice that can be cancelled', async () => {
    const wallet = await client.wallet();
    const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 21 });
    const page = await openLoggedIn(`/payments/${invoice.id}`);
    await page.getByRole('link', { name: 'Cancel the invoice' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel the invoice' }).click();
    await page.getByText('cannot be paid any more').waitFor();
    expect((await client.get(`/v1/lntx/${invoice.id}`)).status).toBe('cancelled');
  });
});
