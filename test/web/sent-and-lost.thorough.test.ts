import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('what was sent, and addresses that do not exist', ({ client, openLoggedIn, open }) => {
  it('name the receiver and the memo of a payment in its outcome, its row and its details, with its fee in the unit of the amounts', async () => {
    const payee = await client.wallet(0);
    const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'baker', lnurlp_short_desc: 'Bakery' });
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
    await page.getByLabel('To', { exact: true }).fill(ln_address);
    await page.getByLabel('Amount').fill('21');
    await page.getByLabel('Comment').fill('two rolls');
    await page.getByRole('button', { name: 'Review' }).click();
    const outcome = page.locator('.attempt-head');
    await outcome.getByText('Comment: two rolls').waitFor();
    await page.getByRole('button', { name: 'Send 21 sats' }).click();
    await page.getByText('The receiver has it.').waitFor();
    const shown = await outcome.innerText();
    expect([shown.includes(ln_address), shown.includes('Comment: two rolls')]).toEqual([true, true]);
    await page.getByRole('button', { name: 'Done' }).click();
    const row = page.getByRole('row').filter({ hasText: 'Bakery' });
    await row.getByText(`Sent to a pay link · ${ln_address}`).waitFor();
    await row.getByRole('button', { name: 'Bakery' }).click();
    await page.locator('dd', { hasText: ln_address }).first().waitFor();
    await page.evaluate("localStorage.setItem('unit', 'btc')");
    await page.reload();
    await page.locator('.stat').getByText('fees 0.00\u202f000\u202f000 BTC').waitFor();
  });

  it('show a page in the language of the browser for an unknown address, which leads to the start', async () => {
    const page = await open('/no/such/page', { expected: [/status of 404/, /^response: 404/], context: { locale: 'es-ES' } });
    await page.getByRole('heading', { name: 'Página no encontrada' }).waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('link', { name: 'Abrir la página de inicio' }).click();
    await page.locator('input[type="password"]').waitFor();
    expect(new URL(page.url()).pathname).not.toContain('/no');
  });
});
