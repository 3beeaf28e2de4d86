import { afterEach, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

/** A node that is not one of the service. */
const OUTSIDE = '02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5';
const REASON = 'We are checking our node. Your money is safe.';
const MESSAGE = `The operator has stopped withdrawals: “${REASON}” This request sent nothing.`;

onFakeNode(
  'stopped withdrawals',
  (service) => {
    const { client, net, problems, rows } = service;
    const change = (verb: 'stop' | 'resume', json: object, by = client) =>
      by.request('POST', `/v1/operator/withdrawals/${verb}`, { key: by.secretKey, json });
    const stop = async () => expect((await change('stop', { reason: REASON })).status).toBe(200);
    const resume = async () => expect((await change('resume', { reason: 'checked' })).status).toBe(200);
    const outside = (amountMsat = 5_000, script: object = { fee: 0 }) => net.outside.invoice({ amountMsat, script });
    const pay = (id: string, payment_request: string) =>
      client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    const read = (id: string) => client.get(`/v1/wallet/${id}?fields=balance_msat,pending_msat`);

    afterEach(async () => void (await change('resume', { reason: 'end of the test' })));

    it('refuse payments of invoices and keysends before anything is held, with the reason of the operator, and count them', async () => {
      const wallet = await client.wallet(100);
      await stop();
      const { paymentRequest, paymentHash } = outside();
      const paid = await pay(wallet.id, paymentRequest);
      expect([paid.status, paid.body.type, paid.body.message]).toEqual([403, 'withdrawals_stopped', MESSAGE]);
      const json = { dest_pubkey: OUTSIDE, num_satoshis: 5 };
      const sent = await client.request('POST', `/v1/wallet/${wallet.id}/keysend`, { key: client.secretKey, json });
      expect([sent.status, sent.body.type]).toEqual([403, 'withdrawals_stopped']);
      expect(await read(wallet.id)).toEqual({ balance_msat: 100_000, pending_msat: 0 });
      expect(net.outside.payments().filter((one) => one.paymentHash === paymentHash)).toEqual([]);
      expect(await rows('SELECT id FROM payment WHERE wallet_id = $1', wallet.id)).toEqual([]);
      expect(await client.get('/v1/operator/withdrawals')).toMatchObject({ status: 'stopped', reason: REASON, num_refused: 2 });
      await resume();
      expect((await pay(wallet.id, paymentRequest)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('let transfers, payments between wallets and receiving go on', async () => {
      const [wallet, other] = [await client.wallet(100), await client.wallet()];
      await stop();
      const json = { dest_wallet_id: other.id, num_satoshis: 10 };
      expect((await client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: client.secretKey, json })).status).toBe(201);
      const { payment_request: own } = await client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 5 });
      expect((await pay(wallet.id, own)).status).toBe(201);
      expect((await read(other.id)).balance_msat).toBe(15_000);
      const received = await client.wallet(30);
      expect((await read(received.id)).balance_msat).toBe(30_000);
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
