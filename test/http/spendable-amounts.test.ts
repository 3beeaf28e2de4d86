import { expect, it } from 'vitest';
import { KEY_KINDS } from '../../src/core/accounts/keys.ts';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, TestWallet } from '../support/client.ts';

onFakeNode('spendable amounts', (service) => {
  const { net } = service;

  function post(wallet: TestWallet, path: string, json: object): Promise<HttpResponse> {
    return service.client.request('POST', `/v1/wallet/${wallet.id}/${path}`, { key: service.client.secretKey, json });
  }

  async function carol(): Promise<string> {
    const { nodes } = await service.client.get('/playground');
    return nodes.find(({ name }: { name: string }) => name === 'carol').pubkey;
  }

  it('returns the spendable and the required amount, with any fee reserve, in the unit of the request when the balance is too small', async () => {
    const [wallet, friend] = [await service.client.wallet(500), await service.client.wallet()];
    const { paymentRequest } = net.outside.invoice({ amountMsat: 1_000_000 });
    const inside = await service.client.post(`/v1/wallet/${friend.id}/invoice`, { num_satoshis: 600 });
    const dest_pubkey = await carol();
    const cases: [path: string, json: object, message: string][] = [
      [
        'withdraw',
        { payment_request: paymentRequest },
        'The spendable balance is 500 sat. The payment requires 1,050 sat: 1,000 sat for the amount and 50 sat for the fee reserve. ' +
          'A balance that covers the amount, but not all of the fee reserve, is accepted.',
      ],
      [
        'withdraw',
        { payment_request: paymentRequest, fee_limit_msat: 0 },
        'The spendable balance is 500 sat. The payment requires 1,000 sat.',
      ],
      [
        'keysend',
        { dest_pubkey, num_satoshis: 501, fee_limit_msat: 7 },
        'The spendable balance is 500 sat. The payment requires 501.007 sat: 501 sat for the amount and 0.007 sat for the fee reserve. ' +
          'A balance that covers the amount, but not all of the fee reserve, is accepted.',
      ],
      ['withdraw', { payment_request: inside.payment_request }, 'The spendable balance is 500 sat. The payment requires 600 sat.'],
      ['transfer', { dest_wallet_id: friend.id, num_satoshis: 501 }, 'The spendable balance is 500 sat. The transfer requires 501 sat.'],
      [
        'transfer',
        { dest_wallet_id: friend.id, num_msat: 500_001 },
        'The spendable balance is 500000 msat. The transfer requires 500001 msat.',
      ],
    ];
    for (const [path, json, message] of cases) {
      expect((await post(wallet, path, json)).body).toMatchObject({ status: 400, type: 'insufficient_balance', message });
    }
    // Money held for a pending payment is not spendable.
    const held = net.outside.invoice({ amountMsat: 100_000, script: { hold: true } });
    const response = await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
      key: service.client.secretKey,
      json: { payment_request: held.paymentRequest, fee_limit_msat: 5_000 },
      headers: { prefer: 'respond-async' },
    });
    expect(response.status).toBe(202);
    const transfer = await post(wallet, 'transfer', { dest_wallet_id: friend.id, num_satoshis: 400 });
    expect(transfer.body.message).toBe('The spendable balance is 395 sat. The transfer requires 400 sat.');
    await expect.poll(() => net.outside.payments().find(({ paymentHash }) => paymentHash === held.paymentHash)?.state).toBe('pending');
    net.outside.resolveHold(held.paymentHash, 'cancel');
    await expect.poll(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
    expect(await service.problems()).toEqual([]);
  });

  it('returns no balance to a payer without a key', async () => {
    const wallet = await service.client.wallet(500);
    const { url } = await service.client.post(`/v1/wallet/${wallet.id}/lnurl/withdraw`, { num_satoshis: 400, uses: 20 });
    const claims = Array.from({ length: 10 }, async () => {
      const { paymentRequest } = net.outside.invoice({ amountMsat: 400_000, script: { fee: 0 } });
      return (await fetch(`${url}&pr=${paymentRequest}`)).json() as Promise<{ status: string; reason?: string }>;
    });
    const refused = (await Promise.all(claims)).filter(({ status }) => status === 'ERROR');
    expect(refused).toHaveLength(9);
    for (const { reason } of refused) expect(reason).not.toMatch(/spendable balance is|requires/);
    await expect.poll(async () => (await service.client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBe(0);
  });

  it('gives the permission to spend only to kinds of keys that can read the balance', () => {
    for (const [kind, { permissions }] of Object.entries(KEY_KINDS)) {
      const list: readonly string[] = permissions;
      const spends = list.includes('wallet_withdraw') || list.includes('wallet_transfer');
      expect([kind, !spends || list.includes('wallet_read')]).toEqual([kind, true]);
    }
  });

  it('returns the fee limit when no route is found within it, and nothing more for other failures', async () => {
    const wallet = await service.client.wallet(100);
    const prefix = 'Failure reason: FAILURE_REASON_NO_ROUTE';
    const cases: [amountMsat: number, feeLimitMsat: number | undefined, stated: number][] = [
      [50_000, undefined, 10_000],
      [50_000, 0, 0],
      [50_000, 1_999, 1_999],
      // The balance leaves less than the limit.
      [98_000, undefined, 2_000],
      [100_000, undefined, 0],
    ];
    for (const [amountMsat, fee_limit_msat, stated] of cases) {
      const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat, script: { fee: 11_000 } });
      const json = { payment_request: paymentRequest, ...(fee_limit_msat !== undefined && { fee_limit_msat }) };
      const { body } = await post(wallet, 'withdraw', json);
      expect(body).toMatchObject({
        type: 'payment_failed',
        message: `${prefix}. No route was found within the fee limit of ${stated} msat.`,
      });
      expect(await service.client.get(`/v1/lntx/${paymentHash}`)).toMatchObject({ failure_reason: 'NO_ROUTE' });
    }
    const { paymentRequest } = net.outside.invoice({ amountMsat: 50_000, script: { fail: 'TIMEOUT' } });
    const { body } = await post(wallet, 'withdraw', { payment_request: paymentRequest });
    expect(body.message).toBe('Failure reason: FAILURE_REASON_TIMEOUT');
  });

  it('returns the largest amount that a wallet can pay with the default fee reserve', async () => {
    for (const [balance, max_payable_msat] of [
      [0, 0],
      [10, 0],
      [11, 1_000],
      [100, 90_000],
      [1_000, 952_381],
    ] as const) {
      const wallet = await service.client.wallet(balance);
      expect(await service.client.get(`/v1/wallet/${wallet.id}`)).toMatchObject({ balance, max_payable_msat });
      if (max_payable_msat === 0) continue;
      // A payment of exactly this amount can use its whole fee limit, and then leaves nothing.
      const { paymentRequest } = net.outside.invoice({ amountMsat: max_payable_msat, script: { fee: 'limit' } });
      expect(await post(wallet, 'withdraw', { payment_request: paymentRequest })).toMatchObject({
        status: 201,
        body: { lnTx: { fee_msat: Math.max(10_000, Math.floor(max_payable_msat / 20)) }, wal: { max_payable_msat: 0 } },
      });
    }
    expect(await service.problems()).toEqual([]);
  });
});
