import { createHash } from 'node:crypto';
import { expect, it, vi } from 'vitest';
import type { PaymentScript } from '../../devnet/fake/script.ts';
import { EVENT_TYPES } from '../../src/core/journal/event-types.ts';
import { EVENT_DATA } from '../../src/features/events/event-object.ts';
import { holdInvoice } from '../hold-invoices/harness.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { eventsOf, nameOf } from '../support/events.ts';

/** Those of logins, of the test of a webhook, and of payments that are not final yet, which have tests of their own. */
const OTHER_TYPES = ['webhook_test', 'codes_paused', 'wallet_receive_pending', 'wallet_receive_failure'];

onFakeNode(
  'the events of the first account',
  (app) => {
    const { client, neighbour, net } = app;
    const withdraw = (id: string, payment_request: string, headers = {}) =>
      client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json: { payment_request }, headers });
    const outside = (script: PaymentScript) => net.outside.invoice({ amountMsat: 10_000, script }).paymentRequest;

    function tellUnmatched(seed: string): void {
      const preimage = createHash('sha256').update(seed).digest('hex');
      const paymentHash = createHash('sha256').update(preimage, 'hex').digest('hex');
      const unmatched = { preimage, paymentHash, amountMsat: 1_000, settledAt: 1_700_000_000, keysend: true, customRecords: {} };
      net.tell({ type: 'settlement', ...unmatched } as never);
    }

    it('have one when an alert is raised and one when it is resolved; other accounts have none', async () => {
      const alerts = async (): Promise<Json[]> =>
        (await eventsOf(client)).filter(({ event, data }) => event.type === 'operator' && data.alert.kind === 'event_unbooked');
      const countUnbooked = async () => (await app.rows('SELECT id FROM unbooked_event')).length;
      app.writeFailsAt = (name) => name.startsWith('invoice_insert_unmatched');
      for (const seed of ['a', 'b', 'c']) tellUnmatched(seed);
      await expect.poll(countUnbooked).toBe(3);
      const open = (await app.openAlerts()).find(({ kind }) => kind === 'event_unbooked');
      const [raised, ...more] = await alerts();
      expect(more).toEqual([]);
      expect(raised.event).toEqual({ type: 'operator', name: 'alert_raised', display_name: 'Alert Raised' });
      expect(raised.data).toEqual({
        alert: { id: open?.id, kind: open?.kind, subject: open?.subject, message: expect.any(String), raised_at: open?.raised_at },
      });
      await app.restart(() => {
        app.writeFailsAt = undefined;
      });
      await vi.waitFor(async () => expect((await alerts()).map(nameOf)).toEqual(['alert_raised', 'alert_resolved']), { timeout: 150_000 });
      const [first, resolved] = await alerts();
      expect(first).toEqual(raised);
      expect(resolved.data.alert).toMatchObject({ id: open?.id, raised_at: open?.raised_at, resolved_at: expect.any(Number) });
      expect(await eventsOf(neighbour)).toEqual([]);
    });

    it('have every other type of event, each with the objects that its type promises', async () => {
      const [a, b] = [await client.wallet(1000), await client.wallet()];
      await client.request('PATCH', `/v1/wallet/${b.id}`, { key: client.secretKey, json: { user_label: 'b' } });
      await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis: 10 });
      await client.post(`/v1/wallet/${a.id}/payouts`, { lines: [{ destination: b.id, num_satoshis: 1 }] });
      await withdraw(a.id, outside({}));
      await withdraw(a.id, outside({ fail: 'NO_ROUTE' }));
      await withdraw(a.id, outside({ hold: true }), { prefer: 'respond-async' });
      await withdraw(a.id, outside({ lateSuccessMs: 1000 }));
      app.time.advance(1000);
      const invoice = (): Promise<Json> => client.post(`/v1/wallet/${a.id}/invoice`, { num_satoshis: 1 });
      const [expiring, cancelled] = [await invoice(), await invoice()];
      await app.execute('UPDATE invoice SET expires_at = 10 WHERE id = $1', expiring.id);
      await client.request('DELETE', `/v1/lntx/${cancelled.id}`, { key: client.secretKey });
      await (await holdInvoice(app)).pay();
      const link = await client.post(`/v1/wallet/${a.id}/lnurl/withdraw`, { num_satoshis: 10 });
      const { callback, k1 }: Json = await (await fetch(link.url)).json();
      await fetch(`${callback}&k1=${k1}&pr=${outside({})}`);
      const key = await client.post('/v1/keys', { user_label: 'shop' });
      await client.request('DELETE', `/v1/keys/${key.id}`, { key: client.secretKey });
      const expected = Object.keys(EVENT_TYPES).filter((name) => !OTHER_TYPES.includes(name));
      const names = async () => [...new Set((await eventsOf(client)).map(nameOf))];
      await vi.waitFor(async () => expect((await names()).toSorted()).toEqual(expected.toSorted()), { timeout: 150_000 });
      for (const { type, event, data } of await eventsOf(client)) {
        expect(type).toBe(event.name);
        expect(Object.keys(data).toSorted(), type).toEqual([...EVENT_DATA[type as keyof typeof EVENT_DATA]].toSorted());
      }
      expect(await eventsOf(neighbour)).toEqual([]);
      expect(await app.problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '2' },
  { expiryMs: 50, holds: { roundMs: 50, heldEvery: 1 }, events: { retryMs: 1, storePositionMs: 50, retryUnbookedMs: 500 } },
);
