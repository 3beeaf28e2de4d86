import { expect, it } from 'vitest';
import { periodStart } from '../../src/core/budgets/limits.ts';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

/** These tests may run at any time of the day. */
const PERIOD = 'ever';

/** Runs a test again if midnight came during it, which resets daily budgets. */
async function withinOneDay(work: () => Promise<void>): Promise<void> {
  const today = () => periodStart('day', Math.floor(Date.now() / 1000));
  const day = today();
  try {
    await work();
  } catch (error) {
    if (today() === day) throw error;
    await work();
  }
}

/** Creates an admin key of a wallet, with limits. */
async function limitedKey({ client }: FakeNodeApp, wallet: TestWallet, limits: object): Promise<{ id: string; key: string }> {
  return client.post(`/v1/wallet/${wallet.id}/keys`, { kind: 'wallet_admin', ...limits });
}

/** Starts a payment without waiting for its end. */
function withdraw({ client }: FakeNodeApp, key: string, json: object, prefer = 'respond-async'): Promise<HttpResponse> {
  return client.request('POST', `/v1/wallet/${key}/withdraw`, { key, json, headers: { prefer } });
}

/** Returns the budget of a key from the list of keys. */
async function budgetOf({ client }: FakeNodeApp, wallet: TestWallet, id: string): Promise<{ spent: number; pending: number }> {
  const keys: Json[] = await client.get(`/v1/wallet/${wallet.id}/keys`);
  const { budget_spent_msat: spent, budget_pending_msat: pending } = keys.find((key) => key.id === id);
  return { spent, pending };
}

const typesOf = (responses: readonly HttpResponse[]) => responses.map(({ status, body }) => body.type ?? status);

