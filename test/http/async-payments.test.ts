import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode(
  'X-LNPAY-ASYNC',
  (service) => {
    async function pay(value: string): Promise<{ status: number; paymentHash: string }> {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = service.net.outside.invoice({ amountMsat: 10_000, script: { hold: true } });
      const json = { payment_request: paymentRequest };
      const headers = { 'X-LNPAY-ASYNC': value };
      const response = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: wallet.admin, json, headers });
      return { status: response.status, paymentHash };
    }

    it.each(['1', 'true', 'YES'])(
      'returns 202 right after the hold for %s',
      async (value) => {
        const { status, paymentHash } = await pay(value);
        expect(status).toBe(202);
        await service.client.decideHold(paymentHash, 'settle');
      },
      60_000,
    );

    it.each(['0', 'False'])('waits for the outcome for %s', async (value) => {
      const wallet = await service.client.wallet(1000);
      const { paymentRequest, paymentHash } = service.net.outside.invoice({ amountMsat: 10_000, script: { hold: true } });
      const headers = { 'X-LNPAY-ASYNC': value };
      const json = { payment_request: paymentRequest };
      const paying = service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: wallet.admin, json, headers });
      await service.client.decideHold(paymentHash, 'settle');
      expect(await paying).toMatchObject({ status: 201, body: { status: 'settled' } });
      expect(await service.problems()).toEqual([]);
    });
  },
  // Longer than the timeout of a test that expects 202.
  { PAYMENT_WAIT_SECONDS: '110' },
);
