import { randomUUID } from 'node:crypto';
import { beforeEach, expect, it } from 'vitest';
import { RemoteService } from '../lnurl/payee.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import cases from './cases/lnurl-pay-without-hash.json' with { type: 'json' };

const { step1, amountMsat, invoices } = cases;

onFakeNode(
  'a Lightning address whose invoice does not commit to the metadata',
  ({ client, net, problems }) => {
    const payee = RemoteService.ofSuite();
    let wallet: TestWallet;

    beforeEach(async () => {
      wallet ??= await client.wallet(10_000);
      payee.parameters = () => payee.payParameters(step1);
    });

    it.each(invoices)('is paid by every route when the invoice has $has', async ({ has: _, ...invoice }) => {
      payee.callback = () => ({ pr: net.outside.invoice({ amountMsat, ...invoice }).paymentRequest });
      const address = `x@${payee.host}`;
      const paid = await client.post(`/v1/wallet/${wallet.id}/lnurlp/pay`, { ln_address: address, amt_msat: amountMsat });
      expect(paid).toMatchObject({ num_msat: -amountMsat, status: 'settled', user_label: 'tips', passThru: { ln_address: address } });
      const withdrawn = await client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: payee.lnurl, num_msat: amountMsat });
      expect(withdrawn).toMatchObject({ num_msat: -amountMsat, status: 'settled' });
      const { body: payout } = await client.request('POST', `/v1/wallet/${wallet.id}/payouts`, {
        key: client.secretKey,
        json: { lines: [{ destination: address, num_msat: amountMsat }] },
        headers: { 'idempotency-key': randomUUID() },
      });
      const line = async () => (await client.get(`/v1/wallet/${wallet.id}/payouts/${payout.id}`)).lines[0];
      await expect.poll(line).toMatchObject({ status: 'paid', num_msat: amountMsat });
      expect(await problems()).toEqual([]);
    });

    it.each([amountMsat - 1, amountMsat + 1, undefined])('L1: is refused for an invoice of %s msat', async (other) => {
      payee.callback = () => ({
        pr: net.outside.invoice({ ...(other !== undefined && { amountMsat: other }), memo: 'tips' }).paymentRequest,
      });
      const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/lnurlp/pay`, {
        key: client.secretKey,
        json: { ln_address: `x@${payee.host}`, amt_msat: amountMsat },
      });
      expect(body).toMatchObject({ status: 400, type: 'lnurl_refused', message: expect.stringContaining('instead of 21000 msat') });
    });
  },
  { OUTBOUND_ALLOW: '127.0.0.1', PAYMENT_WAIT_SECONDS: '5' },
  { payouts: { pollMs: 10, retryMs: 20 } },
);
