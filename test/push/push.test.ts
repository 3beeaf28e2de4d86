import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client } from '../support/client.ts';
import { newBrowser, type Pushed, readAuthorization, startPushService } from './browser.ts';

const TIMING = { push: { retryMs: 20, timeoutMs: 500 } };

onFakeNode(
  'notifications of payments',
  ({ client, neighbour, net, rows }) => {
    const service = startPushService();
    let count = 0;

    async function subscribe(by: Client = client, more: object = {}) {
      const browser = await newBrowser();
      const path = `/browser/${++count}`;
      const { p256dh, auth } = browser;
      const json = { endpoint: service.url(path), p256dh, auth, ...more };
      const { id } = await by.post('/v1/push-subscriptions', json);
      const read = async (pushed: Pushed) => JSON.parse(await browser.decrypt(pushed.body));
      return { id, path, json, read: async () => Promise.all(service.to(path).map(read)) };
    }

    async function pay(by: Client, walletId: string, sats: number) {
      const { payment_request: paymentRequest } = await by.post(`/v1/wallet/${walletId}/invoice`, { num_satoshis: sats });
      await net.outside.pay({ paymentRequest });
    }

    it('reach the browsers of the account, encrypted and signed', async () => {
      const wallet = await client.wallet();
      const [phone, desk, other] = [await subscribe(client, { language: 'de' }), await subscribe(), await subscribe(neighbour)];
      await pay(client, wallet.id, 4200);
      await expect.poll(phone.read).toHaveLength(1);
      await expect.poll(desk.read).toHaveLength(1);
      const [transaction] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
      const message = { type: 'paid', msat: 4_200_000, wallet: wallet.id, name: transaction.wal.user_label, transaction: transaction.id };
      expect(await phone.read()).toEqual([{ ...message, language: 'de' }]);
      expect(await desk.read()).toEqual([{ ...message, language: 'en' }]);
      expect(await other.read()).toEqual([]);

      const [pushed] = service.to(phone.path);
      expect(pushed?.headers).toMatchObject({
        'content-encoding': 'aes128gcm',
        urgency: 'high',
        ttl: expect.stringMatching(/^86[34]\d\d$/),
      });
      const { claims, key } = await readAuthorization(pushed?.headers.authorization ?? '');
      expect([claims.aud, key]).toEqual([new URL(service.url('/')).origin, (await client.get('/v1/push')).public_key]);
      const stored = await rows('SELECT sealed, key_id FROM push_subscription');
      expect(Buffer.from(stored[0]?.sealed as Uint8Array).includes('127.0.0.1')).toBe(false);
    });
  },
  {},
  TIMING,
);
