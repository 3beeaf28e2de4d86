import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Client, HttpResponse, Json } from '../support/client.ts';
import { runVerify, type ServiceProcess } from '../support/process.ts';
import { startTwoInstances } from './two-instances.ts';

describe('two instances on one PostgreSQL and one node', () => {
  const { key, services, settings, one, two } = startTwoInstances();

  const withdraw = (client: Client, wallet: string, payment_request: string): Promise<HttpResponse> =>
    client.request('POST', `/v1/wallet/${wallet}/withdraw`, { key, json: { payment_request } });
  const outsideInvoice = async (num_satoshis: number): Promise<string> =>
    (await one().post('/playground/invoice', { num_satoshis })).payment_request;

  it('R1 R5: accepts exactly one of fifty withdrawals of the whole balance at once through both', async () => {
    const wallet = await one().wallet(1000);
    const invoices = await Promise.all(Array.from({ length: 50 }, () => outsideInvoice(1000)));
    const responses = await Promise.all(invoices.map((invoice, i) => withdraw(i % 2 ? one() : two(), wallet.id, invoice)));
    expect(responses.filter(({ status }) => status === 201)).toHaveLength(1);
    expect(responses.filter(({ body }) => body.type === 'insufficient_balance')).toHaveLength(49);
    expect(await two().get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 0, pending_msat: 0 });
  });

  it('R2 R5: debits fifty payments of the same invoice at once through both once, and returns that payment to all', async () => {
    const wallet = await two().wallet(1000);
    const invoice = await outsideInvoice(300);
    const responses = await Promise.all(Array.from({ length: 50 }, (_, i) => withdraw(i % 2 ? one() : two(), wallet.id, invoice)));
    expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect((await one().get(`/v1/wallet/${wallet.id}`)).balance).toBe(700);
  });

  it('R3 R5: settles an invoice once when a wallet pays it through one and an outside node through the other at once', async () => {
    for (let round = 0; round < 8; round++) {
      const [payer, payee] = [await one().wallet(300), await two().wallet()];
      const { payment_request } = await two().post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 300 });
      const paying = two().post('/playground/pay', { payment_request });
      await delay(round * 2);
      const [inside, outside] = await Promise.all([withdraw(one(), payer.id, payment_request), paying]);
      expect({ inside: inside.status, outside: outside.state }).toEqual(
        inside.status === 201 ? { inside: 201, outside: 'failed' } : { inside: 400, outside: 'succeeded' },
      );
      await expect.poll(async () => (await one().get(`/v1/wallet/${payee.id}`)).balance).toBe(300);
      expect(await two().get(`/v1/wallet/${payer.id}`)).toMatchObject({ balance: inside.status === 201 ? 0 : 300, pending_msat: 0 });
    }
  });

  it('R4 R5: rejects payments from outside, and again through the other, after an internal payment through one', async () => {
    const [payer, payee] = [await one().wallet(1000), await two().wallet()];
    const { payment_request } = await two().post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 400 });
    expect((await withdraw(one(), payer.id, payment_request)).status).toBe(201);
    expect((await two().post('/playground/pay', { payment_request, from: 'carol' })).state).toBe('failed');
    const again = await withdraw(two(), (await two().wallet(500)).id, payment_request);
    expect(again).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
    expect((await two().get(`/v1/wallet/${payee.id}`)).balance).toBe(400);
  });

  it('lose and double nothing when one is killed under load, and the other then watches the node', async () => {
    const wallets = await Promise.all([1, 2, 3, 4].map(() => one().wallet(100_000)));
    const ids = wallets.map(({ id }) => id);
    const [, second] = services;
    let answered = 0;
    let killed: Promise<void> | undefined;
    const victim = services[0] as ServiceProcess;
    const worker = async (index: number) => {
      for (let i = 0; i < 25; i++) {
        const client = index % 2 ? two() : victim.client;
        const [from, to] = [ids[(index + i) % 4], ids[(index + i + 1) % 4]];
        const work =
          i % 3 === 0
            ? client.post(`/v1/wallet/${from}/transfer`, { dest_wallet_id: to, num_satoshis: 5 })
            : i % 3 === 1
              ? client.post('/playground/fund', { wallet_id: to, num_satoshis: 7 })
              : client
                  .post('/playground/invoice', { num_satoshis: 11 })
                  .then(({ payment_request }) => withdraw(client, from ?? '', payment_request));
        await work.catch((error: Error) => {
          if (!killed || client !== victim.client) throw error;
        });
        answered += 1;
        if (answered === 80) killed = victim.kill();
      }
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => worker(index)));
    await killed;

    // Only the remaining instance can credit this.
    const late = await two().wallet();
    const { payment_request } = await two().post(`/v1/wallet/${late.id}/invoice`, { num_satoshis: 50 });
    await two().post('/playground/pay', { payment_request });
    await expect.poll(async () => (await two().get(`/v1/wallet/${late.id}`)).balance).toBe(50);

    await expect
      .poll(async () => (await Promise.all(ids.map((id) => two().get(`/v1/wallet/${id}`)))).map(({ pending_msat }) => pending_msat))
      .toEqual([0, 0, 0, 0]);
    await compareWithOutside(two());
    const verified = await runVerify(settings());
    expect(verified.output).toContain('The ledger is clean.');
    expect(await second?.stop()).toBe(0);
  });
});

/** Compares the wallets' total with receipts less payments and routing fees, as the outside nodes report them. */
async function compareWithOutside(client: Client): Promise<void> {
  const payments = async (state: string): Promise<Json[]> =>
    (await client.get('/playground/payments')).payments.filter((payment: Json) => payment.state === state);
  await expect.poll(() => payments('pending')).toEqual([]);
  const net = (await payments('succeeded')).reduce(
    (sum, { direction, amount_msat }) => sum + (direction === 'sent' ? amount_msat : -amount_msat),
    0,
  );
  // Payments that have reached the node are booked a moment later.
  const held = async () =>
    (await client.get('/v1/wallets?per-page=100')).reduce((sum: number, { balance_msat }: Json) => sum + balance_msat, 0);
  await expect.poll(held).toBe(net);
}
