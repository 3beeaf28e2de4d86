import { expect, it } from 'vitest';
import { chooseWallet, onDashboard } from '../support/dashboard.ts';

onDashboard('the keys', ({ client, openLoggedIn }) => {
  const heading = { name: 'Keys', level: 1 } as const;

  it('are created with a budget, shown once, and work', async () => {
    const wallet = await client.namedWallet('Vending', 1000);
    const page = await openLoggedIn('/keys');
    await page.getByRole('button', { name: 'New key' }).click();
    await page.waitForURL('**/keys/new');
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Label').fill('Till');
    await chooseWallet(sheet.getByLabel('For'), 'Vending');
    await sheet.getByLabel('Budget, sats').fill('150 000');
    await sheet.getByText('More limits').click();
    await sheet.getByLabel('Sent per month, sats').fill('0');
    await sheet.getByText('A whole number of sats, 1 or more.').waitFor();
    await sheet.getByLabel('Sent per month, sats').fill('900 000');
    await sheet.getByLabel('Pending payments').fill('3');
    await sheet.getByRole('button', { name: 'Create key' }).click();
    const secret = await page
      .getByText(/^waka_/)
      .first()
      .textContent();
    expect((await client.request('GET', `/v1/wallet/${wallet.id}`, { key: secret ?? '' })).body.balance).toBe(1000);
    const [made] = await client.get(`/v1/wallet/${wallet.id}/keys`);
    expect(made).toMatchObject({ user_label: 'Till', budget_msat: 150_000_000, budget_period: 'day', max_payment_msat: null });
    expect(made).toMatchObject({ max_out_month_msat: 900_000_000, max_pending: 3, max_out_day_msat: null, max_payments_per_minute: null });
    await page.getByRole('button', { name: 'I have stored it' }).click();
    await expect.poll(() => page.getByText(secret ?? '').count()).toBe(0);
    await page.reload();
    await page.getByRole('heading', heading).waitFor();
    expect(await page.content()).not.toContain(secret);
    await page.goto(`/keys?wallet=${wallet.id}`);
    await page.locator('.key-budget').getByText('Sent per month: 0 of 900\u202f000 sats, Pending payments: 0 of 3').waitFor();
  });

  it('are created once by a double click', async () => {
    const wallet = await client.namedWallet('Twice', 0);
    const before = (await client.get(`/v1/wallet/${wallet.id}/keys`)).length;
    const page = await openLoggedIn(`/keys/new?wallet=${wallet.id}`);
    await page.getByRole('button', { name: 'Create key' }).dblclick();
    await page
      .getByText(/^waka_/)
      .first()
      .waitFor();
    // The hints of other keys begin with the same text, so the new one may not exist yet.
    await expect.poll(() => client.get(`/v1/wallet/${wallet.id}/keys`)).toHaveLength(before + 1);
  });

  it('are rotated with an overlap and revoked after a confirmation', async () => {
    const wallet = await client.namedWallet('Rotation', 0);
    const old = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read', user_label: 'Display' });
    const page = await openLoggedIn(`/keys?wallet=${wallet.id}`);
    const row = page.getByRole('row').filter({ hasText: old.hint });
    await row.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click();
    const secret =
      (await page
        .getByText(/^wakr_\w{20}/)
        .first()
        .textContent()) ?? '';
    for (const key of [old.key, secret]) expect((await client.request('GET', `/v1/wallet/${wallet.id}`, { key })).body.id).toBe(wallet.id);
    const [rotated] = await client.get(`/v1/wallet/${wallet.id}/keys`);
    await page.getByRole('row').filter({ hasText: rotated.hint }).getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).click();
    await expect.poll(async () => (await client.request('GET', `/v1/wallet/${wallet.id}`, { key: secret })).status).toBe(401);
    await page.getByRole('button', { name: 'Revoked' }).click();
    await page.waitForURL('**status=revoked');
    await page.getByText(rotated.hint).waitFor();
  });

  it('show when they were last used', async () => {
    const wallet = await client.namedWallet('Uses', 0);
    const [used, unused] = [
      await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read', user_label: 'Used' }),
      await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_read', user_label: 'Unused' }),
    ];
    await client.request('GET', `/v1/wallet/${wallet.id}`, { key: used.key });
    const page = await openLoggedIn(`/keys?wallet=${wallet.id}`);
    await page.getByRole('columnheader', { name: 'Last used' }).waitFor();
    await page.getByRole('row').filter({ hasText: used.hint }).locator('time').last().waitFor();
    expect(await page.getByRole('row').filter({ hasText: unused.hint }).textContent()).toContain('not yet');
    // The keys of its links are identifiers: they are not used to log in, and cannot be revoked.
    const linkKey = page.getByRole('row').filter({ hasText: 'waklp_' });
    expect(await linkKey.textContent()).not.toContain('not yet');
    expect(await linkKey.getByRole('button').count()).toBe(0);
  });

  it('cannot be created with an amount that is no number of sats', async () => {
    const page = await openLoggedIn('/keys/new', { device: 'phone' });
    await page.getByLabel('Budget, sats').fill('1.5');
    await page.getByText('A whole number of sats, 1 or more.').waitFor();
    const before = (await client.get('/v1/keys')).length;
    await page.getByRole('button', { name: 'Create key' }).click();
    expect(await client.get('/v1/keys')).toHaveLength(before);
  });
});
