import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import { loginTo, newLogin } from '../support/browser.ts';
import type { Client, Json } from '../support/client.ts';
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

    it('stop when the browser is unsubscribed, at the log-out, and while the account is frozen', async () => {
      const { id: accountId, browser } = await newLogin(client);
      const send = async (method: string, path: string, json?: object) => (await browser.send(method, path, json)).body;
      const asPerson = { ...client, post: (path: string, json?: unknown) => send('POST', path, json as object) } as Client;
      const wallet = await asPerson.post('/v1/wallet', { user_label: 'Till' });
      const second = await loginTo(client, accountId);
      const asSecond = {
        ...asPerson,
        post: async (path: string, json?: unknown) => (await second.browser.send('POST', path, json as object)).body,
      };
      const [left, removed, kept] = [await subscribe(asPerson), await subscribe(asSecond as Client), await subscribe(asSecond as Client)];
      expect((await second.browser.send('DELETE', `/v1/push-subscriptions/${removed.id}`)).status).toBe(200);
      await browser.send('DELETE', '/v1/session');
      await pay(asSecond as Client, wallet.id, 1000);
      await expect.poll(kept.read).toHaveLength(1);
      const setStatus = (status: string) =>
        client.request('PATCH', `/v1/accounts/${accountId}`, { key: client.secretKey, json: { status, reason: 'a test' } });
      const listed = async () =>
        (await second.browser.send('GET', '/v1/push')).body.subscriptions.filter(({ status }: Json) => status === 'active').length;
      expect((await setStatus('frozen')).status).toBe(200);
      expect(await listed()).toBe(0);
      expect((await setStatus('active')).status).toBe(200);
      expect(await listed()).toBe(1);
      await pay(asSecond as Client, wallet.id, 3000);
      await expect.poll(async () => (await kept.read()).map(({ msat }) => msat)).toEqual(expect.arrayContaining([1_000_000, 3_000_000]));
      expect([await left.read(), await removed.read()]).toEqual([[], []]);
    });

    it('end at a browser that its push service no longer has', async () => {
      const wallet = await client.wallet();
      const gone = await subscribe();
      service.respond = ({ path }) => (path === gone.path ? 410 : 201);
      const listed = async () => (await client.get('/v1/push')).subscriptions.map(({ id }: { id: string }) => id);
      expect(await listed()).toContain(gone.id);
      await pay(client, wallet.id, 100);
      await expect.poll(listed).not.toContain(gone.id);
    });

    it('do not report a transfer between wallets of the account', async () => {
      const [own, rich] = [await client.wallet(), await client.wallet(5000)];
      const phone = await subscribe();
      await client.post(`/v1/wallet/${rich.admin}/transfer`, { dest_wallet_id: own.id, num_satoshis: 700, memo: '' });
      await pay(client, own.id, 800);
      await expect.poll(async () => (await phone.read()).map(({ msat }) => msat)).toEqual([800_000]);
    });
  },
  {},
  TIMING,
);

onFakeNode('the browsers of an account', ({ client, neighbour, rows, execute }) => {
  const fields = async (path = `/${Math.random()}`) => {
    const { p256dh, auth } = await newBrowser();
    return { endpoint: `https://push.invalid${path}`, p256dh, auth };
  };
  const subscriptions = async (by = client) => (await by.get('/v1/push')).subscriptions;

  it('keep their id when they are renewed, and belong to the account that was last', async () => {
    const json = await fields('/shared');
    const first = await client.post('/v1/push-subscriptions', json);
    expect(first).toMatchObject({ push_service: 'https://push.invalid', language: 'en' });
    const renewed = await client.post('/v1/push-subscriptions', { ...json, language: 'es' });
    expect(renewed).toMatchObject({ id: first.id, language: 'es' });
    const taken = await neighbour.post('/v1/push-subscriptions', json);
    expect(taken.id).not.toBe(first.id);
    expect(await subscriptions()).toEqual([]);
    expect(await subscriptions(neighbour)).toEqual([taken]);
    const { status } = await client.request('DELETE', `/v1/push-subscriptions/${taken.id}`, { key: client.secretKey });
    expect(status).toBe(404);
  });

  it('are at most 20, of which the one that was renewed least recently is replaced', async () => {
    const added: string[] = [];
    for (let count = 0; count < 21; count++) added.push((await client.post('/v1/push-subscriptions', await fields())).id);
    expect((await subscriptions()).map(({ id }: { id: string }) => id)).toEqual(added.slice(1));
  });

  it('end 30 days after they were renewed', async () => {
    const { id } = await neighbour.post('/v1/push-subscriptions', await fields());
    await execute('UPDATE push_subscription SET renewed_at = renewed_at - 30 * 86400 WHERE id = $1', id);
    expect((await subscriptions(neighbour)).find((one: Json) => one.id === id).status).toBe('ended');
  });

  it('are stored without their address and keys in clear text', async () => {
    const { endpoint, p256dh, auth } = await fields('/secret-address');
    await client.post('/v1/push-subscriptions', { endpoint, p256dh, auth });
    const stored = (await rows('SELECT * FROM push_subscription'))
      .flatMap((row) => Object.values(row))
      .map((value) => Buffer.from(String(value instanceof Uint8Array ? Buffer.from(value).toString('latin1') : value)));
    for (const secret of ['secret-address', p256dh, auth]) expect(stored.filter((value) => value.includes(secret))).toEqual([]);
  });

  it.each([
    ['`endpoint`', { endpoint: 'http://push.invalid/x' }],
    ['`endpoint`', { endpoint: 'https://10.0.0.1/x' }],
    ['endpoint', { endpoint: `https://push.invalid/${'x'.repeat(2048)}` }],
    ['p256dh', { p256dh: 'short' }],
    ['`p256dh` and `auth`', { p256dh: 'B'.repeat(87) }],
    ['auth', { auth: '' }],
    ['language', { language: 'English' }],
  ])('are refused with a wrong %s', async (name, wrong) => {
    const json = { ...(await fields()), ...wrong };
    const { status, body } = await client.request('POST', '/v1/push-subscriptions', { key: client.secretKey, json });
    expect([status, body.type]).toEqual([400, 'validation_failed']);
    expect(body.message).toContain(name);
  });

  it('cannot be added or read with a key of a wallet', async () => {
    const wallet = await client.wallet();
    const json = await fields();
    for (const [method, path] of [
      ['GET', '/v1/push'],
      ['POST', '/v1/push-subscriptions'],
    ] as const)
      expect((await client.request(method, path, { key: wallet.admin, ...(method === 'POST' && { json }) })).status).toBe(403);
  });
});
