import { randomUUID } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { appOfWallet, SETTINGS } from '../lndhub/app.ts';
import { linkOf, refused, visit } from '../lnurl/claiming-wallet.ts';
import { QUICK } from '../nwc/timing.ts';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';
import { connectApp } from '../support/nwc.ts';

const REASON = 'We are checking our node. Your money is safe.';
const MESSAGE = `The operator has stopped withdrawals: “${REASON}” This request sent nothing.`;

onFakeNode(
  'stopped withdrawals everywhere',
  (service) => {
    const { client, neighbour, net, problems, openAlerts } = service;
    const change = (verb: 'stop' | 'resume', json: Json, by: Client = client) =>
      by.request('POST', `/v1/operator/withdrawals/${verb}`, { key: by.secretKey, json });
    const stop = async () => expect((await change('stop', { reason: REASON })).status).toBe(200);
    const resume = async () => expect((await change('resume', { reason: 'checked' })).status).toBe(200);
    const outside = (amountMsat = 5_000, script: object = { fee: 0 }) => net.outside.invoice({ amountMsat, script });
    const pay = (id: string, payment_request: string) =>
      client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    const read = (id: string) => client.get(`/v1/wallet/${id}?fields=balance_msat,pending_msat`);

    afterEach(async () => void (await change('resume', { reason: 'end of the test' })));

    it('refuse claims of withdraw links, also with an invoice of this service, and leave their uses', async () => {
      const wallet = await client.wallet(100);
      const other = await client.wallet();
      const { url } = await linkOf(service, wallet, { num_satoshis: 10 });
      const { callback, k1 } = await visit(url);
      await stop();
      const claim = (pr: string) => visit(`${callback}&k1=${k1}&pr=${pr}`);
      expect(await claim(outside(10_000).paymentRequest)).toEqual(refused(/stopped withdrawals: “We are checking/));
      const { payment_request: own } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 10 });
      expect(await claim(own)).toEqual(refused(/stopped withdrawals/));
      await expect.poll(() => visit(url)).toEqual(refused(/stopped withdrawals/));
      await resume();
      expect(await claim(own)).toEqual({ status: 'OK' });
      await expect.poll(async () => (await read(other.id)).balance_msat).toBe(10_000);
      expect(await problems()).toEqual([]);
    });

    it('refuse payments of wallet apps over LNDhub', async () => {
      const wallet = await client.wallet(100);
      const app = appOfWallet(client, wallet);
      await stop();
      const { status, body } = await app.pay(outside().paymentRequest, 0);
      expect([status, body.error, body.type, body.message]).toEqual([403, true, 'withdrawals_stopped', MESSAGE]);
      expect(await read(wallet.id)).toEqual({ balance_msat: 100_000, pending_msat: 0 });
    });

    it('refuse payments of apps over Nostr Wallet Connect', async () => {
      const wallet = await client.wallet(100);
      const app = await connectApp(client, wallet.id);
      await stop();
      expect((await app.call('pay_invoice', { invoice: outside().paymentRequest })).error).toEqual({
        code: 'RESTRICTED',
        message: MESSAGE,
      });
      expect(await read(wallet.id)).toEqual({ balance_msat: 100_000, pending_msat: 0 });
      app.close();
    });

    it('let payments in flight end normally', async () => {
      const wallet = await client.wallet(100);
      const [paid, failed] = [outside(5_000, { hold: true, fee: 0 }), outside(6_000, { hold: true, fee: 0 })];
      for (const { paymentRequest } of [paid, failed]) expect((await pay(wallet.id, paymentRequest)).status).toBe(202);
      await stop();
      expect((await client.get('/v1/operator/withdrawals')).pending_payments).toBeGreaterThanOrEqual(2);
      await client.decideHold(paid.paymentHash, 'settle');
      await client.decideHold(failed.paymentHash, 'cancel');
      await expect.poll(() => read(wallet.id)).toEqual({ balance_msat: 95_000, pending_msat: 0 });
      // The request of a payment that was started before is a replay, not a payment.
      expect((await pay(wallet.id, paid.paymentRequest)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('make payouts wait, and continue them after the resumption', async () => {
      const [wallet, other] = [await client.wallet(100), await client.wallet()];
      await stop();
      const lines = [{ destination: outside().paymentRequest }, { destination: other.id, num_satoshis: 3 }];
      const headers = { 'idempotency-key': randomUUID() };
      const { body } = await client.request('POST', `/v1/wallet/${wallet.id}/payouts`, { key: client.secretKey, json: { lines }, headers });
      const payout = () => client.get(`/v1/wallet/${wallet.id}/payouts/${body.id}`);
      // Long enough for the job to have looked at it: it looks at a payout that was ordered at once.
      await expect.poll(async () => (await payout()).num_pending).toBe(2);
      await resume();
      await expect.poll(async () => (await payout()).status).toBe('finished');
      expect(await payout()).toMatchObject({ num_paid: 2, num_failed: 0 });
      expect(await problems()).toEqual([]);
    });

    it('are in the audit log and an alert with the reason, and the alert closes with the resumption alone', async () => {
      await stop();
      const alert = (await openAlerts()).find(({ kind }) => kind === 'withdrawals_stopped');
      expect(alert).toMatchObject({ subject: 'service', message: `an operator has stopped withdrawals: ${REASON}` });
      const close = await client.request('POST', `/v1/operator/alerts/${alert?.id}/close`, {
        key: client.secretKey,
        json: { reason: 'x' },
      });
      expect([close.status, close.body.type]).toEqual([409, 'action_refused']);
      const other = await change('stop', { reason: 'Our node restarts.' });
      expect([other.status, other.body.reason]).toEqual([200, 'Our node restarts.']);
      await resume();
      expect((await openAlerts()).filter(({ kind }) => kind === 'withdrawals_stopped')).toEqual([]);
      const [last, , before] = await client.get('/v1/operator/actions?per-page=3');
      expect([last.kind, last.reason, before.kind, before.reason]).toEqual(['resume_withdrawals', 'checked', 'stop_withdrawals', REASON]);
      expect((await change('resume', {})).body.status).toBe('allowed');
    });

    it('can be read by every key and the readiness probe, and only operators stop and resume them', async () => {
      expect((await change('stop', { reason: 'mine' }, neighbour)).status).toBe(403);
      expect((await change('stop', { reason: ' ' })).body.type).toBe('validation_failed');
      expect(await neighbour.get('/v1/withdrawals')).toEqual({ status: 'allowed', reason: null, stopped_at: null });
      await stop();
      const shown = { status: 'stopped', reason: REASON, stopped_at: expect.any(Number) };
      await expect.poll(() => neighbour.get('/v1/withdrawals')).toEqual(shown);
      await expect.poll(async () => ((await (await fetch(`${client.url}/readyz`)).json()) as Json).withdrawals).toBe('stopped');
      expect((await change('resume', {}, neighbour)).status).toBe(403);
    });

    it('stay stopped over a restart', async () => {
      const wallet = await client.wallet(100);
      await stop();
      await service.restart();
      expect((await pay(wallet.id, outside().paymentRequest)).body.type).toBe('withdrawals_stopped');
      expect(await client.get('/v1/operator/withdrawals')).toMatchObject({ status: 'stopped', reason: REASON });
    });
  },
  SETTINGS,
  QUICK,
);
