import type { CDPSession, Page, Worker } from 'playwright-core';
import { expect, it } from 'vitest';
import { newBrowser, startPushService, type TestBrowser } from '../push/browser.ts';
import { violationsInThemes } from '../support/axe.ts';
import type { Json } from '../support/client.ts';
import { onDashboard, type Person } from '../support/dashboard.ts';

const OPTIONS = { device: 'phone', context: { serviceWorkers: 'allow', reducedMotion: 'reduce' } } as const;

type Permission = 'granted' | 'denied' | 'default';

/** A notification, as the service worker has shown it. */
interface Shown {
  readonly title: string;
  readonly body: string;
  readonly lang: string;
  readonly data: unknown;
}

/**
 * Replaces the push service of the browser's maker, which tests cannot reach. `answer`: the answer of the person to the browser's question; Chromium
 * without a window never asks.
 */
async function usePushService(page: Page, { p256dh, auth }: TestBrowser, endpoint: string, answer: Permission): Promise<void> {
  const values = JSON.stringify({ endpoint, p256dh, auth, answer });
  await page.addInitScript(`
    const { endpoint, p256dh, auth, answer } = ${values};
    const bytes = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0)).buffer;
    const subscription = () => ({
      endpoint,
      options: { applicationServerKey: bytes(sessionStorage.getItem('test-key')) },
      getKey: (name) => bytes(name === 'auth' ? auth : p256dh),
      unsubscribe: async () => sessionStorage.removeItem('test-key'),
    });
    Object.assign(globalThis.PushManager?.prototype ?? {}, {
      getSubscription: async () => (sessionStorage.getItem('test-key') ? subscription() : null),
      subscribe: async ({ applicationServerKey, userVisibleOnly }) => {
        if (!userVisibleOnly) throw new Error('a notification must be shown');
        sessionStorage.setItem('test-key', applicationServerKey);
        return subscription();
      },
    });
    Object.defineProperty(Notification, 'permission', { get: () => sessionStorage.getItem('test-permission') ?? 'default' });
    Notification.requestPermission = async () => {
      sessionStorage.setItem('test-permission', answer);
      return answer;
    };
  `);
}

/** Chromium without a window neither shows notifications nor lets a page take the focus. */
const RECORDING = `
  self.shown = new Map();
  self.registration.showNotification = async (title, { tag, ...options }) => void self.shown.set(tag, { title, ...options });
  WindowClient.prototype.focus = async function () { return this; };
`;

/** The service worker of a page. */
async function workerOf(page: Page) {
  const worker: Worker = page.context().serviceWorkers()[0] ?? (await page.context().waitForEvent('serviceworker'));
  // Messages to a worker that is not active are lost.
  await page.evaluate('navigator.serviceWorker.ready.then(() => undefined)');
  await worker.evaluate(RECORDING);
  const cdp: CDPSession = await page.context().newCDPSession(page);
  const registrations: { registrationId: string; scopeURL: string }[] = [];
  cdp.on('ServiceWorker.workerRegistrationUpdated', (event) => registrations.push(...event.registrations));
  await cdp.send('ServiceWorker.enable');
  const origin = new URL(page.url()).origin;
  await expect.poll(() => registrations.map(({ scopeURL }) => scopeURL)).toContain(`${origin}/`);
  const [{ registrationId } = { registrationId: '' }] = registrations;
  return {
    /** The notifications that were shown, one for each tag. */
    shown: () => worker.evaluate<Shown[]>('[...self.shown.values()]'),
    deliver: (data: string) => cdp.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data }),
    /** A click on the first notification. */
    click: () =>
      worker.evaluate(`
        const [{ data }] = self.shown.values();
        self.dispatchEvent(Object.assign(new ExtendableEvent('notificationclick'), { notification: { data, close() {} } }));
      `),
  };
}

