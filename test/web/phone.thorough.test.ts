import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { onDashboard } from '../support/dashboard.ts';

/** Without transitions, in which axe would find colors between two themes. */
const PHONE = { device: 'phone', context: { reducedMotion: 'reduce' } } as const;

onDashboard('the bar of a phone', ({ client, openLoggedIn, open, logIn, newPerson }) => {
  const bar = (page: Page) => page.getByRole('navigation', { name: 'Main, bottom' });
  const inBar = (page: Page, name: string) => bar(page).getByRole('link', { name });

  it('has Wallet, Receive, Scan, Send and More, in this order', async () => {
    const page = await openLoggedIn('/wallets', PHONE);
    await inBar(page, 'Scan').waitFor();
    expect(await bar(page).getByRole('link').allInnerTexts()).toEqual(['Wallet', 'Receive', 'Scan', 'Send', 'More']);
  });

  it('asks for the wallet when there are several, then acts on the one that was opened last', async () => {
    const first = await client.namedWallet('Till');
    const second = await client.namedWallet('Savings');
    const page = await openLoggedIn('/wallets', PHONE);
    await inBar(page, 'Receive').click();
    await page.getByRole('heading', { name: 'Receive to which wallet?' }).waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByLabel('Find a wallet').fill('sav');
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.waitForURL(`**/wallets/${second.id}/receive`);
    await page.getByRole('dialog', { name: 'Receive' }).waitFor();
    expect(await bar(page).isVisible(), 'over a sheet').toBe(false);
    await page.getByRole('button', { name: 'Close' }).click();
    await inBar(page, 'More').click();
    await inBar(page, 'Send').click();
    await page.waitForURL(`**/wallets/${second.id}/send`);
    await page.goto(`/wallets/${first.id}`);
    await page.getByRole('heading', { name: 'Till' }).waitFor();
    await page.goto('/settings');
    await inBar(page, 'Wallet').click();
    await page.waitForURL(`**/wallets/${first.id}`);
  });

  it('does not ask when there is one wallet, and keeps the wallets of two people apart', async () => {
    const page = await open(undefined, PHONE);
    const [ann, bob] = [await newPerson(), await newPerson()];
    await logIn(page, ann);
    await page.goto('/send');
    await page.getByText('No wallets yet').waitFor();
    await page.getByRole('link', { name: 'New wallet' }).click();
    await page.getByRole('button', { name: 'Create the wallet' }).click();
    await page.waitForURL(/\/wallets\/wal/);
    const own = new URL(page.url()).pathname;
    await page.goto('/send');
    await page.waitForURL(`**${own}/send`);
    await page.context().clearCookies();
    await logIn(page, bob);
    await page.goto('/more');
    expect(await inBar(page, 'Receive').getAttribute('href')).toBe('/receive');
  });
});

onDashboard('the navigation between a phone and a desktop', ({ openLoggedIn }) => {
  it('is as wide as its icons, and shows the names to the pointer and the keyboard', async () => {
    const page = await openLoggedIn('/wallets', { context: { viewport: { width: 900, height: 900 }, reducedMotion: 'reduce' } });
    const navigation = page.getByRole('navigation', { name: 'Main', exact: true });
    const links = navigation.getByRole('link', { name: 'Links' });
    await links.waitFor();
    const width = async () => (await navigation.boundingBox())?.width;
    expect(await width()).toBe(64);
    expect(await violationsInThemes(page)).toEqual([]);
    await navigation.hover();
    expect(await width()).toBe(216);
    await page.mouse.move(600, 600);
    expect(await width()).toBe(64);
    await links.focus();
    expect(await width()).toBe(216);
    // It lies over the content, which does not move.
    expect((await page.locator('main').boundingBox())?.x).toBe(64);
  });
});

