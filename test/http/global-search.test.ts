import { beforeAll, expect, it } from 'vitest';
import { wordsOf } from '../../src/core/journal/search-words.ts';
import { readWholeNumber } from '../../src/features/search/whole-number.ts';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

it.each([
  ['Rent, for MAY (rent)', ['rent', 'for', 'may']],
  ['alice@pay.example', ['alice', 'pay', 'example']],
  ['ÄRGER ﬁnden', ['ärger', 'finden']],
  ['a b c d e f g h i', ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']],
  [`${'🂡'.repeat(3)}${'x'.repeat(99)}`, ['x'.repeat(32)]],
  ['\u0000 \ud800 —', []],
])('splits %j into words', (text, words) => {
  expect(wordsOf(text)).toEqual(words);
});

it.each([
  ['154', 154],
  ['0', 0],
  ['+154', 154],
  ['−1 540', 1540],
  ['1\u202f540', 1540],
  ['- 1,284,530 sats', 1_284_530],
  ['1.540 Sat', 1540],
  ["1'540", 1540],
  ['1.54', undefined],
  ['1.5400', undefined],
  ['1,284.530', undefined],
  ['0.154.', undefined],
  ['154 msat', undefined],
  ['1 54', undefined],
  ['9007199254741', undefined],
  ['9'.repeat(400), undefined],
  ['', undefined],
])('reads %j as a number of satoshis: %s', (text, value) => {
  expect(readWholeNumber(text)).toBe(value);
});

onFakeNode('searching an account', (service) => {
  const { client, net } = service;
  let alma: TestWallet;
  let bruno: TestWallet;
  const find = async (q: string, more = '', key = client.secretKey): Promise<Json[]> => {
    const { status, body, text } = await client.request('GET', `/v1/search?q=${encodeURIComponent(q)}${more}`, { key });
    if (status !== 200) throw new Error(text);
    return body;
  };
  const types = async (q: string, more = ''): Promise<string[]> => (await find(q, more)).map(({ type }) => type);

  beforeAll(async () => {
    alma = await client.namedWallet('Alma Rosé', 1000);
    bruno = await client.namedWallet('Bruno', 1000);
  });

  it('finds a wallet by its id, the beginning of its id, and words of its label', async () => {
    const found = { type: 'wallet', id: alma.id, label: 'Alma Rosé', wallet_id: alma.id };
    expect(await find(alma.id)).toEqual([expect.objectContaining({ ...found, matched: 'id' })]);
    expect(await find(alma.id.slice(0, -4))).toEqual([expect.objectContaining({ ...found, matched: 'id_prefix' })]);
    for (const q of ['alma', 'ALM', 'rosé alma', 'ros al'])
      expect(await find(q, '&type=wallet')).toEqual([expect.objectContaining({ ...found, matched: 'words' })]);
    expect(await find('alma bruno')).toEqual([]);
    expect(await find('lma')).toEqual([]);
    expect(await find(alma.id.slice(0, 10))).toEqual([]);
    expect(await find('…!')).toEqual([]);
  });

  it('follows changes of labels', async () => {
    const wallet = await client.namedWallet('Before shared');
    await client.request('PATCH', `/v1/wallet/${wallet.id}`, { key: client.secretKey, json: { user_label: 'After shared' } });
    expect(await find('before')).toEqual([]);
    for (const q of ['after', 'shared']) expect((await find(q)).map(({ id }) => id)).toEqual([wallet.id]);
  });

  it('finds payments, transfers and invoices by memo, the newest first', async () => {
    const outside = net.outside.invoice({ amountMsat: 10_000, memo: 'Zebra lessons', script: { fee: 1000 } });
    const { lnTx } = await client.post(`/v1/wallet/${alma.id}/withdraw`, { payment_request: outside.paymentRequest });
    const memo = 'zebra food';
    const transfer = await client.post(`/v1/wallet/${alma.id}/transfer`, { dest_wallet_id: bruno.id, num_satoshis: 5, memo });
    const invoice = await client.post(`/v1/wallet/${bruno.id}/invoice`, { num_satoshis: 5, memo: 'Zebra' });
    const found = await find('zebra');
    expect(found.map(({ type, label }) => [type, label])).toEqual([
      ['lightning_transaction', 'Zebra'],
      ['wallet_transaction', 'zebra food'],
      ['wallet_transaction', 'zebra food'],
      ['wallet_transaction', 'Zebra lessons'],
    ]);
    expect(found[0].id).toBe(invoice.id);
    expect(found.map(({ id }) => id)).toContain(transfer.wtx_transfer_out.id);
    expect(await types('zebra', '&per-page=2')).toHaveLength(2);
    expect(await find(lnTx.r_hash_decoded)).toEqual([expect.objectContaining({ id: lnTx.id, matched: 'payment_hash' })]);
    expect(await find(outside.paymentRequest.toUpperCase())).toEqual([expect.objectContaining({ id: lnTx.id, matched: 'payment_hash' })]);
    expect(await find(lnTx.id)).toEqual([expect.objectContaining({ id: lnTx.id, matched: 'id' })]);
    expect(await find(lnTx.r_hash_decoded, '&type=wallet')).toEqual([]);
    expect(await service.problems()).toEqual([]);
  });

  it('finds transactions by their amount, in both directions, the newest first, with the amount', async () => {
    const pay = (num_msat: number, memo: string) =>
      client.post(`/v1/wallet/${alma.id}/transfer`, { dest_wallet_id: bruno.id, num_msat, memo });
    await pay(154_000, 'first');
    await pay(153_000, 'less');
    await pay(154_300, 'second');
    await pay(1000, 'order 154');
    const found = await find('154');
    const ofAmount = found.filter(({ matched }) => matched === 'amount');
    expect(ofAmount.map(({ label, num_satoshis }) => [label, num_satoshis])).toEqual([
      ['second', 154],
      ['first', 154],
      ['first', -154],
    ]);
    // The sender's balance fell below one more satoshi, so its list shows -155 for the fraction.
    expect(ofAmount[0]).toMatchObject({ num_msat: 154_300, status: 'settled', wallet_id: bruno.id, type: 'wallet_transaction' });
    expect(found.slice(ofAmount.length).map(({ label, matched }) => [label, matched])).toEqual([
      ['order 154', 'words'],
      ['order 154', 'words'],
    ]);
    expect(await find('+154 sats')).toEqual(ofAmount);
    expect(await find('154', '&per-page=2')).toEqual([ofAmount[0], found[ofAmount.length]]);
    expect(await find('154', '&per-page=2&type=wallet_transaction')).toEqual(ofAmount.slice(0, 2));
    expect(await find('154', '&type=wallet')).toEqual([]);
    expect(await find('1541')).toEqual([]);
    expect(await find(alma.id)).toEqual([expect.objectContaining({ num_satoshis: null, num_msat: null, status: null })]);
    expect(await find('154', '', service.neighbour.secretKey)).toEqual([]);
  });

  it('finds pay links, withdraw links and keys', async () => {
    const link = await client.post(`/v1/wallet/${alma.id}/lnurlp`, { user_label: 'Quince shop' });
    await client.post(`/v1/wallet/${alma.id}/lnurl/withdraw`, { num_satoshis: 5, user_label: 'Quince voucher' });
    const key = await client.post('/v1/keys', { user_label: 'Quince till' });
    expect(await types('quince')).toEqual(['pay_link', 'withdraw_link', 'key']);
    expect((await find(String(key.key).slice(-4), '&type=key')).map(({ label }) => label)).toEqual([`Quince till …${key.key.slice(-4)}`]);
    await client.request('PATCH', `/v1/lnurlp/${link.id}`, { key: client.secretKey, json: { user_label: 'Pear' } });
    expect(await types('pear')).toEqual(['pay_link']);
    expect(await types('quince')).toEqual(['withdraw_link', 'key']);
  });

  it('finds a rare word together with one that hundreds of newer objects have', async () => {
    const made = await client.namedWallet('Haystacks pin');
    const { account_id } = (await find(made.id))[0];
    for (let i = 0; i < 210; i++)
      await service.execute(
        "INSERT INTO search_word (account_id, type, word, id) VALUES ($1, 'wal', 'haystacks', $2)",
        account_id,
        `wal_z${i}`,
      );
    for (const scope of ['', '&scope=service']) expect((await find('haystacks pin', scope)).map(({ id }) => id)).toEqual([made.id]);
    await service.execute("DELETE FROM search_word WHERE word = 'haystacks'");
  });

  it('finds nothing of other accounts', async () => {
    const { secret_key: other } = await client.post('/v1/accounts', { email: 'other@example.com' });
    for (const q of [alma.id, alma.id.slice(0, -2), 'alma', 'zebra']) expect(await find(q, '', other)).toEqual([]);
  });

  it('finds an address of the account as a whole', async () => {
    const link = await client.post(`/v1/wallet/${alma.id}/lnurlp`, { lnurlp_identifier: 'alma.shop' });
    expect(await find(link.ln_address.toUpperCase())).toEqual([expect.objectContaining({ id: link.id, matched: 'address' })]);
  });

  it('finds accounts and their objects for an operator', async () => {
    const { id, secret_key: other } = await client.post('/v1/accounts', { email: 'carla@shop.example' });
    const made = await client.request('POST', '/v1/wallet', { key: other, json: { user_label: 'Carla Quay' } });
    const wallet = made.body;
    const link = await client.request('POST', `/v1/wallet/${wallet.id}/lnurlp`, { key: other, json: { lnurlp_identifier: 'carla' } });
    const invoice = await client.request('POST', `/v1/wallet/${wallet.id}/invoice`, {
      key: other,
      json: { num_satoshis: 5, memo: 'walrus' },
    });
    const service = '&scope=service';
    const account = { type: 'account', id, label: 'carla@shop.example', wallet_id: null, account_id: id };
    for (const q of ['carla@shop.example', 'CARLA@', 'carla@sh'])
      expect((await find(q, service))[0]).toMatchObject({ ...account, matched: 'address' });
    expect(await find(id, service)).toEqual([expect.objectContaining({ ...account, matched: 'id' })]);
    expect(await find('quay carl', service)).toEqual([expect.objectContaining({ type: 'wallet', id: wallet.id, account_id: id })]);
    expect((await find('carla', service)).map(({ type }) => type)).toEqual(['account', 'wallet', 'pay_link']);
    expect(await find('carla', `${service}&type=account`)).toHaveLength(1);
    expect((await find(link.body.ln_address, service))[0]).toMatchObject({ id: link.body.id, matched: 'address', account_id: id });
    for (const q of [invoice.body.id, invoice.body.r_hash_decoded, invoice.body.payment_request])
      expect(await find(q, service)).toEqual([expect.objectContaining({ id: invoice.body.id, account_id: id })]);
    for (const q of ['walrus', 'walr'])
      expect(await find(q, service)).toEqual([expect.objectContaining({ id: invoice.body.id, matched: 'words', account_id: id })]);
    await client.request('POST', '/playground/fund', { key: other, json: { wallet_id: wallet.id, num_satoshis: 9 } });
    const second = (await client.request('POST', '/v1/wallet', { key: other, json: {} })).body.id;
    const sent = { key: other, json: { dest_wallet_id: second, num_satoshis: 2, memo: 'Narwhal rent' } };
    expect((await client.request('POST', `/v1/wallet/${wallet.id}/transfer`, sent)).status).toBe(201);
    expect((await find('rent narw', service)).map(({ type, account_id }) => [type, account_id])).toEqual([
      ['wallet_transaction', id],
      ['wallet_transaction', id],
    ]);
    expect(await find('narwhal', '')).toEqual([]);
    expect((await find('alma', `${service}&type=wallet`)).map((one) => one.id)).toContain(alma.id);
  });

  it('finds objects of other accounts only with a key of an operator that has no limits', async () => {
    const { secret_key: member } = await client.post('/v1/accounts', { email: 'member@example.com' });
    const { key: limited } = await client.post('/v1/keys', { user_label: 'limited', max_payment_msat: 1000 });
    for (const key of [member, limited, alma.admin])
      expect((await client.request('GET', '/v1/search?q=alma&scope=service', { key })).status).toBe(403);
    expect(await find('member@example.com', '', member)).toEqual([]);
    expect((await client.request('GET', '/v1/search?q=alma&scope=all', { key: client.secretKey })).status).toBe(400);
  });

  it('rejects wallet keys, secrets as the text, and a missing text', async () => {
    expect((await client.request('GET', '/v1/search?q=alma', { key: alma.admin })).status).toBe(403);
    expect((await client.request('GET', `/v1/search?q=${client.secretKey}`, { key: client.secretKey })).status).toBe(400);
    expect((await client.request('GET', '/v1/search', { key: client.secretKey })).status).toBe(400);
    expect((await client.request('GET', '/v1/search?q=', { key: client.secretKey })).status).toBe(400);
  });
});
