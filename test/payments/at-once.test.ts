import { setTimeout as delay } from 'node:timers/promises';
import { beforeEach, expect, it, vi } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, HttpResponse, Json, TestWallet } from '../support/client.ts';

const DAY_SECONDS = 86_400;

onFakeNode('an internal payment in one posting', (service, dialect) => {
  const { client, neighbour, net, rows, execute, problems } = service;
  const balance = async (id: string): Promise<number> => (await client.get(`/v1/wallet/${id}`)).balance;
  const invoiceOf = (wallet: TestWallet, num_satoshis = 100): Promise<Json> =>
    client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis });
  const pay = (payer: TestWallet, { payment_request }: Json, at: Client = client) =>
    at.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json: { payment_request } });
  const holdsOf = async (payer: TestWallet): Promise<number> =>
    Number((await rows('SELECT count(*) AS n FROM ledger_hold h JOIN payment p ON p.id = h.id WHERE p.wallet_id = $1', payer.id))[0]?.n);
  const insideOnly = async ({ id }: Json): Promise<number> => (await client.get(`/v1/lntx/${id}`)).inside_only;
  const payOutside = async ({ payment_request: paymentRequest }: Json) => (await net.outside.pay({ paymentRequest })).state;

  /** Pays while the node takes its time to cancel the invoice, and does something meanwhile. */
  async function payWhile(payer: TestWallet, invoice: Json, meanwhile: () => Promise<unknown>, at = client) {
    net.next('cancelInvoice', { delayMs: 1000 });
    const before = net.calls('cancelInvoice');
    const paying = pay(payer, invoice, at);
    await vi.waitUntil(() => net.calls('cancelInvoice') > before, { timeout: 150_000, interval: 5 });
    await meanwhile();
    service.time.advance(2000);
    return paying;
  }
  const drain = (payer: TestWallet, to: TestWallet, num_satoshis: number) =>
    client.request('POST', `/v1/wallet/${payer.id}/transfer`, { key: payer.admin, json: { dest_wallet_id: to.id, num_satoshis } });
  let second: Promise<Client> | undefined;
  const otherInstance = () => {
    second ??= service.another();
    return second;
  };

  // A refusal concerns all wallets of the account.
  beforeEach(() => execute('DELETE FROM closed_invoice'));

  it('has no hold, is complete in its response, and is the same when it is repeated', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const invoice = await invoiceOf(payee);
    const headers = { 'idempotency-key': 'once' };
    const paid = () =>
      client.request('POST', `/v1/wallet/${payer.id}/withdraw`, {
        key: payer.admin,
        json: { payment_request: invoice.payment_request },
        headers,
      });
    const first = await paid();
    expect(first).toMatchObject({ status: 201, body: { num_satoshis: -100, lnTx: { status: 'settled', fee_msat: 0 } } });
    expect((await paid()).body).toEqual(first.body);
    expect(first.body.lnTx.payment_preimage).toBe((await client.get(`/v1/lntx/${invoice.id}`)).payment_preimage);
    expect([await balance(payer.id), await balance(payee.id), await holdsOf(payer)]).toEqual([400, 100, 0]);
    expect(await payOutside(invoice)).toBe('failed');
    expect(await problems()).toEqual([]);
  });

  it.each([
    [99, 400],
    [100, 201],
    [101, 201],
  ])('of 100 from a balance of %i is %i, and the node is asked only if the balance covers it', async (has, status) => {
    const [payee, payer] = [await client.wallet(), await client.wallet(has)];
    const invoice = await invoiceOf(payee);
    const asked = net.calls('cancelInvoice');
    expect((await pay(payer, invoice)).status).toBe(status);
    expect(net.calls('cancelInvoice') - asked).toBe(status === 201 ? 1 : 0);
    expect(await balance(payer.id)).toBe(status === 201 ? has - 100 : has);
    if (status === 400) expect(await payOutside(invoice)).toBe('succeeded');
  });

  it('reserves the money of the wallet while the node is asked, so that no other invoice is closed for nothing', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(150)];
    const invoices = [await invoiceOf(payee), await invoiceOf(payee), await invoiceOf(payee)];
    const responses = await Promise.all(invoices.map((invoice) => pay(payer, invoice)));
    expect(responses.map(({ status }) => status).sort()).toEqual([201, 400, 400]);
    for (const [index, { status, body }] of responses.entries()) {
      if (status === 201) continue;
      expect(body.type).toBe('insufficient_balance');
      expect(await payOutside(invoices[index] as Json)).toBe('succeeded');
    }
    await expect.poll(() => balance(payee.id)).toBe(300);
    expect(await problems()).toEqual([]);
  });

  it('cannot be refused by spending its money while the node is asked', async () => {
    const [payee, payer, other] = [await client.wallet(), await client.wallet(100), await client.wallet()];
    const invoice = await invoiceOf(payee);
    let drained: HttpResponse | undefined;
    const paid = await payWhile(payer, invoice, async () => {
      drained = await drain(payer, other, 1);
    });
    expect([paid.status, drained?.body.type]).toEqual([201, 'insufficient_balance']);
    expect([await balance(payer.id), await balance(payee.id)]).toEqual([0, 100]);
    expect(await problems()).toEqual([]);
  });

  it('of a wallet that spends the rest at the same moment lets it', async () => {
    const [payee, payer, other] = [await client.wallet(), await client.wallet(150), await client.wallet()];
    const invoice = await invoiceOf(payee);
    let drained: HttpResponse | undefined;
    const paid = await payWhile(payer, invoice, async () => {
      drained = await drain(payer, other, 50);
    });
    expect([paid.status, drained?.status]).toEqual([201, 201]);
    expect(await balance(payer.id)).toBe(0);
  });

  it.runIf(dialect === 'postgres')(
    'that is refused after the node has closed the invoice moves nothing, and the payee sees that only wallets here can pay it',
    async () => {
      const [payee, payer, other] = [await client.wallet(), await client.wallet(100), await client.wallet(300)];
      const invoice = await invoiceOf(payee);
      const refused = await payWhile(payer, invoice, () => drain(payer, other, 50), await otherInstance());
      expect(refused).toMatchObject({ status: 400, body: { type: 'insufficient_balance' } });
      expect([await balance(payer.id), await balance(payee.id)]).toEqual([50, 0]);
      expect(await client.get(`/v1/lntx/${invoice.id}`)).toMatchObject({ status: 'open', inside_only: 1 });
      expect(await payOutside(invoice)).toBe('failed');
      expect((await pay(other, invoice)).status).toBe(201);
      expect(await client.get(`/v1/lntx/${invoice.id}`)).toMatchObject({ status: 'settled', inside_only: 0 });
      expect([await balance(other.id), await balance(payee.id)]).toEqual([250, 100]);
      expect(await problems()).toEqual([]);
    },
  );

  /** On SQLite, where no other instance can spend the money, as if it had been so. */
  async function closeForNothing(payer: TestWallet, invoice: Json, to: TestWallet): Promise<void> {
    if (dialect === 'postgres') return void (await payWhile(payer, invoice, () => drain(payer, to, 50), await otherInstance()));
    await execute(
      'INSERT INTO closed_invoice (invoice_id, account_id, closed_at) SELECT $1, account_id, $2 FROM wallet WHERE id = $3',
      invoice.id,
      Math.floor(Date.now() / 1000),
      payer.id,
    );
    await drain(payer, to, 50);
  }

  it('closes no second invoice for nothing: the wallets of the account pay with holds for a day', async () => {
    const [payee, payer, second, own] = [
      await neighbour.wallet(),
      await client.wallet(100),
      await client.wallet(100),
      await client.wallet(),
    ];
    const invoiceOf = (wallet: TestWallet, num_satoshis = 100): Promise<Json> =>
      neighbour.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis });
    const first = await invoiceOf(payee);
    await closeForNothing(payer, first, own);
    expect((await neighbour.get(`/v1/lntx/${first.id}`)).inside_only).toBe(1);
    expect(await (await fetch(first.page_url)).text()).toContain('can pay this invoice. From another wallet, ask for a new invoice.');
    const asked = net.calls('cancelInvoice');
    for (let n = 0; n < 5; n += 1) {
      const invoice = await invoiceOf(payee);
      expect((await pay(payer, invoice)).body.type).toBe('insufficient_balance');
      expect(await payOutside(invoice)).toBe('succeeded');
    }
    expect(net.calls('cancelInvoice')).toBe(asked);
    for (const wallet of [payer, second]) expect((await pay(wallet, await invoiceOf(payee, 1))).status).toBe(201);
    expect([await holdsOf(payer), await holdsOf(second)]).toEqual([1, 1]);
    const closedSince = (seconds: number) =>
      execute('UPDATE closed_invoice SET closed_at = $1 WHERE invoice_id = $2', Math.floor(Date.now() / 1000) - seconds, first.id);
    await closedSince(DAY_SECONDS - 60);
    expect((await pay(payer, await invoiceOf(payee, 1))).status).toBe(201);
    expect(await holdsOf(payer)).toBe(2);
    await closedSince(DAY_SECONDS + 1);
    expect((await pay(payer, await invoiceOf(payee, 1))).status).toBe(201);
    expect(await holdsOf(payer)).toBe(2);
    expect(await problems()).toEqual([]);
  });

  it('has a hold when its request does not wait, and beyond four at the same time of a wallet', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const invoices: Json[] = [];
    for (let n = 0; n < 6; n += 1) invoices.push(await invoiceOf(payee, 10));
    const headers = { prefer: 'respond-async' };
    const json = { payment_request: invoices.pop().payment_request };
    const sent = await client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
    expect([201, 202]).toContain(sent.status);
    expect(await holdsOf(payer)).toBe(1);
    net.always('cancelInvoice', { delayMs: 1000 });
    const asked = net.calls('cancelInvoice');
    const paying = invoices.slice(0, 4).map((invoice) => pay(payer, invoice));
    await vi.waitUntil(() => net.calls('cancelInvoice') === asked + 4, { timeout: 150_000, interval: 5 });
    paying.push(pay(payer, invoices[4]));
    await expect.poll(() => holdsOf(payer)).toBe(2);
    net.always('cancelInvoice', undefined);
    service.time.advance(2000);
    expect((await Promise.all(paying)).map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    await expect.poll(() => balance(payer.id)).toBe(440);
    expect(await problems()).toEqual([]);
  });

  it('answers a request that repeats it while the node is asked with the same payment', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const invoice = await invoiceOf(payee);
    let repeated: Promise<HttpResponse> | undefined;
    const first = await payWhile(payer, invoice, async () => {
      repeated = pay(payer, invoice);
      await delay(50);
    });
    expect([first.status, (await repeated)?.status, (await repeated)?.body.id]).toEqual([201, 201, first.body.id]);
    expect(await balance(payer.id)).toBe(400);
  });

  it('that ends with its process, after the node has closed the invoice, is noticed by reconciliation', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const invoice = await invoiceOf(payee);
    service.diskIsFull = true;
    expect((await pay(payer, invoice)).status).toBeGreaterThanOrEqual(500);
    service.diskIsFull = false;
    await execute('DELETE FROM closed_invoice WHERE invoice_id = $1', invoice.id);
    expect(await insideOnly(invoice)).toBe(0);
    await service.reconcile('full');
    expect(await insideOnly(invoice)).toBe(1);
    expect((await pay(payer, invoice)).status).toBe(201);
    expect(await problems()).toEqual([]);
  });

  it('of a wallet that may not send, or to an account that may not receive, does not reach the node', async () => {
    const [payee, payer] = [await neighbour.wallet(), await client.wallet(500)];
    const invoice: Json = await neighbour.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    const accountOf = async ({ id }: TestWallet) => String((await rows('SELECT account_id FROM wallet WHERE id = $1', id))[0]?.account_id);
    const asked = net.calls('cancelInvoice');
    for (const [wallet, status, type] of [
      [payer, 'frozen', 'wallet_inactive'],
      [payee, 'closed', 'payee_restricted'],
    ] as const) {
      const account = await accountOf(wallet);
      const [before] = await rows('SELECT status FROM account WHERE id = $1', account);
      await execute('UPDATE account SET status = $1 WHERE id = $2', status, account);
      const response = await pay(payer, invoice);
      expect([response.status, response.body.type]).toEqual([400, type]);
      await execute('UPDATE account SET status = $1 WHERE id = $2', before?.status ?? '', account);
    }
    expect(net.calls('cancelInvoice')).toBe(asked);
    expect((await pay(payer, invoice)).status).toBe(201);
  });

  it('keeps the holds of payments that count in a limit or a budget', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const limits = { budget_msat: 300_000, budget_period: 'day' };
    const { key } = await client.post(`/v1/wallet/${payer.id}/keys`, { kind: 'wallet_admin', ...limits });
    expect((await pay({ ...payer, admin: key }, await invoiceOf(payee))).status).toBe(201);
    expect(await holdsOf(payer)).toBe(1);
  });

  it('moves nothing when the database fails after the node has closed the invoice, and is made by the next request', async () => {
    const [payee, payer] = [await client.wallet(), await client.wallet(500)];
    const invoice = await invoiceOf(payee);
    service.diskIsFull = true;
    const failed = await pay(payer, invoice);
    service.diskIsFull = false;
    expect(failed.status).toBe(503);
    expect([await balance(payer.id), await balance(payee.id), await payOutside(invoice)]).toEqual([500, 0, 'failed']);
    expect((await pay(payer, invoice)).status).toBe(201);
    expect([await balance(payer.id), await balance(payee.id)]).toEqual([400, 100]);
    expect(await problems()).toEqual([]);
  });
});
