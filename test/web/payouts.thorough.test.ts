import { expect, it } from 'vitest';
import { onDashboard } from '../support/dashboard.ts';

onDashboard('payouts', ({ client, net, openLoggedIn }) => {
  it('are ordered from CSV after a preview, once, and show the state of each line', async () => {
    const [wallet, friend] = [await client.namedWallet('Till', 1000), await client.namedWallet('Friend', 0)];
    const page = await openLoggedIn(`/payouts?wallet=${wallet.id}`);
    await page.getByText('No payouts yet').waitFor();
    await page.getByRole('link', { name: 'New payout' }).click();
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('Wages');
    const send = sheet.getByRole('button', { name: /^Pay / });
    const csv = (rows: string) => ({
      name: 'wages.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(`destination,num_satoshis,memo\n${rows}`),
    });
    await sheet.getByLabel('CSV file').setInputFiles(csv(`${friend.id},10,one\n${friend.id},,two\n`));
    await sheet.getByText('Row 3: the amount is missing').waitFor();
    expect(await send.isDisabled()).toBe(true);
    await sheet.getByLabel('CSV file').setInputFiles(csv(`${friend.id},10,one\n${friend.id},5000,two\n`));
    await sheet.getByText('2 lines, 5 010 sats in all.').waitFor();
    await sheet.getByText('The balance may not be enough').waitFor();
    const invoices = [1, 2, 3].map(() => net.outside.invoice({ amountMsat: 5000 }).paymentRequest);
    await sheet.getByLabel('CSV file').setInputFiles(csv(invoices.map((one) => `${one},,`).join('\n')));
    await sheet.getByRole('button', { name: 'Pay 3 lines, 15 sats, from Till' }).waitFor();
    for (const row of [/From\s*Till/, /Sum\s*15 sats/, /Fees, at most\s*30 sats/, /Balance after, at least\s*955 sats/])
      await sheet.locator('.sum > div').filter({ hasText: row }).waitFor();
    await sheet.getByLabel('CSV file').setInputFiles(csv(`${friend.id},10,one\n${friend.id},5000,two\n`));
    await sheet.getByText('2 lines, 5 010 sats in all.').waitFor();
    await send.dblclick();
    await sheet.getByText('1 paid, 0 sending, 0 waiting, 1 failed.').first().waitFor();
    await sheet.getByRole('row').filter({ hasText: 'two' }).getByText('The spendable balance is').waitFor();
    expect(await client.get(`/v1/wallet/${wallet.id}/payouts`)).toHaveLength(1);
    expect((await client.get(`/v1/wallet/${friend.id}`)).balance).toBe(10);
    await page.reload();
    await page.getByRole('dialog').getByRole('row').filter({ hasText: 'one' }).getByText('Paid').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('row').filter({ hasText: 'Wages' }).getByText('1 failed').waitFor();
  });
});
