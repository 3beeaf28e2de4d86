import { expect, it } from 'vitest';
import { waitSeconds } from '../../src/features/lndhub/pay-routes.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { appOfWallet, BASE, SETTINGS } from './app.ts';

it.each([
  [110, 0, 55],
  [50, 0, 50],
  [50, 20_000, 30],
  [50, 60_000, 0],
])('H1: waits at most 55 seconds for a payment, from the arrival of the request: %i s, after %i ms %i s', (setting, elapsedMs, seconds) => {
  expect(waitSeconds(setting, elapsedMs)).toBe(seconds);
});

onFakeNode(
  'payments of wallet apps',
  (service) => {
    const { client, net, problems } = service;
    async function connected(numSatoshis = 1000) {
      const wallet = await client.wallet(numSatoshis);
      return { wallet, app: appOfWallet(client, wallet) };
    }
    const sentTo = (hash: string) => net.outside.payments().filter(({ paymentHash }) => paymentHash === hash);

    it('H1: answers a payment without an outcome with 503 and code 7, and the repeated request with its success', async () => {
      const { app } = await connected();
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { hold: true } });
      const pending = await app.pay(paymentRequest, 0);
      expect(pending.status).toBe(503);
      expect(pending.text).toMatch(/^\{"error":true,"code":7,"message":"The payment is still in progress\./);
      expect(pending.body.type).toBe('payment_pending');
      await client.decideHold(paymentHash, 'settle');
      await expect.poll(async () => (await app.pay(paymentRequest, 0)).status).toBe(200);
      const paid = await app.pay(paymentRequest.toUpperCase(), '5');
      expect(paid.body).toMatchObject({ payment_error: '', status: 'complete', value: 5, decoded: { num_satoshis: '5' } });
      expect(await app.balance()).toBe(995);
      expect(sentTo(paymentHash)).toHaveLength(1);
      expect(await problems()).toEqual([]);
    });

    it('returns the money of a failed payment, and attempts it again', async () => {
      const { app } = await connected();
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { fail: 'NO_ROUTE' } });
      const failed = await app.pay(paymentRequest, 0);
      expect([failed.status, failed.body.code, failed.body.type]).toEqual([400, 5, 'payment_failed']);
      net.nextPayment({ fail: 'INCORRECT_PAYMENT_DETAILS' });
      expect((await app.pay(paymentRequest, 0)).body).toMatchObject({ error: true, code: 10 });
      expect(await app.balance()).toBe(1000);
      expect((await app.get('/gettxs')).body).toEqual([]);
      net.nextPayment({});
      expect((await app.pay(paymentRequest, 0)).status).toBe(200);
      expect(sentTo(paymentHash).filter(({ state }) => state === 'succeeded')).toHaveLength(1);
      expect(await problems()).toEqual([]);
    });

    it('rejects an invoice that another wallet has paid', async () => {
      const [first, second] = [await connected(), await connected()];
      const { paymentRequest } = net.outside.invoice({ amountMsat: 5_000 });
      expect((await first.app.pay(paymentRequest)).status).toBe(200);
      expect(await second.app.pay(paymentRequest)).toMatchObject({ status: 400, body: { code: 2, type: 'invoice_paid' } });
      expect(await second.app.balance()).toBe(1000);
      expect(await problems()).toEqual([]);
    });

    it('pays an invoice of another wallet without a fee', async () => {
      const [payer, payee] = [await connected(), await connected(0)];
      const { body } = await payee.app.addInvoice({ amt: 1000, memo: 'all' });
      const paid = await payer.app.pay(body.payment_request, 1000);
      expect(paid.body).toMatchObject({ value: 1000, fee: 0, payment_route: { total_fees: 0 } });
      expect([await payer.app.balance(), await payee.app.balance()]).toEqual([0, 1000]);
      expect((await payee.app.get(`/checkpayment/${body.hash}`)).body).toEqual({ paid: true });
      expect(await problems()).toEqual([]);
    });

    it('names the amounts if the balance is too low, and rejects what a budget does not allow', async () => {
      const { wallet, app } = await connected(100);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 200_000 });
      const poor = await app.pay(paymentRequest);
      expect(poor.body).toMatchObject({ code: 2, type: 'insufficient_balance' });
      expect(poor.body.message).toContain('The spendable balance is 100 sat.');
      const limits = { kind: 'wallet_admin', budget_msat: 10_000, budget_period: 'day' };
      const { id, key } = await client.post(`/v1/wallet/${wallet.id}/keys`, limits);
      const limited = appOfWallet(client, { ...wallet, admin: key });
      const { paymentRequest: small } = net.outside.invoice({ amountMsat: 20_000 });
      expect((await limited.pay(small)).body).toMatchObject({ code: 2, type: 'budget_exceeded' });
      expect((await limited.pay(net.outside.invoice({ amountMsat: 5_000 }).paymentRequest)).status).toBe(200);
      expect(await client.get(`/v1/keys/${id}`)).toMatchObject({ num_paid: 1, paid_msat: 5_000 });
      expect(await problems()).toEqual([]);
    });

    it('reads amounts as numbers and texts, and rejects all others', async () => {
      const { app } = await connected(10_000);
      const free = () => net.outside.invoice({}).paymentRequest;
      for (const amount of ['21', 21]) expect((await app.pay(free(), amount)).body).toMatchObject({ value: 21 });
      for (const amount of [0, '0', null, '', undefined])
        expect(await app.pay(free(), amount)).toMatchObject({ status: 400, body: { code: 8, type: 'invoice_amount_missing' } });
      for (const amount of [21.5, '21.5', -1, '-1', '1e3', 2 ** 53, '9007199254740992', {}, [], true])
        expect(await app.pay(free(), amount)).toMatchObject({ status: 400, body: { code: 8, type: 'validation_failed' } });
      const fixed = () => net.outside.invoice({ amountMsat: 5_500 }).paymentRequest;
      for (const amount of [0, null, undefined, 5, '6']) expect((await app.pay(fixed(), amount)).status).toBe(200);
      for (const amount of [4, 7]) expect((await app.pay(fixed(), amount)).body).toMatchObject({ code: 8 });
      for (const amt of ['21', 21, 0, null, undefined]) expect((await app.addInvoice({ amt, memo: 'a' })).status).toBe(200);
      for (const amt of [21.5, -1, '1e3', 2 ** 53]) expect((await app.addInvoice({ amt })).body).toMatchObject({ code: 8 });
      expect(await problems()).toEqual([]);
    });

    it('H1: answers 503 with code 7 when the database fails, whatever has happened before', async () => {
      const { app } = await connected();
      for (const failsAt of ['payment_find', 'COMMIT']) {
        const isHeld = failsAt === 'payment_find';
        const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { hold: isHeld } });
        service.connectionFailsAt = (name) => name === failsAt;
        const answer = await app.pay(paymentRequest);
        service.connectionFailsAt = undefined;
        expect([failsAt, answer.status, answer.body.code]).toEqual([failsAt, 503, 7]);
        if (isHeld) await client.decideHold(paymentHash, 'settle');
        await expect.poll(async () => (await app.pay(paymentRequest)).status).toBe(200);
        expect(sentTo(paymentHash)).toHaveLength(1);
      }
      expect(await app.balance()).toBe(990);
      expect(await problems()).toEqual([]);
    });

    it('reports the account of a frozen wallet as bad auth, and pays nothing', async () => {
      const { app } = await connected();
      const { id } = await client.get('/v1/account');
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000 });
      await service.execute('UPDATE account SET status = $2 WHERE id = $1', id, 'frozen');
      const frozen = await app.pay(paymentRequest);
      await service.execute('UPDATE account SET status = $2 WHERE id = $1', id, 'active');
      expect([frozen.status, frozen.body.code]).toEqual([401, 1]);
      expect(sentTo(paymentHash)).toEqual([]);
      expect(await problems()).toEqual([]);
    });

    it('tells the app not to repeat a keysend without an outcome, and shows it in the list', async () => {
      const { app } = await connected();
      const { nodes } = await client.get('/playground');
      const { pubkey } = nodes.find(({ name }: Json) => name === 'alice');
      net.nextPayment({ hold: true });
      const pending = await app.send('POST', '/keysend', { destination: pubkey, amount: 5 });
      expect([pending.status, pending.body.code, pending.body.message]).toEqual([503, 7, expect.stringContaining('Do not send it again.')]);
      const [listed] = (await app.get('/gettxs')).body;
      expect(listed).toMatchObject({ memo: 'Payment in transition', keysend: true, value: 15, fee: 10, payment_preimage: '' });
      await client.decideHold(Buffer.from(listed.payment_hash.data).toString('hex'), 'cancel');
      await expect.poll(() => app.balance()).toBe(1000);
      expect((await app.send('POST', '/keysend', { destination: pubkey, amount: 0 })).body.code).toBe(8);
      expect((await app.send('POST', '/keysend', { destination: 'x', amount: 1 })).body.code).toBe(8);
      expect((await app.send('POST', '/keysend', { destination: pubkey, amount: 1, customRecords: [1] })).body.code).toBe(8);
      expect(await problems()).toEqual([]);
    });

    it('accepts JSON in any of the ways in which apps send it, and forms', async () => {
      const { app, wallet } = await connected();
      const headers = { authorization: `Bearer ${wallet.admin}` };
      const body = JSON.stringify({ amt: '3', memo: 'a' });
      // Bytes have no content type, and a text is plain text, unless it is given.
      for (const sent of [body, Buffer.from(body)]) {
        const response = await fetch(`${client.url}${BASE}/addinvoice`, { method: 'POST', headers, body: sent });
        expect(response.status).toBe(200);
      }
      expect((await app.addInvoice({ amt: 3, memo: 'a', unknown: true })).status).toBe(200);
      expect((await client.request('POST', `${BASE}/addinvoice`, { headers, form: body })).status).toBe(200);
      expect((await client.request('POST', `${BASE}/addinvoice`, { headers, form: 'amt=3&memo=a' })).status).toBe(200);
      expect((await app.get('/getuserinvoices')).body.map(({ amt }: Json) => amt)).toEqual([3, 3, 3, 3, 3, 1000]);
      expect(await problems()).toEqual([]);
    });
  },
  { ...SETTINGS, UNLIMITED_LOGINS: 'true' },
);

onFakeNode(
  'concurrent payments of a wallet app',
  ({ client, net, problems }) => {
    it('H2: pays an invoice once for 50 requests at the same time, and answers all of them equally', async () => {
      const app = appOfWallet(client, await client.wallet(1000));
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 5_000, script: { fee: 1_000 } });
      const answers = await Promise.all(Array.from({ length: 50 }, () => app.pay(paymentRequest, 0)));
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
      expect(answers[0]?.status).toBe(200);
      expect(net.outside.payments().filter((payment) => payment.paymentHash === paymentHash)).toHaveLength(1);
      expect(await app.balance()).toBe(994);
      expect(await problems()).toEqual([]);
    });
  },
  // All requests wait for the outcome, however slow the machine is.
  { ...SETTINGS, PAYMENT_WAIT_SECONDS: '50' },
);
