import { expect, it } from 'vitest';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';

onDashboard(
  'the playground',
  ({ client, openLoggedIn, open, logIn, newPerson }) => {
    async function newInvoice(fields: object) {
      const wallet = await client.wallet(0);
      return { wallet, invoice: await client.post(`/v1/wallet/${wallet.id}/invoice`, fields) };
    }
    const balanceOf = async (id: string) => (await client.get(`/v1/wallet/${id}`)).balance;

    it('shows the nodes of the network and whether ours works', async () => {
      const page = await openLoggedIn('/playground');
      for (const name of ['hub', 'alice', 'carol']) await page.getByRole('heading', { name, exact: true }).waitFor();
      await page.getByText('Ready').waitFor();
    });

    it('shows what both sides of each channel can send, also after a payment', async () => {
      const page = await openLoggedIn('/playground');
      const ofHub = page.getByRole('img', { name: /^Channel: hub can send/ });
      await page.getByRole('img', { name: /^Channel: alice can send .* sats, carol can send .* sats$/ }).waitFor();
      const amounts = async () => {
        const text = (await ofHub.getAttribute('aria-label')) ?? '';
        return Array.from(text.matchAll(/can send ([\d\u202f]+) sats/g), ([, digits = '']) => Number(digits.replaceAll('\u202f', '')));
      };
      const [hub = 0, alice = 0] = await amounts();
      await client.wallet(40_000);
      await expect.poll(amounts).toEqual([hub + 40_000, alice - 40_000]);
    });

    it('pays an invoice from outside, once', async () => {
      const { wallet, invoice } = await newInvoice({ num_satoshis: 1_234, memo: 'tea' });
      const page = await openLoggedIn('/playground');
      await page.getByLabel('Invoice', { exact: true }).fill(invoice.payment_request);
      await page.getByRole('button', { name: 'carol, fee about 1 sat' }).first().click();
      await page.getByRole('button', { name: 'Pay', exact: true }).dblclick();
      await page.getByRole('status').filter({ hasText: 'Paid, 1\u202f234 sats' }).waitFor();
      expect(await balanceOf(wallet.id)).toBe(1_234);
      await page.getByRole('row').filter({ hasText: invoice.r_hash_decoded }).getByText('Settled').waitFor();
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('alert').waitFor();
      expect(await balanceOf(wallet.id)).toBe(1_234);
    });

    it('needs an amount for an invoice without one', async () => {
      const { wallet, invoice } = await newInvoice({});
      const page = await openLoggedIn('/playground');
      await page.getByLabel('Invoice', { exact: true }).fill(invoice.payment_request);
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('alert').waitFor();
      await page.getByLabel('Amount, sats').first().fill('21');
      await page.getByRole('button', { name: 'Pay', exact: true }).click();
      await page.getByRole('status').filter({ hasText: 'Paid, 21 sats' }).waitFor();
      expect(await balanceOf(wallet.id)).toBe(21);
    });

    it('funds a wallet once for a double click', async () => {
      const wallet = await client.namedWallet('Funded till', 0);
      const page = await openLoggedIn('/playground');
      await chooseWallet(page.getByLabel('Wallet', { exact: true }).first(), 'Funded till');
      await page.getByRole('button', { name: 'Fund 100\u202f000 sats' }).dblclick();
      await page.getByRole('status').filter({ hasText: 'Paid' }).waitFor();
      expect(await balanceOf(wallet.id)).toBe(100_000);
    });

    it('pays an address of a wallet from outside, and claims its withdraw link there', async () => {
      const wallet = await client.wallet(1_000);
      const { ln_address } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'outside' });
      const { lnurl } = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 300 });
      const page = await openLoggedIn('/playground');
      await page.getByLabel('Lightning address or pay link').fill(ln_address);
      await page.getByRole('button', { name: 'Pay 100 sats' }).dblclick();
      await page.getByRole('status').filter({ hasText: 'Paid, 100 sats' }).waitFor();
      expect(await balanceOf(wallet.id)).toBe(1_100);
      await page.getByLabel('Withdraw link').fill(lnurl);
      await page.getByRole('button', { name: 'Claim' }).click();
      await page.getByRole('status').filter({ hasText: 'Paid, 300 sats' }).waitFor();
      await expect.poll(() => balanceOf(wallet.id)).toBeLessThanOrEqual(800);
      await page.getByRole('button', { name: 'Claim' }).click();
      await page.getByRole('alert').filter({ hasText: 'has been used' }).waitFor();
    });

    it('says what happens to a keysend that names no wallet: it is returned', async () => {
      const page = await openLoggedIn('/playground');
      await page.getByText('Without a wallet, the payment is returned').waitFor();
      await page.getByRole('button', { name: 'Send 500 sats' }).click();
      await page.getByRole('status').filter({ hasText: 'Nothing was paid' }).waitFor();
    });

    it('sends a keysend to a wallet', async () => {
      const wallet = await client.namedWallet('Keysend till', 0);
      const page = await openLoggedIn('/playground');
      await chooseWallet(page.getByLabel('Wallet', { exact: true }).last(), 'Keysend till');
      await page.getByRole('button', { name: 'Send 500 sats' }).click();
      await page.getByRole('status').filter({ hasText: 'Paid, 500 sats' }).waitFor();
      expect(await balanceOf(wallet.id)).toBe(500);
    });

    it('creates an invoice and opens it in the sheet that sends', async () => {
      const wallet = await client.namedWallet('Paying till', 10_000);
      const page = await openLoggedIn('/playground');
      await page.getByRole('button', { name: 'Make invoice' }).click();
      const made = page.getByRole('region', { name: 'The invoice' });
      const invoice = (await made.locator('code').textContent()) ?? '';
      expect(invoice).toMatch(/^lnbcrt10u1/);
      await made.getByRole('button', { name: 'Copy invoice' }).waitFor();
      await chooseWallet(made.getByLabel('Pay from'), 'Paying till');
      await made.getByRole('button', { name: 'Open in Send' }).click();
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(invoice);
    });

    it('settles and cancels a payment that the receiver holds', async () => {
      const wallet = await client.wallet(10_000);
      const page = await openLoggedIn('/playground');
      for (const [button, status] of [
        ['Settle', 'settled'],
        ['Cancel', 'failed'],
      ] as const) {
        await page.getByRole('button', { name: 'holds it' }).click();
        await page.getByRole('button', { name: 'Make invoice' }).click();
        const invoice = (await page.getByRole('region', { name: 'The invoice' }).locator('code').textContent()) ?? '';
        const { lnTx } = await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: invoice });
        const row = page.getByRole('row').filter({ hasText: lnTx.r_hash_decoded });
        await row.getByRole('button', { name: button }).click();
        await row.getByText(button === 'Settle' ? 'Settled' : 'Failed').waitFor();
        expect((await client.get(`/v1/lntx/${lnTx.id}?wait=10`)).status).toBe(status);
        await page.reload();
      }
    });

    it('says how to get a playground when the service has none', async () => {
      const page = await openLoggedIn();
      await page.route('**/playground/payments*', (route) =>
        route.fulfill({ status: 404, json: { message: 'not found', type: 'not_found' } }),
      );
      await page.goto('/playground');
      await page.getByText('No playground here').waitFor();
      await page.getByText('LIGHTNING_URL=playground:').waitFor();
    });

    it('does not exist for a member', async () => {
      const page = await open();
      await logIn(page, await newPerson());
      await page.goto('/playground');
      await page.getByRole('heading', { name: 'Page not found' }).first().waitFor();
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
