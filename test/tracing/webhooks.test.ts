import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { startReceiver } from '../webhooks/receiver.ts';
import { FAST, LOCAL } from '../webhooks/timing.ts';

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

onFakeNode(
  'webhooks of a service without an SDK of OpenTelemetry',
  (service) => {
    const { client, neighbour, net } = service;
    const receiver = startReceiver();
    const received = () => receiver.received.map(({ event, headers }) => [event.event.name, headers.traceparent]);

    it('get the traceparent of the request that created the payment, invoice or transfer, also after a restart', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const { id } = await client.post('/v1/webhooks', { url: receiver.url() });
      await client.request('PATCH', `/v1/webhooks/${id}`, { key: client.secretKey, json: { status: 'paused' } });
      const post = (path: string, json: object, headers = { traceparent }) =>
        client.request('POST', `/v1/wallet/${a.id}/${path}`, { key: client.secretKey, json, headers });
      await post('transfer', { dest_wallet_id: b.id, num_satoshis: 1 });
      const { body: invoice } = await post('invoice', { num_satoshis: 2 });
      await post('withdraw', { payment_request: net.outside.invoice({ amountMsat: 3000 }).paymentRequest });
      await post('transfer', { dest_wallet_id: b.id, num_satoshis: 4 }, { traceparent: traceparent.replace(/1$/, '0') });
      await post('transfer', { dest_wallet_id: b.id, num_satoshis: 5 }, { traceparent: `${traceparent}x` });
      await net.outside.pay({ paymentRequest: invoice.payment_request });
      await expect.poll(async () => (await client.get(`/v1/lntx/${invoice.id}`)).settled).toBe(1);
      await service.restart();
      await client.request('PATCH', `/v1/webhooks/${id}`, { key: client.secretKey, json: { status: 'active' } });
      await expect.poll(() => received().length).toBe(9);
      expect(received().toSorted()).toEqual(
        [
          ['invoice_created', traceparent],
          ['wallet_receive', traceparent],
          ['wallet_send', traceparent],
          ...Array.from({ length: 3 }, (_, index) => ['wallet_transfer_in', index === 0 ? traceparent : undefined]),
          ...Array.from({ length: 3 }, (_, index) => ['wallet_transfer_out', index === 0 ? traceparent : undefined]),
        ].toSorted(),
      );
    });

    it('do not get the traceparent of another account’s payment', async () => {
      const before = receiver.received.length;
      const payee = await client.wallet();
      const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 7 });
      const payer = await neighbour.wallet();
      const funding = await neighbour.post(`/v1/wallet/${payer.id}/invoice`, { num_satoshis: 100 });
      await net.outside.pay({ paymentRequest: funding.payment_request });
      await expect.poll(async () => (await neighbour.get(`/v1/wallet/${payer.id}`)).balance).toBe(100);
      const json = { payment_request };
      const { status } = await neighbour.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: neighbour.secretKey,
        json,
        headers: { traceparent },
      });
      expect(status).toBe(201);
      await expect
        .poll(() =>
          received()
            .slice(before)
            .some(([name]) => name === 'wallet_receive'),
        )
        .toBe(true);
      expect(
        received()
          .slice(before)
          .map(([, trace]) => trace),
      ).not.toContain(traceparent);
    });
  },
  LOCAL,
  FAST,
);
