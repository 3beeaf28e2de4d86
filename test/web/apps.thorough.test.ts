import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { violationsInThemes } from '../support/axe.ts';
import { chooseWallet, fillLogin, onDashboard } from '../support/dashboard.ts';
import { HOSTILE } from '../support/foreign-text.ts';
import { openApp } from '../support/nwc.ts';
import { readQrOn } from '../support/page-qr.ts';
import { visit } from '../support/screens.ts';

/** The warning about the party that gets access. */
const SENDER = 'Whoever sent you this link gets access';
const PUBKEY = 'c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';

onDashboard('apps', ({ client, logIn, newPerson, open, openLoggedIn }) => {
  const connectionsOf = (wallet: string) => client.get(`/v1/wallet/${wallet}/connections`);

  it('connects an app with limits, and shows its link once', async () => {
    const wallet = await client.namedWallet('Phone wallet', 1000);
    const page = await openLoggedIn(`/connections?wallet=${wallet.id}`);
    await page.getByText('No connected apps').waitFor();
    await page.getByRole('link', { name: 'Connect an app' }).click();
    await page.waitForURL('**/connections/new?wallet=*');
    const sheet = page.getByRole('dialog');
    await sheet.getByLabel('Name').fill('Alby Go');
    await sheet.getByLabel('Budget, sats').fill('50 000');
    await sheet.getByLabel('Limit per payment, sats').fill('2000');
    await sheet.getByText('At worst it can spend 50 000 sats a month, fees included.').waitFor();
    await sheet.getByLabel('Expires').selectOption('in 30 days');
    await sheet.getByRole('button', { name: 'Connect Alby Go' }).dblclick();
    const uri = (await sheet.getByRole('link', { name: 'Open in app' }).getAttribute('href')) ?? '';
    expect(uri).toMatch(/^nostr\+walletconnect:\/\/[0-9a-f]{64}\?.*secret=[0-9a-f]{64}/);
    expect(await readQrOn(page)).toBe(uri);
    await sheet.getByText('Waiting for the app').waitFor();
    await clickAgain(page, sheet.getByRole('button', { name: 'Done' }));
    expect(await sheet.getByRole('img', { name: /QR code/ }).count()).toBe(1);

    const made = await connectionsOf(wallet.id);
    expect(made).toHaveLength(1);
    expect(made[0]).toMatchObject({ user_label: 'Alby Go', budget_msat: 50_000_000, budget_period: 'month', max_payment_msat: 2_000_000 });
    expect(made[0].permissions).toHaveLength(4);
    expect(made[0].expires_at).not.toBeNull();

    const app = await openApp({ id: made[0].id, uri });
    expect((await app.call('get_balance')).result.balance).toBe(1_000_000);
    app.close();
    await sheet.getByText('The app is connected').waitFor();

    await sheet.getByRole('button', { name: 'Done' }).click();
    await page.locator('tr.open').filter({ hasText: 'Alby Go' }).waitFor();
    await page.getByRole('row').filter({ hasText: 'Alby Go' }).getByText('0 of 50 000 a month').last().waitFor();
    const secret = new URL(uri).searchParams.get('secret') ?? '';
    expect(await page.content()).not.toContain(secret);
    await page.reload();
    await page.getByText('Alby Go').first().waitFor();
    expect(await page.content()).not.toContain(secret);
  });

  it('lists apps, keys, or both', async () => {
    const wallet = await client.namedWallet('Both', 0);
    await client.post(`/v1/wallet/${wallet.id}/connections`, { user_label: 'Zapper' });
    const page = await openLoggedIn(`/connections?wallet=${wallet.id}`);
    const cards = page.locator('.card > header h2');
    await expect.poll(() => cards.allTextContents()).toEqual(['Apps', 'Apps and programs with a wallet key']);
    await page.getByRole('button', { name: 'Keys', exact: true }).click();
    await expect.poll(() => cards.allTextContents()).toEqual(['Apps and programs with a wallet key']);
    await page.waitForURL('**kind=keys*');
    await page.getByRole('button', { name: 'Nostr Wallet Connect' }).click();
    await expect.poll(() => cards.allTextContents()).toEqual(['Apps']);
    await page.getByText('Zapper').first().waitFor();
  });

  it('shows on the page of an app what it has paid, and nothing else of the wallet', async () => {
    const wallet = await client.namedWallet('Spending', 1000);
    const connection = await client.post(`/v1/wallet/${wallet.id}/connections`, { user_label: 'Spender' });
    const page = await openLoggedIn(`/connections/${connection.id}`);
    const payments = page.locator('.card').filter({ hasText: 'Payments through this connection' });
    await payments.getByText('No payments').waitFor();
    await payments.getByText('0 settled').waitFor();
    const app = await openApp({ id: connection.id, uri: connection.uri });
    for (const memo of ['Bread', 'Milk']) {
      const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 21, memo });
      expect((await app.call('pay_invoice', { invoice: payment_request })).error ?? null).toBeNull();
    }
    app.close();
    await client.post(`/v1/wallet/${wallet.id}/keysend`, { dest_pubkey: `02${'ab'.repeat(32)}`, num_satoshis: 1 }).catch(() => undefined);
    await expect.poll(() => payments.locator('tbody .name').allTextContents()).toEqual(['Milk', 'Bread']);
    await payments.getByText('2 settled').waitFor();
    await payments.getByText('1 – 2 of 2').waitFor();
    await payments.getByRole('button', { name: 'Milk' }).click();
    await payments
      .getByRole('link', { name: /payment/i })
      .first()
      .click();
    await page.waitForURL('**/payments/lntx_*');
  });

  it('names a key without a label by its ends, and shows on its page what it has paid', async () => {
    const [wallet, other] = [await client.namedWallet('Unlabelled', 1000), await client.namedWallet('Other', 0)];
    const key = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
    const transfer = { dest_wallet_id: other.id, num_satoshis: 5 };
    expect((await client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: key.key, json: transfer })).status).toBe(201);
    const page = await openLoggedIn(`/keys?wallet=${wallet.id}`);
    await page.getByRole('link', { name: key.hint }).click();
    await page.waitForURL(`**/connections/${key.id}`);
    await page.getByRole('heading', { name: key.hint }).waitFor();
    await page.getByText('1 settled').waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('disconnected').first().waitFor();
  });

  it('shows a key of the account as a key, and revokes it', async () => {
    const key = await client.post('/v1/keys', { user_label: 'Deployment' });
    const page = await openLoggedIn('/keys');
    await page.getByRole('link', { name: 'Deployment' }).click();
    await page.waitForURL(`**/connections/${key.id}`);
    await page.getByRole('heading', { name: 'Payments made with this key' }).waitFor();
    expect(await page.getByRole('navigation', { name: 'Breadcrumb' }).getByRole('link').getAttribute('href')).toBe('/keys');
    const names = await page.locator('.card dt').allTextContents();
    expect(names).toEqual(['May', 'Budget, sats', 'Last used', 'Expires', 'Created', 'Key']);
    await page.getByRole('button', { name: 'Revoke', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Revoke “Deployment”?').waitFor();
    await dialog.getByText('Requests with this key are rejected').waitFor();
    await dialog.getByRole('button', { name: 'Revoke key' }).click();
    await page.getByText('revoked', { exact: false }).first().waitFor();
    const keys: { id: string; status: string }[] = await client.get('/v1/keys');
    expect(keys.find(({ id }) => id === key.id)?.status).toBe('revoked');
    expect(await page.locator('main').innerText()).not.toMatch(/disconnect|connection/i);
  });

  it('states that a key has paid more often than the service counts', async () => {
    const wallet = await client.namedWallet('Busy', 0);
    const key = await client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin' });
    const read = await client.get(`/v1/keys/${key.id}`);
    const page = await openLoggedIn();
    await page.route(`**/v1/keys/${key.id}`, (route) => route.fulfill({ json: { ...read, num_paid: null, paid_msat: null } }));
    await page.goto(`/connections/${key.id}`);
    await page.getByText('more than 10\u202f000 settled').waitFor();
  });

  it('connects an app that may only receive, without asking for a budget', async () => {
    const wallet = await client.namedWallet('Shop', 0);
    const page = await openLoggedIn(`/connections/new?wallet=${wallet.id}`);
    const sheet = page.getByRole('dialog');
    for (const name of ['See the balance', 'See the history', 'Send']) await sheet.getByLabel(name).uncheck();
    expect(await sheet.getByLabel('Budget, sats').count()).toBe(0);
    await sheet.getByRole('button', { name: 'Connect' }).click();
    await sheet.getByRole('link', { name: 'Open in app' }).waitFor();
    expect(await connectionsOf(wallet.id)).toMatchObject([{ permissions: ['wallet_deposit'], budget_msat: null }]);
    await sheet.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('row').getByText('Nostr Wallet Connect: receive').waitFor();
  });

  it('connects an app by the keyboard alone, and shares its link', async () => {
    const wallet = await client.namedWallet('Keys only', 0);
    const page = await openLoggedIn();
    await page.addInitScript('navigator.share = async ({ text }) => { window.shared = text; }');
    await page.goto(`/connections?wallet=${wallet.id}`);
    await page.getByRole('link', { name: 'Connect an app' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Tab');
    await page.keyboard.type('Typed');
    await page.keyboard.press('Enter');
    const sheet = page.getByRole('dialog', { name: 'Scan it with Typed' });
    await sheet.getByText('Waiting for the app').waitFor();
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Copy link');
    await page.keyboard.press('Tab');
    const uri = await sheet.getByRole('link', { name: 'Open in app' }).getAttribute('href');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('window.shared')).toBe(uri);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('row').getByText('Typed').waitFor();
    expect(await connectionsOf(wallet.id)).toHaveLength(1);
  });

  it('sends a person without a wallet to create one', async () => {
    const page = await open();
    await logIn(page, await newPerson());
    await page.goto('/apps');
    await page.getByText('No wallet yet').waitFor();
    await page.getByRole('link', { name: 'New wallet' }).click();
    await page.waitForURL('**/wallets/new');
  });

  it('disconnects an app after a confirmation', async () => {
    const wallet = await client.namedWallet('Leaving', 0);
    await client.post(`/v1/wallet/${wallet.id}/connections`, { user_label: 'Old phone' });
    const page = await openLoggedIn(`/connections?wallet=${wallet.id}`);
    await page.getByRole('button', { name: 'Disconnect' }).click();
    const sheet = page.getByRole('dialog', { name: 'Disconnect “Old phone”?' });
    await sheet.waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    expect((await connectionsOf(wallet.id))[0].status).toBe('active');
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await sheet.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByText('No connected apps').waitFor();
    expect((await connectionsOf(wallet.id))[0].status).toBe('revoked');
    await page.getByRole('button', { name: 'Ended' }).click();
    await page.getByText('Old phone').waitFor();
  });

  it('opens from the menu of a wallet, the search of pages and G C', async () => {
    const wallet = await client.namedWallet('Keyboard', 0);
    const page = await openLoggedIn(`/wallets/${wallet.id}`);
    await page.getByRole('button', { name: 'More' }).last().click();
    await page.getByRole('menuitem', { name: 'Connections' }).click();
    await page.waitForURL(`**/connections?wallet=${wallet.id}`);
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Search' }).fill('connect an');
    await page.getByRole('option', { name: 'Connect an app' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Connect an app' }).waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL((url) => url.pathname === '/connections');
    await page.goto('/keys');
    await page.getByRole('button', { name: 'New key' }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('c');
    await page.waitForURL('**/connections');
  });

  it('fits a phone of 320 px in both themes, with the link shown', async () => {
    const wallet = await client.namedWallet('Small', 0);
    const page = await openLoggedIn(undefined, {
      device: 'phone',
      context: { viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' },
    });
    await client.post(`/v1/wallet/${wallet.id}/connections`, {
      user_label: `${'w'.repeat(60)} ${HOSTILE}`,
      budget_msat: 1000,
      budget_period: 'day',
    });
    for (const address of [
      `/connections?wallet=${wallet.id}`,
      `/connections/new?wallet=${wallet.id}`,
      requestFor('https://zaps.example'),
    ]) {
      await visit(page, address);
      expect(await page.evaluate('document.documentElement.scrollWidth'), address).toBeLessThanOrEqual(320);
    }
    await visit(page, `/connections/new?wallet=${wallet.id}`);
    await page.getByRole('dialog').getByRole('button', { name: 'Connect' }).click();
    await page.getByRole('img', { name: /QR code/ }).waitFor();
    expect(await page.evaluate('document.querySelector("dialog").scrollWidth')).toBeLessThanOrEqual(320);
    expect(await violationsInThemes(page)).toEqual([]);
  });

  describe('asked for by a site', () => {
    /**
     * A site on another origin. Its page shows the messages that it receives, as the client library reads them. `/forward?to=` redirects to any
     * address, and `/silent` hides its own.
     */
    let site: Server;
    let origin: string;
    /** The same server under a name that is another origin to the browser. */
    let trusted: string;
    beforeAll(async () => {
      site = createServer(({ url = '/' }, response) => {
        const { pathname, searchParams } = new URL(url, 'http://site');
        if (pathname === '/forward') return response.writeHead(302, { location: searchParams.get('to') ?? '/' }).end();
        if (pathname === '/silent') response.setHeader('referrer-policy', 'no-referrer');
        return response
          .setHeader('content-type', 'text/html')
          .end(`<!doctype html><title>Site</title><link rel="icon" href="data:,"><pre></pre><script>
          addEventListener('message', ({ data, origin }) => { document.querySelector('pre').textContent = JSON.stringify({ data, origin }); });
        </script>`);
      });
      await new Promise<void>((resolve) => void site.listen(0, '127.0.0.1', resolve));
      origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
      trusted = origin.replace('127.0.0.1', 'localhost');
    });
    afterAll(() => new Promise((resolve) => void site.close(resolve)));

    const OTHER_HOST = { expected: [/request to another host/] };

    /** Opens the request in a window of the site, as `NWCClient.fromAuthorizationUrl` does. */
    async function openFrom(page: Page, address: string, from = origin): Promise<Page> {
      await page.goto(from);
      const popup = page.waitForEvent('popup');
      const target = JSON.stringify(new URL(address, client.url));
      await page.evaluate(`void window.open(${target}, 'connect', 'height=600,width=400')`);
      return popup;
    }

    /** The page connects nothing: it has no form, and offers a link of the service's own instead. */
    async function expectRefused(page: Page, text: string): Promise<void> {
      await page.getByRole('alert').filter({ hasText: text }).waitFor();
      expect(await page.getByRole('button', { name: 'Connect' }).count()).toBe(0);
      expect(await page.getByRole('combobox').count()).toBe(0);
      await page.getByRole('link', { name: 'Connect an app with a link' }).click();
      await page.waitForURL(`${client.url}/connections/new`);
    }

    it('is connected after the owner has chosen a wallet, and gets the answer in its window', async () => {
      const wallet = await client.namedWallet('Zaps', 0);
      await client.post(`/v1/wallet/${wallet.id}/lnurlp`, { lnurlp_short_desc: 'Zaps', lnurlp_identifier: 'zaps' });
      const page = await openLoggedIn(undefined, OTHER_HOST);
      const popup = await openFrom(
        page,
        requestFor(`${origin}/wallet`, { max_amount: '21000000', budget_renewal: 'weekly', request_methods: 'pay_invoice sign_message' }),
      );
      await popup.getByText(origin, { exact: true }).waitFor();
      await popup.getByText('what this service does not have: sign_message').waitFor();
      const button = popup.getByRole('button', { name: 'Connect' });
      expect(await button.isDisabled()).toBe(true);
      await chooseWallet(popup.getByRole('combobox', { name: 'Wallet' }), 'Zaps');
      expect(await popup.getByLabel('Budget, sats').inputValue()).toBe('21000');
      await popup.getByLabel('Budget, sats').fill('500');
      await button.click();
      await expect.poll(() => page.locator('pre').textContent()).not.toBe('');
      const [made] = await connectionsOf(wallet.id);
      expect(made).toMatchObject({
        user_label: 'Zap Club',
        permissions: ['wallet_withdraw'],
        budget_msat: 500_000,
        budget_period: 'week',
        client_pubkey: PUBKEY,
      });
      expect(JSON.parse((await page.locator('pre').textContent()) ?? '')).toEqual({
        origin: client.url,
        data: {
          type: 'nwc:success',
          relayUrls: made.relays,
          relayUrl: made.relays[0],
          walletPubkey: made.service_pubkey,
          lud16: expect.stringMatching(/^zaps@/),
        },
      });
      await popup.getByText('Close this window.').waitFor();
    });

    it.each<[string, (request: string) => { readonly address: string; readonly from?: string }, string]>([
      ['a page that names the address of another site', (address) => ({ address }), 'belongs to another site'],
      ['a page that hides its own address', (address) => ({ address, from: `${origin}/silent` }), SENDER],
      [
        'a page that goes through a redirect of the other site',
        (address) => ({ address: `${trusted}/forward?${new URLSearchParams({ to: client.url + address })}` }),
        'belongs to another site',
      ],
    ])('cannot be connected by %s', async (_, attack, text) => {
      const page = await openLoggedIn(undefined, OTHER_HOST);
      const { address, from } = attack(requestFor(`${trusted}/wallet`));
      await expectRefused(await openFrom(page, address, from), text);
      expect(await page.locator('pre').textContent()).toBe('');
    });

    it('is named as the one that gets access, whatever it says about itself', async () => {
      const wallet = await client.namedWallet('Honest', 0);
      const page = await openLoggedIn(undefined, {
        context: { reducedMotion: 'reduce' },
        expected: [/request to another host/, /Failed to execute 'postMessage'/],
      });
      const popup = await openFrom(page, requestFor('', { name: trusted }));
      await popup.getByText(SENDER).waitFor();
      await popup.locator('.app-site').getByText(origin, { exact: true }).waitFor();
      expect(await violationsInThemes(popup)).toEqual([]);
      // The opener is replaced by a page of another site before the answer.
      await page.goto(trusted);
      await chooseWallet(popup.getByRole('combobox', { name: 'Wallet' }), 'Honest');
      await popup.getByRole('button', { name: 'Connect' }).click();
      await popup.getByText('Close this window.').waitFor();
      expect(await connectionsOf(wallet.id)).toHaveLength(1);
      expect(await page.locator('pre').textContent()).toBe('');
    });

    it('cannot be connected by a link in a message, or by a link on a page of its own', async () => {
      const address = requestFor(`${trusted}/wallet`);
      const page = await openLoggedIn(address, OTHER_HOST);
      await expectRefused(page, SENDER);
      for (const rel of ['', 'noreferrer']) {
        await page.goto(trusted);
        await page.evaluate(`document.body.innerHTML = '<a>Connect</a>'`);
        await page.evaluate(`Object.assign(document.querySelector('a'), ${JSON.stringify({ rel, href: client.url + address })}).click()`);
        await expectRefused(page, SENDER);
      }
    });

    it.each([
      ['javascript:alert(document.domain)', {}, 'belongs to another site'],
      ['data:text/html,hello', {}, 'belongs to another site'],
      ['', { budget_renewal: 'yearly' }, 'asks for a yearly budget'],
      ['', { pubkey: 'npub1' }, 'no valid public key'],
    ])('is refused with the return address %s and %j', async (returnTo, changes, text) => {
      await expectRefused(await openFrom(await openLoggedIn(undefined, OTHER_HOST), requestFor(returnTo, changes)), text);
    });

    it('shows the name of a site as text', async () => {
      const popup = await openFrom(await openLoggedIn(undefined, OTHER_HOST), requestFor('', { name: HOSTILE }));
      await popup.getByText('gnirts').waitFor();
      expect(await popup.locator('main img').count()).toBe(0);
    });

    it('waits for the login, and continues after it', async () => {
      const popup = await openFrom(await open(undefined, OTHER_HOST), requestFor(origin));
      await fillLogin(popup, await newPerson());
      await popup.getByText(origin, { exact: true }).waitFor();
      expect(new URL(popup.url()).searchParams.get('pubkey')).toBe(PUBKEY);
    });

    it('cannot show the page in a frame', async () => {
      const page = await openLoggedIn();
      const response = await page.goto(requestFor('https://zaps.example'));
      expect(response?.headers()['content-security-policy']).toContain("frame-ancestors 'none'");
      // The window of the site is the only way to answer: this header would cut it off.
      expect(response?.headers()['cross-origin-opener-policy']).toBeUndefined();
    });
  });
});

onDashboard(
  'apps over LNDhub',
  ({ client, openLoggedIn }) => {
    it('are connected with a key, whose link is shown once', async () => {
      const wallet = await client.namedWallet('Blue', 10);
      const page = await openLoggedIn(`/connections/new?wallet=${wallet.id}`);
      const sheet = page.getByRole('dialog');
      await sheet.getByLabel('LNDhub').check();
      await sheet.getByLabel('It may').selectOption('Send and receive');
      await sheet.getByLabel('Budget, sats').fill('700');
      await sheet.getByRole('button', { name: 'Connect' }).click();
      const link = await sheet.getByRole('link', { name: 'Open in app' }).getAttribute('href');
      expect(link).toMatch(/^lndhub:\/\/admin:waka_\w+@http/);
      expect(await readQrOn(page)).toBe(link);
      const [key] = await client.get(`/v1/wallet/${wallet.id}/keys`);
      expect(key).toMatchObject({ kind: 'wallet_admin', budget_msat: 700_000, budget_period: 'month' });
      await sheet.getByRole('button', { name: 'Done' }).click();
      expect(await page.content()).not.toContain('lndhub://');
      await page.getByRole('link', { name: 'Show the keys' }).click();
      await page.getByText(key.hint).waitFor();
    });
  },
  { LNDHUB: 'true' },
);

onDashboard('without relays, apps', ({ openLoggedIn }) => {
  it('cannot be connected, and the page names the setting', async () => {
    const page = await openLoggedIn();
    // The test network always has a relay.
    await page.route(/\/(apps|connections)/, async (route) => {
      if (route.request().resourceType() !== 'document') return route.continue();
      const response = await route.fetch();
      const body = (await response.text()).replace('content="nwc"', 'content=""');
      return route.fulfill({ response, body });
    });
    for (const address of ['/connections', '/connections/new', requestFor('https://zaps.example')]) {
      await page.goto(address);
      await page.getByText('the operator must set NWC_RELAYS').last().waitFor();
      expect(await page.getByRole('link', { name: 'Connect an app' }).count()).toBe(0);
      expect(await page.getByRole('button', { name: /^Connect($| )/ }).count()).toBe(0);
    }
  });
});

/** The second click of a double click whose first one was on something else. */
async function clickAgain(page: Page, button: Locator): Promise<void> {
  await button.hover();
  await page.mouse.down({ clickCount: 2 });
  await page.mouse.up({ clickCount: 2 });
}

function requestFor(returnTo: string, changes: Record<string, string> = {}): string {
  return `/apps/new?${new URLSearchParams({ name: 'Zap Club', pubkey: PUBKEY, return_to: returnTo, ...changes })}`;
}
