import { createHash } from 'node:crypto';
import { expect, it } from 'vitest';
import type { App } from '../support/app.ts';
import type { Json } from '../support/client.ts';

const sha256 = (hex: string) => createHash('sha256').update(Buffer.from(hex, 'hex')).digest('hex');

/** Money in, out and between wallets: the same tests on the fake node and on real nodes. */
export function movesMoney({ client }: App): void {
  it('lists each wallet with its current balance', async () => {
    const [a, b] = [await client.wallet(500), await client.wallet()];
    for (const num_satoshis of [1, 20, 300]) {
      const before = (await client.get(`/v1/wallet/${b.id}`)).balance;
      await client.post(`/v1/wallet/${a.id}/transfer`, { dest_wallet_id: b.id, num_satoshis });
      const listed = new Map((await client.get('/v1/wallets')).map((wallet: Json) => [wallet.id, wallet.balance]));
      expect([listed.get(a.id), listed.get(b.id)]).toEqual([500 - before - num_satoshis, before + num_satoshis]);
    }
  });

  it('settles, credits and lists an invoice that an outside node pays', async () => {
    const wallet = await client.wallet();
    const made = await client.request('POST', `/v1/wallet/${wallet.invoice}/invoice`, {
      key: client.publicKey,
      json: { num_satoshis: 1234, memo: 'tea' },
    });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({ settled: 0, num_satoshis: 1234, memo: 'tea', is_keysend: 0, payment_preimage: null, expiry: 86400 });
    expect(made.body.payment_request).toMatch(/^lnbcrt/);
    const paid = await client.post('/playground/pay', { payment_request: made.body.payment_request });
    expect(paid).toMatchObject({ state: 'succeeded', amount_msat: 1_234_000, direction: 'sent' });
    const lntx = await client.request('GET', `/v1/lntx/${made.body.id}?fields=settled,num_satoshis`, { key: client.secretKey });
    expect(lntx.text).toBe('{"settled":1,"num_satoshis":1234}');
    const full = await client.get(`/v1/lntx/${made.body.r_hash_decoded}`);
    expect(sha256(full.payment_preimage)).toBe(full.r_hash_decoded);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(1234);
    const list = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(list).toHaveLength(1);
    expect(list[0]).toMatchObject({
      num_satoshis: 1234,
      user_label: 'tea',
      wtxType: { layer: 'ln', name: 'ln_deposit', display_name: 'LN Deposit' },
    });
    // Only a read of the transaction itself looks for the other side of an internal payment, and for the hold of a payment.
    expect({ ...list[0].lnTx, counterpart_id: null, held_msat: null, fee_limit_msat: null, inside_only: 0 }).toEqual(full);
  });

  it('returns the wallet transaction of the specification for a keysend to a peer', async () => {
    const wallet = await client.wallet(10_000);
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: { name: string }) => name === 'alice');
    const sent = await client.request('POST', `/v1/wallet/${wallet.admin}/keysend`, {
      key: client.publicKey,
      json: {
        dest_pubkey: pubkey,
        num_satoshis: 100,
        custom_records: { '696969': 'hello', '7629169': { podcast: 'x' } },
        passThru: { ticketId: '23' },
      },
    });
    expect(sent.status).toBe(201);
    const { lnTx, wal } = sent.body;
    expect(sent.body).toMatchObject({
      num_satoshis: -100,
      user_label: `100 keysend to ${pubkey}`,
      wtxType: { layer: 'ln', name: 'ln_withdrawal', display_name: 'LN Withdrawal' },
      passThru: { method: 'api', ticketId: '23' },
    });
    expect(sent.body.id).toMatch(/^wtx_[0-9A-Za-z]+$/);
    expect(wal).toMatchObject({ id: wallet.id, balance: 9900, statusType: { type: 'wallet', name: 'active', display_name: 'Active' } });
    expect(lnTx).toMatchObject({
      dest_pubkey: pubkey,
      payment_request: `${pubkey}:100`,
      num_satoshis: 100,
      expiry: 432_000,
      expires_at: null,
      settled: 1,
      is_keysend: 1,
      description_hash: null,
    });
    expect(lnTx.custom_records).toMatchObject({ '696969': 'hello', '7629169': '{"podcast":"x"}' });
    expect(lnTx.custom_records_json).toEqual({ '7629169': { podcast: 'x' } });
    expect(sha256(lnTx.custom_records['5482373484'])).toBe(lnTx.r_hash_decoded);
    expect(lnTx.payment_preimage).toBe(lnTx.custom_records['5482373484']);
    expect(lnTx.settled_at).toBeGreaterThanOrEqual(lnTx.created_at);
  });

  it('F4: lists the routing fee of a keysend over two hops as a separate row, and releases the rest of the reserve', async () => {
    const wallet = await client.wallet(10_000);
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: { name: string }) => name === 'carol');
    const sent = await client.post(`/v1/wallet/${wallet.admin}/keysend`, { dest_pubkey: pubkey, num_satoshis: 5000 });
    expect(sent.lnTx.fee_msat).toBeGreaterThan(0);
    const list = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(list.map((row: { wtxType: { name: string } }) => row.wtxType.name)).toEqual(['network_fee', 'ln_withdrawal', 'ln_deposit']);
    expect(list[0]).toMatchObject({ num_msat: -sent.lnTx.fee_msat, lnTx: null, passThru: { source_transaction: sent.id } });
    const after = await client.get(`/v1/wallet/${wallet.id}`);
    expect(after).toMatchObject({ balance_msat: 5_000_000 - sent.lnTx.fee_msat, pending_msat: 0 });
    const sum = list.reduce((total: number, row: { num_satoshis: number }) => total + row.num_satoshis, 0);
    expect(sum).toBe(after.balance);
  });

  it('rejects a keysend to a node without a route with a 400 that names the reason, and leaves the balance unchanged', async () => {
    const wallet = await client.wallet(1000);
    const { unreachable_pubkey } = await client.get('/playground');
    const sent = await client.request('POST', `/v1/wallet/${wallet.admin}/keysend`, {
      key: client.secretKey,
      json: { dest_pubkey: unreachable_pubkey, num_satoshis: 100 },
    });
    expect(sent.status).toBe(400);
    expect(sent.body).toMatchObject({
      name: 'Bad Request',
      message: 'Failure reason: FAILURE_REASON_NO_ROUTE. No route was found within the fee limit of 10000 msat.',
      code: 0,
      status: 400,
      type: 'payment_failed',
    });
    expect(sent.body.wtx_id).toMatch(/^wtx_/);
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
    expect(await client.get(`/v1/wallet/${wallet.id}/transactions`)).toHaveLength(1);
  });

  it('pays an outside invoice once, whatever the number of requests', async () => {
    const wallet = await client.wallet(1000);
    const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 300, memo: 'bread' });
    const responses = await Promise.all(
      Array.from({ length: 5 }, () =>
        client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request } }),
      ),
    );
    expect(responses.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201]);
    expect(new Set(responses.map(({ body }) => body.id)).size).toBe(1);
    expect(responses.filter(({ headers }) => headers.get('idempotency-replayed') === 'true')).toHaveLength(4);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(700);
    const other = await client.wallet(1000);
    const again = await client.request('POST', `/v1/wallet/${other.id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    expect(again.body).toMatchObject({ status: 400, type: 'invoice_paid' });
  });

  it('settles an invoice of another wallet internally, without a fee, lists both sides, and fails a later payment from outside', async () => {
    const [payer, payee] = [await client.wallet(1000), await client.wallet()];
    const invoice = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 1000, memo: 'rent' });
    const paid = await client.post(`/v1/wallet/${payer.id}/withdraw`, { payment_request: invoice.payment_request.toUpperCase() });
    expect(paid).toMatchObject({ num_satoshis: -1000, lnTx: { settled: 1, fee_msat: 0 }, wal: { balance: 0 } });
    expect(sha256(paid.lnTx.payment_preimage)).toBe(invoice.r_hash_decoded);
    const list = await client.get(`/v1/wallet/${payee.id}/transactions`);
    expect(list[0]).toMatchObject({ num_satoshis: 1000, wtxType: { name: 'ln_deposit' }, lnTx: { id: invoice.id, settled: 1 } });
    const outside = await client.post('/playground/pay', { payment_request: invoice.payment_request });
    expect(outside.state).toBe('failed');
    expect((await client.get(`/v1/wallet/${payee.id}`)).balance).toBe(1000);
  });

  it("I6: rejects a payment of the wallet's own invoice", async () => {
    const wallet = await client.wallet(1000);
    const { payment_request } = await client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 10 });
    const paid = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    expect(paid.body).toMatchObject({ status: 400, type: 'own_invoice' });
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
  });

  it('transfers money between two wallets of the account', async () => {
    const [from, to] = [await client.wallet(500), await client.wallet()];
    const moved = await client.post(`/v1/wallet/${from.admin}/transfer`, {
      dest_wallet_id: to.id,
      num_satoshis: '200',
      memo: 'pocket money',
      passThru: { a: 1 },
    });
    expect(moved).toMatchObject({ source_wallet_id: from.id, dest_wallet_id: to.id, passThru: { a: 1 } });
    expect(moved.wtx_transfer_out).toMatchObject({
      num_satoshis: -200,
      user_label: 'pocket money',
      lnTx: null,
      wtxType: { name: 'ln_transfer_out' },
      wal: { balance: 300 },
    });
    expect(moved.wtx_transfer_in).toMatchObject({ num_satoshis: 200, wtxType: { name: 'ln_transfer_in' }, wal: { balance: 200 } });
  });

  it('returns 202 and reserves the money for a hold invoice, and settles the payment when the receiver claims it', async () => {
    const wallet = await client.wallet(1000);
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 100, hold: true });
    const sent = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: client.secretKey,
      json: { payment_request },
      headers: { prefer: 'respond-async' },
    });
    expect(sent.status).toBe(202);
    expect(sent.body).toMatchObject({
      status: 'pending',
      lnTx: { settled: 0, payment_preimage: null },
      wal: { balance: 890, pending_msat: 110_000 },
    });
    await client.decideHold(payment_hash, 'settle');
    await expect.poll(async () => (await client.get(`/v1/lntx/${sent.body.lnTx.id}`)).settled).toBe(1);
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 900, pending_msat: 0 });
  });

  it('S5: releases the full amount and the reserve when the receiver cancels a hold invoice', async () => {
    const wallet = await client.wallet(1000);
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 100, hold: true });
    const sending = client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: client.secretKey, json: { payment_request } });
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(110_000);
    await client.decideHold(payment_hash, 'cancel');
    const sent = await sending;
    expect(sent.body).toMatchObject({ status: 400, message: 'Failure reason: FAILURE_REASON_INCORRECT_PAYMENT_DETAILS' });
    expect(await client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance: 1000, pending_msat: 0 });
  });

  it('credits a keysend from outside to the wallet that it names', async () => {
    const wallet = await client.wallet();
    const sent = await client.post('/playground/keysend', { num_satoshis: 77, custom_records: { '696969': wallet.id } });
    expect(sent.state).toBe('succeeded');
    const [row] = await client.get(`/v1/wallet/${wallet.id}/transactions`);
    expect(row).toMatchObject({
      num_satoshis: 77,
      lnTx: { is_keysend: 1, payment_request: 'keysend', custom_records: { '696969': wallet.id } },
    });
    const unmatched = await client.post('/playground/keysend', { num_satoshis: 77 });
    expect(unmatched.state).toBe('failed');
  });
}
