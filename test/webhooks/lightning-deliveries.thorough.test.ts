import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'the deliveries of one payment or invoice',
  ({ client, neighbour, net, problems }) => {
    const receiver = startReceiver();
    const send = (path: string, key = client.secretKey) => client.request('GET', path, { key });
    const hook = async (path: string, fields = {}): Promise<string> =>
      (await client.post('/v1/webhooks', { url: receiver.url(path), ...fields })).id;
    const deliveries = (id: string): Promise<Json[]> => client.get(`/v1/lntx/${id}/deliveries`);
    const remove = (id: string) => client.request('DELETE', `/v1/webhooks/${id}`, { key: client.secretKey });
    const namesTo = async (id: string, webhookId: string) =>
      (await deliveries(id)).filter(({ webhook_id }) => webhook_id === webhookId).map(({ event_name, status }) => [event_name, status]);

    async function pay(walletId: string): Promise<Json> {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
      return (await client.post(`/v1/wallet/${walletId}/withdraw`, { payment_request: paymentRequest })).lnTx;
    }

    it('lists the deliveries of a payment to all webhooks of the account, also those that failed', async () => {
      const wallet = await client.wallet(1000);
      const [works, fails] = [await hook('/works'), await hook('/fails')];
      receiver.respond = ({ path }, response) => response.writeHead(path === '/fails' ? 503 : 200).end();
      const [paid, other] = [await pay(wallet.id), await pay(wallet.id)];
      await expect.poll(() => namesTo(paid.id, works)).toEqual([['wallet_send', 'delivered']]);
      await expect.poll(() => namesTo(paid.id, fails)).toEqual([['wallet_send', 'retrying']]);
      const idsOf = (listed: readonly Json[]) => listed.map(({ id }) => id);
      expect(idsOf(await deliveries(paid.r_hash_decoded))).toEqual(idsOf(await deliveries(paid.id)));
      const failed = async () => (await deliveries(paid.id)).find(({ webhook_id }) => webhook_id === fails);
      const { id } = (await failed()) as Json;
      // Null while the next attempt is running.
      await expect.poll(async () => (await failed())?.next_attempt_at).toEqual(expect.any(Number));
      const read = await client.get(`/v1/webhooks/${fails}/deliveries/${id}`);
      expect(read).toMatchObject({ id, wallet_id: wallet.id, status: 'retrying' });
      expect(read.log[0]).toMatchObject({ status_code: 503 });
      await expect.poll(async () => (await deliveries(other.id)).length).toBeGreaterThan(0);
      const ids = new Set((await deliveries(paid.id)).map(({ event_id }) => event_id));
      expect((await deliveries(other.id)).filter(({ event_id }) => ids.has(event_id))).toEqual([]);
      for (const one of [works, fails]) await remove(one);
      expect(await deliveries(paid.id)).toEqual([]);
    });

    it('lists the deliveries of an invoice from its creation to its payment', async () => {
      const id = await hook('/invoice');
      const wallet = await client.wallet();
      const made: Json = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
      await client.post('/playground/pay', { payment_request: made.payment_request });
      await expect
        .poll(() => namesTo(made.id, id))
        .toEqual([
          ['wallet_receive', 'delivered'],
          ['invoice_created', 'delivered'],
        ]);
      await remove(id);
    });

    it('lists redeliveries and replays of a payment, newest first, in pages', async () => {
      const wallet = await client.wallet(1000);
      const from = (await client.get('/v1/events')).at(-1).id;
      const id = await hook('/again', { wallet_id: wallet.id });
      const { id: paid } = await pay(wallet.id);
      await expect.poll(async () => (await deliveries(paid)).length).toBe(1);
      const [first] = await deliveries(paid);
      await client.post(`/v1/webhooks/${id}/deliveries/${first?.id}/redeliver`);
      await client.post(`/v1/webhooks/${id}/replay`, { after: from });
      await expect.poll(async () => (await deliveries(paid)).map(({ status }) => status)).toEqual(['delivered', 'delivered', 'delivered']);
      const all = (await deliveries(paid)).map((one) => one.id);
      expect(all.at(-1)).toBe(first?.id);
      const page = await send(`/v1/lntx/${paid}/deliveries?per-page=2`);
      expect(page.body.map((one: Json) => one.id)).toEqual(all.slice(0, 2));
      expect(page.headers.get('link')).toContain(`after=${all[1]}`);
      expect((await client.get(`/v1/lntx/${paid}/deliveries?per-page=2&after=${all[1]}`)).map((one: Json) => one.id)).toEqual(all.slice(2));
      for (const after of ['whd_nothing', paid])
        expect(await send(`/v1/lntx/${paid}/deliveries?after=${after}`)).toMatchObject({
          status: 400,
          body: { type: 'validation_failed' },
        });
      await remove(id);
    });

    it('shows the deliveries of a payment only to keys of the account', async () => {
      const wallet = await client.wallet(1000);
      const { id } = await pay(wallet.id);
      const path = `/v1/lntx/${id}/deliveries`;
      expect((await send(path)).body).toEqual([]);
      for (const key of [wallet.admin, wallet.read, client.publicKey]) expect((await send(path, key)).status).toBe(403);
      expect((await neighbour.request('GET', path, { key: neighbour.secretKey })).status).toBe(404);
      expect((await send('/v1/lntx/lntx_0000000000000000000000/deliveries')).status).toBe(404);
      expect(await problems()).toEqual([]);
    });
  },
  LOCAL,
  FAST,
);
