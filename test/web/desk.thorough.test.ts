import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import type { Json } from '../support/client.ts';
import { onDashboard } from '../support/dashboard.ts';

const DEVICES = ['desktop', 'phone'] as const;
const REASON = 'We are checking our node. Your money is safe.';

onDashboard("the operator's desk", (service) => {
  const { client, net, open, openLoggedIn, logIn, newPerson } = service;
  /** Pages that are opened after it know the state. */
  async function change(verb: 'stop' | 'resume', reason: string): Promise<void> {
    await client.request('POST', `/v1/operator/withdrawals/${verb}`, { key: client.secretKey, json: { reason } });
    const state = async () => ((await (await fetch(`${client.url}/readyz`)).json()) as Json).withdrawals;
    await expect.poll(state).toBe(verb === 'stop' ? 'stopped' : 'allowed');
  }

  it('stops withdrawals with a reason, shows it on every page of the operator, and resumes them', async () => {
    const page = await openLoggedIn('/operator');
    await page.getByRole('button', { name: 'Stop withdrawals' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nobody can send, and no withdraw link can be claimed').waitFor();
    await dialog.getByLabel('Reason, shown to customers').fill(REASON);
    await dialog.getByRole('button', { name: 'Stop withdrawals' }).click();
    const banner = page.getByRole('status').filter({ hasText: 'Withdrawals are stopped.' });
    await banner.waitFor();
    expect(await banner.textContent()).toContain(REASON);
    expect((await client.get('/v1/withdrawals')).status).toBe('stopped');
    await expect.poll(() => page.getByRole('button', { name: 'Stop withdrawals' }).count()).toBe(0);
    await page.goto('/wallets');
    await banner.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByLabel('Reason').fill('the node was checked');
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await expect.poll(() => banner.count()).toBe(0);
    await expect.poll(async () => (await client.get('/v1/withdrawals')).status).toBe('allowed');
  });

  it('lets a customer read the reason where Send is, and send again after the resumption', async () => {
    const person = await newPerson();
    const wallet = await client.wallet(100);
    await change('stop', REASON);
    const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
    await page.getByLabel('To', { exact: true }).fill((await client.post('/playground/invoice', { num_satoshis: 5 })).payment_request);
    await page.getByText(`The operator has stopped withdrawals: “${REASON}”`).first().waitFor();
    expect(await page.getByRole('button', { name: /^Review/ }).isDisabled()).toBe(true);
    const members = await open();
    await logIn(members, person);
    await members.goto('/wallets');
    expect(await members.getByRole('button', { name: 'Resume' }).count()).toBe(0);
    await change('resume', 'checked');
    await page.reload();
    await page.getByLabel('To', { exact: true }).fill((await client.post('/playground/invoice', { num_satoshis: 5 })).payment_request);
    await expect.poll(() => page.getByRole('button', { name: /^Review/ }).isEnabled()).toBe(true);
  });

  it('shows the payments of a period, with what the figures cover', async () => {
    await client.wallet(1_500);
    await expect.poll(async () => (await client.get('/v1/operator/figures')).status).toBe('complete');
    const page = await openLoggedIn('/operator');
    await page.getByText('Received, sats').waitFor();
    await page.getByText(/without transfers and payments between them/).waitFor();
    await page.getByRole('group', { name: 'Period of the payments' }).getByRole('button', { name: '30 d' }).click();
    await page.waitForURL('**/operator?figures=month');
    const { flow } = await client.get('/v1/operator/figures?period=month');
    const received = String(flow.in_msat / 1000).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f');
    await page.locator('.stat').filter({ hasText: 'Received, sats' }).getByText(received, { exact: true }).waitFor();
  });

  it.each(DEVICES)('shows what is owed and the cover in panels of their own, also as tables, on a %s', async (device) => {
    await client.wallet(700);
    await service.reconcileAll();
    const [{ id }] = (await client.get('/v1/operator/overview')).nodes;
    const hour = Math.floor(Date.now() / 3_600_000);
    for (const [back, owed, nodes] of [
      [5, 1_000_000, 4_120_000],
      [4, 1_000_000, 990_000],
      [3, 2_000_000, 3_120_000],
    ] as const) {
      await service.execute(
        'INSERT INTO ledger_sample (hour, sampled_at, customers_msat, suspense_msat) VALUES ($1, $2, $3, 0)',
        hour - back,
        3600 * (hour - back),
        owed,
      );
      await service.execute(
        'INSERT INTO node_sample (hour, node_id, sampled_at, node_msat) VALUES ($1, $2, $3, $4)',
        hour - back,
        id,
        3600 * (hour - back),
        nodes,
      );
    }
    const page = await openLoggedIn('/operator?period=day', { device });
    const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Money owed and cover' }) });
    await card.getByRole('slider', { name: /^Owed over 24 hours, at the last sample .* sats$/ }).waitFor();
    await card.getByRole('slider', { name: /^Cover over 24 hours, lowest 0\.99, highest [\d\s]+\.\d\d, at times below 1$/ }).waitFor();
    await card.getByText(/^up to [\d\s]+\.\d\d$/).waitFor();
    await card.getByText('1.00: every sat owed is on a node').waitFor();
    const { cover_percent: cover } = await client.get('/v1/operator/overview');
    await card
      .locator('.stat')
      .filter({ hasText: 'times what is owed is on the nodes' })
      .getByText((cover / 100).toFixed(2).replaceAll(/\B(?=(\d{3})+\.)/g, '\u202f'))
      .waitFor();
    await card.getByText('Show as table').last().click();
    for (const ratio of ['0.99', '1.56', '4.12']) await card.getByRole('cell', { name: ratio, exact: true }).waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await violationsInThemes(page)).toEqual([]);
    for (const table of ['ledger_sample', 'node_sample']) await service.execute(`DELETE FROM ${table}`);
  });

  it.each(DEVICES)('shows the last backups with size, duration and result, and why one failed, on a %s', async (device) => {
    const failure = 'The disk of /backups is full. Free space, or choose another BACKUP_DIR.';
    const insert = 'INSERT INTO backup_run (id, started_at, ended_at, bytes, failure) VALUES ($1, $2, $3, $4, $5)';
    await service.execute(insert, 'bkp_1', 1_700_000_000, 1_700_000_007, 4_100_000, null);
    await service.execute(insert, 'bkp_2', 1_700_003_600, 1_700_003_601, null, failure);
    const page = await openLoggedIn('/operator', { device });
    const runs = page.getByRole('region', { name: 'The last backups' }).getByRole('listitem');
    await runs.first().getByText(failure).waitFor();
    await runs.first().getByText('Failed', { exact: true }).waitFor();
    await runs.last().getByText('4.1 MB in 7 s').waitFor();
    await runs.last().getByText('Checked', { exact: true }).waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await violationsInThemes(page)).toEqual([]);
    await service.execute('DELETE FROM backup_run');
  });

  it('shows webhooks, limits and fees, with links to where they are changed', async () => {
    const page = await openLoggedIn('/operator');
    const card = (name: string) => page.locator('section.card').filter({ has: page.getByRole('heading', { name }) });
    await card('Webhooks of all accounts').locator('.stat').filter({ hasText: 'Deliveries that wait' }).waitFor();
    await card('Fees and limits').getByText('Open invoices of one wallet').waitFor();
    await card('Fees and limits')
      .getByText(/the service charges nothing and limits no amounts/)
      .waitFor();
    await card('Fees and limits').getByRole('link', { name: 'All limits' }).click();
    await page.waitForURL('**/operator/limits');
  });

  it('shows what all nodes can send and receive, and no number of days without a week of payments', async () => {
    await client.wallet(1_000);
    const page = await openLoggedIn('/operator');
    const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Liquidity of all nodes' }) });
    const sats = (msat: number) => String(Math.trunc(msat / 1000)).replaceAll(/\B(?=(\d{3})+$)/g, '\u202f');
    // Both are read until a payment of another test no longer moves the amounts in between.
    const isSame = async () => {
      await page.reload();
      const shown = await card.getByRole('img').getAttribute('aria-label');
      const { spendable_msat: send, receivable_msat: receive } = await client.get('/v1/operator/liquidity');
      return shown === `Can send ${sats(send)} sats and receive ${sats(receive)} sats`;
    };
    await expect.poll(isSame).toBe(true);
    const lasts = card.locator('.stat').filter({ hasText: 'Can receive for' });
    expect(await lasts.textContent()).toContain('unknown');
    expect(await lasts.textContent()).toContain('shown with seven days of payments');
  });

  it.each(DEVICES)('keeps the last amounts of a node that is down, with their time, on a %s', async (device) => {
    const page = await openLoggedIn('/operator', { device });
    const liquidity = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Liquidity of all nodes' }) });
    await liquidity.getByText('Can receive', { exact: true }).waitFor();
    await page.getByText(/^\d+ ms, median of the last answers \d+ ms$/).waitFor();
    await page.getByRole('definition').filter({ hasText: '101 in sync' }).waitFor();
    net.always('listChannels', { unavailable: true });
    net.always('info', { unavailable: true });
    try {
      await page.getByText('What it could send and receive at its last answer,').waitFor();
      await page.getByRole('term').filter({ hasText: 'Last answer' }).waitFor();
      await liquidity.getByText('No node lists its channels now.').waitFor();
      await page.emulateMedia({ reducedMotion: 'reduce' });
      expect(await violationsInThemes(page)).toEqual([]);
    } finally {
      net.always('listChannels', undefined);
      net.always('info', undefined);
    }
    await liquidity.getByText('Can receive', { exact: true }).waitFor();
  });

  it.each(DEVICES)('has no violation that axe finds while withdrawals are stopped, on a %s', async (device) => {
    await change('stop', REASON);
    const page = await openLoggedIn('/operator', { device });
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await violationsInThemes(page)).toEqual([]);
    await change('resume', 'checked');
  });
});