onDashboard('the page More', ({ openLoggedIn, open, logIn, newPerson }) => {
  it('lists every page that the navigation of a desktop has', async () => {
    const desktop = await openLoggedIn('/wallets');
    const names = await desktop.getByRole('navigation', { name: 'Main', exact: true }).getByRole('link').allInnerTexts();
    const page = await openLoggedIn('/more', PHONE);
    const list = page.getByRole('navigation', { name: 'All pages' });
    await list.getByRole('link', { name: 'Settings' }).waitFor();
    const shown = await list.getByRole('link').allInnerTexts();
    // Contacts have no place in the navigation of a desktop, where Send leads to them.
    expect(shown).toContain('Contacts');
    expect(shown.filter((name) => name !== 'Contacts')).toEqual(names.filter((name) => name !== 'Satchel'));
    expect(shown).toContain('Playground');
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('has no pages of operators for members', async () => {
    const page = await open(undefined, PHONE);
    await logIn(page, await newPerson());
    await page.goto('/more');
    await page.getByRole('link', { name: 'Settings' }).waitFor();
    expect(await page.getByRole('link', { name: 'Customers' }).count()).toBe(0);
  });

  it('ends the session', async () => {
    const page = await open(undefined, PHONE);
    await logIn(page, await newPerson());
    await page.goto('/more');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
  });
});

onDashboard('the keyboard of a phone', ({ client, openLoggedIn }) => {
  /** Makes the visual viewport smaller and leaves the layout as it is, as the keyboard of iOS does. */
  async function cover(page: Page, { height, scale = 1 }: { height: number; scale?: number }) {
    await page.evaluate(`for (const [name, value] of Object.entries({ height: ${height}, scale: ${scale} }))
      Object.defineProperty(visualViewport, name, { configurable: true, get: () => value });
    visualViewport.dispatchEvent(new Event('resize'));`);
  }
  const keyboardOf = (page: Page) => page.evaluate<string>("document.documentElement.style.getPropertyValue('--keyboard')");

  async function openForm(path: string, field: string, button: string) {
    const { id } = await client.wallet(1000);
    const page = await openLoggedIn(path.replace(':id', id), PHONE);
    await page.getByLabel(field, { exact: true }).tap();
    await expect.poll(() => keyboardOf(page)).toBe('0px');
    const bottom = async () => {
      const box = await page.getByRole('button', { name: button, exact: true }).boundingBox();
      return (box?.y ?? 0) + (box?.height ?? Number.NaN);
    };
    return { page, bottom };
  }

  it.each([
    ['/wallets/:id/receive', 'Memo', 'Create invoice'],
    ['/wallets/:id/transfer', 'Memo', 'Review'],
    ['/links/withdraw?wallet=:id', 'Text for the claiming wallet', 'Create link'],
  ])('does not cover the button of %s, where only the visual viewport becomes smaller', async (path, field, button) => {
    const { page, bottom } = await openForm(path, field, button);
    await cover(page, { height: 500 });
    expect(await keyboardOf(page)).toBe('344px');
    expect(await bottom()).toBeLessThanOrEqual(500);
    await cover(page, { height: 844 });
    expect(await keyboardOf(page)).toBe('0px');
  });

  it('leaves the button that connects an app below what the app may spend', async () => {
    await client.wallet(1000);
    const page = await openLoggedIn('/connections/new', PHONE);
    const [text, button] = [page.getByText('At worst it can spend'), page.getByRole('button', { name: /^Connect/ })];
    await text.waitFor();
    const [above, below] = [await text.boundingBox(), await button.last().boundingBox()];
    expect((above?.y ?? 0) + (above?.height ?? 0)).toBeLessThanOrEqual(below?.y ?? 0);
  });

  it('changes nothing where the layout becomes smaller itself, or a person zooms in', async () => {
    const { page, bottom } = await openForm('/wallets/:id/receive', 'Memo', 'Create invoice');
    await page.setViewportSize({ width: 390, height: 500 });
    await expect.poll(bottom).toBeLessThanOrEqual(500);
    expect(await keyboardOf(page)).toBe('0px');
    await cover(page, { height: 250, scale: 2 });
    expect(await keyboardOf(page)).toBe('0px');
  });
});

onDashboard('the wallet on a phone', ({ client, net, openLoggedIn }) => {
  async function openBusy() {
    const wallet = await client.wallet(50_000);
    const { paymentRequest } = net.outside.invoice({ amountMsat: 420_000, memo: 'Roastery' });
    await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
    const page = await openLoggedIn(`/wallets/${wallet.id}`, PHONE);
    await page.getByRole('button', { name: 'Roastery' }).waitFor();
    return { page, wallet };
  }

  it('shows the newest transaction within the top 300 px', async () => {
    const { page } = await openBusy();
    await page.locator('.trend .number').getByText('+50').waitFor();
    await page.locator('.live').waitFor();
    const row = await page.locator('.transactions tr.clickable').first().boundingBox();
    expect(row?.y).toBeLessThan(300);
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('has the search beside the menu', async () => {
    const { page } = await openBusy();
    await page.getByRole('button', { name: 'Search pages, wallets, payments and actions' }).click();
    await page.getByRole('dialog').getByRole('combobox').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('says of a failed payment in two lines that nothing was charged', async () => {
    const { page, wallet } = await openBusy();
    const { paymentRequest } = net.outside.invoice({ amountMsat: 7000, memo: 'Flowers', script: { fail: 'NO_ROUTE' } });
    const json = { payment_request: paymentRequest };
    await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json });
    const row = page.locator('.transactions tr.clickable').filter({ hasText: 'Failed' });
    await row.getByText(/^\d\d:\d\d · not charged$/).waitFor();
    expect((await row.boundingBox())?.height).toBeLessThan(70);
  });

  it('has the chart and the sums a tap away', async () => {
    const { page } = await openBusy();
    expect(await page.getByText('Held now').count()).toBe(0);
    await page.getByRole('button', { name: /30 d/ }).click();
    await page.getByText('Held now').waitFor();
    await page.getByText('Show as table').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
  });

  it('filters by status and type in one sheet', async () => {
    const { page } = await openBusy();
    await page.getByRole('button', { name: 'Filter', exact: true }).click();
    await page.getByLabel('Status').selectOption('Failed');
    await page.getByRole('button', { name: 'Apply filters' }).click();
    await page.getByText('Nothing matches').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('button', { name: 'Roastery' }).waitFor();
  });

  it('leads to the other wallets, and has Transfer in its menu', async () => {
    const { page, wallet } = await openBusy();
    const other = await client.post('/v1/wallet', { user_label: 'Savings' });
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Transfer' }).click();
    await page.waitForURL(`**/wallets/${wallet.id}/transfer`);
    await page.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: /^More/ }).click();
    await page.getByRole('menuitem', { name: 'Create a voucher' }).click();
    await page.getByRole('dialog', { name: 'Create a voucher' }).waitFor();
    await page.getByRole('button', { name: 'Close' }).click();
    await page.goBack();
    await page.getByText('spendable').waitFor();
    await page.getByRole('heading', { level: 1 }).getByRole('link').click();
    await page.waitForURL(`**/wallets/${wallet.id}/switch`);
    await page.getByLabel('Find a wallet').fill('savi');
    await page.getByRole('link', { name: 'Savings' }).click();
    await page.waitForURL(`**/wallets/${other.id}`);
    await page.getByRole('heading', { level: 1 }).getByRole('link').click();
    await page.getByRole('link', { name: 'All wallets' }).click();
    await page.waitForURL('**/wallets');
  });
});

onDashboard(
  'recent receivers',
  ({ client, openLoggedIn }) => {
    async function openWithReceivers(path: string) {
      const payee = await client.wallet(0);
      const names = [`mara${payee.id.slice(-6)}`, `jonas${payee.id.slice(-6)}`].map((name) => name.toLowerCase());
      const addresses: string[] = [];
      for (const name of names)
        addresses.push((await client.post(`/v1/wallet/${payee.id}/lnurlp`, { lnurlp_identifier: name })).ln_address);
      const wallet = await client.wallet(1000);
      const [mara, jonas] = addresses;
      for (const ln_address of [mara, jonas, mara])
        await client.post(`/v1/wallet/${wallet.id}/lnurlp/pay`, { ln_address, num_satoshis: 10 });
      const page = await openLoggedIn(`/wallets/${wallet.id}`, PHONE);
      await page.getByText('spendable').waitFor();
      await page.goto(path.replace(':id', wallet.id));
      const list = page.getByRole('region', { name: 'Recent receivers' });
      await list.getByRole('button').first().waitFor();
      return { page, wallet, mara, jonas, list };
    }

    it('are offered by Send, the last one first and each once', async () => {
      const { page, list, mara, jonas } = await openWithReceivers('/wallets/:id/send');
      expect(await list.locator('bdi').allInnerTexts()).toEqual([mara, jonas]);
      expect(await violationsInThemes(page)).toEqual([]);
      await list.getByRole('button', { name: String(mara) }).click();
      await page.getByText('Lightning address', { exact: true }).waitFor();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(mara);
      expect(await list.count()).toBe(0);
    });

    it('are offered by Scan, which opens Send', async () => {
      const { page, list, wallet, jonas } = await openWithReceivers('/scan');
      await list.getByRole('button', { name: String(jonas) }).click();
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('Lightning address', { exact: true }).waitFor();
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);