onFakeNode('budgets', (service) => {
  const { net } = service;
  const invoice = (amountMsat: number, script = {}) => net.outside.invoice({ amountMsat, script });

  for (const way of ['one after the other', 'at once'] as const) {
    it(`R8: of ten hold invoices of 100k under a budget of 100k, ${way}, only the first is accepted, because pending payments count`, async () => {
      const wallet = await service.client.wallet(1_000_000);
      const { id, key } = await limitedKey(service, wallet, { budget_msat: 100_000_000, budget_period: PERIOD });
      const invoices = Array.from({ length: 10 }, () => invoice(100_000_000, { hold: true }));
      const responses: HttpResponse[] = [];
      const request = async ({ paymentRequest }: { paymentRequest: string }) => {
        responses.push(await withdraw(service, key, { payment_request: paymentRequest }));
      };
      if (way === 'at once') await Promise.all(invoices.map(request));
      else for (const one of invoices) await request(one);
      expect(typesOf(responses).sort()).toEqual([202, ...Array(9).fill('budget_exceeded')]);
      expect(await budgetOf(service, wallet, id)).toEqual({ spent: 0, pending: 100_000_000 });
      expect((await service.client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(100_000_000);
      const [held] = responses.filter(({ status }) => status === 202);
      await service.client.decideHold(held?.body.lnTx.r_hash_decoded, 'cancel');
      await expect.poll(() => budgetOf(service, wallet, id)).toEqual({ spent: 0, pending: 0 });
      const next = await withdraw(service, key, { payment_request: invoice(100_000_000).paymentRequest }, '');
      expect(next.status).toBe(201);
      expect(await budgetOf(service, wallet, id)).toEqual({ spent: 100_000_000, pending: 0 });
      expect(await service.problems()).toEqual([]);
    });

    it(`R9: of five times 2.5k under a daily 10k, ${way}, the fifth is rejected`, async () => {
      await withinOneDay(async () => {
        const wallet = await service.client.wallet(100);
        const { id, key } = await limitedKey(service, wallet, { budget_msat: 10_000, budget_period: 'day' });
        const responses: HttpResponse[] = [];
        const request = async () => {
          const { paymentRequest } = invoice(2_500);
          responses.push(await withdraw(service, key, { payment_request: paymentRequest, fee_limit_msat: 0 }, ''));
        };
        if (way === 'at once') await Promise.all(Array.from({ length: 5 }, request));
        else for (let i = 0; i < 5; i++) await request();
        expect(typesOf(responses).sort()).toEqual([201, 201, 201, 201, 'budget_exceeded']);
        if (way === 'one after the other') expect(responses[4]?.status).toBe(400);
        expect(await budgetOf(service, wallet, id)).toEqual({ spent: 10_000, pending: 0 });
        expect((await service.client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(90_000);
        expect(await service.problems()).toEqual([]);
      });
    });
  }

  it('R9: with the default fee reserve the fourth still fits, because the reserve is reduced to the rest of the budget', async () => {
    const wallet = await service.client.wallet(100);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 10_000, budget_period: PERIOD });
    const responses: HttpResponse[] = [];
    for (let i = 0; i < 5; i++) responses.push(await withdraw(service, key, { payment_request: invoice(2_500).paymentRequest }, ''));
    expect(typesOf(responses)).toEqual([201, 201, 201, 201, 'budget_exceeded']);
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 10_000, pending: 0 });
  });

  it('counts the fee reserve of a pending payment, then the real fee, and nothing of a failed payment', async () => {
    const wallet = await service.client.wallet(1000);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 500_000, budget_period: PERIOD });
    const paying = invoice(100_000, { hold: true, fee: 1_500 });
    await withdraw(service, key, { payment_request: paying.paymentRequest, fee_limit_msat: 20_000 });
    const failing = invoice(200_000, { hold: true });
    await withdraw(service, key, { payment_request: failing.paymentRequest, fee_limit_msat: 30_000 });
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 0, pending: 350_000 });
    expect((await withdraw(service, key, { payment_request: invoice(150_001).paymentRequest })).body.type).toBe('budget_exceeded');
    await service.client.decideHold(paying.paymentHash, 'settle');
    await service.client.decideHold(failing.paymentHash, 'cancel');
    await expect.poll(() => budgetOf(service, wallet, id)).toEqual({ spent: 101_500, pending: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('never exceeds the budget, even if the route costs the whole reserve', async () => {
    const wallet = await service.client.wallet(1000);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 103_000, budget_period: PERIOD });
    const { paymentRequest } = invoice(100_000, { fee: 'limit' });
    const response = await withdraw(service, key, { payment_request: paymentRequest, fee_limit_msat: 50_000 }, '');
    expect(response).toMatchObject({ status: 201, body: { lnTx: { fee_msat: 3_000 } } });
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 103_000, pending: 0 });
  });

  it('S7: a payment that succeeds after it was reported as failed counts against the budget', async () => {
    const wallet = await service.client.wallet(1000);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 200_000, budget_period: PERIOD });
    const { paymentRequest } = invoice(150_000, { lateSuccessMs: 60_000, fee: 2_000 });
    expect((await withdraw(service, key, { payment_request: paymentRequest }, '')).body.type).toBe('payment_failed');
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 0, pending: 0 });
    service.time.advance(60_000);
    await expect.poll(() => budgetOf(service, wallet, id)).toEqual({ spent: 152_000, pending: 0 });
    expect((await withdraw(service, key, { payment_request: invoice(60_000).paymentRequest })).body.type).toBe('budget_exceeded');
    expect(await service.problems()).toEqual([]);
  });

  it('counts keysends, transfers, internal payments and claims of withdraw links', async () => {
    const [wallet, friend] = [await service.client.wallet(1000), await service.client.wallet()];
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 100_000, budget_period: PERIOD });
    const alice = (await service.client.get('/playground')).nodes.find(({ name }: Json) => name === 'alice').pubkey;
    const request = (path: string, json: object) => service.client.request('POST', `/v1/wallet/${key}/${path}`, { key, json });
    expect((await request('keysend', { dest_pubkey: alice, num_satoshis: 20 })).status).toBe(201);
    expect((await request('transfer', { dest_wallet_id: friend.id, num_satoshis: 30 })).status).toBe(201);
    const inside = await service.client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 10 });
    expect((await request('withdraw', { payment_request: inside.payment_request })).status).toBe(201);
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 60_000, pending: 0 });
    const link = await request('lnurl/withdraw', { num_satoshis: 100, uses: 5 });
    const claim = async (amountMsat: number) => {
      const path = link.body.url.slice(link.body.url.indexOf('/v1/'));
      return service.client.request('GET', `${path}&pr=${invoice(amountMsat).paymentRequest}`);
    };
    const step = await service.client.request('GET', link.body.url.slice(link.body.url.indexOf('/v1/')));
    expect(step.body).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 39_000 });
    expect((await claim(39_001)).body).toMatchObject({ status: 'ERROR' });
    expect((await claim(25_000)).body).toEqual({ status: 'OK' });
    await expect.poll(() => budgetOf(service, wallet, id)).toEqual({ spent: 85_000, pending: 0 });
    for (const [path, json] of [
      ['keysend', { dest_pubkey: alice, num_satoshis: 16 }],
      ['transfer', { dest_wallet_id: friend.id, num_satoshis: 16 }],
    ] as const) {
      expect((await request(path, json)).body).toMatchObject({ status: 400, type: 'budget_exceeded' });
    }
    expect((await request('transfer', { dest_wallet_id: friend.id, num_satoshis: 15 })).status).toBe(201);
    expect((await claim(1_000)).body).toMatchObject({ status: 'ERROR' });
    // Spending with another key of the wallet does not count against this key.
    expect((await withdraw(service, wallet.admin, { payment_request: invoice(50_000).paymentRequest }, '')).status).toBe(201);
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 100_000, pending: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('limits the cost of one payment, including fees, with the limit of a key', async () => {
    const [wallet, friend] = [await service.client.wallet(1000), await service.client.wallet()];
    const { key } = await limitedKey(service, wallet, { max_payment_msat: 50_000 });
    const transfer = (num_satoshis: number) =>
      service.client.request('POST', `/v1/wallet/${key}/transfer`, { key, json: { dest_wallet_id: friend.id, num_satoshis } });
    const pay = (amountMsat: number, script = {}) =>
      withdraw(service, key, { payment_request: invoice(amountMsat, script).paymentRequest, fee_limit_msat: 20_000 }, '');
    expect(typesOf([await transfer(51), await pay(50_001)])).toEqual(['payment_cap_exceeded', 'payment_cap_exceeded']);
    for (let i = 0; i < 3; i++) expect(typesOf([await transfer(50)])).toEqual([201]);
    expect(await pay(45_000, { fee: 'limit' })).toMatchObject({ status: 201, body: { lnTx: { fee_msat: 5_000 } } });
    expect((await pay(45_000, { fee: 5_001 })).body.type).toBe('payment_failed');
    expect((await service.client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(1_000_000 - 150_000 - 50_000);
  });

  it('keeps the spending across a rotation, and counts all wallets of a secret API key together', async () => {
    const [one, two] = [await service.client.wallet(100), await service.client.wallet(100)];
    const made = await service.client.post('/v1/keys', { budget_msat: 50_000, budget_period: PERIOD });
    const send = (key: string, from: TestWallet, to: TestWallet, num_satoshis: number) =>
      service.client.request('POST', `/v1/wallet/${from.id}/transfer`, { key, json: { dest_wallet_id: to.id, num_satoshis } });
    expect((await send(made.key, one, two, 30)).status).toBe(201);
    const rotated = await service.client.post(`/v1/keys/${made.id}/rotate`, { overlap_seconds: 3600 });
    expect(rotated).toMatchObject({ budget_msat: 50_000, budget_period: PERIOD, budget_spent_msat: 30_000 });
    expect((await send(made.key, two, one, 15)).status).toBe(201);
    expect((await send(rotated.key, two, one, 6)).body.type).toBe('budget_exceeded');
    expect((await send(rotated.key, one, two, 5)).status).toBe(201);
    expect((await send(made.key, one, two, 1)).body.type).toBe('budget_exceeded');
    expect(await service.problems()).toEqual([]);
  });

  it('R2: a payment that is requested many times at once counts once, also if the budget covers it only once', async () => {
    const wallet = await service.client.wallet(1000);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 100_000, budget_period: PERIOD });
    const { paymentRequest } = invoice(100_000);
    const responses = await Promise.all(Array.from({ length: 20 }, () => withdraw(service, key, { payment_request: paymentRequest }, '')));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(201);
    expect(await budgetOf(service, wallet, id)).toEqual({ spent: 100_000, pending: 0 });
    expect(await service.problems()).toEqual([]);
  });

  it('keeps the spending across a restart, including pending payments', async () => {
    const wallet = await service.client.wallet(1000);
    const { id, key } = await limitedKey(service, wallet, { budget_msat: 100_000, budget_period: PERIOD });
    const { paymentRequest, paymentHash } = invoice(90_000, { hold: true });
    await withdraw(service, key, { payment_request: paymentRequest });
    await service.restart();
    expect((await withdraw(service, key, { payment_request: invoice(20_000).paymentRequest })).body.type).toBe('budget_exceeded');
    await service.client.decideHold(paymentHash, 'settle');
    await expect.poll(() => budgetOf(service, wallet, id)).toEqual({ spent: 90_000, pending: 0 });
    expect(await service.problems()).toEqual([]);
  });
});
