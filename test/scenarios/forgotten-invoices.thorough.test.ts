import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

onFakeNode('an invoice that the node has lost', (service) => {
  const { net } = service;
  const balance = async (walletId: string) => (await service.client.get(`/v1/wallet/${walletId}`)).balance;
  const cancel = (made: Json) => service.client.request('DELETE', `/v1/lntx/${made.id}`, { key: service.client.secretKey });
  const pay = (payer: TestWallet, payment_request: string, headers = {}) =>
    service.client.request('POST', `/v1/wallet/${payer.id}/withdraw`, { key: payer.admin, json: { payment_request }, headers });

  /** Creates an invoice and makes the node forget it. @returns the invoice, and the node's record of it */
  async function forgotten(payee: TestWallet): Promise<{ made: Json; remembered: ReturnType<typeof net.backup> }> {
    const before = net.backup();
    const made: Json = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    const remembered = net.backup();
    net.restore(before);
    return { made, remembered };
  }

  it('P4: is paid internally: the payment ends and moves the money once', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const { made } = await forgotten(payee);
    await expect.poll(async () => (await pay(payer, made.payment_request)).status).toBe(201);
    expect([await balance(payee.id), await balance(payer.id)]).toEqual([100, 400]);
    expect(await service.problems()).toEqual([]);
  });

  it('P4: is cancelled on request and cannot be paid afterwards', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const { made, remembered } = await forgotten(payee);
    await expect.poll(async () => (await cancel(made)).status).toBe(200);
    net.restore(remembered);
    expect(await net.outside.pay({ paymentRequest: made.payment_request })).toMatchObject({ state: 'failed' });
    await expect.poll(async () => (await pay(payer, made.payment_request)).body.type).toBe('invoice_cancelled');
    expect(await balance(payee.id)).toBe(0);
  });

  it('rejects an outside payer after it was paid internally and the node finds it again', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const { made, remembered } = await forgotten(payee);
    await expect.poll(async () => (await pay(payer, made.payment_request)).status).toBe(201);
    net.restore(remembered);
    expect(await net.outside.pay({ paymentRequest: made.payment_request })).toMatchObject({ state: 'failed' });
    expect(await balance(payee.id)).toBe(100);
  });

  it('P4: books money that a node claims for it after an internal payment in suspense, once', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const { made } = await forgotten(payee);
    await expect.poll(async () => (await pay(payer, made.payment_request)).status).toBe(201);
    const { payment_preimage: preimage }: Json = await service.client.get(`/v1/lntx/${made.id}`);
    const settlement = { paymentHash: made.r_hash_decoded, preimage, amountMsat: 100_000, settledAt: 1, keysend: false, customRecords: {} };
    for (let i = 0; i < 2; i++) net.tell({ type: 'settlement', ...settlement } as Parameters<typeof net.tell>[0]);
    await expect.poll(() => service.suspenseMsat()).toBe(100_000);
    expect(await balance(payee.id)).toBe(100);
    expect(await service.problems()).toEqual([]);
  });

  it('is not paid twice when an outside payer was first and the node lost that payment too', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const { made, remembered } = await forgotten(payee);
    net.always('cancelInvoice', { lose: 'call' });
    expect((await pay(payer, made.payment_request, { prefer: 'respond-async' })).status).toBe(202);
    const paymentHash = made.r_hash_decoded;
    const preimage = remembered.ourInvoices[paymentHash]?.preimage;
    const settlement = { paymentHash, preimage, amountMsat: 100_000, settledAt: 1, keysend: false, customRecords: {} };
    net.tell({ type: 'settlement', ...settlement } as Parameters<typeof net.tell>[0]);
    await expect.poll(() => balance(payee.id)).toBe(100);
    net.always('cancelInvoice', undefined);
    await service.restart();
    const wallet = async () => service.client.get(`/v1/wallet/${payer.id}`);
    await expect.poll(async () => (await wallet()).pending_msat).toBe(0);
    expect([await balance(payee.id), await balance(payer.id)]).toEqual([100, 500]);
    expect((await service.client.get(`/v1/lntx/${made.id}`)).status).toBe('settled');
    expect(await service.problems()).toEqual([]);
  });

  it('stays unclear while the node contradicts itself: the payment is pending, and a cancellation is a 503', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(500)];
    const invoice = (): Promise<Json> => service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    const [paid, cancelled] = [await invoice(), await invoice()];
    net.always('cancelInvoice', { instead: 'unknown' });
    net.always('lookupInvoice', { instead: { state: 'open' } });
    expect((await pay(payer, paid.payment_request, { prefer: 'respond-async' })).status).toBe(202);
    expect(await cancel(cancelled)).toMatchObject({ status: 503 });
    expect((await service.client.get(`/v1/lntx/${paid.id}`)).status).toBe('open');
    net.always('cancelInvoice', undefined);
    net.always('lookupInvoice', undefined);
    await service.restart();
    await expect.poll(async () => (await service.client.get(`/v1/lntx/${paid.id}`)).status).toBe('settled');
    expect((await cancel(cancelled)).status).toBe(200);
    expect([await balance(payee.id), await balance(payer.id)]).toEqual([100, 400]);
  });
});
