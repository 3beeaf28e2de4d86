import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { msat } from '../../src/core/kernel/money.ts';
import { paymentHashOf } from '../../src/core/lightning/payment-hash.ts';
import { unmatchedMoney } from '../operator/unmatched-money.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard(
  'the pages for operators',
  (service) => {
    const { client, net, openLoggedIn, open, logIn, newPerson, reconcileAll } = service;
    const wallet = (id: string) => client.get(`/v1/wallet/${id}?fields=balance_msat,pending_msat`);

    /** Sends a payment that stays pending. */
    async function pendingPayment(script: object) {
      const payer = await client.namedWallet('Vending machine 3', 1_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, script: { fee: 0, ...script } });
      const json = { payment_request: paymentRequest, fee_limit_msat: 10_000 };
      const headers = { prefer: 'respond-async' };
      const { body } = await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
      await expect.poll(() => net.state().outgoing[body.lnTx.id]?.outcome.state).toBe('pending');
      return { id: body.lnTx.id as string, walletId: payer.id, paymentHash };
    }

    it('show what the nodes hold and what is owed, with a chart after a reconciliation', async () => {
      await client.wallet(4_321);
      await reconcileAll();
      const page = await openLoggedIn('/operator');
      await page.getByText('Nodes have, sats').first().waitFor();
      await page.getByText(/ to \d+ wallets?, including .* in flight/).waitFor();
      await page.getByRole('slider', { name: /^Owed over 30 days, at the last sample .* sats$/ }).waitFor();
      await page
        .getByRole('slider', { name: /^Cover over 30 days, lowest [\d\s]+\.\d\d, highest [\d\s]+\.\d\d, never below 1$/ })
        .waitFor();
      await page.getByRole('button', { name: '7 d' }).click();
      await page.waitForURL('**/operator?period=week');
      await page.getByText('Ready').waitFor();
    });

    it('list what the checks found, and count only checks that passed', async () => {
      const found = [
        { status: 'fail', subject: 'node', text: 'hub does not answer', remedy: 'Check LIGHTNING_URL.' },
        { status: 'ok', subject: 'files', text: 'only their owner can read DATA_DIR and its secrets', remedy: null },
      ];
      const page = await openLoggedIn('/wallets');
      let numFound = 1;
      await page.route('**/v1/operator/checks', (route) => route.fulfill({ json: found.slice(0, numFound) }));
      await page.goto('/operator');
      await page.getByText('Check LIGHTNING_URL.').waitFor();
      expect(await page.getByText(/checks? (is|are) fine/).count()).toBe(0);
      numFound = 2;
      await page.reload();
      await page.getByText('1 check passed').waitFor();
    });

    it('do not end a payment without evidence, and say why', async () => {
      const { walletId, paymentHash } = await pendingPayment({ hold: true });
      const page = await openLoggedIn('/operator');
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText(/^Node reports: pending/).waitFor();
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByLabel('Reason').fill('no channel carries it');
      await page.getByRole('button', { name: 'Resolve as failed' }).click();
      await page.getByRole('alert').filter({ hasText: 'do not prove a failure' }).waitFor();
      expect(await wallet(walletId)).toEqual({ balance_msat: 490_000, pending_msat: 510_000 });
      net.outside.resolveHold(paymentHash, 'cancel');
      await page.getByRole('button', { name: 'Close' }).click();
      await page.getByText('No stuck payments').waitFor({ timeout: 150_000 });
    });

    it('refund a payment once the node proves that it failed', async () => {
      const { walletId } = await pendingPayment({ stuck: true });
      const page = await openLoggedIn('/operator');
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByLabel('Reason').fill('no channel carries it');
      await page.getByRole('button', { name: 'Resolve as failed' }).dblclick();
      await page.getByText('No stuck payments').waitFor({ timeout: 150_000 });
      expect(await wallet(walletId)).toEqual({ balance_msat: 1_000_000, pending_msat: 0 });
    });

    it('need the preimage to settle a payment', async () => {
      const { paymentHash } = await pendingPayment({ hold: true });
      const page = await openLoggedIn('/operator');
      await page.getByRole('button', { name: 'Resolve', exact: true }).click();
      await page.getByLabel('Reason').fill('the receiver has it');
      await page.getByRole('group', { name: 'Outcome' }).getByRole('button', { name: 'Settled' }).click();
      const book = page.getByRole('button', { name: 'Resolve as settled' });
      expect(await book.isDisabled()).toBe(true);
      await page.getByLabel('Preimage').fill('ab'.repeat(32));
      await book.click();
      await page.getByRole('alert').filter({ hasText: 'not that of the payment' }).waitFor();
      net.outside.resolveHold(paymentHash, 'cancel');
    });

    it('credit money in suspense to a wallet, once', async () => {
      await unmatchedMoney(service, 1_500_000);
      const { id } = await client.wallet(0);
      const page = await openLoggedIn('/operator');
      await page.getByRole('button', { name: 'Credit a wallet' }).click();
      await page.getByLabel('Wallet id').fill('wal_0');
      await page.getByLabel('Reason').fill('the payer called');
      const credit = page.getByRole('button', { name: 'Credit 1\u202f500 sats' });
      await credit.click();
      await page.getByRole('alert').filter({ hasText: 'no wallet' }).waitFor();
      await page.getByLabel('Wallet id').fill(id);
      await credit.dblclick();
      await page.getByText('Nothing in suspense').waitFor();
      expect(await wallet(id)).toEqual({ balance_msat: 1_500_000, pending_msat: 0 });
    });

    it('return money in suspense to its payer', async () => {
      await unmatchedMoney(service, 2_000_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 2_000_000, script: { fee: 0 } });
      const page = await openLoggedIn('/operator');
      await page.getByRole('button', { name: 'Return', exact: true }).click();
      await page.getByLabel('Invoice (BOLT11)').fill(paymentRequest);
      await page.getByLabel('Reason').fill('sent by mistake');
      await page.getByRole('button', { name: 'Pay the invoice' }).click();
      await page.getByText('Nothing in suspense').waitFor();
      expect(net.state().outsideInvoices[paymentHash]?.state).toBe('settled');
    });

    it('settle a held payment that the ledger does not know, with its preimage, and cancel another', async () => {
      const held = async (description: string) => {
        const preimage = randomBytes(32).toString('hex');
        const order = { paymentHash: paymentHashOf(preimage), amountMsat: msat(1_250_000), description, expirySeconds: 600 };
        await net.outside.pay(await net.connect().createHoldInvoice(order));
        return { preimage, paymentHash: order.paymentHash };
      };
      const { preimage } = await held('swap 12');
      await held('swap 13');
      const page = await openLoggedIn('/operator');
      const card = page.locator('section', { hasText: 'Held payments that the ledger does not know' });
      const row = (memo: string) => card.locator('.padded', { hasText: memo });
      await row('swap 12').getByRole('button', { name: 'Settle' }).click();
      const settle = page.getByRole('button', { name: 'Settle 1\u202f250 sats' });
      await page.getByLabel('Reason').fill('the preimage of ticket 12');
      expect(await settle.isDisabled()).toBe(true);
      await page.getByLabel('Preimage').fill('ab'.repeat(32));
      await settle.click();
      await page.getByRole('alert').filter({ hasText: 'preimage' }).waitFor();
      await page.getByLabel('Preimage').fill(preimage);
      await settle.click();
      await row('swap 12').waitFor({ state: 'detached' });
      await row('swap 13').getByRole('button', { name: 'Cancel' }).click();
      await page.getByLabel('Reason').fill('its preimage is lost');
      await page.getByRole('button', { name: 'Return the money' }).click();
      await card.waitFor({ state: 'detached' });
      const states = net.outside
        .payments()
        .slice(-2)
        .map(({ state }) => state);
      expect(states).toEqual(['succeeded', 'failed']);
      await expect.poll(() => service.suspenseMsat()).toBe(1_250_000);
      const [{ id: hash }] = await client.get('/v1/operator/suspense');
      await client.post(`/v1/operator/suspense/${hash}/credit`, { wallet_id: (await client.wallet(0)).id, reason: 'a test' });
    });

    it('say the number of open alerts in the navigation, and close an alert with a reason', async () => {
      const { paymentHash } = await pendingPayment({ hold: true });
      await reconcileAll();
      const page = await openLoggedIn('/operator');
      await page.getByRole('link', { name: /Overview.*open alert/ }).waitFor();
      const alerts = page.getByRole('region', { name: 'Alerts' }).locator('.alert');
      await alerts.first().waitFor();
      const count = await alerts.count();
      await alerts.first().getByRole('button', { name: 'Close', exact: true }).click();
      await page.getByLabel('Reason').fill('the node is replaced');
      await page.getByRole('dialog').getByRole('button', { name: 'Close alert' }).click();
      await expect.poll(() => alerts.count()).toBe(count - 1);
      net.outside.resolveHold(paymentHash, 'cancel');
    });

    it('describe an alert in a sentence, and lead to the payment that it is about', async () => {
      const { id, paymentHash } = await pendingPayment({ hold: true });
      await reconcileAll();
      const page = await openLoggedIn('/operator');
      const alert = page.getByRole('region', { name: 'Alerts' }).locator('.alert').filter({ hasText: 'Vending machine 3' });
      await alert.getByText(/^A payment has been pending for (\d+ h )?\d+ min\.$/).waitFor();
      expect(await alert.textContent()).toContain('500 sats of Vending machine 3.');
      expect(await alert.textContent()).not.toMatch(/wal_|lntx_|msat/);
      await alert.getByRole('link', { name: 'Show payment' }).click();
      await page.waitForURL(`**/operator/payments/${id}`);
      await page.getByText(paymentHash).waitFor();
      await page.getByRole('button', { name: 'Ask again' }).waitFor();
      net.outside.resolveHold(paymentHash, 'cancel');
    });

    it('do not exist for a member', async () => {
      const page = await open();
      await logIn(page, await newPerson());
      for (const path of [
        '/operator',
        '/operator/channels',
        '/operator/reconciliation',
        '/operator/proofs',
        '/operator/instances',
        '/operator/limits',
      ]) {
        await page.goto(path);
        await page.getByRole('heading', { name: 'Page not found' }).first().waitFor();
      }
      expect(await page.getByRole('link', { name: /Overview/ }).count()).toBe(0);
    });
  },
  { STUCK_PAYMENT_SECONDS: '0' },
);
