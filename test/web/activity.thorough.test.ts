import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';

onDashboard('activity', ({ client, net, openLoggedIn }) => {
  const transfer = (from: string, to: string, memo: string, sats = 1) =>
    client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: sats, memo });
  const rows = (page: Page) => page.locator('.transactions .name').allTextContents();
  const stat = (page: Page, name: string) =>
    page
      .getByRole('region', { name: 'Sums' })
      .locator('.stat', { has: page.getByText(name, { exact: true }) })
      .locator('b');

  async function fail(walletId: string, sats: number): Promise<void> {
    const { paymentRequest } = net.outside.invoice({ amountMsat: sats * 1000, script: { fail: 'NO_ROUTE' } });
    await client.request('POST', `/v1/wallet/${walletId}/withdraw`, { json: { payment_request: paymentRequest }, key: client.secretKey });
  }

  it('lists the transactions of all wallets, with their number and sums, and those of one wallet', async () => {
    const [till, tips] = [await client.namedWallet('Coffee till', 1000), await client.namedWallet('Tips', 500)];
    await transfer(till.id, tips.id, 'to the tips', 300);
    await fail(till.id, 40);
    const page = await openLoggedIn('/activity');
    await page.getByText('1 – 5 of 5').waitFor();
    expect(await stat(page, 'Transactions').textContent()).toBe('5');
    expect(await stat(page, 'In').textContent()).toBe('+1\u202f800 sats');
    expect(await stat(page, 'Out').textContent()).toBe('−300 sats');
    await page.getByRole('cell', { name: 'Tips' }).first().waitFor();
    await page.getByRole('button', { name: 'Wallet', exact: true }).click();
    const sheet = page.getByRole('dialog');
    await chooseWallet(sheet.getByLabel('Wallet'), 'Tips');
    await sheet.getByRole('button', { name: 'Apply filters' }).click();
    await page.getByText('1 – 2 of 2').waitFor();
    expect(await rows(page)).toEqual(['to the tips', 'Playground']);
    await expect.poll(() => stat(page, 'In').textContent()).toBe('+800 sats');
    expect(await stat(page, 'Out').textContent()).toBe('0 sats');
  });

  it('has the filters above the sums, and on a phone behind a button', async () => {
    await client.namedWallet('Above', 100);
    const page = await openLoggedIn('/activity');
    const sums = page.getByRole('region', { name: 'Sums' });
    await sums.waitFor();
    const [filters, box] = [await page.locator('.filters').boundingBox(), await sums.boundingBox()];
    expect(filters?.y).toBeLessThan(box?.y ?? 0);
    const phone = await openLoggedIn('/activity', { device: 'phone' });
    await phone.getByRole('button', { name: 'Filter', exact: true }).click();
    await phone.getByLabel('Status').selectOption('Failed');
    await phone.getByRole('button', { name: 'Apply filters' }).click();
    await phone.waitForURL('**/activity?status=failed');
    await phone.locator('.filters').waitFor();
  });

  it('shows what failed without a sign, and no sums where they would cover something else', async () => {
    const wallet = await client.namedWallet('Failing', 100);
    await fail(wallet.id, 31);
    const page = await openLoggedIn(`/activity?wallet=${wallet.id}&status=failed`);
    const amount = page.locator('.transactions td.end', { hasText: 'not charged' });
    await amount.waitFor();
    expect(await amount.locator('.row-amount').textContent()).toBe('31');
    expect(await page.getByRole('region', { name: 'Sums' }).count()).toBe(0);
    await page.goto(`/activity?wallet=${wallet.id}&type=ln_deposit`);
    await page.getByText('1 – 1 of 1').waitFor();
    expect(await page.getByRole('region', { name: 'Sums' }).count()).toBe(0);
  });

  it('exports exactly what the filters show', async () => {
    const [from, to] = [await client.wallet(100), await client.wallet()];
    await transfer(from.id, to.id, 'exported');
    await transfer(from.id, to.id, 'not in the file');
    const page = await openLoggedIn(`/activity?wallet=${to.id}&label=exported`);
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('link', { name: 'Export' }).click()]);
    const [header, ...lines] = (await readFile(await download.path(), 'utf8')).trim().split('\r\n');
    expect(header).toMatch(/^time,id,wallet,status,type,/);
    expect(lines.map((line) => line.split(',').slice(2, 6))).toEqual([[to.id, 'settled', 'ln_transfer_in', 'exported']]);
  });

  it('opens a transaction that is not on the page, and says when there is none', async () => {
    const [from, to] = [await client.wallet(100), await client.wallet()];
    await transfer(from.id, to.id, 'an old one');
    const [old] = await client.get(`/v1/wallet/${to.id}/transactions`);
    const page = await openLoggedIn(`/activity?status=failed&tx=${old.id}`, { expected: [/404/] });
    await page.goto(`/activity?wallet=${from.id}&tx=${old.id}`);
    await page.locator('.transaction-details').getByText(old.id).waitFor();
    await page.goto('/activity?tx=wtx_0000000000000000000000t');
    await page.getByText('No such payment').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No such payment').waitFor({ state: 'detached' });
  });

  it('counts new transactions above the first row while one is open', async () => {
    const [from, to] = [await client.wallet(100), await client.wallet()];
    await transfer(from.id, to.id, 'first');
    const page = await openLoggedIn('/activity');
    await page.getByRole('button', { name: 'first' }).first().click();
    await transfer(from.id, to.id, 'second');
    await page.getByRole('button', { name: 'Show 2 new' }).click();
    await page.getByRole('button', { name: 'second' }).first().waitFor();
  });

  describe('events', () => {
    it('are listed by pages, newest first, filtered by type and wallet; the former address leads there', async () => {
      const [from, to] = [await client.namedWallet('Busy', 1000), await client.wallet()];
      for (let count = 0; count < 55; count++) await transfer(from.id, to.id, `move ${count}`);
      const page = await openLoggedIn(`/events?wallet=${from.id}`);
      await page.waitForURL(`**/activity/events?wallet=${from.id}`);
      const labels = () => page.locator('.events tbody .sub bdi').allTextContents();
      await page.getByText('move 54').waitFor();
      await page.getByRole('button', { name: 'Older' }).click();
      await page.getByText('move 3').first().waitFor();
      expect((await labels()).slice(0, 2)).toEqual(['move 4', 'move 3']);
      await page.getByRole('button', { name: 'Newer' }).click();
      await page.getByText('move 54').waitFor();
      await page.getByLabel('Event', { exact: true }).selectOption('wallet_receive');
      await page.getByText('move 54').waitFor({ state: 'detached' });
      await expect.poll(labels).toEqual(['Playground']);
    });

    it('say of money that did not move what happened to it, and give it no sign', async () => {
      const wallet = await client.wallet(100);
      await fail(wallet.id, 31);
      await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 42, memo: 'tea' });
      const page = await openLoggedIn(`/activity/events?wallet=${wallet.id}`);
      const amountOf = (type: string) => page.locator('tr', { hasText: type }).locator('td.end').first().textContent();
      await page.locator('td .mono', { hasText: 'wallet_send_failure' }).waitFor();
      expect(await amountOf('wallet_send_failure')).toBe('31not charged');
      expect(await amountOf('invoice_created')).toBe('42asked');
      expect(await amountOf('wallet_receive')).toBe('+100');
    });

    it('appear as they happen without a request, and are counted while one is open', async () => {
      const [from, to] = [await client.wallet(100), await client.wallet()];
      const page = await openLoggedIn(`/activity/events?wallet=${to.id}`);
      await page.locator('td .mono', { hasText: 'wallet_created' }).waitFor();
      await page.getByText('Live', { exact: true }).waitFor();
      const requests: string[] = [];
      page.on('request', (request) => requests.push(request.url()));
      await transfer(from.id, to.id, 'arrives');
      await page.getByText('arrives').waitFor();
      await page.getByRole('button', { name: 'Wallet created' }).click();
      for (let count = 0; count < 12; count++) await transfer(from.id, to.id, `burst ${count}`);
      await page.getByRole('button', { name: 'Show 12 new' }).waitFor();
      expect(await page.getByText('burst 11').count()).toBe(0);
      await page.getByRole('button', { name: 'Show 12 new' }).click();
      await page.getByText('burst 11').waitFor();
      expect(requests.filter((url) => url.includes('/v1/events'))).toEqual([]);
    });
  });
});
