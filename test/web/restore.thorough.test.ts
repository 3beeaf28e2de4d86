import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';
import { rewindOf } from '../support/rewind.ts';

onDashboard('the overview of an operator', (service) => {
  const { client, net, openLoggedIn } = service;

  it('shows the progress and the result of a restore, and how to accept it', async () => {
    const payer = await client.wallet(1_000);
    const { save, rewind } = rewindOf(service);
    const before = await openLoggedIn('/operator');
    await before.getByText('Nodes have, sats').first().waitFor();
    expect(await before.getByText('sends no money').count()).toBe(0);
    // Its requests would fail while the service restarts.
    await before.close();
    await save();
    const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000, script: { fee: 7_000 } });
    await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: paymentRequest });
    await rewind();
    const page = await openLoggedIn('/operator');
    const card = page.locator('section', { hasText: 'The service was restored and sends no money' });
    await card.getByText('You can accept the restore').waitFor({ timeout: 150_000 });
    await card.getByText('1, 507 sats').waitFor();
    await card.getByText('The ledger and the nodes agree.').waitFor();
    await card.getByText('satchel restore accept').waitFor();
    await page.setViewportSize({ width: 390, height: 800 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });
});
