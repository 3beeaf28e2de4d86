import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { newBrowser, startPushService } from './browser.ts';

onFakeNode('notifications of several instances and starts', ({ client, net, restart, another }, dialect) => {
  const service = startPushService();

  async function subscribe(path: string) {
    const browser = await newBrowser();
    await client.post('/v1/push-subscriptions', { endpoint: service.url(path), p256dh: browser.p256dh, auth: browser.auth });
    return async () =>
      (await Promise.all(service.to(path).map(({ body }) => browser.decrypt(body)))).map((text) => JSON.parse(text).msat / 1000);
  }

  const invoiceOf = async (walletId: string, sats: number): Promise<string> =>
    (await client.post(`/v1/wallet/${walletId}/invoice`, { num_satoshis: sats })).payment_request;

  it('come once each, also for payments that arrive while the service is stopped', async () => {
    const wallet = await client.wallet();
    const received = await subscribe('/restarted');
    await net.outside.pay({ paymentRequest: await invoiceOf(wallet.id, 1) });
    await expect.poll(received).toEqual([1]);
    const paymentRequest = await invoiceOf(wallet.id, 2);
    await restart(() => net.outside.pay({ paymentRequest }).then(() => undefined));
    await expect.poll(received).toEqual([1, 2]);
    await net.outside.pay({ paymentRequest: await invoiceOf(wallet.id, 3) });
    await expect.poll(received).toEqual([1, 2, 3]);
  });

  if (dialect === 'postgres')
    it('come from one instance', async () => {
      const other = await another();
      const wallet = await client.wallet();
      const received = await subscribe('/several');
      for (const sats of [1, 2, 3, 4, 5]) {
        const by = sats % 2 === 0 ? other : client;
        const { payment_request: paymentRequest } = await by.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: sats });
        await net.outside.pay({ paymentRequest });
      }
      await expect.poll(async () => (await received()).toSorted()).toEqual([1, 2, 3, 4, 5]);
    });
});
