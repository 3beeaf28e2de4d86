import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode(
  'limits of accounts and wallets',
  ({ client, neighbour, net, time, problems, openAlerts }) => {
    async function limit(owner: string, json: Json, key = client.secretKey): Promise<Json> {
      const { status, body, text } = await client.request('PUT', `/v1/${owner}/limits`, { key, json });
      expect(status, text).toBe(200);
      return body;
    }

    async function limitedWallet(numSatoshis: number, limits: Json): Promise<string> {
      const { id } = await client.wallet(numSatoshis);
      await limit(`wallets/${id}`, limits);
      return id;
    }

    const pay = (id: string, amountMsat: number, script = {}) =>
      client.request('POST', `/v1/wallet/${id}/withdraw`, {
        key: client.secretKey,
        json: { payment_request: net.outside.invoice({ amountMsat, script }).paymentRequest },
      });

    const transfer = (id: string, to: string, num_satoshis: number) =>
      client.request('POST', `/v1/wallet/${id}/transfer`, { key: client.secretKey, json: { dest_wallet_id: to, num_satoshis } });

    it('refuse a payment and a transfer above the largest one, and name the limit', async () => {
      const id = await limitedWallet(1_000, { max_payment_msat: 100_000 });
      const { status, body } = await pay(id, 100_001);
      expect([status, body.type, body.message]).toEqual([400, 'spending_limit_exceeded', 'The wallet may send at most 100 sat at once.']);
      const other = await client.wallet();
      expect((await transfer(id, other.id, 101)).body.type).toBe('spending_limit_exceeded');
      expect((await pay(id, 100_000)).status).toBe(201);
      expect((await transfer(id, other.id, 100)).status).toBe(201);
    });

    it('count settled and pending payments and transfers of the day and the month', async () => {
      const id = await limitedWallet(2_000, { max_out_day_msat: 500_000, max_out_month_msat: 600_000 });
      const other = await client.wallet();
      expect((await pay(id, 200_000)).status).toBe(201);
      expect((await pay(id, 100_000, { hold: true })).status).toBe(202);
      expect((await transfer(id, other.id, 100)).status).toBe(201);
      expect((await pay(id, 100_001)).body.message).toMatch(
        /^The wallet may send 100 sat more until \d{4}-\d\d-\d\d \(UTC\), of 500 sat per day\.$/,
      );
      expect((await pay(id, 100_000, { fail: 'NO_ROUTE' })).body.type).toBe('payment_failed');
      const [limits] = await client.get(`/v1/wallet/${id}/limits`);
      expect(limits).toMatchObject({ owner_id: id, out_day_msat: 400_000, out_month_msat: 400_000, pending_payments: 1 });
      expect((await pay(id, 100_000)).status).toBe(201);
      expect((await transfer(id, other.id, 1)).body.type).toBe('spending_limit_exceeded');
      expect(await problems()).toEqual([]);
    });

    it.each(['day', 'month'])('count a pending payment against a limit of the %s alone', async (period) => {
      const id = await limitedWallet(1_000, { [`max_out_${period}_msat`]: 300_000 });
      const other = await client.wallet();
      expect((await pay(id, 200_000, { hold: true })).status).toBe(202);
      expect((await pay(id, 100_001)).body.message).toContain(`of 300 sat per ${period}.`);
      expect((await transfer(id, other.id, 101)).body.type).toBe('spending_limit_exceeded');
      expect((await pay(id, 100_000)).status).toBe(201);
      expect((await transfer(id, other.id, 1)).body.type).toBe('spending_limit_exceeded');
      expect(await problems()).toEqual([]);
    });

    it('count what was sent before a limit was first set', async () => {
      const { id } = await client.wallet(2_000);
      await pay(id, 300_000);
      await pay(id, 100_000, { hold: true });
      const set = await limit(`wallets/${id}`, { max_out_day_msat: 500_000 });
      expect(set).toMatchObject({ out_day_msat: 400_000, out_month_msat: 400_000 });
      expect((await pay(id, 100_001)).status).toBe(400);
      expect((await pay(id, 100_000)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('release the amount of a pending payment that fails', async () => {
      const id = await limitedWallet(1_000, { max_out_day_msat: 100_000, max_pending: 1 });
      const held = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
      const json = { payment_request: held.paymentRequest };
      await client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json });
      expect((await pay(id, 1_000)).status).toBe(400);
      await client.decideHold(held.paymentHash, 'cancel');
      await expect.poll(async () => (await client.get(`/v1/wallet/${id}/limits`))[0].out_day_msat).toBe(0);
      expect((await pay(id, 100_000)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('count a payment that was booked as failed and turns out to have succeeded', async () => {
      const id = await limitedWallet(1_000, { max_out_day_msat: 100_000 });
      expect((await pay(id, 80_000, { lateSuccessMs: 1_000 })).status).toBe(400);
      expect((await client.get(`/v1/wallet/${id}/limits`))[0].out_day_msat).toBe(0);
      time.advance(2_000);
      await expect.poll(async () => (await client.get(`/v1/wallet/${id}/limits`))[0].out_day_msat).toBe(80_000);
      expect(await problems()).toEqual([]);
    });

    it('refuse more payments per minute and more pending payments', async () => {
      const minute = () => Math.floor(Date.now() / 60_000);
      for (let started = -1; started !== minute(); ) {
        started = minute();
        const id = await limitedWallet(1_000, { max_payments_per_minute: 2 });
        const sent = [await pay(id, 1_000), await pay(id, 1_000), await pay(id, 1_000)];
        // At the end of a minute it begins again.
        if (started !== minute()) continue;
        expect(sent.map(({ status }) => status)).toEqual([201, 201, 400]);
        expect(sent[2]?.body.message).toBe('The wallet may start 2 payments per minute. Wait for the next minute.');
      }
      const busy = await limitedWallet(1_000, { max_pending: 1 });
      expect((await pay(busy, 1_000, { hold: true })).status).toBe(202);
      expect((await pay(busy, 1_000)).body.message).toBe('The wallet may have 1 pending payments. Wait until one of them has ended.');
      const other = await client.wallet();
      expect((await transfer(busy, other.id, 1)).status).toBe(201);
    });

    it('refuse invoices and transfers beyond what a wallet may receive, and credit what arrives anyway with an alert', async () => {
      const id = await limitedWallet(0, { max_receive_msat: 100_000, max_balance_msat: 150_000 });
      const invoice = (num_satoshis?: number) =>
        client.request('POST', `/v1/wallet/${id}/invoice`, { key: client.secretKey, json: { ...(num_satoshis && { num_satoshis }) } });
      expect((await invoice(101)).body).toMatchObject({ type: 'receiving_limit_exceeded', status: 400 });
      const [first, second, open] = [await invoice(100), await invoice(100), await invoice()];
      expect([first.status, second.status, open.status]).toEqual([201, 201, 201]);
      for (const { body } of [first, second]) await client.post('/playground/pay', { payment_request: body.payment_request });
      await expect.poll(async () => (await client.get(`/v1/wallet/${id}`)).balance_msat).toBe(200_000);
      expect(await openAlerts()).toContainEqual(expect.objectContaining({ kind: 'over_limit', subject: id }));
      expect((await invoice(1)).status).toBe(400);
      expect((await invoice()).status).toBe(400);
      const source = await client.wallet(500);
      expect((await transfer(source.id, id, 1)).body.type).toBe('receiving_limit_exceeded');
      const full = await limitedWallet(0, { max_balance_msat: 50_000 });
      expect((await transfer(source.id, full, 50)).status).toBe(201);
      expect((await transfer(source.id, full, 1)).body.type).toBe('receiving_limit_exceeded');
      const { payment_request } = (await invoice()).body;
      expect(payment_request).toBeUndefined();
      expect(await problems()).toEqual([]);
    });

    it('of an account apply to the sum of all its wallets, also to new ones, and only operators set them', async () => {
      const account = (await neighbour.get('/v1/account')).id;
      const before = await neighbour.wallet(1_000);
      await limit(`accounts/${account}`, { max_out_day_msat: 300_000 });
      const after = await neighbour.wallet(1_000);
      const send = (id: string, amountMsat: number) =>
        neighbour.request('POST', `/v1/wallet/${id}/withdraw`, {
          key: neighbour.secretKey,
          json: { payment_request: net.outside.invoice({ amountMsat }).paymentRequest },
        });
      expect((await send(before.id, 200_000)).status).toBe(201);
      const refused = await send(after.id, 100_001);
      expect(refused.body.message).toBe('The account, or one above it, has reached its limit `max_out_day_msat`.');
      expect((await send(after.id, 100_000)).status).toBe(201);
      expect((await send(before.id, 1_000)).status).toBe(400);
      expect(await neighbour.get(`/v1/wallet/${after.id}/limits`)).toMatchObject([{ owner_id: account, out_day_msat: 300_000 }]);
      for (const path of [`/v1/accounts/${account}/limits`, `/v1/wallets/${(await client.wallet()).id}/limits`]) {
        const { status } = await neighbour.request('PUT', path, { key: neighbour.secretKey, json: {} });
        expect([403, 404]).toContain(status);
      }
      const own = await neighbour.request('PUT', `/v1/wallets/${after.id}/limits`, { key: neighbour.secretKey, json: { max_pending: 3 } });
      expect([own.status, own.body.max_pending]).toEqual([200, 3]);
      await limit(`accounts/${account}`, {});
      expect((await send(before.id, 1_000)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('of the operator itself are changed by many requests at once', async () => {
      const { id } = await client.wallet();
      const made = await Promise.all(Array.from({ length: 20 }, (_, index) => limit(`wallets/${id}`, { max_pending: index + 1 })));
      expect(made).toHaveLength(20);
      expect(await client.get(`/v1/wallet/${id}/limits`)).toMatchObject([{ owner_id: id, max_pending: expect.any(Number) }]);
    });

    it('of an account apply to the sum of the accounts below it, and it reads and sets theirs', async () => {
      const parent = (await neighbour.get('/v1/account')).id;
      await limit(`accounts/${parent}`, {});
      const before = (await client.get(`/v1/accounts/${parent}/limits`)).out_day_msat;
      const child = await client.post('/v1/accounts', { parent_id: parent });
      expect(child.parent_id).toBe(parent);
      const wallet = (await client.request('POST', '/v1/wallet', { key: child.secret_key, json: {} })).body;
      await client.request('POST', '/playground/fund', { key: child.secret_key, json: { wallet_id: wallet.id, num_satoshis: 1_000 } });
      await limit(`accounts/${parent}`, { max_out_day_msat: before + 200_000 });
      const send = (amountMsat: number) =>
        client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
          key: child.secret_key,
          json: { payment_request: net.outside.invoice({ amountMsat }).paymentRequest },
        });
      expect((await send(150_000)).status).toBe(201);
      expect((await send(50_001)).body.type).toBe('spending_limit_exceeded');
      await limit(`accounts/${child.id}`, { max_payment_msat: 10_000 }, neighbour.secretKey);
      expect((await send(20_000)).body.message).toContain('`max_payment_msat`');
      expect((await neighbour.get('/v1/account/sub-accounts')).map(({ id }: Json) => id)).toContain(child.id);
      const upwards = await client.request('PUT', `/v1/accounts/${parent}/limits`, { key: child.secret_key, json: {} });
      expect(upwards.status).toBe(403);
      const seen = await client.request('GET', `/v1/wallet/${wallet.id}/limits`, { key: child.secret_key });
      expect(seen.body.map(({ owner_id }: Json) => owner_id)).toEqual([child.id]);
      await limit(`accounts/${parent}`, {});
      expect(await problems()).toEqual([]);
    });

    it('hide the figures of the owner from those who claim its withdraw links', async () => {
      const id = await limitedWallet(1_000, { max_payment_msat: 10_000 });
      const link = await client.post(`/v1/wallet/${id}/lnurl/withdraw`, { num_satoshis: 100 });
      const offer: Json = await (await fetch(link.url)).json();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000 });
      const claimed: Json = await (await fetch(`${offer.callback}&k1=${offer.k1}&pr=${paymentRequest}`)).json();
      expect(claimed.status).toBe('ERROR');
      expect(claimed.reason).not.toContain('10 sat');
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
