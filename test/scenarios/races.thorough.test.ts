import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json, TestWallet } from '../support/client.ts';

const many = <T>(count: number, make: (index: number) => Promise<T>): Promise<T[]> =>
  Promise.all(Array.from({ length: count }, (_, i) => make(i)));

function withdraw(client: Client, wallet: TestWallet, json: Json, headers: Record<string, string> = {}): Promise<HttpResponse> {
  return client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json, headers });
}

function history(client: Client, wallet: TestWallet): Promise<Json[]> {
  return client.list(`/v1/wallet/${wallet.id}/transactions?per-page=100`);
}

async function outsideInvoice(client: Client, json: Json): Promise<string> {
  return (await client.post('/playground/invoice', json)).payment_request;
}

/** Returns the payments of a payment hash that the outside nodes report, in one direction. */
async function outside(client: Client, paymentHash: string, direction: 'sent' | 'received'): Promise<Json[]> {
  const { payments } = await client.get('/playground/payments');
  return payments.filter((one: Json) => one.payment_hash === paymentHash && one.direction === direction && one.state === 'succeeded');
}

/** Expects that the balance is the sum of the rows, that nothing is pending and that no balance is below zero. */
async function expectClean(client: Client, wallet: TestWallet, balance: number): Promise<void> {
  await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
  const now = await client.get(`/v1/wallet/${wallet.id}`);
  expect(now).toMatchObject({ balance, balance_msat: balance * 1000 });
  const settled = (await history(client, wallet)).filter(({ status }) => status === 'settled' || status === undefined);
  expect(settled.reduce((sum, { num_satoshis }) => sum + num_satoshis, 0)).toBe(balance);
}

onFakeNode('races', ({ client }) => {
  it('R1: of 50 concurrent withdrawals of the whole balance exactly one is paid, and the balance is never negative', async () => {
    const wallet = await client.wallet(1000);
    const invoices = await many(50, () => outsideInvoice(client, { num_satoshis: 1000 }));
    const seen: number[] = [];
    const watching = { on: true };
    const watch = (async () => {
      while (watching.on) {
        const { balance_msat, pending_msat } = await client.get(`/v1/wallet/${wallet.id}`);
        seen.push(balance_msat, pending_msat);
      }
    })();
    const responses = await Promise.all(invoices.map((payment_request) => withdraw(client, wallet, { payment_request })));
    watching.on = false;
    await watch;
    expect(responses.map(({ status }) => status).sort()).toEqual([201, ...new Array(49).fill(400)]);
    for (const { body } of responses.filter(({ status }) => status === 400)) expect(body).toMatchObject({ type: 'insufficient_balance' });
    expect(Math.min(...seen)).toBeGreaterThanOrEqual(0);
    await expectClean(client, wallet, 0);
    const { payments } = await client.get('/playground/payments');
    const received = payments.filter(
      (one: Json) => one.direction === 'received' && one.state === 'succeeded' && one.amount_msat === 1_000_000,
    );
    expect(received).toHaveLength(1);
  });

  it('R2: 50 payments of one invoice from one wallet at once are one payment, which all callers get', async () => {
    const wallet = await client.wallet(50_000);
    const payment_request = await outsideInvoice(client, { num_satoshis: 777 });
    const responses = await many(50, () => withdraw(client, wallet, { payment_request }));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => `${body.id} ${body.lnTx.id}`)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(49);
    await expectClean(client, wallet, 50_000 - 777);
    expect(await outside(client, responses[0]?.body.lnTx.r_hash_decoded, 'received')).toHaveLength(1);
  });

  it('R2: 50 payments of one invoice from a wallet that can pay it only once are one payment', async () => {
    const wallet = await client.wallet(777);
    const payment_request = await outsideInvoice(client, { num_satoshis: 777 });
    const responses = await many(50, () => withdraw(client, wallet, { payment_request }));
    expect(new Set(responses.map(({ status, body }) => `${status} ${body.id}`)).size).toBe(1);
    expect(responses[0]?.status).toBe(201);
    await expectClean(client, wallet, 0);
  });

  it('R2: an invoice of the service that 50 wallets pay at once is paid by one; the others keep their money', async () => {
    const payee = await client.wallet();
    const payers = await many(10, () => client.wallet(100));
    const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    const responses = await many(50, (i) => withdraw(client, payers[i % 10] as TestWallet, { payment_request }));
    const paid = new Set(responses.filter(({ status }) => status === 201).map(({ body }) => body.wal.id));
    expect(paid.size).toBe(1);
    for (const { body } of responses.filter(({ status }) => status !== 201))
      expect(body).toMatchObject({ status: 400, type: 'invoice_paid' });
    for (const payer of payers) await expectClean(client, payer, paid.has(payer.id) ? 0 : 100);
    await expectClean(client, payee, 100);
  });

  it('R3: a wallet’s invoice that another wallet and an outside node pay at once is paid by one of them', async () => {
    const winners = { inside: 0, outside: 0 };
    for (let round = 0; round < 20; round++) {
      const [payer, payee] = [await client.wallet(300), await client.wallet()];
      const invoice = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 300 });
      const { payment_request, r_hash_decoded } = invoice;
      const pay = () => client.post('/playground/pay', { payment_request });
      // The outside payment needs a few round trips. With a growing head start it wins the later rounds, and every moment is tested.
      const paying = pay();
      await delay(round);
      const [inside, other] = await Promise.all([withdraw(client, payer, { payment_request }), paying]);
      const insidePaid = inside.status === 201;
      expect([201, 400], JSON.stringify(inside.body)).toContain(inside.status);
      expect({ round, inside: insidePaid, outside: other.state }).toEqual({
        round,
        inside: insidePaid,
        outside: insidePaid ? 'failed' : 'succeeded',
      });
      winners[insidePaid ? 'inside' : 'outside'] += 1;
      await expectClean(client, payee, 300);
      await expectClean(client, payer, insidePaid ? 0 : 300);
      expect((await history(client, payee)).filter(({ num_satoshis }) => num_satoshis > 0)).toHaveLength(1);
      expect(await outside(client, r_hash_decoded, 'sent')).toHaveLength(insidePaid ? 0 : 1);
    }
    expect(winners.inside + winners.outside).toBe(20);
  });

  it('R4: an invoice that was settled internally cannot be paid from outside, and vice versa', async () => {
    const [payer, payee] = [await client.wallet(1000), await client.wallet()];
    const first = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 400 });
    expect((await withdraw(client, payer, { payment_request: first.payment_request })).status).toBe(201);
    for (const from of ['alice', 'carol', 'alice']) {
      expect((await client.post('/playground/pay', { payment_request: first.payment_request, from })).state).toBe('failed');
    }
    const second = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 50 });
    expect((await client.post('/playground/pay', { payment_request: second.payment_request, from: 'carol' })).state).toBe('succeeded');
    expect((await withdraw(client, payer, { payment_request: second.payment_request })).body).toMatchObject({
      status: 400,
      type: 'invoice_paid',
    });
    await expectClean(client, payer, 600);
    await expectClean(client, payee, 450);
  });

  it('R7: 200 concurrent transfers in both directions all succeed, and the sum is unchanged', async () => {
    const [a, b] = [await client.wallet(5_000), await client.wallet(5_000)];
    const responses = await many(200, (i) => {
      const [from, to] = i % 2 ? [a, b] : [b, a];
      return client.request('POST', `/v1/wallet/${from.id}/transfer`, {
        key: client.secretKey,
        json: { dest_wallet_id: to.id, num_satoshis: 1 + (i % 90) },
      });
    });
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    const moved = responses.map(({ body }, i) => (i % 2 ? 1 : -1) * body.wtx_transfer_in.num_satoshis).reduce((x, y) => x + y, 0);
    await expectClean(client, a, 5_000 - moved);
    await expectClean(client, b, 5_000 + moved);
  });
});

