import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { openLnbits } from '../../src/features/import/lnbits/lnbits.ts';
import { lnbitsFiles } from '../import/lnbits.ts';
import { lnbitsRows } from '../import/many-rows.ts';
import { importInto } from '../import/run.ts';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';
import { expectTextsOnly, HOSTILE } from '../support/foreign-text.ts';

onDashboard('the history of an imported wallet', (app) => {
  const { client, openLoggedIn } = app;
  const files = lnbitsFiles();
  let wallet: string;

  beforeAll(async () => {
    app.net.addFunds(10_000_000_000);
    const [{ account_id: accountId } = {}] = await app.rows(`SELECT id AS account_id FROM account WHERE role = 'operator'`);
    const file = files(
      lnbitsRows(24),
      `UPDATE apipayments SET memo = '${HOSTILE}', extra = '{"note": "${HOSTILE}"}' WHERE checking_id = 'many23'`,
      `UPDATE apipayments SET fee = -1234, amount = 1234 WHERE checking_id = 'many22'`,
    );
    const { problems } = await importInto(app, () => openLnbits(file), { accountId: String(accountId) });
    expect(problems).toEqual([]);
    const [found] = await app.rows(`SELECT wallet_id FROM imported_transaction WHERE memo = 'row 1'`);
    wallet = String(found?.wallet_id);
  });

  const card = (page: Page) => page.locator('.card', { has: page.getByRole('heading', { name: 'Before the import' }) });
  const row = (page: Page, label: string) => card(page).getByRole('button', { name: label, exact: true });

  it('is below its transactions, newest first, with pages', async () => {
    const page = await openLoggedIn(`/wallets/${wallet}`);
    await page.locator('.transactions').first().getByText('Opening Balance').first().waitFor();
    await card(page).getByText('From LNbits. These rows are in the opening balance').waitFor();
    await row(page, 'row 24').waitFor();
    expect(await card(page).locator('.name').count()).toBe(10);
    await card(page).getByRole('button', { name: 'Older' }).click();
    await row(page, 'row 14').waitFor();
    expect(await row(page, 'row 24').count()).toBe(0);
    await card(page).getByRole('button', { name: 'Newer' }).click();
    await row(page, 'row 24').waitFor();
  });

  it('shows all of a row that is opened, also after a reload', async () => {
    const page = await openLoggedIn(`/wallets/${wallet}`);
    await row(page, 'row 22').click();
    await page.waitForURL('**?imported=itx_*');
    await page.reload();
    const details = card(page).locator('.transaction-details');
    await details.getByText(22n.toString(16).padStart(64, '0')).first().waitFor();
    await details.getByText('1.234 sats').first().waitFor();
    await details.getByText('Id in LNbits').waitFor();
  });

  it('is not on the page of a wallet that was created here', async () => {
    const { id } = await client.wallet(10);
    const page = await openLoggedIn(`/wallets/${id}`);
    const list = page.waitForResponse((response) => response.url().includes('/imported-transactions'));
    await page.reload();
    await list;
    await page.getByText('Transactions').first().waitFor();
    expect(await card(page).count()).toBe(0);
  });

  it('fits a phone of 320 px in both themes, with texts from outside as text', async () => {
    const page = await openLoggedIn(`/wallets/${wallet}`, {
      device: 'phone',
      context: { viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' },
    });
    const [hostile] = await app.rows(`SELECT id FROM imported_transaction WHERE source_id LIKE '%/many23'`);
    await page.goto(`/wallets/${wallet}?imported=${hostile?.id}`);
    await card(page).locator('.transaction-details').waitFor();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(320);
    expect(await violationsInThemes(page)).toEqual([]);
    expect(await expectTextsOnly(page)).toBe(true);
  });
});
