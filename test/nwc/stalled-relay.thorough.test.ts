import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { startChild } from '../devnet/playground/support/shared.ts';
import { onFakeNodeWithSqlite } from '../support/app.ts';
import { connectApp } from '../support/nwc.ts';

const STALL_MS = 60_000;
/** A service must be subscribed again within a minute. */
const LIMIT = { timeout: 150_000 };
const HANGS = { timeout: 150_000 };

const child = startChild('test/nwc/relay-process.ts', []);
const [url = ''] = await child.line(/^ws:.*$/);

// The waits of the service are those of production.
describe('a relay process that stands still', () => {
  onFakeNodeWithSqlite(
    'with its connections open',
    ({ client, net, openAlerts, rows, problems }) => {
      const alerts = async () => (await openAlerts()).filter(({ kind }) => kind === 'relay_unavailable').map(({ subject }) => subject);

      it('raises an alert while it does, and delivers all requests and responses afterwards, once each', async () => {
        const wallet = await client.wallet(1000);
        const app = await connectApp(client, wallet.id);
        const held = net.outside.invoice({ amountMsat: 1000, hold: true });
        const before = app.request('pay_invoice', { invoice: held.paymentRequest });
        await app.send(before);
        await expect.poll(() => net.outside.payments().find((one) => one.paymentHash === held.paymentHash)?.state).toBe('pending');
        expect(await alerts()).toEqual([]);

        child.process.kill('SIGSTOP');
        const stalled = delay(STALL_MS);
        const during = app.request('pay_invoice', { invoice: net.outside.invoice({ amountMsat: 2000, memo: 'fee=0' }).paymentRequest });
        // The relay's answer does not arrive.
        const unanswered = app.send(during).catch((error: Error) => error.name);
        net.outside.resolveHold(held.paymentHash, 'settle');
        // The response was sent, and the relay does not confirm it.
        await expect.poll(() => rows(`SELECT position FROM task WHERE attempts > 0 AND queue = 'app responses'`)).toHaveLength(1);
        await expect.poll(alerts, HANGS).toEqual([url]);
        await stalled;
        expect(await alerts()).toEqual([url]);
        expect(await unanswered).toBe('RelayUnavailable');
        expect(app.responsesTo(before)).toEqual([]);

        child.process.kill('SIGCONT');
        await expect.poll(alerts, LIMIT).toEqual([]);
        await app.send(during);
        await expect.poll(() => [before, during].map((event) => app.responsesTo(event).length), LIMIT).toEqual([1, 1]);
        for (const event of [before, during]) expect((await app.responseTo(event)).result.preimage).toMatch(/^[0-9a-f]{64}$/);
        expect((await app.call('get_balance')).result.balance).toBe(997_000);
        expect([before, during].map((event) => app.responsesTo(event).length)).toEqual([1, 1]);
        app.close();
        expect(await problems()).toEqual([]);
      });
    },
    { PAYMENT_WAIT_SECONDS: '1', NWC_RELAYS: url },
  );
});