onFakeNode('fees and the last satoshi', ({ client }) => {
  it('F1: a wallet without money for the routing fee fails definitively or pays within its balance, never below zero', async () => {
    const wallet = await client.wallet(5_000);
    // Carol is behind alice, who takes a fee, and the balance leaves nothing for the reserve.
    const tooMuch = await withdraw(client, wallet, { payment_request: await outsideInvoice(client, { num_satoshis: 5_000, at: 'carol' }) });
    expect(tooMuch.body).toMatchObject({ status: 400, type: 'payment_failed' });
    await expectClean(client, wallet, 5_000);
    const beyond = await withdraw(client, wallet, { payment_request: await outsideInvoice(client, { num_satoshis: 5_001 }) });
    expect(beyond.body).toMatchObject({ status: 400, type: 'insufficient_balance' });
    const fits = await withdraw(client, wallet, { payment_request: await outsideInvoice(client, { num_satoshis: 4_990, at: 'carol' }) });
    expect(fits.status).toBe(201);
    const after = await client.get(`/v1/wallet/${wallet.id}`);
    expect(after).toMatchObject({ balance_msat: 10_000 - fits.body.lnTx.fee_msat, pending_msat: 0 });
    expect(after.balance_msat).toBeGreaterThanOrEqual(0);
    expect((await history(client, wallet)).map(({ num_satoshis }) => num_satoshis).reduce((x, y) => x + y, 0)).toBe(after.balance);
  });

  it('F3: a fee limit of 0 pays only where there is no fee; a negative one, a fraction or a text is a 400', async () => {
    const wallet = await client.wallet(10_000);
    const behind = await outsideInvoice(client, { num_satoshis: 1_000, at: 'carol' });
    for (const fee_limit_msat of [-1, 0.5, 'free', '-1', 2 ** 53]) {
      expect((await withdraw(client, wallet, { payment_request: behind, fee_limit_msat })).body, String(fee_limit_msat)).toMatchObject({
        status: 400,
        type: fee_limit_msat === 2 ** 53 ? 'limit_exceeded' : 'validation_failed',
      });
    }
    expect((await withdraw(client, wallet, { payment_request: behind, fee_limit_msat: 0 })).body).toMatchObject({
      status: 400,
      type: 'payment_failed',
    });
    await expectClean(client, wallet, 10_000);
    const next = await outsideInvoice(client, { num_satoshis: 1_000 });
    expect((await withdraw(client, wallet, { payment_request: next, fee_limit_msat: 0 })).body).toMatchObject({ lnTx: { fee_msat: 0 } });
    await expectClean(client, wallet, 9_000);
    const again = await withdraw(client, wallet, { payment_request: behind, fee_limit_msat: 100_000 });
    expect(again.body.lnTx.fee_msat).toBeGreaterThan(0);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(8_000_000 - again.body.lnTx.fee_msat);
  });

  it('F6: a wallet is emptied to exactly 0 by an internal payment, by a transfer, and to a peer without a fee', async () => {
    const payee = await client.wallet();
    const inside = await client.wallet(1234);
    const { payment_request } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1234 });
    expect((await withdraw(client, inside, { payment_request })).status).toBe(201);
    const moved = await client.wallet(1);
    await client.post(`/v1/wallet/${moved.id}/transfer`, { dest_wallet_id: payee.id, num_satoshis: 1 });
    const peer = await client.wallet(4321);
    const paid = await withdraw(client, peer, { payment_request: await outsideInvoice(client, { num_satoshis: 4321 }) });
    expect(paid.body).toMatchObject({ lnTx: { fee_msat: 0 } });
    for (const wallet of [inside, moved, peer]) {
      await expectClean(client, wallet, 0);
      const next = await withdraw(client, wallet, { payment_request: await outsideInvoice(client, { num_satoshis: 1 }) });
      expect(next.body).toMatchObject({ status: 400, type: 'insufficient_balance' });
    }
    await expectClean(client, payee, 1235);
  });
});

