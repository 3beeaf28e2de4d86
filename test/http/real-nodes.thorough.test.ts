import { getParams, type LNURLWithdrawParams } from 'js-lnurl';
import { describe, expect, it } from 'vitest';
import { onPlayground } from '../support/app.ts';
import { forgeAmount, forgeWords } from '../support/bolt11-forgery.ts';
import type { Json } from '../support/client.ts';
import { movesMoney } from './first-money.ts';

onPlayground('the service on real nodes', (app) => {
  const { client } = app;
  const request = (method: string, path: string, json?: object) =>
    client.request(method, path, { key: client.secretKey, ...(json && { json }) });
  const stateOf = async (id: string): Promise<Json> => client.get(`/v1/wallet/${id}?fields=balance,pending_msat`);

  movesMoney(app);

  it('pays a withdraw link once to a published client', async () => {
    const wallet = await client.wallet(1000);
    const link = await client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 600 });
    const terms = (await getParams(link.lnurl)) as LNURLWithdrawParams;
    expect(terms).toMatchObject({ tag: 'withdrawRequest', minWithdrawable: 1000, maxWithdrawable: 600_000 });
    const claim = async (): Promise<Json> => {
      const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 600 });
      const response = await fetch(`${terms.callback}${terms.callback.includes('?') ? '&' : '?'}k1=${terms.k1}&pr=${payment_request}`);
      return { payment_hash, claimed: await response.json() };
    };
    const [first, second] = [await claim(), await claim()];
    expect(first.claimed).toEqual({ status: 'OK' });
    expect(second.claimed).toEqual({ status: 'ERROR', reason: expect.any(String) });
    await expect.poll(() => stateOf(wallet.id)).toEqual({ balance: 400, pending_msat: 0 });
    const { payments } = await client.get('/playground/payments');
    const received = payments.filter(({ direction, state }: Json) => direction === 'received' && state === 'succeeded');
    expect(received.filter((one: Json) => one.payment_hash === first.payment_hash)).toMatchObject([{ amount_msat: 600_000 }]);
    expect(received.filter((one: Json) => one.payment_hash === second.payment_hash)).toEqual([]);
  });

  it('I2: rejects a changed invoice, because the node names the signer in it', async () => {
    const [payer, payee] = [await client.wallet(1000), await client.wallet()];
    const { payment_request, id } = await client.post(`/v1/wallet/${payee.id}/invoice`, { num_satoshis: 50 });
    const forgeries = [
      forgeAmount(payment_request, 1000),
      forgeAmount(payment_request, 51_000),
      forgeWords(payment_request, (words) => words.with(6, (words[6] ?? 0) ^ 1)),
    ];
    for (const forged of forgeries) {
      const response = await request('POST', `/v1/wallet/${payer.id}/withdraw`, { payment_request: forged });
      expect(response).toMatchObject({ status: 400, body: { type: 'invoice_undecodable' } });
    }
    expect(await client.get(`/v1/lntx/${id}`)).toMatchObject({ settled: 0, num_satoshis: 50 });
    expect(await stateOf(payer.id)).toEqual({ balance: 1000, pending_msat: 0 });
  });

  describe('the playground routes', () => {
    it('describe three nodes of a private network', async () => {
      const { network, nodes, unreachable_pubkey } = await client.get('/playground');
      expect(network).toBe('regtest');
      expect(nodes.map(({ name }: Json) => name).sort()).toEqual(['alice', 'carol', 'hub']);
      for (const pubkey of [unreachable_pubkey, ...nodes.map((node: Json) => node.pubkey)]) expect(pubkey).toMatch(/^0[23][0-9a-f]{64}$/);
    });

    it('describe the channels, whose balances change with a payment, and so does the list of our node', async () => {
      const read = async () => {
        const [[ours, theirs], { nodes }] = [(await client.get('/playground')).channels, await client.get('/v1/operator/overview')];
        const list = await client.get(`/v1/operator/nodes/${nodes[0].id}/channels`);
        return { ours, theirs, list };
      };
      const before = await read();
      expect([before.ours.from, before.ours.to, before.theirs.from, before.theirs.to]).toEqual(['hub', 'alice', 'alice', 'carol']);
      expect(before.list).toMatchObject({ status: 'known', num_channels: { active: 1, inactive: 0, opening: 0, closing: 0 } });
      expect(before.list.channels).toMatchObject([{ peer_alias: 'alice', status: 'active', is_private: false }]);
      await client.wallet(5_000);
      await expect.poll(async () => (await read()).ours.from_msat - before.ours.from_msat).toBe(5_000_000);
      await expect.poll(async () => (await read()).list.spendable_msat - before.list.spendable_msat).toBe(5_000_000);
    });

    it('reject an invoice with a wrong checksum', async () => {
      const { payment_request } = await client.post('/playground/invoice', { num_satoshis: 5, at: 'carol' });
      const refused = await request('POST', '/playground/pay', { payment_request: `${payment_request}x` });
      expect(refused).toMatchObject({ status: 400, body: { type: 'playground_refused' } });
    });

    it('list the payments after an id', async () => {
      const before = (await client.get('/playground/payments')).payments.at(-1)?.id ?? 0;
      const wallet = await client.wallet(7);
      const { payments } = await client.get(`/playground/payments?after=${before}`);
      expect(payments).toMatchObject([{ node: 'alice', direction: 'sent', amount_msat: 7_000, state: 'succeeded' }]);
      expect(await stateOf(wallet.id)).toEqual({ balance: 7, pending_msat: 0 });
    });
  });

  it('S4: keeps a held payment across a restart and settles it once', async () => {
    const wallet = await client.wallet(1000);
    const { payment_request, payment_hash } = await client.post('/playground/invoice', { num_satoshis: 100, hold: true });
    const headers = { prefer: 'respond-async' };
    const sent = await client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: client.secretKey,
      json: { payment_request },
      headers,
    });
    expect(sent.status).toBe(202);
    await app.restart();
    expect(await stateOf(wallet.id)).toEqual({ balance: 890, pending_msat: 110_000 });
    await client.decideHold(payment_hash, 'settle');
    await expect.poll(() => stateOf(wallet.id)).toEqual({ balance: 900, pending_msat: 0 });
    await app.restart();
    expect(await stateOf(wallet.id)).toEqual({ balance: 900, pending_msat: 0 });
    expect(await app.problems()).toEqual([]);
  });
});
