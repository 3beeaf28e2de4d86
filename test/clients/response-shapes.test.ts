import { expect, it } from 'vitest';
import { type FakeNodeApp, onFakeNode } from '../support/app.ts';
import type { Json } from '../support/client.ts';
import { GO, goErrors, missingKeys, PHP_READS, PYTHON } from './sdk-types.ts';

/** The responses to one wallet's requests, by the SDK's request. */
interface Responses {
  readonly created: Json;
  readonly wallet: Json;
  readonly wallets: Json[];
  readonly transactions: Json[];
  readonly invoice: Json;
  /** The invoice while it is open, paid and cancelled, and a payment that failed. */
  readonly lntx: Json[];
  readonly paid: Json;
  readonly pending: Json;
  readonly keysend: Json;
  readonly transfers: Json[];
  readonly lnurl: Json;
  readonly errors: Json[];
}

async function collect({ client, net }: FakeNodeApp): Promise<Responses> {
  const created = await client.post('/v1/wallet', { user_label: 'My Test Wallet' });
  const admin: string = created.access_keys['Wallet Admin'][0];
  const base = `/v1/wallet/${admin}`;
  await client.post('/playground/fund', { wallet_id: created.id, num_satoshis: 10_000 });
  const other = await client.wallet();
  const request = async (method: string, path: string, json?: object, headers = {}, key = client.secretKey): Promise<Json> =>
    (await client.request(method, path, { key, headers, ...(json && { json }) })).body;

  const invoice = await request('POST', `${base}/invoice`, { num_satoshis: 20, memo: 'tea', passThru: { order: 17 } });
  const lntx = [await request('GET', `/v1/lntx/${invoice.id}`)];
  await net.outside.pay({ paymentRequest: invoice.payment_request });
  await expect.poll(async () => (await request('GET', `/v1/lntx/${invoice.id}`)).settled).toBe(1);
  const cancelled = await request('POST', `${base}/invoice`, { memo: 'cancelled' });
  await request('DELETE', `/v1/lntx/${cancelled.id}`);
  const failing = net.outside.invoice({ amountMsat: 10_000, script: { fail: 'NO_ROUTE' } });
  const failure = await request('POST', `${base}/withdraw`, { payment_request: failing.paymentRequest });
  for (const id of [invoice.id, cancelled.id, failing.paymentHash]) lntx.push(await request('GET', `/v1/lntx/${id}`));

  const pay = (payment_request: string, headers = {}) => request('POST', `${base}/withdraw`, { payment_request, passThru: null }, headers);
  const paid = await pay(net.outside.invoice({ amountMsat: 100_000, script: { fee: 1000 } }).paymentRequest);
  const held = net.outside.invoice({ amountMsat: 5_000, script: { hold: true } });
  const pending = await pay(held.paymentRequest, { 'X-LNPAY-ASYNC': '1' });
  await client.decideHold(held.paymentHash, 'cancel');
  const move = (key: string) => request('POST', `${base}/transfer`, { dest_wallet_id: other.id, num_satoshis: 5, memo: '' }, {}, key);
  const transfers = [await move(client.secretKey), await move(client.publicKey)];
  const lnurl = await request('GET', `${base}/lnurl/withdraw?num_satoshis=1`);
  const errors = [
    failure,
    await request('POST', `${base}/withdraw`, { payment_request: 'nonsense' }),
    await request('GET', '/v1/lntx/lntx_nothing'),
    await request('GET', base, undefined, {}, 'sak_unknown'),
    await request('POST', `/v1/wallet/${other.read}/invoice`, { num_satoshis: 1 }, {}, other.read),
    await request('GET', '/v1/nothing'),
  ];
  const transactions = await request('GET', `${base}/transactions`);
  const { nodes } = await client.get('/playground');
  const dest_pubkey = nodes.find(({ name }: Json) => name === 'alice').pubkey;
  const keysend = await request('POST', `${base}/keysend`, { dest_pubkey, num_satoshis: 2, custom_records: { '7629169': 'hi' } });
  const [wallet, wallets] = [await request('GET', base), await request('GET', '/v1/wallets')];
  return { created, wallet, wallets, transactions, invoice, lntx, paid, pending, keysend, transfers, lnurl, errors };
}

