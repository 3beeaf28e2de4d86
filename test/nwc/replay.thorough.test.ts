import { afterAll, expect, it, vi } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import type { NostrEvent } from '../../src/core/nostr/event.ts';
import type { NwcMethod } from '../../src/features/nwc/methods.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { connectApp, type NwcApp, RESPONSE, requestAnsweredBy } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

const [APPS, REQUESTS] = [5, 200];
const HANGS = { timeout: 150_000, interval: 50 };
/** What a second effect would change, apart from caches. Times of use and of announcements may change. */
const TABLES = ['ledger_transfer', 'ledger_hold', 'payment', 'invoice', 'wallet_transaction', 'key_spending', 'event', 'nwc_request'];

const relays = [await startRelay(), await startRelay()] as const;
afterAll(() => Promise.all(relays.map((relay) => relay.stop())));

interface Sent {
  readonly app: NwcApp;
  readonly event: NostrEvent;
  readonly method: NwcMethod;
}

/** Returns the ids of the responses to requests that the relays have, by the id of the request. */
function responseIds(): Map<string, Set<string>> {
  const ids = new Map<string, Set<string>>();
  for (const event of relays.flatMap(({ events }) => events)) {
    const request = requestAnsweredBy(event);
    if (request !== undefined) ids.set(request, (ids.get(request) ?? new Set()).add(event.id));
  }
  return ids;
}

onFakeNode(
  'events of apps that were captured',
  ({ client, net, restart, rows, problems }) => {
    /** Returns the method of a request and what it asks for. One of ten fails at the node, one is refused, two read. */
    function orderOf(index: number, alice: string): readonly [NwcMethod, object] {
      const invoice = (memo = 'fee=1') => net.outside.invoice({ amountMsat: 1000, memo }).paymentRequest;
      const orders: readonly (() => readonly [NwcMethod, object])[] = [
        () => ['pay_invoice', { invoice: invoice() }],
        () => ['pay_invoice', { invoice: invoice('fail=NO_ROUTE') }],
        () => ['pay_invoice', { invoice: net.outside.invoice({ amountMsat: 50_000_000_000 }).paymentRequest }],
        () => ['pay', { payment: invoice() }],
        () => ['pay_keysend', { amount: 1000, pubkey: alice }],
        () => ['multi_pay_invoice', { invoices: [{ invoice: invoice() }] }],
        () => ['make_invoice', { amount: 1000 + index }],
        () => ['receive', { amount: 1000 + index }],
        () => ['get_balance', {}],
        () => ['list_transactions', { limit: 1 }],
      ];
      return (orders[index % orders.length] as (typeof orders)[0])();
    }

    it(`have no second effect if ${APPS * REQUESTS} of them are replayed after a restart`, async () => {
      // The service of the other database has used these relays.
      for (const relay of relays) relay.forget(() => true);
      const wallet = await client.wallet(10_000);
      const alice = (await client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
      const sent: Sent[] = [];
      for (let i = 0; i < APPS; i += 1) {
        const app = await connectApp(client, wallet.id, { budget_msat: 5_000_000, budget_period: 'day' });
        for (let k = 0; k < REQUESTS; k += 1) {
          const [method, params] = orderOf(k, alice);
          sent.push({ app, method, event: app.request(method, params) });
        }
      }
      const stored = sent.filter(({ method }) => !['get_balance', 'list_transactions'].includes(method));
      const replay = () => {
        const ids = new Set(sent.map(({ event }) => event.id));
        for (const relay of relays) {
          relay.forget(({ id }) => ids.has(id));
          for (const { event } of sent) relay.store(event);
        }
      };
      const ignored = async (reason: string): Promise<number> => {
        const metrics = await fetch(`${client.url}/metrics`).then((response) => response.text());
        return Number(new RegExp(`satchel_app_events_ignored_total\\{reason="${reason}"\\} (\\d+)`).exec(metrics)?.[1] ?? 0);
      };
      const effects = async () => {
        const lines = TABLES.map(async (table) => (await rows(`SELECT * FROM ${table}`)).map((row) => `${table} ${JSON.stringify(row)}`));
        return { lines: (await Promise.all(lines)).flat(), outside: net.outside.payments() };
      };

      // Both relays deliver each request.
      replay();
      await vi.waitUntil(() => responseIds().size === sent.length, HANGS);
      // Responses reach the second relay after the first one, and notifications follow payments.
      await expect.poll(() => rows('SELECT position FROM task'), HANGS).toEqual([]);
      const [first, before] = [responseIds(), await effects()];
      expect(stored.map(({ event }) => first.get(event.id)?.size)).toEqual(stored.map(() => 1));
      const paid = before.outside.filter(({ direction, state }) => direction === 'received' && state === 'succeeded').length;
      expect(paid).toBe((APPS * REQUESTS * 4) / 10);

      // The relays send all again when the service subscribes, and then once more.
      await restart(() => {
        for (const relay of relays) relay.forget(({ kind }) => kind === RESPONSE);
      });
      await vi.waitUntil(() => responseIds().size === sent.length, HANGS);
      const known = await ignored('duplicate');
      replay();
      await expect.poll(() => ignored('duplicate'), HANGS).toBeGreaterThanOrEqual(known + stored.length);
      expect(await ignored('too_many')).toBe(0);
      await expect.poll(() => rows('SELECT position FROM task'), HANGS).toEqual([]);
      const after = await effects();
      // A difference of such long lists is not shown.
      const without = (one: readonly string[], other: readonly string[]) => one.filter((line) => !other.includes(line));
      expect([without(before.lines, after.lines), without(after.lines, before.lines)]).toEqual([[], []]);
      expect(after.lines).toHaveLength(before.lines.length);
      expect(after.outside).toEqual(before.outside);
      const again = responseIds();
      expect(stored.map(({ event }) => again.get(event.id))).toEqual(stored.map(({ event }) => first.get(event.id)));
      for (const { app } of sent) app.close();
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: relays.map(({ url }) => url).join(' ') },
  QUICK,
);