onDashboard('notifications of payments', ({ client, net, open, logIn, newPerson, openLoggedIn }) => {
  const service = startPushService();
  const subscriptions = async () => (await client.get('/v1/push')).subscriptions;

  async function openWith(answer: Permission, path = '/settings', person?: Person) {
    const [browser, endpoint] = [await newBrowser(), service.url(`/${Math.random()}`)];
    const page = await open(undefined, OPTIONS);
    await usePushService(page, browser, endpoint, answer);
    await logIn(page, person);
    await page.goto(path);
    return { page, browser, messages: () => service.got.filter(({ path }) => endpoint.endsWith(path)) };
  }

  it('are turned on with a click, come encrypted, are shown by the service worker, and open the transaction', async () => {
    const wallet = await client.namedWallet('Till', 0);
    const { page, browser, messages } = await openWith('granted', '/more');
    const choice = page.getByRole('checkbox', { name: /Notify me about payments/ });
    expect(await choice.isChecked()).toBe(false);
    await choice.click();
    await expect.poll(() => choice.isChecked()).toBe(true);
    expect(await violationsInThemes(page)).toEqual([]);
    const { payment_request: paymentRequest } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 4200 });
    await net.outside.pay({ paymentRequest });
    await expect.poll(messages).toHaveLength(1);
    const text = await browser.decrypt(messages()[0]?.body ?? new Uint8Array());

    const worker = await workerOf(page);
    await worker.deliver(text);
    await expect.poll(worker.shown).toHaveLength(1);
    const [{ id }] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(await worker.shown()).toMatchObject([
      { title: '4\u202f200 sats received', body: 'Till', lang: 'en', data: { wallet: wallet.id, transaction: id } },
    ]);
    await worker.deliver(text);
    await worker.deliver(
      text
        .replace('"language":"en"', '"language":"de"')
        .replace('4200000', '1234567')
        .replace(/wtx_\w+/, 'wtx_other'),
    );
    await expect
      .poll(async () => (await worker.shown()).map(({ title }) => title).sort())
      .toEqual(['1\u202f234,567 sats erhalten', '4\u202f200 sats received']);
    await page.goto('/settings');
    await worker.click();
    await page.waitForURL(/\/wallets\/wal_\w+\?tx=wtx_\w+/);
  });

  it('show nothing for a message that is none', async () => {
    const { page } = await openWith('granted');
    const worker = await workerOf(page);
    const paid = { type: 'paid', msat: 2000, name: 'x', wallet: 'wal_1', transaction: 'wtx_1', language: 'en' };
    const wrong = [
      '',
      'no json',
      'null',
      '[]',
      '{"type":"other"}',
      ...[{ msat: '2000' }, { msat: -1 }, { wallet: '//evil.example' }, { transaction: '../x' }, { name: 3 }].map((fields) =>
        JSON.stringify({ ...paid, ...fields }),
      ),
    ];
    for (const data of wrong) await worker.deliver(data);
    await worker.deliver(JSON.stringify({ ...paid, language: '__proto__' }));
    await expect.poll(worker.shown).toHaveLength(1);
    expect((await worker.shown())[0]?.title).toBe('2 sats received');
  });

  it('are turned off in this browser, and in another one from the settings', async () => {
    const { page } = await openWith('granted');
    const before = (await subscriptions()).length;
    const choice = page.getByRole('checkbox', { name: /Notify me about payments/ });
    await choice.click();
    await expect.poll(async () => (await subscriptions()).length).toBe(before + 1);
    await page.reload();
    await expect.poll(() => choice.isChecked()).toBe(true);
    const other = await newBrowser();
    const fields = { endpoint: service.url('/other'), p256dh: other.p256dh, auth: other.auth };
    const { id } = await client.post('/v1/push-subscriptions', fields);
    await page.reload();
    const buttons = page.getByRole('button', { name: /Turn off/ });
    await buttons.last().waitFor();
    await expect.poll(() => choice.isChecked()).toBe(true);
    expect(await violationsInThemes(page)).toEqual([]);
    await buttons.last().click();
    await expect.poll(async () => (await subscriptions()).map((one: { id: string }) => one.id)).not.toContain(id);
    await choice.click();
    await expect.poll(async () => (await subscriptions()).length).toBe(before);
    await expect.poll(() => choice.isChecked()).toBe(false);
  });

  it('stay off at the next start when they were turned off in another browser', async () => {
    const { page } = await openWith('granted');
    const before = (await subscriptions()).length;
    await page.getByRole('checkbox', { name: /Notify me about payments/ }).click();
    await expect.poll(async () => (await subscriptions()).length).toBe(before + 1);
    const { id } = (await subscriptions()).at(-1);
    await expect.poll(() => page.evaluate(`localStorage.getItem('push')`)).not.toBeNull();
    await client.request('DELETE', `/v1/push-subscriptions/${id}`, { key: client.secretKey });
    await page.reload();
    await expect.poll(() => page.evaluate(`[localStorage.getItem('push'), sessionStorage.getItem('test-key')]`)).toEqual([null, null]);
    expect((await subscriptions()).length).toBe(before);
  });

  it('explain how to allow them when the person or the browser has refused', async () => {
    const { page } = await openWith('denied');
    await page.getByRole('checkbox', { name: /Notify me about payments/ }).click();
    await page.getByText('The browser blocks notifications from this page.').waitFor();
    expect(await violationsInThemes(page)).toEqual([]);
    const { page: asked } = await openWith('default');
    await asked.getByRole('checkbox', { name: /Notify me about payments/ }).click();
    await asked.getByText('Permission was not granted.').waitFor();
    expect(await asked.getByRole('checkbox', { name: /Notify me about payments/ }).isChecked()).toBe(false);
  });

  it('need the home screen on an iPhone, and a browser that has them', async () => {
    for (const [script, text] of [
      ['Object.defineProperty(navigator, "standalone", { value: false })', 'first add Satchel to the home screen'],
      ['delete globalThis.PushManager', 'This browser does not support notifications'],
    ] as const) {
      const page = await openLoggedIn(undefined, OPTIONS);
      await page.addInitScript(script);
      await page.goto('/more');
      await page.getByText(text).waitFor();
      expect(await page.getByRole('checkbox').count()).toBe(0);
    }
  });

  it('are offered once, after a payment', async () => {
    const person = await newPerson();
    const { page } = await openWith('granted', '/wallets', person);
    const create = (path: string, json: object): Promise<Json> =>
      page.evaluate(
        ([path, json]) =>
          fetch(path as string, { method: 'POST', headers: { 'content-type': 'application/json' }, body: json as string }).then(
            (response) => response.json(),
          ),
        [path, JSON.stringify(json)] as const,
      );
    const wallet = await create('/v1/wallet', { user_label: 'Till' });
    const pay = async () => {
      const invoice = await create(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 300 });
      await page.goto(`/wallets/${wallet.id}/receive/${invoice.id}`);
      await net.outside.pay({ paymentRequest: invoice.payment_request });
      await page.getByRole('link', { name: 'Open payment' }).waitFor();
    };
    await pay();
    expect(await violationsInThemes(page)).toEqual([]);
    await page.getByRole('button', { name: 'Notify me about payments' }).click();
    await page.getByText('This browser now notifies you about payments.').waitFor();
    await pay();
    expect(await page.getByRole('button', { name: 'Notify me about payments' }).count()).toBe(0);
    await page.goto('/more');
    await expect.poll(() => page.getByRole('checkbox', { name: /Notify me about payments/ }).isChecked()).toBe(true);
  });

  it('end in a browser in which another account logs in', async () => {
    const { page } = await openWith('granted', '/settings', await newPerson());
    const choice = page.getByRole('checkbox', { name: /Notify me about payments/ });
    await choice.click();
    await expect.poll(() => choice.isChecked()).toBe(true);
    await page.goto('/more');
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('E-mail').waitFor();
    await logIn(page, await newPerson());
    await expect.poll(() => page.evaluate(`[localStorage.getItem('push'), sessionStorage.getItem('test-key')]`)).toEqual([null, null]);
  });
});
