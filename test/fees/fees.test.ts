import { expect, it } from 'vitest';
import { claim, OK, visit } from '../lnurl/claiming-wallet.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const RULES = {
  ln_out: { proportional_millionths: 10_000, min_msat: 2_000 },
  ln_in: { flat_msat: 1_000, free_below_msat: 50_000 },
  internal: { flat_msat: 3_000 },
  link: { flat_msat: 7_000 },
};

onFakeNode(
  'fees of the service',
  ({ client, neighbour, net, time, problems, rows }) => {
    async function put(owner: string, rules: Json): Promise<Json> {
      const { status, body, text } = await client.request('PUT', `/v1/${owner}/fees`, {
        key: client.secretKey,
        json: { rules, reason: 'prices' },
      });
      expect(status, text).toBe(200);
      return body;
    }

    async function walletWithFees(numSatoshis: number, rules: Json = RULES): Promise<string> {
      const { id } = await client.wallet(numSatoshis);
      await put(`wallets/${id}`, rules);
      return id;
    }

    const withdraw = (id: string, payment_request: string) =>
      client.request('POST', `/v1/wallet/${id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    const balance = async (id: string): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance_msat;
    const earned = async (): Promise<number> => (await client.get('/v1/operator/overview')).service_fees_msat;
    const recorded = async (): Promise<number> => Number((await rows('SELECT coalesce(sum(amount_msat), 0) AS n FROM service_fee'))[0]?.n);
    const feesOf = async (id: string): Promise<Json[]> =>
      (await client.get(`/v1/wallet/${id}/transactions`)).filter(({ wtxType }: Json) => wtxType.name === 'service_fee');

    it('are shown before a payment, and charged in a row of their own when it succeeds', async () => {
      const id = await walletWithFees(1_000);
      const before = await recorded();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000 });
      const quote = await client.get(`/v1/wallet/${id}/quote?payment_request=${paymentRequest}`);
      expect(quote).toMatchObject({ direction: 'ln_out', amount_msat: 500_000, service_fee_msat: 5_000, total_msat: 530_000 });
      const { body: paid } = await withdraw(id, paymentRequest);
      expect(paid.lnTx).toMatchObject({ status: 'settled', service_fee_msat: 5_000 });
      expect(await balance(id)).toBe(1_000_000 - 500_000 - 5_000 - paid.lnTx.fee_msat);
      const [fee] = await feesOf(id);
      expect(fee).toMatchObject({ num_msat: -5_000, passThru: { source_transaction: paid.id } });
      expect((await recorded()) - before).toBe(5_000);
      expect(await problems()).toEqual([]);
    });

    it('are not charged for a payment that fails', async () => {
      const id = await walletWithFees(1_000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000, script: { fail: 'NO_ROUTE' } });
      const { status, body } = await withdraw(id, paymentRequest);
      expect(status).toBe(400);
      expect(body.message).toContain('within the fee limit of 25000 msat');
      expect(await balance(id)).toBe(1_000_000);
      expect(await feesOf(id)).toEqual([]);
      expect(await problems()).toEqual([]);
    });

    it('are held while a payment is pending, and fixed when it is started', async () => {
      const id = await walletWithFees(1_000);
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 500_000, hold: true });
      expect((await withdraw(id, paymentRequest)).status).toBe(202);
      expect(await client.get(`/v1/wallet/${id}`)).toMatchObject({ balance_msat: 470_000, pending_msat: 530_000 });
      await put(`wallets/${id}`, { ln_out: { flat_msat: 90_000 } });
      await client.decideHold(paymentHash, 'settle');
      await expect.poll(() => feesOf(id)).toMatchObject([{ num_msat: -5_000 }]);
      expect(await problems()).toEqual([]);
    });

    it('are charged once when a payment that was booked as failed turns out to have succeeded', async () => {
      const id = await walletWithFees(1_000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000, script: { lateSuccessMs: 1_000 } });
      expect((await withdraw(id, paymentRequest)).status).toBe(400);
      expect(await feesOf(id)).toEqual([]);
      time.advance(2_000);
      await expect.poll(() => feesOf(id)).toMatchObject([{ num_msat: -5_000 }]);
      expect(await problems()).toEqual([]);
    });

    it('name what is missing when the balance covers the amount alone', async () => {
      const id = await walletWithFees(500);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 500_000 });
      const { status, body } = await withdraw(id, paymentRequest);
      expect(status).toBe(400);
      expect(body.message).toContain('500 sat for the amount, 5 sat for the fee of this service, and 25 sat for the fee reserve');
      const to = await client.wallet();
      const json = { dest_wallet_id: to.id, num_satoshis: 500 };
      const transfer = await client.request('POST', `/v1/wallet/${id}/transfer`, { key: client.secretKey, json });
      expect(transfer.body.message).toBe(
        'The spendable balance is 500 sat. The transfer requires 503 sat: 500 sat for the amount and 3 sat for the fee of this service.',
      );
      expect(await balance(id)).toBe(500_000);
    });

    it('are taken from money that arrives, and never more than it', async () => {
      const id = await walletWithFees(0, { ln_in: { flat_msat: 100_000, free_below_msat: 20_000 } });
      const receive = async (num_satoshis: number) => {
        const { payment_request } = await client.post(`/v1/wallet/${id}/invoice`, { num_satoshis });
        await client.post('/playground/pay', { payment_request });
      };
      await receive(19);
      await expect.poll(() => balance(id)).toBe(19_000);
      // Only smaller amounts are free.
      await receive(20);
      await expect.poll(async () => (await feesOf(id)).map(({ num_msat }) => num_msat)).toEqual([-20_000]);
      await receive(50);
      await expect.poll(async () => (await feesOf(id)).length).toBe(2);
      expect(await balance(id)).toBe(19_000);
      await receive(300);
      await expect.poll(() => balance(id)).toBe(219_000);
      const [first] = await feesOf(id);
      expect(first).toMatchObject({ num_msat: -100_000 });
      expect(await problems()).toEqual([]);
    });

    it('are paid by the sender of a transfer and of an internal payment', async () => {
      const id = await walletWithFees(1_000);
      const to = await client.wallet();
      await client.post(`/v1/wallet/${id}/transfer`, { dest_wallet_id: to.id, num_satoshis: 100 });
      expect([await balance(id), await balance(to.id)]).toEqual([897_000, 100_000]);
      const { payment_request } = await client.post(`/v1/wallet/${to.id}/invoice`, { num_satoshis: 200 });
      expect((await client.get(`/v1/wallet/${id}/quote?payment_request=${payment_request}`)).service_fee_msat).toBe(3_000);
      await withdraw(id, payment_request);
      expect([await balance(id), await balance(to.id)]).toEqual([694_000, 300_000]);
      expect(await problems()).toEqual([]);
    });

    it('are part of what a claim of a withdraw link may cost', async () => {
      const id = await walletWithFees(100);
      const link = await client.post(`/v1/wallet/${id}/lnurl/withdraw`, { num_satoshis: 100, fee_limit_msat: 1_000 });
      const offer = await visit(link.url);
      expect(offer.maxWithdrawable).toBe(92_000);
      const { paymentRequest } = net.outside.invoice({ amountMsat: 92_000, script: { fee: 0 } });
      expect(await claim(offer, paymentRequest)).toEqual(OK);
      await expect.poll(() => balance(id)).toBe(1_000);
      expect(await feesOf(id)).toMatchObject([{ num_msat: -7_000 }]);
      expect(await problems()).toEqual([]);
    });

    it('count against the budget of a key', async () => {
      const id = await walletWithFees(1_000);
      const order = { kind: 'wallet_admin', budget_msat: 500_000, budget_period: 'day' };
      const { key } = await client.post(`/v1/wallet/${id}/keys`, order);
      const pay = (amountMsat: number) =>
        client.request('POST', `/v1/wallet/${id}/withdraw`, {
          key,
          json: { payment_request: net.outside.invoice({ amountMsat }).paymentRequest },
        });
      expect((await pay(496_000)).body.type).toBe('budget_exceeded');
      expect((await pay(495_000)).status).toBe(201);
      expect(await problems()).toEqual([]);
    });

    it('are those of the wallet, or else those of its account, and each change is a version', async () => {
      const { id } = await client.wallet(100);
      const account = (await client.get('/v1/account')).id;
      await put(`accounts/${account}`, { ln_out: { flat_msat: 1_000 } });
      expect(await client.get(`/v1/wallet/${id}/fees`)).toMatchObject({ owner_id: account, ln_out: { flat_msat: 1_000 }, ln_in: null });
      await put(`wallets/${id}`, { ln_out: { flat_msat: 2_000 } });
      expect(await client.get(`/v1/wallet/${id}/fees`)).toMatchObject({ owner_id: id, version: 1, ln_out: { flat_msat: 2_000 } });
      await client.request('DELETE', `/v1/wallets/${id}/fees`, { key: client.secretKey });
      expect(await client.get(`/v1/wallet/${id}/fees`)).toMatchObject({ owner_id: account });
      const versions = await client.get(`/v1/wallets/${id}/fees/versions`);
      expect(versions).toMatchObject([
        { version: 2, is_removed: true },
        { version: 1, is_removed: false, reason: 'prices' },
      ]);
      await client.request('DELETE', `/v1/accounts/${account}/fees`, { key: client.secretKey });
      expect(await client.get(`/v1/wallet/${id}/fees`)).toMatchObject({ id: null, version: 0, ln_out: null });
    });

    it('of the operator itself are changed by many requests at once, each of which is a version', async () => {
      const { id } = await client.wallet();
      await Promise.all(Array.from({ length: 20 }, (_, index) => put(`wallets/${id}`, { internal: { flat_msat: index } })));
      const versions: Json[] = await client.get(`/v1/wallets/${id}/fees/versions`);
      expect(versions.map(({ version }) => version)).toEqual(Array.from({ length: 20 }, (_, index) => 20 - index));
    });

    it('can be set by operators only, with rules that make sense', async () => {
      const { id } = await client.wallet();
      const set = (key: string, rules: Json) => client.request('PUT', `/v1/wallets/${id}/fees`, { key, json: { rules } });
      expect((await set(neighbour.secretKey, RULES)).status).toBe(403);
      for (const rules of [
        { ln_out: { min_msat: 2, max_msat: 1 } },
        { ln_out: { proportional_millionths: 1_000_001 } },
        { ln_out: { flat_msat: -1 } },
        { ln_out: { flat: 1 } },
        { outgoing: {} },
        'free',
      ]) {
        const { status, body } = await set(client.secretKey, rules);
        expect([status, body.type], JSON.stringify(rules)).toEqual([400, 'validation_failed']);
      }
      expect(await client.get(`/v1/wallet/${id}/fees`)).toMatchObject({ version: 0 });
    });

    it('of a sub-account are those of the account above unless it has its own, and a share goes to a wallet above', async () => {
      const parent = (await neighbour.get('/v1/account')).id;
      const share = await neighbour.wallet();
      const child = await client.post('/v1/accounts', {
        parent_id: parent,
        share_millionths: 250_000,
        revenue_wallet_id: share.id,
      });
      const wallet = (await client.request('POST', '/v1/wallet', { key: child.secret_key, json: {} })).body;
      await client.request('POST', '/playground/fund', { key: child.secret_key, json: { wallet_id: wallet.id, num_satoshis: 1_000 } });
      await put(`accounts/${parent}`, { ln_out: { flat_msat: 10_001 } });
      const before = await earned();
      const { paymentRequest } = net.outside.invoice({ amountMsat: 100_000, script: { fee: 0 } });
      const paid = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
        key: child.secret_key,
        json: { payment_request: paymentRequest },
      });
      expect(paid.body.lnTx.service_fee_msat).toBe(10_001);
      expect((await neighbour.get(`/v1/wallet/${share.id}`)).balance_msat).toBe(2_500);
      expect((await earned()) - before).toBe(7_501);
      const [row] = await neighbour.get(`/v1/wallet/${share.id}/transactions`);
      expect(row).toMatchObject({ num_msat: 2_500, wtxType: { name: 'revenue_share' } });
      const setStatus = (id: string, status: string) =>
        client.request('PATCH', `/v1/accounts/${id}`, { key: client.secretKey, json: { status, reason: 'a test' } });
      for (const [status, received] of [
        ['frozen', 2_500],
        ['closing', 2_500],
        ['receive_only', 5_000],
      ] as const) {
        expect((await setStatus(parent, status)).status).toBe(200);
        const invoice = net.outside.invoice({ amountMsat: 10_000, script: { fee: 0 } });
        const json = { payment_request: invoice.paymentRequest };
        expect((await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: child.secret_key, json })).status).toBe(201);
        expect([status, (await neighbour.get(`/v1/wallet/${share.id}`)).balance_msat]).toEqual([status, received]);
      }
      await setStatus(parent, 'active');
      expect((await earned()) - before).toBe(2 * 7_501 + 2 * 10_001);
      const foreign = await client.wallet();
      const wrong = await client.request('PATCH', `/v1/accounts/${child.id}`, {
        key: client.secretKey,
        json: { revenue_wallet_id: foreign.id, reason: 'a test' },
      });
      expect([wrong.status, wrong.body.type]).toEqual([400, 'validation_failed']);
      expect(await problems()).toEqual([]);
    });

    it('sum up to the millisatoshi', async () => {
      const [{ n = 0 } = {}] = await rows('SELECT coalesce(sum(share_msat), 0) AS n FROM service_fee');
      expect(await earned()).toBe((await recorded()) - Number(n));
      expect(await problems()).toEqual([]);
    });
  },
  { PAYMENT_WAIT_SECONDS: '1' },
);
