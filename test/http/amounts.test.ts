import { expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';

onFakeNode('amounts', ({ client, net, problems }) => {
  const post = (id: string, path: string, json: object) =>
    client.request('POST', `/v1/wallet/${id}/${path}`, { key: client.secretKey, json });

  it('are accepted in satoshis or millisatoshis, and returned in both', async () => {
    const [wallet, friend] = [await client.wallet(1000), await client.wallet()];
    const { nodes } = await client.get('/playground');
    const { pubkey } = nodes.find(({ name }: { name: string }) => name === 'alice');
    const invoice = await post(friend.id, 'invoice', { num_msat: 1500 });
    expect(invoice).toMatchObject({ status: 201, body: { num_satoshis: 1, num_msat: 1500 } });
    const open = net.outside.invoice({});
    const sent = [
      await post(wallet.id, 'transfer', { dest_wallet_id: friend.id, num_msat: 1501 }),
      await post(wallet.id, 'withdraw', { payment_request: invoice.body.payment_request }),
      await post(wallet.id, 'withdraw', { payment_request: open.paymentRequest, num_msat: 2502, fee_limit_msat: 0 }),
      await post(wallet.id, 'keysend', { dest_pubkey: pubkey, num_msat: 3503, fee_limit_msat: 0 }),
    ];
    expect(sent.map(({ status, body }) => [status, (body.wtx_transfer_out ?? body).num_msat])).toEqual([
      [201, -1501],
      [201, -1500],
      [201, -2502],
      [201, -3503],
    ]);
    expect(sent[3]?.body.lnTx).toMatchObject({ num_satoshis: 3, num_msat: 3503 });
    expect((await client.get(`/v1/wallet/${friend.id}`)).balance_msat).toBe(3001);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(1_000_000 - 1501 - 1500 - 2502 - 3503);
    expect(await problems()).toEqual([]);
  });

  it('are rejected when they are missing or given twice, and nothing is paid', async () => {
    const [wallet, friend] = [await client.wallet(10), await client.wallet()];
    const transfer = (json: object) => post(wallet.id, 'transfer', { dest_wallet_id: friend.id, ...json });
    expect(await transfer({})).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^`num_satoshis` is missing/) } });
    expect(await transfer({ num_satoshis: 1, num_msat: 1000 })).toMatchObject({
      status: 400,
      body: { type: 'validation_failed', message: 'Send either `num_satoshis` or `num_msat`, not both.' },
    });
    expect((await post(wallet.id, 'lnurlp/pay', { ln_address: 'a@example.com', num_msat: 1000, amt_msat: 1000 })).status).toBe(400);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance_msat).toBe(10_000);
  });
});
