import { createHmac } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { accept, startReceiver } from './receiver.ts';
import { FAST, LOCAL } from './timing.ts';

onFakeNode(
  'a webhook',
  ({ client }) => {
    const receiver = startReceiver();

    it('W1 W4: gets each event once, in order, with signatures over the raw bytes', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const { id, secret, ...made } = await client.post('/v1/webhooks', { url: receiver.url(), user_label: 'shop' });
      expect(made).toMatchObject({ status: 'active', event_types: null, wallet_id: null, url: receiver.url() });
      for (let i = 1; i <= 5; i++) await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: i });
      await expect.poll(() => receiver.accepted().length).toBe(10);
      const log = await client.get(`/v1/events?after=${(await client.get('/v1/events?type=wallet_receive')).at(-1).id}`);
      const strip = (events: { data: { wtx?: object } }[]) =>
        events.map((event) => ({ ...event, data: { wtx: { ...event.data.wtx, wal: 0 } } }));
      const byId = receiver.accepted().toSorted((x, y) => (x.id < y.id ? -1 : 1));
      expect(strip(byId)).toEqual(strip(log.filter(({ event }: { event: { name: string } }) => event.name.startsWith('wallet_transfer'))));
      for (const { headers, raw, event } of receiver.received) {
        expect(new Webhook(secret).verify(raw, headers as Record<string, string>)).toEqual(event);
        expect(headers['webhook-id']).toBe(event.id);
        const signed = `${event.id}.${headers['webhook-timestamp']}.${raw}`;
        const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
        expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(signed).digest('base64')}`);
        expect(headers['x-lnpay-signature']).toBe(createHmac('sha256', secret).update(raw).digest('hex'));
        expect(headers).toMatchObject({ 'x-lnpay-event': event.event.name, 'x-lnpay-hookid': id });
      }
      await expect.poll(async () => (await client.get(`/v1/webhooks/${id}/deliveries?status=delivered`)).length).toBe(10);
      const deliveries = await client.get(`/v1/webhooks/${id}/deliveries`);
      expect(deliveries).toHaveLength(10);
      expect(deliveries[0]).toMatchObject({ status: 'delivered', attempts: 1, log: [{ status_code: 200, error: null, response: 'ok' }] });
      expect(await client.get(`/v1/webhooks/${id}`)).toMatchObject({ waiting: 0, consecutive_failures: 0 });
    });

    it('shows a first attempt that is running as queued, and the delivery after it as one that waits for it', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      const first = Promise.withResolvers<void>();
      receiver.respond = (received, response) => void first.promise.then(() => accept(received, response));
      const { id } = await client.post('/v1/webhooks', { url: receiver.url('/slow'), wallet_id: a.id });
      const transfer = () => client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 1 });
      const stored = async () =>
        (await client.get(`/v1/webhooks/${id}/deliveries?order=asc`)).map((one: Json) => [
          one.status,
          one.next_attempt_at,
          one.waits_for_earlier,
        ]);
      await transfer();
      await expect.poll(() => receiver.received.filter(({ path }) => path === '/slow').length).toBe(1);
      expect(await stored()).toEqual([['queued', null, false]]);
      await transfer();
      await expect.poll(stored).toEqual([
        ['queued', null, false],
        ['queued', null, true],
      ]);
      first.resolve();
      await expect.poll(stored).toEqual([
        ['delivered', null, false],
        ['delivered', null, false],
      ]);
    });
  },
  LOCAL,
  FAST,
);
