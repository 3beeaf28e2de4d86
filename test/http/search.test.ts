import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { HttpResponse, Json, TestWallet } from '../support/client.ts';

onFakeNode('searching lists of transactions', (service) => {
  const { net } = service;
  const request = (path: string, key = service.client.secretKey): Promise<HttpResponse> => service.client.request('GET', path, { key });
  let wallet: TestWallet;
  let other: TestWallet;
  let path: string;
  let paid: Json;
  let failedHash: string;
  let inside: Json;
  const found = async (query: string, base = path): Promise<string[]> => {
    const { status, body } = await request(`${base}?${query}`);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.map((row: Json) => `${row.wtxType.name}:${row.status}`);
  };

  beforeAll(async () => {
    [wallet, other] = [await service.client.wallet(1000), await service.client.wallet(1000)];
    path = `/v1/wallet/${wallet.id}/transactions`;
    const pay = (payment_request: string, more = {}) =>
      service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, {
        key: service.client.secretKey,
        json: { payment_request, ...more },
      });
    const outside = net.outside.invoice({ amountMsat: 10_000, memo: 'Rent for May', script: { fee: 1000 } });
    paid = (await pay(outside.paymentRequest, { passThru: { order: 17, urgent: true, note: 'a "quoted" ü' } })).body;
    const failing = net.outside.invoice({ amountMsat: 10_000, memo: 'rent, again', script: { fail: 'NO_ROUTE' } });
    failedHash = failing.paymentHash;
    await pay(failing.paymentRequest);
    await pay(failing.paymentRequest);
    await service.client.post(`/v1/wallet/${wallet.id}/transfer`, {
      dest_wallet_id: other.id,
      num_satoshis: 5,
      memo: 'ÄRGER',
      passThru: { order: '17', source_wallet_id: 'forged' },
    });
    inside = await service.client.post(`/v1/wallet/${other.id}/invoice`, { num_satoshis: 7, memo: 'cake' });
    await pay(inside.payment_request);
    await service.client.post(`/v1/wallet/${wallet.id}/invoice`, { num_satoshis: 20, memo: 'Rental', passThru: { order: '18' } });
  });

  it('finds a part of a label in upper or lower case, in every list', async () => {
    expect(await found('label=rent')).toEqual(['ln_withdrawal:settled']);
    expect(await found('label=RENT&status=failed')).toEqual(['ln_withdrawal:failed', 'ln_withdrawal:failed']);
    expect(await found('label=rent&status=all')).toEqual(['ln_withdrawal:failed', 'ln_withdrawal:failed', 'ln_withdrawal:settled']);
    expect(await found('label=rent&status=open')).toEqual(['ln_deposit:open']);
    expect(await found(`label=${encodeURIComponent('ärg')}`)).toEqual(['ln_transfer_out:settled']);
    expect(await found('label=cake', '/v1/wallet-transactions')).toEqual(['ln_deposit:settled', 'ln_withdrawal:settled']);
    expect(await found('label=nothing')).toEqual([]);
  });

  it('finds texts, numbers and booleans of passThru', async () => {
    expect(await found('pass_through[order]=17')).toEqual(['ln_transfer_out:settled', 'ln_withdrawal:settled']);
    expect(await found('pass_through[order]=17&pass_through[urgent]=true')).toEqual(['ln_withdrawal:settled']);
    expect(await found(`pass_through[note]=${encodeURIComponent('a "quoted" ü')}`)).toEqual(['ln_withdrawal:settled']);
    expect(await found('pass_through[order]=17&label=rent&type=ln_withdrawal')).toEqual(['ln_withdrawal:settled']);
    expect(await found('pass_through[order]=18&status=open')).toEqual(['ln_deposit:open']);
    expect(await found('pass_through[method]=api')).toEqual(['ln_withdrawal:settled']);
    expect(await found('pass_through[order]=1')).toEqual([]);
    expect(await found('pass_through[17]=order')).toEqual([]);
    expect(await found(`pass_through=${encodeURIComponent('{"urgent":"true"}')}`)).toEqual(['ln_withdrawal:settled']);
  });

  it('finds transfers by their wallets, and not by passThru that imitates them', async () => {
    expect(await found(`pass_through[dest_wallet_id]=${other.id}`)).toEqual(['ln_transfer_out:settled']);
    expect(await found(`pass_through[source_wallet_id]=${wallet.id}`, `/v1/wallet/${other.id}/transactions`)).toEqual([
      'ln_transfer_in:settled',
    ]);
    expect(await found('pass_through[source_wallet_id]=forged')).toEqual([]);
  });

  it('finds a payment hash in the list that it belongs to', async () => {
    const hash: string = paid.lnTx.r_hash_decoded;
    expect(await found(`payment_hash=${hash.toUpperCase()}`)).toEqual(['ln_withdrawal:settled']);
    expect(await found(`payment_hash=${hash}&status=failed`)).toEqual([]);
    expect(await found(`payment_hash=${failedHash}&status=failed`)).toEqual(['ln_withdrawal:failed', 'ln_withdrawal:failed']);
    expect(await found(`payment_hash=${failedHash}`)).toEqual([]);
    expect(await found(`payment_hash=${'0'.repeat(64)}&status=all`)).toEqual([]);
    const [open] = (await request(`${path}?status=open`)).body;
    expect((await request(`${path}?status=open&payment_hash=${open.lnTx.r_hash_decoded}`)).body).toEqual([open]);
    const [deposit] = (await request(`${path}?type=ln_deposit`)).body;
    for (const status of ['settled', 'all']) {
      expect((await request(`${path}?status=${status}&payment_hash=${deposit.lnTx.r_hash_decoded}`)).body).toEqual([deposit]);
    }
    expect((await request(`${path}?payment_hash=${hash}&label=nothing`)).body).toEqual([]);
    expect((await request(`${path}?payment_hash=${hash}&to=1000`)).body).toEqual([]);
  });

  it('finds both sides of an internal payment in the list of the account, and one side in each wallet', async () => {
    const query = `payment_hash=${inside.r_hash_decoded}`;
    for (const status of ['settled', 'all']) {
      const both = await request(`/v1/wallet-transactions?status=${status}&${query}`);
      expect(both.body.map((row: Json) => row.num_msat).toSorted()).toEqual([-7000, 7000]);
      expect(both.headers.get('x-pagination-total-count')).toBe('2');
      const [first, second] = both.body;
      expect((await request(`/v1/wallet-transactions?status=${status}&${query}&after=${first.id}`)).body).toEqual([second]);
      expect((await request(`/v1/wallet-transactions?status=${status}&${query}&after=${second.id}`)).body).toEqual([]);
    }
    expect(await found(query)).toEqual(['ln_withdrawal:settled']);
    expect(await found(query, `/v1/wallet/${other.id}/transactions`)).toEqual(['ln_deposit:settled']);
    const stranger = await service.neighbour.request('GET', `/v1/wallet-transactions?${query}`, { key: service.neighbour.secretKey });
    expect(stranger.body).toEqual([]);
  });

  it('continues a search in the links of its pages', async () => {
    const response = await request(`${path}?status=failed&label=rent&per-page=1`);
    expect(response.headers.get('x-pagination-total-count')).toBe('2');
    const next = /<([^>]*)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const second = await request(path + next);
    expect(second.body).toHaveLength(1);
    const cursor = await request(`${path}?pass_through[order]=17&per-page=1&after=${(await request(path)).body[0].id}`);
    const rest = await request(path + /<([^>]*)>; rel="next"/.exec(cursor.headers.get('link') ?? '')?.[1]);
    expect([...cursor.body, ...rest.body].map((row: Json) => row.wtxType.name)).toEqual(['ln_transfer_out', 'ln_withdrawal']);
  });

  it.each([
    'label=',
    `label=${'x'.repeat(640)}`,
    'label=a&label=b',
    'payment_hash=',
    'payment_hash=abc',
    `payment_hash=${'g'.repeat(64)}`,
    'pass_through=',
    'pass_through=text',
    'pass_through[a][b]=c',
    `pass_through[a]=${'x'.repeat(256)}`,
    'pass_through[a]=1&pass_through[b]=1&pass_through[c]=1&pass_through[d]=1&pass_through[e]=1&pass_through[f]=1',
    'pass_through[a]=1&pass_through[a]=2',
    'passThru[a]=1',
  ])('rejects %s', async (query) => {
    expect(await request(`${path}?${query}`)).toMatchObject({ status: 400, body: { type: 'validation_failed' } });
  });

  it('rejects a search for an API key, which the links would repeat', async () => {
    for (const query of [`label=${wallet.admin}`, `pass_through[key]=${service.client.secretKey}`]) {
      const response = await request(`${path}?${query}`);
      expect(response.status).toBe(400);
      expect(response.text).not.toContain(wallet.admin);
    }
    expect((await request(`${path}?label=wi_fi`)).status).toBe(200);
  });

  it('finds a payment of the dashboard by its attempt, which is in no transaction and no event', async () => {
    const json = { dest_wallet_id: other.id, num_satoshis: 1, passThru: { dashboard_attempt: 'a1', order: 20 } };
    const { body } = await service.client.request('POST', `/v1/wallet/${wallet.id}/transfer`, { key: service.client.secretKey, json });
    expect(await found('pass_through[dashboard_attempt]=a1')).toEqual(['ln_transfer_out:settled']);
    const ids = { source_wallet_id: wallet.id, dest_wallet_id: other.id };
    expect([body.wtx_transfer_out.passThru, body.wtx_transfer_in.passThru]).toEqual([
      { order: 20, ...ids },
      { order: 20, ...ids },
    ]);
    const lost = net.outside.invoice({ amountMsat: 10_000, script: { fail: 'NO_ROUTE' } }).paymentRequest;
    const failing = { payment_request: lost, passThru: { dashboard_attempt: 'a2' } };
    await service.client.request('POST', `/v1/wallet/${wallet.id}/withdraw`, { key: service.client.secretKey, json: failing });
    expect(await found('pass_through[dashboard_attempt]=a2&status=failed')).toEqual(['ln_withdrawal:failed']);
    for (const list of [`/v1/wallet/${wallet.id}/transactions?status=failed`, '/v1/events?order=desc'])
      expect(JSON.stringify(await service.client.get(list)), list).not.toContain('dashboard_attempt');
  });
});