onFakeNode('a client that disconnects', ({ client }) => {
  /** Sends a withdrawal and disconnects once the money is held. */
  async function hangUp(wallet: TestWallet, payment_request: string): Promise<void> {
    const leaving = new AbortController();
    const requests = fetch(`${client.url}/v1/wallet/${wallet.id}/withdraw`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': client.secretKey },
      body: JSON.stringify({ payment_request }),
      signal: leaving.signal,
    });
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBeGreaterThan(0);
    leaving.abort();
    await expect(requests).rejects.toMatchObject({ name: 'AbortError' });
  }

  for (const action of ['settle', 'cancel'] as const) {
    it(`S13: the payment continues without it, and is booked when its receiver chooses ${action}`, async () => {
      const wallet = await client.wallet(1000);
      const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 600, hold: true });
      await hangUp(wallet, payment_request);
      await client.decideHold(payment_hash, action);
      await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
      const paid = action === 'settle';
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(paid ? 400 : 1000);
      expect(await client.get(`/v1/lntx/${payment_hash}`)).toMatchObject({ settled: paid ? 1 : -1, num_satoshis: 600 });
      const again = await withdraw(client, wallet, { payment_request });
      // A repeated request for a paid invoice returns the same payment. A cancelled invoice can no longer be paid.
      expect(again.status).toBe(paid ? 201 : 400);
      expect(await outside(client, payment_hash, 'received')).toHaveLength(paid ? 1 : 0);
      expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(paid ? 400 : 1000);
    });
  }

  it('S13: every payment ends and is booked although many clients disconnect at once', async () => {
    const wallet = await client.wallet(10_000);
    const invoices = await many(20, () => client.post('/playground/invoice', { num_satoshis: 100 }));
    const leaving = new AbortController();
    const requests = invoices.map(({ payment_request }) =>
      fetch(`${client.url}/v1/wallet/${wallet.id}/withdraw`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': client.secretKey },
        body: JSON.stringify({ payment_request }),
        signal: leaving.signal,
      }).catch(() => undefined),
    );
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).balance).toBeLessThan(10_000);
    leaving.abort();
    await Promise.all(requests);
    const paid = async () =>
      (await many(20, (i) => outside(client, invoices[i].payment_hash, 'received'))).filter(({ length }) => length > 0).length;
    // The service may still be processing a request that it has received.
    await vi.waitFor(async () => expectClean(client, wallet, 10_000 - 100 * (await paid())), { timeout: 150_000 });
    expect(await paid()).toBeGreaterThan(0);
  });
});
