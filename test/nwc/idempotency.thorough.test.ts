import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type DevnetRelay, startRelay } from '../../devnet/relay.ts';
import type { NostrEvent } from '../../src/core/nostr/event.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp, requestAnsweredBy } from '../support/nwc.ts';
import { codeOf, QUICK } from './timing.ts';

const relays = [await startRelay(), await startRelay()] as const;
afterAll(() => Promise.all(relays.map((relay) => relay.stop())));
const settings = { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: relays.map(({ url }) => url).join(' ') };

/** Delivers an event again. Anyone who has seen it can do so. */
function deliverAgain(event: NostrEvent): void {
  for (const relay of relays) {
    relay.forget(({ id }) => id === event.id);
    relay.store(event);
  }
}

const answers = (relay: DevnetRelay, request: NostrEvent): NostrEvent[] =>
  relay.events.filter((event) => requestAnsweredBy(event) === request.id);

describe('events of apps', () => {
  onFakeNode(
    'once',
    ({ client, net, restart, another, execute, rows, problems }, dialect) => {
      let wallet: TestWallet;
      let app: NwcApp;
      const balance = async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance_msat;
      const invoice = (amountMsat: number, memo = 'fee=0') => net.outside.invoice({ amountMsat, memo });
      const received = (paymentHash: string) =>
        net.outside.payments().filter((one) => one.paymentHash === paymentHash && one.state === 'succeeded').length;
      /** Returns when the service has read what was delivered before: it answers an app's requests in their order. */
      const settled = async () => {
        await codeOf(app, 'lookup_invoice', { payment_hash: '00'.repeat(32) });
      };

      beforeAll(async () => {
        wallet = await client.wallet(100_000);
        app = await connectApp(client, wallet.id);
      });

      afterAll(() => app.close());

      it('are executed once if two relays deliver them', async () => {
        const [before, { paymentRequest, paymentHash }] = [await balance(), invoice(1000)];
        const event = app.request('pay_invoice', { invoice: paymentRequest });
        relays[1].store(event);
        await app.send(event);
        expect((await app.responseTo(event)).result.preimage).toMatch(/^\w{64}$/);
        deliverAgain(event);
        await settled();
        expect(answers(relays[0], event)).toHaveLength(1);
        expect([await balance(), received(paymentHash)]).toEqual([before - 1000, 1]);
        expect(await problems()).toEqual([]);
      });

      it('get their response again, byte for byte, at most once a minute', async () => {
        const before = await balance();
        const event = app.request('pay_invoice', { invoice: invoice(1000).paymentRequest });
        await app.send(event);
        await app.responseTo(event);
        await vi.waitUntil(() => answers(relays[1], event).length > 0, { timeout: 150_000 });
        const [first] = answers(relays[0], event);
        const forgetAnswer = () => {
          for (const relay of relays) relay.forget(({ id }) => id === first?.id);
        };
        forgetAnswer();
        deliverAgain(event);
        await vi.waitUntil(() => answers(relays[0], event).length > 0, { timeout: 150_000 });
        expect(answers(relays[0], event)).toEqual([first]);
        await vi.waitUntil(() => answers(relays[1], event).length > 0, { timeout: 150_000 });
        forgetAnswer();
        deliverAgain(event);
        await settled();
        expect(relays.flatMap((relay) => answers(relay, event))).toEqual([]);
        expect(await balance()).toBe(before - 1000);
      });

      it('get the same response after a restart, and are not executed again', async () => {
        const { paymentRequest, paymentHash } = invoice(1000);
        const events = [
          app.request('pay_invoice', { invoice: paymentRequest }),
          app.request('make_invoice', { amount: 1000 }),
          app.request('receive', { amount: 1000 }),
          app.request('pay', { payment: invoice(1000).paymentRequest }),
          app.request('pay_keysend', { amount: 1000, pubkey: (await client.get('/playground')).nodes[0].pubkey }),
          app.request('no_method'),
        ];
        for (const event of events) await app.send(event);
        for (const event of events) await app.responseTo(event);
        const first = events.flatMap((event) => answers(relays[0], event));
        expect(first).toHaveLength(events.length);
        const before = [await balance(), await rows('SELECT count(*) AS n FROM invoice')];
        // The relays still have the requests, and send them to the service when it subscribes.
        await restart(() => {
          for (const relay of relays) relay.forget(({ id }) => first.some((one) => one.id === id));
        });
        const again = () => first.map(({ id }) => relays.flatMap((relay) => relay.events).find((event) => event.id === id));
        await vi.waitUntil(() => again().every(Boolean), { timeout: 150_000 });
        expect(again()).toEqual(first);
        expect([await balance(), await rows('SELECT count(*) AS n FROM invoice')]).toEqual(before);
        expect(received(paymentHash)).toBe(1);
        expect(await problems()).toEqual([]);
      });

      it('are not paid after their app was told that nothing was paid', async () => {
        const poor = await client.wallet();
        const other = await connectApp(client, poor.id);
        const refused = other.request('pay_invoice', { invoice: invoice(1000).paymentRequest });
        await other.send(refused);
        expect((await other.responseTo(refused)).error.code).toBe('INSUFFICIENT_BALANCE');
        await client.post('/playground/fund', { wallet_id: poor.id, num_satoshis: 100 });
        deliverAgain(refused);
        await codeOf(other, 'lookup_invoice', { payment_hash: '00'.repeat(32) });
        await restart();
        deliverAgain(refused);
        await codeOf(other, 'lookup_invoice', { payment_hash: '00'.repeat(32) });
        expect((await client.get(`/v1/wallet/${poor.id}`)).balance_msat).toBe(100_000);
        other.close();
        expect(await problems()).toEqual([]);
      });

      it('with the same invoice get the outcome of its first payment', async () => {
        const before = await balance();
        const { paymentRequest, paymentHash } = invoice(1000);
        const first = await app.call('pay_invoice', { invoice: paymentRequest });
        expect((await app.call('pay_invoice', { invoice: paymentRequest })).result).toEqual(first.result);
        expect((await app.call('pay', { payment: paymentRequest })).result).toMatchObject({
          state: 'settled',
          preimage: first.result.preimage,
        });
        const twins = invoice(2000);
        const events = Array.from({ length: 5 }, () => app.request('pay_invoice', { invoice: twins.paymentRequest }));
        await Promise.all(events.map((event) => app.send(event)));
        const preimages = await Promise.all(events.map(async (event) => (await app.responseTo(event)).result?.preimage));
        expect(new Set(preimages).size).toBe(1);
        expect([await balance(), received(paymentHash), received(twins.paymentHash)]).toEqual([before - 3000, 1, 1]);
        expect(await problems()).toEqual([]);
      });

      it('with an invoice whose payment has failed start a new attempt', async () => {
        const { paymentRequest, paymentHash } = invoice(1000);
        net.nextPayment({ fail: 'NO_ROUTE' });
        expect(await codeOf(app, 'pay_invoice', { invoice: paymentRequest })).toBe('PAYMENT_FAILED');
        expect((await app.call('pay_invoice', { invoice: paymentRequest })).result.preimage).toMatch(/^\w{64}$/);
        expect(received(paymentHash)).toBe(1);
        expect((await app.call('lookup_invoice', { payment_hash: paymentHash })).result.state).toBe('settled');
        expect(await problems()).toEqual([]);
      });

      it('find the payment of an earlier request that the relay has stored', async () => {
        const { paymentRequest, paymentHash } = invoice(1000);
        const now = Math.floor(Date.now() / 1000);
        const pay = app.request('pay_invoice', { invoice: paymentRequest }, { createdAt: now - 20 });
        const lookup = app.request('lookup_invoice', { payment_hash: paymentHash }, { createdAt: now - 10 });
        await restart(() => {
          relays[0].store(pay);
          relays[0].store(lookup);
        });
        expect((await app.responseTo(lookup)).result).toMatchObject({ payment_hash: paymentHash });
        expect((await app.responseTo(pay)).result.preimage).toMatch(/^\w{64}$/);
        expect(await problems()).toEqual([]);
      });

      it('have no second effect if 100 of them are replayed after a restart', async () => {
        const many = await client.wallet(1000);
        const apps: NwcApp[] = [];
        for (let i = 0; i < 5; i++) apps.push(await connectApp(client, many.id));
        const sent = apps.flatMap((one) =>
          Array.from({ length: 20 }, (_, i) =>
            i % 2
              ? one.request('make_invoice', { amount: 1000 + i })
              : one.request('pay_invoice', { invoice: invoice(1000).paymentRequest }),
          ).map((event) => ({ one, event })),
        );
        await Promise.all(sent.map(({ one, event }) => one.send(event)));
        const bodies: Json[] = await Promise.all(sent.map(({ one, event }) => one.responseTo(event)));
        const state = async () => [
          await rows('SELECT count(*) AS n FROM wallet_transaction'),
          await rows('SELECT count(*) AS n FROM invoice'),
          await rows('SELECT count(*) AS n FROM payment'),
        ];
        const before = await state();
        await restart();
        for (const { event } of sent) deliverAgain(event);
        for (const one of apps) await codeOf(one, 'lookup_invoice', { payment_hash: '00'.repeat(32) });
        expect(await state()).toEqual(before);
        for (const [i, { one, event }] of sent.entries()) {
          expect(new Set(one.responsesTo(event).map((response) => response.event.id)).size).toBe(1);
          expect(one.responsesTo(event)[0]?.body).toEqual(bodies[i]);
        }
        for (const one of apps) one.close();
        expect(await problems()).toEqual([]);
      });

      it.runIf(dialect === 'postgres')('are executed once by two instances that both receive them', async () => {
        await another();
        const subscriptions = () =>
          relays[0]
            .requests()
            .flat()
            .filter(({ kinds }) => kinds?.includes(23_194)).length;
        const alone = subscriptions();
        // The first instance does not notice that it has lost the lease, like one that was paused.
        await execute("UPDATE lease SET instance_id = NULL WHERE name = 'nwc'");
        await vi.waitUntil(() => subscriptions() > alone, { timeout: 150_000 });
        const before = await balance();
        const paid = Array.from({ length: 30 }, () => invoice(1000));
        const events = paid.map(({ paymentRequest }) => app.request('pay_invoice', { invoice: paymentRequest }));
        const made = Array.from({ length: 10 }, () => app.request('make_invoice', { amount: 4_321_000 }));
        await Promise.all([...events, ...made].map((event) => app.send(event)));
        for (const event of [...events, ...made]) expect((await app.responseTo(event)).result).toBeDefined();
        for (const event of [...events, ...made]) deliverAgain(event);
        await settled();
        expect(await balance()).toBe(before - 30_000);
        expect(paid.map(({ paymentHash }) => received(paymentHash))).toEqual(paid.map(() => 1));
        expect(await rows('SELECT count(*) AS n FROM invoice WHERE amount_msat = 4321000')).toEqual([{ n: 10 }]);
        for (const event of [...events, ...made]) expect(new Set(answers(relays[0], event).map(({ id }) => id)).size).toBe(1);
        expect(await problems()).toEqual([]);
      });
    },
    settings,
    QUICK,
  );
});
