import { createHash, randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('receiving', ({ client, execute, openLoggedIn }) => {
  async function newInvoice(options: { amount?: string; memo?: string } = {}) {
    const wallet = await client.wallet(0);
    const page = await openLoggedIn(`/wallets/${wallet.id}/receive`);
    if (options.amount !== undefined) await page.getByLabel('Amount').fill(options.amount);
    if (options.memo !== undefined) await page.getByLabel('Memo').fill(options.memo);
    await page.getByRole('button', { name: 'Create invoice' }).click();
    await page.getByText('Waiting for payment').waitFor();
    const id = /\/receive\/(lntx_\w+)$/.exec(page.url())?.[1] ?? '';
    const invoice = await client.get(`/v1/lntx/${id}`);
    return { page, wallet, id, invoice };
  }

  it('shows an invoice of the amount and the memo, and says by itself that it is paid', async () => {
    const { page, invoice, id } = await newInvoice({ amount: '4 200', memo: 'Flat white, oat' });
    expect(invoice).toMatchObject({ num_satoshis: 4200, memo: 'Flat white, oat', expiry: 86_400 });
    await page.getByRole('img', { name: 'QR code of the invoice' }).waitFor();
    await client.post('/playground/pay', { payment_request: invoice.payment_request });
    const status = page.getByRole('dialog').getByRole('status').filter({ hasText: 'Paid' });
    await status.waitFor();
    expect((await status.textContent())?.replaceAll('\u202f', ' ')).toBe('Paid, 4 200 sats');
    await page.getByText('New balance').waitFor();
    expect(await page.getByRole('link', { name: 'Open payment' }).getAttribute('href')).toBe(`/payments/${id}`);
  });

  it('lets the payer choose the amount', async () => {
    const { page, invoice } = await newInvoice();
    expect(invoice.num_satoshis).toBe(0);
    await page.getByText('Any amount').waitFor();
    await client.post('/playground/pay', { payment_request: invoice.payment_request, num_satoshis: 21 });
    await page.getByRole('dialog').getByText('+21').waitFor();
  });

  it('keeps the invoice over a reload, and closes with Back', async () => {
    const { page, wallet } = await newInvoice({ amount: '10' });
    await page.reload();
    await page.getByText('Waiting for payment').waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.waitForURL(`**/wallets/${wallet.id}`);
  });

  it('says that an invoice is cancelled, here or elsewhere', async () => {
    const here = await newInvoice({ amount: '10' });
    await here.page.getByRole('button', { name: 'Cancel invoice' }).click();
    await here.page.getByText('The invoice can no longer be paid.').waitFor();
    const elsewhere = await newInvoice({ amount: '10' });
    await client.request('DELETE', `/v1/lntx/${elsewhere.id}`, { key: client.secretKey });
    await elsewhere.page.getByText('The invoice can no longer be paid.').waitFor();
    await elsewhere.page.getByRole('button', { name: 'New invoice' }).click();
    await elsewhere.page.getByLabel('Amount').waitFor();
  });

  it('settles the payment that a hold invoice holds with its preimage, or sends it back', async () => {
    const [settled, cancelled] = [randomBytes(32).toString('hex'), randomBytes(32).toString('hex')];
    async function openHeld(preimage: string) {
      const wallet = await client.wallet(0);
      const hold_hash = createHash('sha256').update(Buffer.from(preimage, 'hex')).digest('hex');
      const invoice = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 30, hold_hash });
      const page = await openLoggedIn(`/payments/${invoice.id}`);
      await client.post('/playground/pay', { payment_request: invoice.payment_request });
      await page.getByText('A payment has arrived and is held.').waitFor();
      return page;
    }
    const paid = await openHeld(settled);
    await paid.getByLabel('Preimage').fill('12');
    expect(await paid.getByRole('button', { name: 'Settle payment' }).isDisabled()).toBe(true);
    await paid.getByLabel('Preimage').fill(cancelled);
    await paid.getByRole('button', { name: 'Settle payment' }).click();
    await paid.getByText('Nothing was decided.').waitFor();
    await paid.getByLabel('Preimage').fill(settled);
    await paid.getByRole('button', { name: 'Settle payment' }).click();
    await paid.getByText('were credited to the wallet.').waitFor();
    const returned = await openHeld(cancelled);
    await returned.getByRole('button', { name: 'Send it back' }).click();
    await returned.getByText('It cannot be paid any more.').waitFor();
  });

  it('says that an invoice has expired', async () => {
    const wallet = await client.wallet(0);
    const { id } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 5, expiry: 60 });
    await execute('UPDATE invoice SET expires_at = $1 WHERE id = $2', Math.floor(Date.now() / 1000) - 1, id);
    const page = await openLoggedIn(`/wallets/${wallet.id}/receive/${id}`);
    await page.getByText('It was not paid in time.').waitFor();
  });

  it('creates one invoice for a double click', async () => {
    const wallet = await client.wallet(0);
    const page = await openLoggedIn(`/wallets/${wallet.id}/receive`);
    await page.getByLabel('Amount').fill('77');
    await page.getByRole('button', { name: 'Create invoice' }).dblclick();
    await page.getByText('Waiting for payment').waitFor();
    expect(await client.get(`/v1/wallet/${wallet.id}/transactions?status=open`)).toHaveLength(1);
  });

  it('rejects an amount that is no whole number of sats', async () => {
    const wallet = await client.wallet(0);
    const page = await openLoggedIn(`/wallets/${wallet.id}/receive`);
    await page.getByLabel('Amount').fill('1.5');
    await page.getByText('The amount must be a whole number of sats').waitFor();
    expect(await page.getByRole('button', { name: 'Create invoice' }).isDisabled()).toBe(true);
  });

  it('shows the Lightning address of the wallet', async () => {
    const wallet = await client.wallet(0);
    const { ln_address } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'coffee', lnurlp_short_desc: 'tips' });
    const page = await openLoggedIn(`/wallets/${wallet.id}/receive`);
    await page.getByRole('link', { name: ln_address }).waitFor();
  });
});
