import { afterAll, beforeAll, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { type NostrEvent, tagValue } from '../../src/core/nostr/event.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp, requestAnsweredBy } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

const relay = await startRelay();
afterAll(() => relay.stop());

/** Events of others that may be published before the response to a request: a few are in flight, and the payment takes its time. */
const UNITS = 60;
const LINES = 1000;

onFakeNode(
  'the apps of a service, one of whose accounts is at its limits,',
  ({ client, neighbour, net, rows, problems }) => {
    const apps: NwcApp[] = [];
    let wallet: TestWallet;
    let strangersWallet: TestWallet;
    let stranger: NwcApp;

    async function connect(...args: Parameters<typeof connectApp>): Promise<NwcApp> {
      const app = await connectApp(...args);
      apps.push(app);
      return app;
    }

    beforeAll(async () => {
      wallet = await client.wallet(100_000);
      strangersWallet = await neighbour.wallet(1000);
      stranger = await connect(neighbour, strangersWallet.id);
    });

    afterAll(() => {
      for (const app of apps) app.close();
    });

    const waiting = () => rows('SELECT position FROM task');
    const isOfService = ({ kind }: NostrEvent) => kind >= 23_195 && kind <= 23_197;

    /** Returns how many events for other apps the relay got between a request of an app and its response. */
    async function unitsUntilAnswered(app: NwcApp, event: NostrEvent): Promise<number> {
      const before = relay.events.length;
      await app.send(event);
      await app.responseTo(event);
      const end = relay.events.findIndex((one) => requestAnsweredBy(one) === event.id);
      const since = relay.events.slice(before, end).filter(isOfService);
      return since.filter(({ pubkey }) => pubkey !== app.servicePubkey).length;
    }

    async function transferInBulk(count: number): Promise<void> {
      const { id } = await client.wallet();
      const lines = Array.from({ length: LINES }, () => ({ dest_wallet_id: id, num_satoshis: 1 }));
      await Promise.all(Array.from({ length: count }, () => client.post(`/v1/wallet/${wallet.id}/transfers`, { lines })));
    }

    it('answers the payment of a stranger, and a new app, before thousands of notifications of one app', async () => {
      const app = await connect(client, wallet.id);
      await app.call('get_info');
      await transferInBulk(3);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000, memo: 'fee=0' });
      expect(await unitsUntilAnswered(stranger, stranger.request('pay_invoice', { invoice: paymentRequest }))).toBeLessThanOrEqual(UNITS);
      const created = await connect(neighbour, strangersWallet.id);
      expect(await unitsUntilAnswered(created, created.request('get_balance'))).toBeLessThanOrEqual(UNITS);
      // The app gets the first ones, and no more than may wait together with those that were sent meanwhile.
      await expect.poll(() => app.notifications().length).toBeGreaterThanOrEqual(100);
      await expect.poll(waiting, { interval: 100 }).toEqual([]);
      expect(app.notifications().every(({ notification_type: type }) => type === 'payment_sent')).toBe(true);
      expect(await problems()).toEqual([]);
    });

    it('answers a stranger before the notifications of 90 apps of one account', async () => {
      const many = await client.wallet(2000);
      for (let i = 0; i < 90; i += 1) await client.post(`/v1/wallet/${many.id}/connections`, { client_pubkey: tagOf(stranger) });
      const { id } = await client.wallet();
      const lines = Array.from({ length: LINES }, () => ({ dest_wallet_id: id, num_satoshis: 1 }));
      await client.post(`/v1/wallet/${many.id}/transfers`, { lines });
      await expect.poll(async () => (await waiting()).length).toBeGreaterThan(500);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000, memo: 'fee=0' });
      expect(await unitsUntilAnswered(stranger, stranger.request('pay_invoice', { invoice: paymentRequest }))).toBeLessThanOrEqual(UNITS);
      expect((await waiting()).length).toBeLessThanOrEqual(90 * 100);
    });

    it('answers a stranger after at most a few of the requests of eight apps of one account', async () => {
      const eight = await Promise.all(Array.from({ length: 8 }, () => connect(client, wallet.id)));
      const requests = eight.flatMap((app) => Array.from({ length: 60 }, () => ({ app, event: app.request('get_balance') })));
      for (const { event } of requests) relay.store(event);
      const event = stranger.request('get_balance');
      expect(await unitsUntilAnswered(stranger, event)).toBeLessThanOrEqual(UNITS);
      const unanswered = () => requests.filter((one) => one.app.responsesTo(one.event).length === 0).length;
      await expect.poll(unanswered, { interval: 50 }).toBe(0);
    });

    it('notifies an app once, in the encryption of its last request', async () => {
      const [quiet, modern, old] = await Promise.all([
        connect(client, wallet.id),
        connect(client, wallet.id),
        connect(client, wallet.id, {}, 'nip04'),
      ]);
      await Promise.all([modern, old].map((app) => app.call('get_balance')));
      await client.post(`/v1/wallet/${wallet.id}/transfer`, { dest_wallet_id: (await client.wallet()).id, num_satoshis: 7 });
      const kinds = (app: NwcApp) => app.received.flatMap(({ event }) => (event.kind === 23_195 ? [] : event.kind)).sort();
      await expect.poll(() => [quiet, modern, old].map(kinds)).toEqual([[23_196, 23_197], [23_197], [23_196]]);
      for (const app of [quiet, modern, old])
        expect(app.received.at(-1)?.body.notification).toMatchObject({ amount: 7000, type: 'outgoing' });
    });
  },
  { NWC_RELAYS: relay.url, RATE_LIMIT_PER_SECOND: '0' },
  QUICK,
);

/** Returns the public key of an app. */
function tagOf(app: NwcApp): string {
  const info = relay.events.find(({ kind, pubkey }) => kind === 13_194 && pubkey === app.servicePubkey);
  return tagValue(info ?? { tags: [] }, 'p') ?? app.request('get_info').pubkey;
}
