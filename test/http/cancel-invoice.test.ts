import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';

onFakeNode('cancelling an invoice', (service) => {
  const { net } = service;
  const cancel = (id: string, key = service.client.secretKey) => service.client.request('DELETE', `/v1/lntx/${id}`, { key });
  const invoice = (walletId: string, num_satoshis = 100): Promise<Json> =>
    service.client.post(`/v1/wallet/${walletId}/invoice`, { num_satoshis });
  const balance = async (walletId: string) => (await service.client.get(`/v1/wallet/${walletId}`)).balance;

  it('prevents payments from outside and inside, and returns the same when repeated', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const made = await invoice(payee.id);
    const response = await cancel(made.id, payee.invoice);
    expect(response).toMatchObject({
      status: 200,
      body: { id: made.id, settled: 0, status: 'cancelled', failure_reason: null, payment_preimage: null },
    });
    expect((await cancel(made.id)).body).toEqual(response.body);
    expect(await net.outside.pay({ paymentRequest: made.payment_request })).toMatchObject({ state: 'failed' });
    const inside = { payment_request: made.payment_request };
    expect(await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json: inside })).toMatchObject({
      status: 400,
      body: { type: 'invoice_cancelled' },
    });
    expect([await balance(payee.id), await balance(payer.id)]).toEqual([0, 500]);
  });

  it('rejects a paid invoice, a keysend and a payment', async () => {
    const wallet = await service.client.wallet(500);
    const made = await invoice(wallet.id);
    await net.outside.pay({ paymentRequest: made.payment_request });
    await expect.poll(() => balance(wallet.id)).toBe(600);
    expect(await cancel(made.id)).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
    const { paymentRequest } = net.outside.invoice({ amountMsat: 1000 });
    const paid = await service.client.post(`/v1/wallet/${wallet.id}/withdraw`, { payment_request: paymentRequest });
    expect(await cancel(paid.lnTx.id)).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
    expect((await service.client.get(`/v1/lntx/${made.id}`)).settled).toBe(1);
  });

  it('rejects an invoice that an outside payment has reached, and credits the money as usual', async () => {
    const wallet = await service.client.wallet();
    const made = await invoice(wallet.id);
    const paying = net.outside.pay({ paymentRequest: made.payment_request, claimDelayMs: 5000 });
    await expect.poll(() => JSON.stringify(net.state())).toContain('"state":"claiming"');
    expect(await cancel(made.id)).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
    expect((await service.client.get(`/v1/lntx/${made.id}`)).status).toBe('open');
    service.time.advance(6000);
    expect(await paying).toMatchObject({ state: 'succeeded' });
    await expect.poll(() => balance(wallet.id)).toBe(100);
    expect((await service.client.get(`/v1/lntx/${made.id}`)).settled).toBe(1);
  });

  it.each([null, 'CANCELLING'])('leaves the invoice open when the response of the node is %s, which is not understood', async (instead) => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const made = await invoice(payee.id);
    net.always('cancelInvoice', { instead } as never);
    expect(await cancel(made.id)).toMatchObject({ status: 503 });
    expect((await service.client.get(`/v1/lntx/${made.id}`)).status).toBe('open');
    const json = { payment_request: made.payment_request };
    const headers = { prefer: 'respond-async' };
    const paying = await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers });
    expect(paying).toMatchObject({ status: 202 });
    // The money stays held until the node has a response that is understood.
    expect(await balance(payer.id)).toBeLessThan(500);
    expect(await balance(payee.id)).toBe(0);
    net.always('cancelInvoice', undefined);
    expect(await service.problems()).toEqual([]);
  });

  it('rejects an invoice that an internal payment holds until that payment has ended', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const made = await invoice(payee.id);
    net.always('cancelInvoice', { unavailable: true });
    const json = { payment_request: made.payment_request };
    const headers = { prefer: 'respond-async' };
    expect((await service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json, headers })).status).toBe(202);
    net.always('cancelInvoice', undefined);
    expect(await cancel(made.id)).toMatchObject({ status: 400, body: { type: 'invoice_paid' } });
  });

  it('returns 503 and leaves the invoice open when the node is unavailable or does not respond', async () => {
    const wallet = await service.client.wallet();
    for (const fault of [{ unavailable: true }, { lose: 'call' }, { lose: 'answer' }] as const) {
      const made = await invoice(wallet.id);
      net.next('cancelInvoice', fault);
      expect(await cancel(made.id)).toMatchObject({ status: 503, body: { type: 'node_unavailable' } });
      expect((await service.client.get(`/v1/lntx/${made.id}`)).status).toBe('open');
      expect((await cancel(made.id)).status).toBe(200);
    }
  });

  it('ends with an invoice either paid or cancelled, never both, when both are requested at once', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(2000)];
    for (let i = 0; i < 10; i++) {
      const made = await invoice(payee.id);
      const before = await balance(payer.id);
      const json = { payment_request: made.payment_request };
      const [cancelled, paid] = await Promise.all([
        cancel(made.id),
        service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json }),
      ]);
      expect([cancelled.status, paid.status].toSorted()).toEqual(cancelled.status === 200 ? [200, 400] : [201, 400]);
      expect(await balance(payer.id)).toBe(cancelled.status === 200 ? before : before - 100);
    }
    expect(await service.problems()).toEqual([]);
  });

  it('A3: requires wallet_deposit, and does not find unknown invoices or those of others', async () => {
    const [wallet, sibling] = [await service.client.wallet(), await service.client.wallet()];
    const { id } = await invoice(wallet.id);
    expect((await service.client.request('DELETE', `/v1/lntx/${id}`)).status).toBe(401);
    for (const key of [wallet.read, wallet.lnurlPay, service.client.publicKey]) expect((await cancel(id, key)).status).toBe(403);
    for (const key of [sibling.admin, service.neighbour.secretKey]) expect((await cancel(id, key)).status).toBe(404);
    for (const other of ['lntx_0000000000000000000000', 'nonsense', '0'.repeat(64), wallet.id]) {
      expect((await cancel(other)).status, other).toBe(404);
    }
    expect((await service.client.get(`/v1/lntx/${id}`)).status).toBe('open');
    expect((await cancel(id, wallet.admin)).status).toBe(200);
  });

  it('returns the cancelled invoice although the database fails right after the cancellation was booked', async () => {
    const made = await invoice((await service.client.wallet()).id);
    let isBooked = false;
    service.connectionFailsAt = (statement) => {
      if (statement.startsWith('invoice_cancel')) isBooked = true;
      return isBooked && statement === 'invoice_find';
    };
    const response = await cancel(made.id);
    service.connectionFailsAt = undefined;
    expect(response).toMatchObject({ status: 200, body: { id: made.id, status: 'cancelled' } });
    const { counterpart_id, held_msat, fee_limit_msat, inside_only, ...read } = await service.client.get(`/v1/lntx/${made.id}`);
    expect(response.body).toEqual(read);
  });
});
