import { expect, it } from 'vitest';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';

onDashboard('links and addresses', ({ client, net, openLoggedIn }) => {
  it('an address is created, shown with its QR code, changed, deactivated and activated', async () => {
    await client.namedWallet('Coffee till', 0);
    const page = await openLoggedIn('/links');
    await page.getByRole('link', { name: 'Address or pay link' }).first().click();
    const sheet = page.getByRole('dialog');
    await chooseWallet(sheet.getByLabel('Into'), 'Coffee till');
    await sheet.getByLabel('Name of the Lightning address').fill('coffee');
    await sheet.getByLabel('Text for payers').fill('A coffee at the till');
    await sheet.getByLabel('Largest, sats').fill('500 000');
    await sheet.getByRole('button', { name: 'Create link' }).click();
    // The new address is selected in its list.
    await page
      .locator('tr.open')
      .getByRole('link', { name: /^coffee@/ })
      .waitFor();
    await page.getByRole('img', { name: /QR code to pay coffee@/ }).waitFor();
    const [link] = await client.get('/v1/lnurlp');
    expect(link).toMatchObject({
      lnurlp_identifier: 'coffee',
      lnurlp_short_desc: 'A coffee at the till',
      lnurlp_maxSendable_msat: 500_000_000,
    });
    expect(await page.getByRole('link', { name: 'Open the page for payers' }).getAttribute('href')).toBe(link.page_url);
    expect(await page.locator('pre').textContent()).toBe(
      `<a class="satchel-pay" href="${client.url}/pay/coffee">Pay with Lightning</a>\n<script async src="${client.url}/pay.js"></script>`,
    );
    await page.getByRole('link', { name: 'Edit' }).click();
    await page.getByRole('dialog').getByLabel('Label').fill('Window');
    await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
    await expect.poll(async () => (await client.get(`/v1/lnurlp/${link.id}`)).user_label).toBe('Window');
    await page.waitForURL(`**/links/${link.id}`);
    await page.getByRole('button', { name: 'Deactivate' }).click();
    await page.getByText('Payers get an error').waitFor();
    expect((await client.get(`/v1/lnurlp/${link.id}`)).statusType.name).toBe('lnurl_inactive');
    await page.getByRole('button', { name: 'Activate' }).click();
    await page.getByRole('button', { name: 'Deactivate' }).waitFor();
    expect((await client.get(`/v1/lnurlp/${link.id}`)).statusType.name).toBe('lnurl_active');
  });

  it('say what they have received and when, live, and the list says the sum over all links that its filter shows', async () => {
    const wallet = await client.namedWallet('Figures', 0);
    const make = (fields: object) => client.post(`/v1/wallet/${wallet.id}/lnurlp`, fields);
    const jar = await make({ lnurlp_short_desc: 'Jar' });
    const off = await make({ lnurlp_short_desc: 'Switched off' });
    const pay = async ({ url }: { url: string }, amount: number) => {
      const { pathname, search } = new URL(url);
      const { pr } = await client.get(`${pathname}${search}?amount=${amount}`);
      await client.post('/playground/pay', { payment_request: pr });
    };
    await pay(off, 4_000_000);
    await client.post(`/v1/lnurlp/${off.id}`, { status: 'inactive' });
    const page = await openLoggedIn(`/links?wallet=${wallet.id}`);
    const row = page.getByRole('row').filter({ hasText: 'Jar' });
    await row.getByRole('cell', { name: 'never' }).waitFor();
    // No number stands where nothing has happened or is limited.
    expect(await row.getByRole('cell').allInnerTexts()).toEqual([expect.stringContaining('Jar'), 'any', '', 'never', 'none yet']);
    await page.getByText(/^Received by all 3 links of this list: 4\D000 sats$/).waitFor();
    await pay(jar, 21_000);
    await pay(jar, 1_500_000);
    await row.getByRole('cell', { name: /^1\D521$/ }).waitFor();
    await row.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByText(/^Received by all 3 links of this list: 5\D521 sats$/).waitFor();
    await page.getByRole('link', { name: 'Jar', exact: true }).click();
    const panel = page.locator('.link-panel');
    await panel.getByText('2 payments').waitFor();
    await panel.getByRole('link', { name: 'Close' }).click();
    await page.waitForURL(`**/links?wallet=${wallet.id}`);
    await expect.poll(() => panel.count()).toBe(0);
    await page.getByRole('button', { name: 'Inactive', exact: true }).click();
    await page.getByText(/^Received by the link of this list: 4\D000 sats$/).waitFor();
    expect(await row.count()).toBe(0);
    await page.getByRole('link', { name: 'Switched off' }).waitFor();
  });

  it('take the whole screen of a phone, and Close leads back to the list', async () => {
    const wallet = await client.namedWallet('Phone', 0);
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_short_desc: 'Poster' });
    const page = await openLoggedIn(`/links/${link.id}`, { device: 'phone' });
    await page.locator('.link-panel').getByText('Poster').first().waitFor();
    expect(await page.getByRole('heading', { name: 'Withdraw', exact: true }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Close' }).click();
    await page.waitForURL('**/links');
    await page.getByRole('heading', { name: 'Withdraw', exact: true }).waitFor();
  });

  it('an address gets the Nostr key of its owner, and loses it', async () => {
    const wallet = await client.namedWallet('Nostr', 0);
    const { id } = await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'nostr' });
    const key = '7e7e9c42a91bfef19fa929e5fda1b72e0ebc1a4c1141673e2794234d86addf4e';
    const page = await openLoggedIn(`/links/${id}/edit`, { expected: [/400/] });
    const field = page.getByLabel('Nostr public key');
    const save = () => page.getByRole('button', { name: 'Save' }).click();
    await field.fill('npub1wrong');
    await save();
    await page.getByRole('alert').getByText('must be a Nostr public key').waitFor();
    await field.fill(' npub10elfcs4fr0l0r8af98jlmgdh9c8tcxjvz9qkw038js35mp4dma8qzvjptg ');
    await save();
    await page.waitForURL(`**/links/${id}`);
    expect((await client.get(`/v1/lnurlp/${id}`)).nostr_pubkey).toBe(key);
    await page.goto(`/links/${id}/edit`);
    await field.fill('');
    await save();
    await page.waitForURL(`**/links/${id}`);
    expect((await client.get(`/v1/lnurlp/${id}`)).nostr_pubkey).toBeNull();
  });

  it('a taken address is refused with the reason, and the sheet keeps what was typed', async () => {
    const wallet = await client.namedWallet('Other', 0);
    await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_identifier: 'taken' });
    const page = await openLoggedIn('/links/new', { expected: [/409/] });
    await chooseWallet(page.getByLabel('Into'), 'Other');
    await page.getByLabel('Name of the Lightning address').fill('taken');
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Name of the Lightning address').inputValue()).toBe('taken');
  });

  it('a withdraw link is created once, claimed by a wallet, counted live, and revoked', async () => {
    const wallet = await client.namedWallet('Vouchers', 100_000);
    const page = await openLoggedIn(`/links?wallet=${wallet.id}`);
    await page.getByRole('link', { name: 'Withdraw link' }).click();
    const sheet = page.getByRole('dialog');
    await chooseWallet(sheet.getByLabel('From'), 'Vouchers');
    await sheet.getByLabel('Sats per claim').fill('5 000');
    await sheet.getByText('More options').click();
    await sheet.getByLabel('Claims').fill('2');
    await sheet.getByLabel('Label').fill('Meetup drinks');
    await sheet.getByRole('button', { name: 'Create link' }).dblclick();
    await page.getByRole('img', { name: 'QR code of the withdraw link' }).waitFor();
    await page
      .locator('tr.open', { hasText: 'Meetup drinks' })
      .getByRole('cell', { name: /^0 of 2 claimed$/ })
      .waitFor();
    const links = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws`);
    expect(links).toMatchObject([{ user_label: 'Meetup drinks', num_satoshis: 5000, uses: 2 }]);
    await page.goto(`/links?wallet=${wallet.id}`);
    const row = page.getByRole('row').filter({ hasText: 'Meetup drinks' });
    await row.getByRole('cell', { name: /^0 of 2/ }).waitFor();

    const own = await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraw?num_satoshis=5000&user_label=Live`);
    const offer = await client.get(`${new URL(own.url).pathname}${new URL(own.url).search}`);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000_000 });
    await client.get(`${new URL(offer.callback).pathname}${new URL(offer.callback).search}&k1=${offer.k1}&pr=${paymentRequest}`);
    await page
      .getByRole('row')
      .filter({ hasText: 'Live' })
      .getByRole('cell', { name: /^1 of 1 claimed\s*5\D000 sats$/ })
      .waitFor();
    await page.getByText(/^Paid out by all 2 links of this list: 5\D000 sats$/).waitFor();

    await row.getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke link' }).click();
    await row.getByText('Revoked').waitFor();
    await page.goto('/links');
    await page.getByRole('button', { name: 'Ended' }).click();
    await row.getByText('Vouchers').waitFor();
    expect(await row.getByText('Revoked').count()).toBe(1);
  });

  it('a voucher of a wallet needs only its amount', async () => {
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn(`/wallets/${wallet.id}`, { device: 'phone' });
    await page.getByRole('button', { name: /^More/ }).tap();
    await page.getByRole('menuitem', { name: 'Create a voucher' }).tap();
    await page.getByRole('button', { name: '7', exact: true }).tap();
    expect(await page.getByLabel('Claims').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Create link' }).tap();
    await page.getByRole('img', { name: 'QR code of the withdraw link' }).waitFor();
    expect(await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws`)).toMatchObject([{ num_satoshis: 7, uses: 1, expires_at: null }]);
  });

  it('a voucher shows which of the folded options is wrong, and keeps it in sight', async () => {
    const wallet = await client.wallet(1000);
    const page = await openLoggedIn(`/links/withdraw?wallet=${wallet.id}`);
    const [more, create] = [page.getByText('More options'), page.getByRole('button', { name: 'Create link' })];
    await page.getByLabel('Sats per claim').fill('7');
    for (const [name, wrong, right] of [
      ['Vouchers', '0', '1'],
      ['Limit per day, sats', 'x', ''],
    ] as const) {
      const field = page.getByLabel(name);
      await more.click();
      await field.fill(wrong);
      await more.click();
      expect([await field.isVisible(), await create.isDisabled()]).toEqual([true, true]);
      await field.fill(right);
      await more.click();
      await expect.poll(() => field.isVisible()).toBe(false);
    }
    await more.click();
    const claims = page.getByLabel('Claims');
    await claims.fill('0');
    await more.click();
    await expect.poll(() => claims.isVisible()).toBe(false);
    await create.click();
    await expect.poll(() => claims.and(page.locator(':focus')).count()).toBe(1);
    expect(await client.get(`/v1/wallet/${wallet.id}/lnurl/withdraws`)).toEqual([]);
  });

  it('are listed page by page, each link says its place, and a link of a later page opens', async () => {
    const wallet = await client.namedWallet('Many', 0);
    const { length: before } = await client.get('/v1/lnurlp?per-page=100');
    const ids: string[] = [];
    for (let index = 0; index < 55; index++) {
      const json = { lnurlp_short_desc: `Poster ${index}`, lnurlp_minSendable_msat: 1000, lnurlp_maxSendable_msat: 5000 };
      ids.push((await client.post(`/v1/wallet/${wallet.id}/lnurlp`, json)).id);
    }
    const total = before + 55;
    const page = await openLoggedIn('/links');
    await page.getByText(`1 – 50 of ${total}`).waitFor();
    await page.getByRole('link', { name: 'Poster 54', exact: true }).waitFor();
    expect(await page.getByRole('link', { name: 'Poster 3', exact: true }).count()).toBe(0);
    await page.getByRole('button', { name: 'Older' }).first().click();
    await page.getByText(`51 – ${total} of ${total}`).waitFor();
    await page.getByRole('link', { name: 'Poster 3', exact: true }).waitFor();
    expect(await page.getByRole('button', { name: 'Older' }).first().isDisabled()).toBe(true);
    await page.getByRole('button', { name: 'Newer' }).first().click();
    await page.getByText(`1 – 50 of ${total}`).waitFor();
    await page.goto(`/links/${ids[0]}`);
    await page
      .getByRole('heading', { name: 'Poster 0' })
      .or(page.getByRole('img', { name: /QR code to pay Poster 0/ }))
      .first()
      .waitFor();
  });
});
