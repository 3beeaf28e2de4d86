import { beforeAll, expect, it } from 'vitest';
import { formatSats } from '../../web/src/parts/format-amount.ts';
import type { TestWallet } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

const WALLETS = 5_100;
const LINES = 1_000;
const BATCHES = 2;
const TOTAL_SATS = 5_000_000;

onDashboard('the figures of the dashboard', ({ client, openLoggedIn }) => {
  let payer: TestWallet;
  let payee: TestWallet;
  // The two oldest of all wallets have the money.
  beforeAll(async () => {
    payer = await client.wallet(TOTAL_SATS);
    payee = await client.wallet();
    for (let made = 0; made < WALLETS; made += 100)
      await Promise.all(Array.from({ length: 100 }, () => client.post('/v1/wallet', { user_label: 'Customer' })));
    const lines = Array.from({ length: LINES }, (_, index) => ({ dest_wallet_id: payee.id, num_satoshis: 1 + (index % 7) }));
    for (let batch = 0; batch < BATCHES; batch++) await client.post(`/v1/wallet/${payer.id}/transfers`, { lines });
  });

  const movedSats = BATCHES * Array.from({ length: LINES }, (_, index) => 1 + (index % 7)).reduce((sum, one) => sum + one, 0);

  it('sum all transactions of their period', async () => {
    const page = await openLoggedIn(`/wallets/${payee.id}`);
    const moved = page.locator('.stat', { hasText: 'In, 30 d' });
    await moved.getByText(`+${formatSats(movedSats)} sats`, { exact: true }).waitFor();
    await moved.getByText(/^2.?000 transactions$/).waitFor();
  });

  it('sum all wallets of an account, and all of its transactions', async () => {
    const page = await openLoggedIn('/wallets');
    await page.locator('.wallets-total').getByText(formatSats(TOTAL_SATS)).waitFor();
    const { id } = await client.get('/v1/account');
    await page.goto(`/accounts/${id}`);
    const figures = page.locator('.customer-figures');
    await figures.getByText(formatSats(TOTAL_SATS)).first().waitFor();
    await figures.getByText(/^5.?102 wallets$/).waitFor();
    const { in_msat, in_count } = await client.get('/v1/account/summary');
    expect(in_count).toBe(BATCHES * LINES + 1);
    await figures.getByText(`+${formatSats(in_msat / 1000)}`).waitFor();
  });
});
