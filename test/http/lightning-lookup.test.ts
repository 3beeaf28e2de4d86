import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Client, Json } from '../support/client.ts';

onFakeNode('GET /v1/lntx/<id or payment hash>', (service) => {
  const { net } = service;
  const read = (idOrHash: string, key = service.client.secretKey) => service.client.request('GET', `/v1/lntx/${idOrHash}`, { key });
  const pay = (client: Client, walletId: string, paymentRequest: string) =>
    client.request('POST', `/v1/wallet/${walletId}/withdraw`, { key: client.secretKey, json: { payment_request: paymentRequest } });

  it('returns the caller’s failed payment after another account tried to pay the same invoice', async () => {
    const [mine, sibling] = [await service.client.wallet(1000), await service.client.wallet(1000)];
    const theirs = (await service.neighbour.post('/v1/wallet', { user_label: 'theirs' })).id;
    await service.client.post('/playground/fund', { wallet_id: mine.id, num_satoshis: 1 });
    const { payment_request: theirInvoice } = await service.neighbour.post(`/v1/wallet/${theirs}/invoice`, { num_satoshis: 500 });
    await pay(service.client, sibling.id, theirInvoice);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script: { fail: 'NO_ROUTE' } });
    expect(await pay(service.client, mine.id, paymentRequest)).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
    const own = await read(paymentHash);
    expect(own).toMatchObject({ status: 200, body: { settled: -1, r_hash_decoded: paymentHash } });
    expect(await pay(service.neighbour, theirs, paymentRequest)).toMatchObject({ status: 400, body: { type: 'payment_failed' } });
    expect((await read(paymentHash)).body).toEqual(own.body);
    expect((await read(paymentHash, mine.read)).body).toEqual(own.body);
    // Another wallet of the account tries as well. The key of each wallet finds the attempt of that wallet.
    expect(await pay(service.client, sibling.id, paymentRequest)).toMatchObject({ status: 400 });
    expect((await read(paymentHash, mine.read)).body.id).toBe(own.body.id);
    const siblings = await read(paymentHash, sibling.read);
    expect(siblings.body.id).not.toBe(own.body.id);
    expect((await read(paymentHash)).body.id).toBe(siblings.body.id);
    const stranger = await service.neighbour.request('GET', `/v1/lntx/${own.body.id}`, { key: service.neighbour.secretKey });
    expect(stranger.status).toBe(404);
  });

  it('names the other side of a payment between two wallets of the account', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(1000)];
    const made: Json = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    expect((await read(made.id)).body.counterpart_id).toBeNull();
    const { lnTx }: Json = (await pay(service.client, payer.id, made.payment_request)).body;
    for (const address of [made.id, made.r_hash_decoded, made.r_hash_decoded.toUpperCase()]) {
      expect((await read(address)).body).toMatchObject({ id: made.id, settled: 1, fee_msat: null, counterpart_id: lnTx.id });
    }
    expect((await read(lnTx.id)).body).toMatchObject({ id: lnTx.id, settled: 1, fee_msat: 0, counterpart_id: made.id });
    // A key of one wallet sees its own side, and a public key sees one transaction.
    expect((await read(made.r_hash_decoded, payee.read)).body).toMatchObject({ id: made.id, counterpart_id: null });
    expect((await read(made.r_hash_decoded, payer.read)).body).toMatchObject({ id: lnTx.id, counterpart_id: null });
    expect((await read(lnTx.id, service.client.publicKey)).body).toMatchObject({ id: lnTx.id, counterpart_id: null });
  });

  it('shows what the wallet held for a payment, also after its end', async () => {
    const wallet = await service.client.wallet(1_000_000);
    const send = async (fields: object, script: object = {}): Promise<Json> => {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script });
      const json = { payment_request: paymentRequest, ...fields };
      const headers = { prefer: 'respond-async' };
      await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: service.client.secretKey, json, headers });
      return paymentHash;
    };
    const own = { held_msat: 107_000, fee_limit_msat: 7_000 };
    const pending = await send({ fee_limit_msat: 7_000 }, { stuck: true, fee: 0 });
    expect((await read(pending)).body).toMatchObject({ status: 'pending', fee_msat: null, ...own });
    const paid = await send({ fee_limit_msat: 7_000 }, { fee: 1_500 });
    await expect.poll(async () => (await read(paid)).body).toMatchObject({ status: 'settled', fee_msat: 1_500, ...own });
    const failed = await send({}, { fail: 'NO_ROUTE' });
    await expect
      .poll(async () => (await read(failed)).body)
      .toMatchObject({ status: 'failed', held_msat: 110_000, fee_limit_msat: 10_000 });
    expect((await read(paid, wallet.read)).body).toMatchObject(own);
    expect((await read(paid, service.client.publicKey)).body).toMatchObject({ held_msat: null, fee_limit_msat: null });
  });

  it('keeps the fee of the service apart from the limit of the routing fee', async () => {
    const [payee, wallet] = [await service.client.wallet(), await service.client.wallet(1000)];
    const rules = { ln_out: { flat_msat: 90_000 }, internal: { flat_msat: 3_000 } };
    await service.client.request('PUT', `/v1/wallets/${wallet.id}/fees`, {
      key: service.client.secretKey,
      json: { rules, reason: 'prices' },
    });
    const send = async (paymentRequest: string, fields: object): Promise<Json> => {
      const json = { payment_request: paymentRequest, ...fields };
      const headers = { prefer: 'respond-async' };
      await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: service.client.secretKey, json, headers });
    };
    for (const [script, status] of [
      [{ stuck: true, fee: 0 }, 'pending'],
      [{ fee: 1_500 }, 'settled'],
      [{ fail: 'NO_ROUTE' }, 'failed'],
    ] as const) {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 100_000, script });
      await send(paymentRequest, { fee_limit_msat: 5_000 });
      await expect
        .poll(async () => (await read(paymentHash)).body)
        .toMatchObject({ status, held_msat: 195_000, fee_limit_msat: 5_000, service_fee_msat: 90_000 });
    }
    const inside: Json = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    await send(inside.payment_request, {});
    await expect
      .poll(async () => (await read(inside.r_hash_decoded, wallet.admin)).body)
      .toMatchObject({ status: 'settled', held_msat: 103_000, fee_limit_msat: 0, service_fee_msat: 3_000 });
  });

  it('shows no hold for a payment between two wallets, nor for its invoice', async () => {
    const [payee, payer] = [await service.client.wallet(), await service.client.wallet(1000)];
    const made: Json = await service.client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 100 });
    const { lnTx }: Json = (await pay(service.client, payer.id, made.payment_request)).body;
    expect((await read(lnTx.id)).body).toMatchObject({ held_msat: null, fee_limit_msat: null });
    expect((await read(made.id)).body).toMatchObject({ held_msat: null, fee_limit_msat: null });
  });

  it('names no other side that belongs to another account', async () => {
    const payer = await service.client.wallet(1000);
    const theirs = (await service.neighbour.post('/v1/wallet', { user_label: 'theirs' })).id;
    const made: Json = await service.neighbour.post(`/v1/wallet/${theirs}/invoice`, { num_satoshis: 100 });
    const { lnTx }: Json = (await pay(service.client, payer.id, made.payment_request)).body;
    expect((await read(made.r_hash_decoded)).body).toMatchObject({ id: lnTx.id, settled: 1, counterpart_id: null });
    expect((await read(lnTx.id)).body.counterpart_id).toBeNull();
    const other = await service.neighbour.request('GET', `/v1/lntx/${made.r_hash_decoded}`, { key: service.neighbour.secretKey });
    expect(other.body).toMatchObject({ id: made.id, settled: 1, counterpart_id: null });
    expect(await service.problems()).toEqual([]);
  });
});
