import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import type { TestWallet } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Runs in the page. Returns the height of each name, in lines. */
const LINES = `[...document.querySelectorAll('.transactions .name')].map((name) =>
  Math.round(name.getBoundingClientRect().height / Number.parseFloat(getComputedStyle(name).lineHeight)))`;

const MEMO = 'thanks '.repeat(85).trim();

onDashboard('texts of payers in a list', ({ client, net, openLoggedIn }) => {
  let wallet: TestWallet;
  beforeAll(async () => {
    wallet = await client.wallet(1000);
    const other = await client.wallet();
    await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: other.id, num_satoshis: 1, memo: MEMO });
    const { payment_request } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, memo: MEMO });
    await net.outside.pay({ paymentRequest: payment_request });
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: { name: string }) => name === 'alice');
    await client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: pubkey, num_satoshis: 3 });
  });

  const names = (page: Page) => page.locator('.transactions .name');

  it.each(['desktop', 'phone'] as const)('take two lines on a %s, and all of it is below the row', async (device) => {
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { device });
    await names(page).first().waitFor();
    const lines = await page.evaluate<number[]>(LINES);
    expect(Math.max(...lines)).toBe(2);
    await names(page).filter({ hasText: 'thanks' }).first().click();
    await page.locator('.transaction-details').getByText(MEMO.slice(-40)).first().waitFor();
  });

  it('name a keysend by words, not by its number', async () => {
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await names(page).first().waitFor();
    for (const name of await names(page).allTextContents()) expect(name).not.toMatch(/\d{20}|[0-9a-f]{40}/);
  });
});
