import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

const RULE = { flat_msat: 0, proportional_millionths: 5000, min_msat: 1000, max_msat: 500_000, free_below_msat: 100_500 };

/** Contrast is measured between animations. */
const STILL = { context: { reducedMotion: 'reduce' } } as const;

onDashboard('fees and limits', ({ client, neighbour, net, open, openLoggedIn, logIn, newPerson }) => {
  const card = (page: Page, title: string) =>
    page.locator('section').filter({ has: page.getByRole('heading', { name: title, exact: true }) });
  const change = (method: string, path: string, json?: object) =>
    client.request(method, path, { key: client.secretKey, ...(json && { json }), headers: { 'idempotency-key': crypto.randomUUID() } });

  it('sets, shows, changes and removes the fees of a customer, with a record', async () => {
    const { accountId, email } = await newPerson();
    const page = await openLoggedIn(`/accounts/${accountId}`, STILL);
    await card(page, 'Fees').getByText('No fees. The service charges nothing.').waitFor();
    await card(page, 'Fees').getByRole('link', { name: 'Set fees' }).click();
    const out = page.getByRole('group', { name: 'Payments over the network' });
    const save = page.getByRole('button', { name: 'Save fees' });
    await out.getByLabel('Maximum').fill('500');
    await out.getByText('Enter a flat fee, a percentage or a minimum, too.').waitFor();
    await out.getByLabel('Percent').fill('0,50001');
    await out.getByText(/up to four decimals/).waitFor();
    await out.getByLabel('Percent').fill('0.5');
    await out.getByLabel('Minimum').fill('501');
    await out.getByText('The maximum must not be less than the minimum.').waitFor();
    await out.getByLabel('Minimum').fill('1.0001');
    await out.getByText(/up to three decimals/).waitFor();
    expect(await save.isDisabled()).toBe(true);
    await out.getByLabel('Minimum').fill('1');
    await out.getByLabel('Free below').fill('100.5');
    const words = '0.5 %, at least 1 sat, at most 500 sats, free below 100.500 sats';
    await out.getByText(`Fee: ${words}`).waitFor();
    await page.getByRole('group', { name: 'Claims of withdraw links' }).getByLabel('Flat').fill('2');
    await page.getByLabel('Reason').fill('price list 2027');
    expect(await violationsInThemes(page)).toEqual([]);
    await save.dblclick();
    await card(page, 'Fees').getByText(words).waitFor();
    await card(page, 'Fees').getByText('2 sats', { exact: true }).waitFor();
    await card(page, 'Fees').getByText('Version 1').waitFor();
    await card(page, 'History').getByText(`Payments over the network: ${words}`).waitFor();
    expect(await client.get(`/v1/accounts/${accountId}/fees`)).toMatchObject({
      version: 1,
      ln_out: RULE,
      ln_in: null,
      internal: null,
      link: { flat_msat: 2000, max_msat: null },
    });

    await card(page, 'Fees').getByRole('link', { name: 'Change fees' }).click();
    expect(await out.getByLabel('Free below').inputValue()).toBe('100.500');
    await out.getByLabel('Percent').fill('');
    await out.getByLabel('Minimum').fill('');
    await out.getByLabel('Maximum').fill('');
    await out.getByLabel('Free below').fill('');
    await save.click();
    await card(page, 'Fees').getByText('Version 2').waitFor();
    expect((await client.get(`/v1/accounts/${accountId}/fees`)).ln_out).toBeNull();

    await card(page, 'Fees').getByRole('link', { name: 'Change fees' }).click();
    await page.getByRole('button', { name: 'Remove fees' }).click();
    await page.getByRole('heading', { name: `Remove the fees of ${email}?` }).waitFor();
    await page.getByRole('button', { name: 'Remove fees' }).click();
    await card(page, 'Fees').getByText('No fees. The service charges nothing.').waitFor();
    await card(page, 'History').getByText('Fees removed').waitFor();

    await card(page, 'Fees').getByRole('link', { name: 'Versions' }).click();
    const versions = page.getByRole('dialog').getByRole('listitem');
    await versions.first().getByText('Fees removed').waitFor();
    expect(await versions.count()).toBe(3);
    await versions.nth(2).getByText('price list 2027').waitFor();
    await versions.nth(2).getByText(words).waitFor();
    await versions.nth(2).getByText('by you').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('sets the limits of a customer, and shows how much of them is used', async () => {
    const { accountId } = await newPerson();
    for (const device of ['desktop', 'phone'] as const) {
      await change('PUT', `/v1/accounts/${accountId}/limits`, {});
      const page = await openLoggedIn(`/accounts/${accountId}`, { ...STILL, device });
      await card(page, 'Limits').getByText('No limits.').waitFor();
      await card(page, 'Limits').getByRole('link', { name: 'Set limits' }).click();
      const day = page.getByLabel('Sent per day, sats');
      const pending = page.getByLabel('Pending payments', { exact: true });
      const save = page.getByRole('button', { name: 'Save limits' });
      await day.fill('-5');
      await page.getByText(/A number of sats, 0 or more/).waitFor();
      await pending.fill('1.5');
      await page.getByText('A whole number, 0 or more.').waitFor();
      expect(await save.isDisabled()).toBe(true);
      await day.fill('50 000');
      await pending.fill('10');
      await page.getByLabel('One payment, sats').fill('0.001');
      expect(await violationsInThemes(page)).toEqual([]);
      await save.click();
      await page.getByRole('img', { name: 'Sent per day: 0 of 50\u202f000 sats' }).waitFor();
      await card(page, 'Limits').getByText('0 of 10', { exact: true }).waitFor();
      await card(page, 'Limits').getByText('0.001 sats').waitFor();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      expect(await client.get(`/v1/accounts/${accountId}/limits`)).toMatchObject({
        max_out_day_msat: 50_000_000,
        max_payment_msat: 1,
        max_pending: 10,
        max_balance_msat: null,
      });
      await card(page, 'Limits').getByRole('link', { name: 'Change limits' }).click();
      await page.getByLabel('One payment, sats').fill('');
      await save.click();
      await expect.poll(async () => (await client.get(`/v1/accounts/${accountId}/limits`)).max_payment_msat).toBeNull();
    }
  });

  it('shows the fee of this service and the total before and after a payment', async () => {
    const { id } = await client.wallet(1000);
    await change('PUT', `/v1/wallets/${id}/fees`, {
      rules: { ln_out: { proportional_millionths: 10_000, min_msat: 1000, free_below_msat: 50_000 } },
    });
    const page = await openLoggedIn(`/wallets/${id}/send`, STILL);
    const to = page.getByLabel('To', { exact: true });
    const fee = page.getByText('Service fee');
    const row = (name: string) => page.locator('.sum > div').filter({ hasText: name });
    await to.fill(net.outside.invoice({}).paymentRequest);
    const amount = page.getByLabel('Amount');
    await amount.fill('250');
    await row('Service fee').getByText('2.500').waitFor();
    await row('Total').getByText('252.500 sats').waitFor();
    await amount.fill('49');
    await fee.waitFor({ state: 'detached' });
    await amount.fill('985');
    await page.getByLabel('Fee limit').fill('6');
    await page.getByText('The amount, the fee of this service and the fee limit are more than this wallet has.').waitFor();
    expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);

    // At once: the review waits for the fee.
    await to.fill(net.outside.invoice({ amountMsat: 420_000 }).paymentRequest);
    await page.getByText('420 sats').waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    await row('Service fee').getByText('4.200').waitFor();
    await row('Held until it ends').getByText('445.200 sats').waitFor();
    await page.getByText('Leaves 554 sats spendable now.').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 420 sats' }).click();
    await page.getByText('The receiver has it.').waitFor();
    await row('Service fee').getByText('4.200').waitFor();
    expect((await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(575_800);
  });

  it('shows the fee of this service before a transfer', async () => {
    const [{ id }, target] = [await client.wallet(1000), await client.namedWallet('Till')];
    await change('PUT', `/v1/wallets/${id}/fees`, { rules: { internal: { flat_msat: 1500 } } });
    const page = await openLoggedIn(`/wallets/${id}/transfer`, STILL);
    const row = (name: string) => page.locator('.sum > div').filter({ hasText: name });
    await page.getByLabel('Search by label').fill(target.id);
    await page.getByRole('radio', { name: 'Till' }).check();
    await page.getByLabel('Amount').fill('999');
    await page.getByText('The amount and the fee of this service are more than this wallet has.').waitFor();
    await page.getByLabel('Amount').fill('10');
    await page.getByRole('button', { name: 'Review' }).click();
    await row('Service fee').getByText('1.500').waitFor();
    await row('Total').getByText('11.500 sats').waitFor();
    await page.getByText('Leaves 988 sats spendable now.').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Send 10 sats' }).click();
    await page.getByText('The other wallet has it.').waitFor();
    expect((await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(988_500);
  });

  it('says that the fee of this service is not known, and lets the person pay', async () => {
    const { id } = await client.wallet(1000);
    const page = await openLoggedIn(`/wallets/${id}/send`, { expected: [/ERR_FAILED/] });
    await page.route('**/quote?*', (route) => route.abort());
    await page.getByLabel('To', { exact: true }).fill(net.outside.invoice({ amountMsat: 10_000 }).paymentRequest);
    await page.getByText('The fee of this service is not known. The service did not answer.').waitFor();
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Send 10 sats' }).waitFor();
  });

  it('shows the limits of a wallet and of its account to the owner, with what is used, and lets the owner set those of the wallet', async () => {
    const person = await newPerson();
    await change('PUT', `/v1/accounts/${person.accountId}/limits`, { max_out_month_msat: 1_000_000 });
    const page = await open(undefined, STILL);
    await logIn(page, person);
    const post = (path: string, fields = {}) =>
      `fetch('${path}', { method: 'POST', body: new URLSearchParams(${JSON.stringify(fields)}) }).then((response) => response.json())`;
    const { id } = await page.evaluate<{ id: string }>(post('/v1/wallet'));
    const { payment_request } = await page.evaluate<{ payment_request: string }>(post(`/v1/wallet/${id}/invoice`, { num_satoshis: 1000 }));
    await client.post(`/v1/wallet/${(await client.wallet(2000)).id}/withdraw`, { payment_request });
    await page.goto(`/wallets/${id}`);
    await page.getByText('All wallets of the account together').waitFor();
    await card(page, 'Limits').getByRole('link', { name: 'Set limits' }).click();
    await page.getByLabel('Sent per day, sats').fill('100');
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save limits' }).click();
    await page.getByRole('img', { name: 'Sent per day: 0 of 100 sats' }).waitFor();

    await page.goto(`/wallets/${id}/send`);
    await page.getByLabel('To', { exact: true }).fill(net.outside.invoice({ amountMsat: 40_000 }).paymentRequest);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('button', { name: 'Send 40 sats' }).click();
    await page.getByText('The receiver has it.').waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('img', { name: 'Sent per day: 40 of 100 sats' }).waitFor();
    await page.getByRole('img', { name: 'Sent per month: 40 of 1\u202f000 sats' }).waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Limits' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Fees of this service' }).count()).toBe(0);
  });

  it('sets the fees of a single wallet in place of those of its account', async () => {
    const { id } = await neighbour.namedWallet('Concert tickets', 1000);
    const { id: accountId } = await neighbour.get('/v1/account');
    await change('PUT', `/v1/accounts/${accountId}/fees`, { rules: { internal: { flat_msat: 3000 } } });
    const page = await openLoggedIn(`/accounts/${accountId}`, STILL);
    await page.getByRole('row').filter({ hasText: 'Concert tickets' }).getByRole('link', { name: 'Fees' }).click();
    await page.getByText('The fees of the account. Fees that you set here replace them.').waitFor();
    const inside = page.getByRole('group', { name: 'Transfers and payments inside the service' });
    expect(await inside.getByLabel('Flat').inputValue()).toBe('3');
    expect(await page.getByRole('button', { name: 'Remove fees' }).count()).toBe(0);
    await inside.getByLabel('Flat').fill('');
    await inside.getByLabel('Percent').fill('0.0001');
    await page.getByRole('button', { name: 'Save fees' }).click();
    await expect.poll(async () => (await client.get(`/v1/wallets/${id}/fees`)).internal?.proportional_millionths).toBe(1);
    expect((await client.get(`/v1/accounts/${accountId}/fees`)).internal.flat_msat).toBe(3000);
    await page.getByRole('row').filter({ hasText: 'Concert tickets' }).getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('dialog').getByText('0.0001 %').waitFor();
    await change('DELETE', `/v1/accounts/${accountId}/fees`);
  });
});