/** All responses that lnpay-go decodes, with the errors that Go would report. A keysend is not among them. */
function errorsInGo(responses: Responses): string[] {
  const { created, wallet, transactions, invoice, lntx, paid, pending, transfers, errors } = responses;
  return [
    ...goErrors(GO.CreateWallet, created, 'CreateWallet'),
    ...goErrors(GO.Details, wallet, 'Details'),
    ...goErrors(GO.Transactions, transactions, 'Transactions'),
    ...goErrors(GO.Invoice, invoice, 'Invoice'),
    ...lntx.flatMap((one) => goErrors(GO.Transaction, one, 'Transaction')),
    ...[paid, pending].flatMap((one) => goErrors(GO.Pay, one, 'Pay')),
    ...transfers.flatMap((one) => goErrors(GO.Transfer, one, 'Transfer')),
    ...errors.flatMap((one) => goErrors(GO.Error, one, 'Error')),
  ];
}

onFakeNode(
  'responses with LEGACY_NULL_KEYSEND=true',
  (service) => {
    it('decode into the types of lnpay-go, except for a keysend', async () => {
      const responses = await collect(service);
      expect(errorsInGo(responses)).toEqual([]);
      expect(goErrors(GO.Pay, responses.keysend)).toEqual(['$.lnTx.is_keysend: 1 is no bool']);
      expect(await service.problems()).toEqual([]);
    });
  },
  { LEGACY_NULL_KEYSEND: 'true' },
);

onFakeNode('responses', (service) => {
  let collected: Promise<Responses> | undefined;
  /** Collects them once for all tests. */
  function allResponses(): Promise<Responses> {
    collected ??= collect(service);
    return collected;
  }

  it('decode into the types of lnpay-go, except for is_keysend', async () => {
    const errors = errorsInGo(await allResponses());
    expect(errors.length).toBeGreaterThan(0);
    expect(errors.filter((error) => !error.endsWith('is_keysend: 0 is no bool'))).toEqual([]);
  });

  it('have every key that lnpay-py documents', async () => {
    const { wallet, transactions, invoice, lntx, paid, pending, keysend, transfers, lnurl, errors } = await allResponses();
    expect(missingKeys(PYTHON.get_info ?? [], wallet)).toEqual([]);
    for (const row of transactions) {
      const keys = (PYTHON.get_transactions ?? []).filter((key) => row.lnTx !== null || !key.startsWith('lnTx.'));
      expect(missingKeys(keys, row)).toEqual([]);
    }
    expect(transactions.filter(({ lnTx }) => lnTx !== null).length).toBeGreaterThan(1);
    for (const one of [invoice, ...lntx]) expect(missingKeys(PYTHON.create_invoice ?? [], one)).toEqual([]);
    for (const one of [paid, pending, keysend]) expect(missingKeys(PYTHON.pay_invoice ?? [], one)).toEqual([]);
    for (const one of transfers) expect(missingKeys(PYTHON.internal_transfer ?? [], one)).toEqual([]);
    expect(missingKeys(PYTHON.get_lnurl ?? [], lnurl)).toEqual([]);
    for (const one of errors) expect(missingKeys(PYTHON.error ?? [], one)).toEqual([]);
  });

  it('have the properties that lnpay-php reads', async () => {
    const responses = await allResponses();
    expect(missingKeys(PHP_READS.create, responses.created)).toEqual([]);
    expect(responses.created).toMatchObject({ id: expect.stringMatching(/^wal_/), user_label: 'My Test Wallet' });
    for (const one of responses.wallets) expect(missingKeys(PHP_READS.wallets, one)).toEqual([]);
    expect(responses.wallets.map(({ user_label }) => user_label)).toContain('My Test Wallet');
  });

  it('return the payment, sent once, when lnpay-php repeats a request after its timeout of two seconds', async () => {
    const { client, net } = service;
    const wallet = await client.wallet(1000);
    const { paymentRequest, paymentHash } = net.outside.invoice({ amountMsat: 10_000, script: { hold: true } });
    const impatient = new AbortController();
    const request = (signal?: AbortSignal) =>
      fetch(`${client.url}/v1/wallet/${wallet.id}/withdraw`, {
        method: 'POST',
        headers: { 'X-Api-Key': client.secretKey, 'Content-Type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ payment_request: paymentRequest }),
        ...(signal && { signal }),
      });
    const first = request(impatient.signal);
    await expect.poll(async () => (await client.get(`/v1/wallet/${wallet.id}`)).pending_msat).toBeGreaterThan(0);
    impatient.abort();
    await expect(first).rejects.toThrow();
    await client.decideHold(paymentHash, 'settle');
    const second = await request();
    expect(second.headers.get('idempotency-replayed')).toBe('true');
    expect([second.status, await second.json()]).toMatchObject([201, { num_satoshis: -10, lnTx: { settled: 1 } }]);
    expect((await client.get(`/v1/wallet/${wallet.id}`)).balance).toBe(990);
    expect(net.outside.payments().filter((payment) => payment.paymentHash === paymentHash)).toHaveLength(1);
    expect(await service.problems()).toEqual([]);
  });
});
