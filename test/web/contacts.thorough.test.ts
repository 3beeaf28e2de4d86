import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard, tapSend } from '../support/dashboard.ts';

const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

onDashboard(
  'the contacts',
  ({ client, openLoggedIn }) => {
    it('are added, changed, and deleted with Undo', async () => {
      const page = await openLoggedIn('/contacts', PHONE);
      await page.getByText('No contacts yet').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      await page.getByRole('button', { name: 'New contact' }).click();
      await page.getByLabel('Name').fill('Mara');
      await page.getByLabel('Lightning address').fill('mara');
      await page.getByRole('button', { name: 'Save contact' }).click();
      await page.getByText('must be a Lightning address').waitFor();
      await page.getByLabel('Lightning address').fill('mara@haven.example');
      await page.getByRole('button', { name: 'Save contact' }).click();
      await page.getByText('mara@haven.example').waitFor();
      await page.getByRole('button', { name: 'Change Mara' }).click();
      await page.getByLabel('Name').fill('Mara Lind');
      await page.getByRole('button', { name: 'Save contact' }).click();
      await page.getByText('Mara Lind').waitFor();
      expect(await violationsInThemes(page)).toEqual([]);
      await page.getByRole('button', { name: 'Delete Mara Lind' }).click();
      await page.getByText('No contacts yet').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('mara@haven.example').waitFor();
      expect(await client.get('/v1/contacts')).toMatchObject([{ name: 'Mara Lind', ln_address: 'mara@haven.example' }]);
    });

    it('open Send with the address, from Send and from Scan', async () => {
      const payee = await client.wallet(0);
      const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'contacted' });
      await client.post('/v1/contacts', { name: 'Jonas', ln_address });
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`, PHONE);
      await page.getByRole('link', { name: 'All contacts' }).click();
      await page.getByRole('button', { name: 'Jonas' }).first().waitFor();
      await page.goto(`/wallets/${wallet.id}`);
      await page.getByText('spendable').waitFor();
      await page.goto('/scan');
      await page.getByRole('link', { name: 'All contacts' }).click();
      await page.locator('.contact').filter({ hasText: 'Jonas' }).click();
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('Lightning address', { exact: true }).waitFor();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(ln_address);
    });

    it('are saved from a payment, and named among the recent receivers', async () => {
      const payee = await client.wallet(0);
      const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: 'saved' });
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`, PHONE);
      await page.getByLabel('To', { exact: true }).fill(ln_address);
      await page.getByLabel('Amount').fill('21');
      await page.getByRole('button', { name: 'Review' }).click();
      await tapSend(page, 'Send 21 sats');
      await page.getByRole('button', { name: 'Save contact' }).click();
      await page.getByRole('link', { name: 'saved is a contact' }).waitFor();
      expect(await client.get('/v1/contacts')).toContainEqual(expect.objectContaining({ name: 'saved', ln_address }));
      await page.goto(`/wallets/${wallet.id}/send`);
      await page.getByRole('button', { name: `saved ${ln_address}` }).click();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(ln_address);
      await page.getByLabel('Amount').fill('22');
      await page.getByRole('button', { name: 'Review' }).click();
      await tapSend(page, 'Send 22 sats');
      await page.getByRole('link', { name: 'saved is a contact' }).waitFor();
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);
