import type { Page, Route } from 'playwright-core';
import { expect, it } from 'vitest';
import { fillLogin, onDashboard } from '../support/dashboard.ts';

/** The pages of these tests lose connections on purpose. */
const EXPECTED = [/net::ERR/, /status of 50\d/, /^response: 50\d/];
const FEE_LIMIT_SATS = 10;

onDashboard(
  'a payment',
  ({ client, net, openLoggedIn, logIn, newPerson, problems }) => {
    async function alice(): Promise<string> {
      const { nodes } = await client.get('/playground');
      return nodes.find(({ name }: { name: string }) => name === 'alice').pubkey;
    }
    /** Opens the review of a keysend, which the service pays again for every new Idempotency-Key. */
    async function openReview(sats = 100) {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`, { expected: EXPECTED });
      await fillKeysend(page, sats);
      // The last read of the review, so that the tests delay and refuse only payments.
      await page.getByText('about ').waitFor();
      return { page, wallet, send: page.getByRole('button', { name: `Send ${sats} sats` }) };
    }
    async function fillKeysend(page: Page, sats: number) {
      await page.getByLabel('To', { exact: true }).fill(await alice());
      await page.getByLabel('Amount').fill(String(sats));
      await page.getByRole('button', { name: 'Review' }).click();
      await page.waitForURL(/\?attempt=/);
    }
    /** Returns the payments of a wallet, also those that failed. */
    async function paymentsOf(walletId: string): Promise<{ status: string; num_satoshis: number }[]> {
      const all = await client.get(`/v1/wallet/${walletId}/transactions?status=all&per-page=100`);
      return all.filter((one: { num_msat: number; wtxType: { name: string } }) => one.num_msat < 0 && one.wtxType.name !== 'network_fee');
    }
    async function expectOnePayment(walletId: string, sats = 100) {
      expect(await paymentsOf(walletId)).toMatchObject([{ status: 'settled', num_satoshis: -sats }]);
      expect((await client.get(`/v1/wallet/${walletId}`)).balance).toBe(1000 - sats);
      expect(await problems()).toEqual([]);
    }
    /** Decides what happens to each request that sends money. */
    async function intercept(page: Page, handle: (route: Route, count: number) => Promise<void>) {
      let count = 0;
      await page.route(/\/(keysend|withdraw|transfer|lnurlp\/pay)$/, (route) => handle(route, ++count).catch(() => undefined));
    }
    const isSent = (page: Page) => page.getByText('The receiver has it.').waitFor();

    it('is made once by a double click', async () => {
      const { page, wallet, send } = await openReview();
      await send.dblclick();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('is not made by the second click of a double click on Review', async () => {
      const { page, wallet, send } = await openReview();
      await send.dispatchEvent('click', { detail: 2 });
      expect(await send.count()).toBe(1);
      await send.press('Enter');
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('is made once when the page is loaded again before the response, and shows its outcome', async () => {
      const { page, wallet, send } = await openReview();
      const arrived = Promise.withResolvers<void>();
      await intercept(page, async (route, count) => {
        if (count > 1) return route.continue();
        await route.fetch();
        // The response never comes.
        arrived.resolve();
      });
      await send.click();
      await arrived.promise;
      await page.reload();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('is not offered again by Back and Forward', async () => {
      const { page, wallet, send } = await openReview();
      await send.click();
      await isSent(page);
      const address = page.url();
      await page.goBack();
      await page.goForward();
      await isSent(page);
      expect(page.url()).toBe(address);
      expect(await page.getByRole('button', { name: /^Send \d/ }).count()).toBe(0);
      await expectOnePayment(wallet.id);
    });

    it('P9: is made once by two copies of a tab', async () => {
      const { page, wallet, send } = await openReview();
      const [copy] = await Promise.all([page.waitForEvent('popup'), page.evaluate('void window.open(location.href)')]);
      const sendOfCopy = copy.getByRole('button', { name: 'Send 100 sats' });
      await sendOfCopy.waitFor();
      await Promise.all([send.click(), sendOfCopy.click()]);
      await Promise.all([isSent(page), isSent(copy)]);
      await expectOnePayment(wallet.id);
    });

    it('of one invoice is made once by two tabs', async () => {
      const wallet = await client.wallet(1000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
      const tabs = await Promise.all([1, 2].map(() => openLoggedIn(`/wallets/${wallet.id}/send`)));
      for (const tab of tabs) {
        await tab.getByLabel('To', { exact: true }).fill(`lightning:${paymentRequest.toUpperCase()}`);
        await tab.getByRole('button', { name: 'Review' }).click();
      }
      await Promise.all(tabs.map((tab) => tab.getByRole('button', { name: 'Send 100 sats' }).click()));
      await Promise.all(tabs.map(isSent));
      await expectOnePayment(wallet.id);
    });

    it.each<[string, (route: Route) => Promise<unknown>]>([
      ['its request is lost', (route) => route.abort('connectionreset')],
      ['its response is lost', (route) => route.fetch().then(() => route.abort('connectionreset'))],
      ['its response times out', (route) => route.fetch().then(() => route.abort('timedout'))],
      ['a proxy responds 502 in its place', (route) => route.fetch().then(() => route.fulfill({ status: 502, body: 'Bad Gateway' }))],
      ['the service responds 500 after it', (route) => route.fetch().then(() => route.fulfill(INTERNAL_ERROR))],
      ['the service responds 500 before it', (route) => route.fulfill(INTERNAL_ERROR)],
    ])('P9: is pending and not offered again when %s, until the outcome is known', async (_, fault) => {
      const { page, wallet, send } = await openReview();
      const release = Promise.withResolvers<void>();
      const later = (route: Route) => release.promise.then(() => route.continue());
      await intercept(page, async (route, count) => (count === 1 ? void (await fault(route)) : later(route)));
      await page.route(/transactions\?.*pass_through/, later);
      await send.click();
      await page.getByText('Outcome not known yet').waitFor();
      await page.getByRole('heading', { name: 'Still pending' }).waitFor();
      expect(await page.getByRole('button', { name: /^Send \d/ }).count()).toBe(0);
      release.resolve();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('in doubt is shown in place of another one of the same amount to the same receiver', async () => {
      const { page, wallet, send } = await openReview();
      await intercept(page, (route) => route.abort('connectionreset'));
      await send.click();
      await page.getByText('Outcome not known yet').waitFor();
      await page.getByRole('button', { name: 'Close' }).last().click();
      await page.getByRole('link', { name: 'Send' }).click();
      await page.getByText('The outcome of a payment is not known yet').waitFor();
      await fillKeysend(page, 100);
      await page.getByText('Outcome not known yet').waitFor();
      await page.unroute(/keysend/);
      await page.unrouteAll();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('P9: shows its outcome at the same address after a login, when the session ended in the middle', async () => {
      const { page, wallet, send } = await openReview();
      const person = await logIn(page);
      await intercept(page, async (route, count) => {
        if (count > 1) return route.continue();
        await route.fetch();
        await page.context().clearCookies();
        await route.abort('connectionreset');
      });
      await send.click();
      await page.getByText('Your session has ended').waitFor();
      const address = page.url();
      await fillLogin(page, person);
      await isSent(page);
      expect(page.url()).toBe(address);
      await expectOnePayment(wallet.id);
    });

    it('is not sent without a session, and is offered again after the login', async () => {
      const { page, wallet, send } = await openReview();
      const person = await logIn(page);
      await page.context().clearCookies();
      await send.click();
      await page.getByText('Your session has ended').waitFor();
      expect(await paymentsOf(wallet.id)).toEqual([]);
      await fillLogin(page, person);
      await page.getByText('Nothing was sent.').waitFor();
      await send.click();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('shows no spendable balance until one is known that was read after the hold', async () => {
      const wallet = await client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, hold: true });
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
      let isHeld = false;
      // The page keeps the wallet that it has read before.
      await page.route(`**/v1/wallet/${wallet.id}`, (route) => (isHeld ? undefined : route.continue()));
      await page.getByLabel('To', { exact: true }).fill(paymentRequest);
      await page.getByRole('button', { name: 'Review' }).click();
      isHeld = true;
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await page.getByText('The receiver may be delaying it.').waitFor();
      const spendable = page.locator('dt', { hasText: 'Spendable' }).locator('xpath=following-sibling::dd');
      expect(await spendable.textContent()).toBe('');
      await client.decideHold(paymentHash, 'cancel');
      await page.getByText('Nothing was paid; the hold is released.').waitFor();
    });

    it('that is held by the receiver is pending with its hold, and settles by itself', async () => {
      const wallet = await client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, hold: true });
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
      await page.getByLabel('To', { exact: true }).fill(paymentRequest);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await page.getByText('The receiver may be delaying it.').waitFor();
      await page
        .getByRole('dialog')
        .getByText(`${100 + FEE_LIMIT_SATS} sats`)
        .waitFor();
      const spendable = page.locator('dt', { hasText: 'Spendable' }).locator('xpath=following-sibling::dd');
      await expect.poll(() => spendable.textContent()).toContain(`${900 - FEE_LIMIT_SATS} sats`);
      await page.reload();
      await page.getByText('The receiver may be delaying it.').waitFor();
      await client.decideHold(paymentHash, 'settle');
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('that the receiver cancels is reported as not paid, with its hold released', async () => {
      const wallet = await client.wallet(1000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, hold: true });
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
      await page.getByLabel('To', { exact: true }).fill(paymentRequest);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await page.getByText('The receiver may be delaying it.').waitFor();
      await client.decideHold(paymentHash, 'cancel');
      await page.getByText('Nothing was paid; the hold is released.').waitFor();
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(1000);
    });

    it('without a route says why, and is made with a higher fee limit', async () => {
      const wallet = await client.wallet(1000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 15_000 } });
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
      await page.getByLabel('To', { exact: true }).fill(paymentRequest);
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await page.getByText('No route to the receiver', { exact: true }).waitFor();
      await page.getByText('FAILURE_REASON_NO_ROUTE').waitFor();
      await page.getByRole('button', { name: 'Raise the limit' }).click();
      expect(await page.getByLabel('Fee limit').inputValue()).toBe('20');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await isSent(page);
      expect((await paymentsOf(wallet.id)).filter(({ status }) => status === 'settled')).toHaveLength(1);
      expect(await problems()).toEqual([]);
    });

    it('stays reviewed while the node is away, and is sent once it is back', async () => {
      const { page, wallet, send } = await openReview();
      net.down();
      try {
        await send.click();
        await page.getByText('Nothing was sent. You can send it again.').waitFor();
        await page.evaluate("dispatchEvent(new Event('online'))");
        await page.getByRole('dialog').getByText('The Lightning node does not answer.').waitFor();
        expect(await send.isDisabled()).toBe(true);
        expect(await paymentsOf(wallet.id)).toEqual([]);
      } finally {
        net.up();
      }
      await expect.poll(() => send.isEnabled()).toBe(true);
      await send.click();
      await isSent(page);
      await expectOnePayment(wallet.id);
    });

    it('that the service rejects says first that nothing was paid', async () => {
      const { page, wallet, send } = await openReview(900);
      const { id } = await client.post('/v1/wallet');
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: id, num_satoshis: 500 });
      await send.click();
      await page.getByText('Nothing was paid, and nothing is held.').waitFor();
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(500);
    });

    it('cannot be sent from a review of more than ten minutes ago', async () => {
      const { page, wallet, send } = await openReview();
      await changeAttempt(page, (attempt) => ({ ...attempt, createdAt: Number(attempt.createdAt) - 3_600_000 }));
      await page.reload();
      await page.getByText('more than ten minutes old').waitFor();
      expect(await send.isDisabled()).toBe(true);
      expect(await paymentsOf(wallet.id)).toEqual([]);
    });

    it('that never reached the service is not made later, and says that nothing was paid', async () => {
      const { page, wallet, send } = await openReview();
      await intercept(page, (route) => route.abort('connectionreset'));
      await send.click();
      await page.getByText('Outcome not known yet').waitFor();
      const address = page.url();
      // Another page of the dashboard does not continue the attempt.
      await page.goto('/settings');
      await page.unrouteAll();
      const longAgo = (ms: unknown) => Number(ms) - 3_600_000;
      await changeAttempt(page, ({ createdAt, firstSentAt, lastSentAt, ...attempt }) => ({
        ...attempt,
        createdAt: longAgo(createdAt),
        firstSentAt: longAgo(firstSentAt),
        lastSentAt: longAgo(lastSentAt),
      }));
      await page.goto(address);
      await page.getByText('The payment did not begin').waitFor();
      expect(await paymentsOf(wallet.id)).toEqual([]);
    });

    it('is found in the history when its address is opened in another browser', async () => {
      const { page, wallet, send } = await openReview();
      await send.click();
      await isSent(page);
      const other = await openLoggedIn(page.url().replace(client.url, ''));
      await isSent(other);
      await expectOnePayment(wallet.id);
    });

    it('is not shown at the address of another wallet', async () => {
      const { page } = await openReview();
      const other = await client.wallet(50);
      await page.goto(`/wallets/${other.id}/send${new URL(page.url()).search}`);
      await page.getByLabel('To', { exact: true }).waitFor();
      expect(await page.getByRole('button', { name: /^Send \d/ }).count()).toBe(0);
    });

    it('is not shown to another person who logs in in the same tab', async () => {
      const { page, send } = await openReview();
      const person = await newPerson();
      await page.context().clearCookies();
      await send.click();
      await page.getByText('Your session has ended').waitFor();
      await fillLogin(page, person);
      await page.getByRole('button', { name: 'Log in', exact: true }).waitFor({ state: 'detached' });
      expect(await page.getByRole('button', { name: /^Send \d/ }).count()).toBe(0);
    });

    it('between two wallets is made once, also when requests and responses are lost', async () => {
      const wallet = await client.wallet(1000);
      const other = await client.post('/v1/wallet', { user_label: 'Savings' });
      const page = await openLoggedIn(`/wallets/${wallet.id}/transfer`, { expected: EXPECTED });
      await page.getByLabel('Search by label').fill('savi');
      await page.getByLabel('Savings').first().check();
      await page.getByLabel('Amount').fill('100');
      await page.getByLabel('Memo').fill('for later');
      await page.getByRole('button', { name: 'Review' }).click();
      await intercept(page, async (route, count) => {
        if (count === 1) return route.abort('connectionreset');
        if (count > 3) return route.continue();
        await route.fetch();
        return route.abort('connectionreset');
      });
      await page.getByRole('button', { name: 'Send 100 sats' }).dblclick();
      await page.getByText('The other wallet has it.').waitFor();
      await expectOnePayment(wallet.id);
      expect((await client.get(`/v1/wallet/${other.id}`)).balance).toBe(100);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);

const INTERNAL_ERROR = {
  status: 500,
  contentType: 'application/json',
  body: '{"name":"Error","message":"An error inside Satchel.","code":0,"status":500,"type":"internal_error","request_id":"req"}',
};

/** Changes the stored attempt of the tab, such as its times. */
async function changeAttempt(page: Page, change: (attempt: Record<string, unknown>) => Record<string, unknown>) {
  const [name, text] = await page.evaluate(() => Object.entries(sessionStorage).find(([key]) => key.startsWith('attempt ')) ?? ['', '{}']);
  const changed = JSON.stringify(change(JSON.parse(text)));
  await page.evaluate(([key, value]) => sessionStorage.setItem(key, value), [name, changed] as const);
}
