import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { encodeBolt11, ordinaryFields } from '../../devnet/fake/bolt11-encoder.ts';
import { onDashboard } from '../support/dashboard.ts';

onDashboard(
  'sending',
  ({ client, net, openLoggedIn }) => {
    async function openSend(sats = 1000) {
      const wallet = await client.wallet(sats);
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`);
      return { wallet, page, to: page.getByLabel('To', { exact: true }) };
    }
    const isSent = (page: Page) => page.getByText('The receiver has it.').waitFor();

    it('shows what an invoice is, for what and to whom, before anything is sent', async () => {
      const { page, to } = await openSend();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 420_000, memo: 'Roastery, invoice 2231' });
      await to.fill(paymentRequest);
      await page.getByText('Lightning invoice', { exact: true }).waitFor();
      await page.getByText('420 sats').waitFor();
      await page.getByText('Roastery, invoice 2231').waitFor();
      expect(await page.getByLabel('Fee limit').inputValue()).toBe('21');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByText('441 sats').waitFor();
      await page.getByText('Leaves 559 sats spendable now.').waitFor();
      await page.getByRole('button', { name: 'Back' }).click();
      expect(await to.inputValue()).toBe(paymentRequest);
    });

    it('pays an invoice without an amount, of the entered amount and with the entered fee limit', async () => {
      const { page, to, wallet } = await openSend();
      await to.fill(net.outside.invoice({}).paymentRequest);
      await page.getByLabel('Amount').fill('250');
      await page.getByLabel('Fee limit').fill('0');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 250 sats' }).click();
      await isSent(page);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(750);
    });

    it('shows the routing fee that the node expects, or that it knows no route', async () => {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}/send`, { expected: [/status of 400/, /^response: 400/] });
      const expected = page.locator('dt', { hasText: 'Expected routing fee' }).locator('xpath=following-sibling::dd');
      const review = async (destination: string) => {
        await page.getByLabel('To', { exact: true }).fill(destination);
        await page.getByLabel('Amount').fill('420');
        await page.getByRole('button', { name: 'Review' }).click();
      };
      const { nodes } = await client.get('/playground');
      const carol = nodes.find(({ name }: { name: string }) => name === 'carol').pubkey;
      const { routes } = await client.get(`/v1/node/default/payments/queryroutes?pub_key=${carol}&amt=420`);
      await review(carol);
      await expect.poll(() => expected.textContent()).toBe(`about ${Number(routes[0].totalFeesMsat) / 1000}`);
      await page.getByRole('button', { name: 'Back' }).click();
      await review(`02${'79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798'}`);
      await expect.poll(() => expected.textContent()).toBe('not known');
      await page.getByRole('button', { name: 'Send 420 sats' }).waitFor();
    });

    it('says what is wrong with an invoice: expired, of another network, damaged', async () => {
      const { page, to } = await openSend();
      const draft = {
        amountMsat: 1000,
        fields: ordinaryFields({ paymentHash: 'ab'.repeat(32), paymentSecret: 'cd'.repeat(32), description: 'old' }),
        privateKey: '01'.repeat(32),
      };
      const now = Math.floor(Date.now() / 1000);
      await to.fill(encodeBolt11({ ...draft, network: 'regtest', timestamp: now - 3601 }));
      await page.getByText('The invoice has expired.').waitFor();
      await to.fill(encodeBolt11({ ...draft, network: 'bitcoin', timestamp: now }));
      await page.getByText('The invoice is for bitcoin, this service is on regtest.').waitFor();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
      await to.fill(paymentRequest.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')));
      await page.getByText('The invoice cannot be read.').waitFor();
      expect(await page.getByRole('button', { name: 'Review' }).count()).toBe(0);
    });

    it('refuses an invoice of the wallet itself, and one that the wallet has paid', async () => {
      const { page, to, wallet } = await openSend();
      const own = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
      await to.fill(own.payment_request);
      await page.getByText('A wallet cannot pay itself.').waitFor();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 10_000 });
      await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
      await to.fill(paymentRequest);
      await page.getByText('This wallet has already paid this invoice.').waitFor();
    });

    it('refuses more than the wallet has', async () => {
      const { page, to } = await openSend(1000);
      await to.fill(net.outside.invoice({ amountMsat: 1_001_000 }).paymentRequest);
      await page.getByText('That is more than the 952 sats').waitFor();
      expect(await page.getByRole('button', { name: 'Review' }).isDisabled()).toBe(true);
    });

    it('offers the most that can be paid in place of too much', async () => {
      const { page, to } = await openSend(1000);
      await to.fill(net.outside.invoice({}).paymentRequest);
      await page.getByLabel('Amount').fill('2 000');
      await page.getByRole('button', { name: 'Use 952' }).click();
      expect(await page.getByLabel('Amount').inputValue()).toBe('952');
      await page.getByLabel('Amount').press('Enter');
      await page.getByRole('button', { name: 'Send 952 sats' }).waitFor();
    });

    it('keeps the keyboard in the sheet, and gives it back', async () => {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}`);
      await page.getByRole('link', { name: 'Send' }).press('Enter');
      await page.getByLabel('To', { exact: true }).fill(net.outside.invoice({ amountMsat: 5000 }).paymentRequest);
      await page.getByRole('button', { name: 'Review' }).waitFor();
      await page.getByLabel('To', { exact: true }).press('Enter');
      await page.getByRole('button', { name: 'Send 5 sats' }).waitFor();
      expect(await page.evaluate("document.activeElement.closest('dialog') !== null")).toBe(true);
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await isSent(page);
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(await page.evaluate('document.activeElement.textContent')).toBe('Send');
    });

    it('pays a Lightning address with a comment', async () => {
      const payee = await client.post('/v1/wallet');
      const link = { lnurlp_identifier: 'tips', lnurlp_short_desc: 'Tips for the show', lnurlp_commentAllowed: 20 };
      const { ln_address } = await client.post(`/v1/wallet/${payee.id}/lnurlp`, link);
      const { page, to } = await openSend();
      await to.fill(ln_address);
      await page.getByText('Lightning address', { exact: true }).waitFor();
      await page.getByText('Tips for the show').waitFor();
      await page.getByLabel('Amount').fill('100');
      await page.getByLabel('Comment').fill('x'.repeat(21));
      await page.getByText('The comment is longer than').waitFor();
      await page.getByLabel('Comment').fill('great show');
      await page.getByRole('button', { name: 'Review' }).click();
      await page.getByRole('button', { name: 'Send 100 sats' }).click();
      await isSent(page);
      const [received] = await client.get(`/v1/wallet/${payee.id}/transactions`);
      expect(received).toMatchObject({ num_satoshis: 100, passThru: { comment: 'great show' } });
    });

    it('shows what a withdraw link pays, from whom and how much, before it is claimed', async () => {
      const payer = await client.wallet(500);
      const { lnurl } = await client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
      const { page, to } = await openSend(0);
      const urls: string[] = [];
      page.on('request', (request) => urls.push(request.url()));
      await to.fill(lnurl);
      await page.getByText('The link pays 1 to 300 sats.').first().waitFor();
      await page.getByText('gift').waitFor();
      await page.getByText(new URL(client.url).host).waitFor();
      expect(await page.getByLabel('Amount to receive').inputValue()).toBe('300');
      await page.getByRole('heading', { name: 'Claim' }).waitFor();
      await page.getByLabel('Amount to receive').fill('100');
      await page.getByText('The other 200 sats of the link may be lost').waitFor();
      await page.getByLabel('Amount to receive').fill('301');
      await expect.poll(() => page.getByRole('button', { name: 'Receive 301 sats' }).isDisabled()).toBe(true);
      await client.post('/playground/claim', { lnurl });
      await page.getByLabel('Link', { exact: true }).fill('');
      await to.fill(lnurl);
      await page.getByText('This withdraw link has been used').waitFor();
      // Proxies log URLs, and the holder of the link can withdraw.
      expect(urls.filter((url) => /lnurlw\/probe$/.test(url)).length).toBeGreaterThan(1);
      expect([...urls, page.url()].filter((url) => url.toLowerCase().includes(lnurl.toLowerCase()))).toEqual([]);
    });

    it('recognizes a withdraw link and offers to receive from it', async () => {
      const payer = await client.wallet(500);
      const { lnurl } = await client.post(`/v1/wallet/${payer.id}/lnurl/withdraw`, { num_satoshis: 300, memo: 'gift' });
      const { page, to, wallet } = await openSend(0);
      await to.fill(lnurl);
      await page.getByText('Withdraw link', { exact: true }).waitFor();
      await page.getByLabel('Amount to receive').fill('300');
      await page.getByRole('button', { name: 'Receive 300 sats' }).click();
      await page.getByRole('dialog').getByRole('status').filter({ hasText: 'Paid' }).waitFor();
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(300);
    });

    it('opens with what was pasted outside a field, which neither the address nor the history contains', async () => {
      const wallet = await client.wallet(1000);
      const page = await openLoggedIn(`/wallets/${wallet.id}`);
      await page.getByRole('link', { name: 'Send' }).waitFor();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 420_000 });
      await paste(page, 'no invoice');
      await paste(page, paymentRequest);
      await page.waitForURL(`**/wallets/${wallet.id}/send`);
      await page.getByText('Lightning invoice', { exact: true }).waitFor();
      expect(await page.getByLabel('To', { exact: true }).inputValue()).toBe(paymentRequest);
      expect(await page.evaluate('history.state')).toBe(null);
      await page.goBack();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1' },
);

async function paste(page: Page, text: string): Promise<void> {
  await page.evaluate(
    `const data = new DataTransfer();
     data.setData('text/plain', ${JSON.stringify(text)});
     document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true }));`,
  );
}
