import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { startRelay } from '../../devnet/relay.ts';
import { onFakeNode } from '../support/app.ts';
import type { TestWallet } from '../support/client.ts';
import { connectApp, type NwcApp } from '../support/nwc.ts';
import { QUICK } from './timing.ts';

const relay = await startRelay();
afterAll(() => relay.stop());
const settings = { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: relay.url };

onFakeNode(
  'a relay with faults',
  ({ client, net, openAlerts, rows, execute, problems }) => {
    let wallet: TestWallet;
    let app: NwcApp;
    const alerts = async () => (await openAlerts()).filter(({ kind }) => kind === 'relay_unavailable').map(({ subject }) => subject);
    const waiting = () => rows('SELECT position FROM task');

    /** Starts a payment that is held, so that its response is published later. */
    async function startHeld() {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 1000, hold: true });
      const event = app.request('pay_invoice', { invoice: paymentRequest });
      await app.send(event);
      // It has arrived at the other node.
      await expect.poll(() => net.outside.payments().find((one) => one.paymentHash === paymentHash)?.state).toBe('pending');
      return { event, settle: () => net.outside.resolveHold(paymentHash, 'settle') };
    }

    beforeAll(async () => {
      wallet = await client.wallet(1000);
      app = await connectApp(client, wallet.id, { permissions: ['wallet_read', 'wallet_withdraw'] });
    });

    afterEach(async () => {
      await expect.poll(alerts).toEqual([]);
      expect((await app.call('get_balance')).result.balance).toBeGreaterThan(0);
      expect(await problems()).toEqual([]);
    });

    afterAll(() => app.close());

    it('raises an alert while it is stopped, and gets what waits when it runs again', async () => {
      const { event, settle } = await startHeld();
      await relay.stop();
      await expect.poll(alerts).toEqual([relay.url]);
      settle();
      await expect.poll(waiting).toHaveLength(1);
      await relay.start();
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      await expect.poll(waiting).toEqual([]);
    });

    it('gets what waits at once when it runs again, however late the next attempt was planned', async () => {
      const { event, settle } = await startHeld();
      await relay.stop();
      settle();
      await expect.poll(() => rows('SELECT position FROM task WHERE attempts > 0')).toHaveLength(1);
      await execute('UPDATE task SET due_at_ms = due_at_ms + 100000');
      await relay.start();
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      await expect.poll(waiting).toEqual([]);
    });

    it('is not sent a response for more than ten minutes, until it sends the request again', async () => {
      const { event, settle } = await startHeld();
      await relay.stop();
      settle();
      await expect.poll(waiting).toHaveLength(1);
      await execute('UPDATE task SET created_at_ms = created_at_ms - 600001, due_at_ms = 0');
      await expect.poll(waiting).toEqual([]);
      expect(app.responsesTo(event)).toEqual([]);
      // The relay has the request, and sends it to the service when it subscribes.
      await relay.start();
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
      expect(app.responsesTo(event)).toHaveLength(1);
    });

    it('raises an alert if it accepts connections and answers nothing', async () => {
      const { event, settle } = await startHeld();
      relay.behavior.isStalled = true;
      settle();
      await expect.poll(alerts).toEqual([relay.url]);
      relay.behavior.isStalled = false;
      relay.disconnectAll();
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
    });

    it('raises an alert if it refuses events, and gets them when it accepts them', async () => {
      const { event, settle } = await startHeld();
      relay.behavior.refuseEvents = 'blocked: pay first';
      settle();
      await expect.poll(alerts).toEqual([relay.url]);
      relay.behavior.refuseEvents = undefined;
      expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
    });

    it('leads to one payment if it sends each event twice', async () => {
      relay.behavior.deliversTwice = true;
      const before = (await app.call('get_balance')).result.balance;
      const { paymentRequest } = net.outside.invoice({ amountMsat: 1000, memo: 'fee=0' });
      await app.call('pay_invoice', { invoice: paymentRequest });
      expect((await app.call('get_balance')).result.balance).toBe(before - 1000);
      relay.behavior.deliversTwice = false;
    });
  },
  settings,
  { nwc: { ...QUICK.nwc, awaySeconds: 1 } },
);
