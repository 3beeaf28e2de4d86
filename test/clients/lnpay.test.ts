import { createRequire } from 'node:module';
import { beforeAll, expect, it } from 'vitest';
import { onFakeNode } from '../support/app.ts';
import type { Json, TestWallet } from '../support/client.ts';

/** The published `lnpay` package. Its first argument is the keys, and it returns bodies of responses. */
interface Lnpay {
  readonly api: { readonly defaults: { baseURL: string } };
  createWallet(fields: object): Promise<Json>;
  getBalance(): Promise<Json>;
  getTransactions(query: object): Promise<{ data: Json; pagination: Record<string, string> }>;
  generateInvoice(fields?: object): Promise<Json>;
  getInvoice(fields: { id: string }): Promise<Json>;
  payInvoice(fields: object): Promise<Json>;
  keysend(fields: object): Promise<Json>;
  transfer(fields: object): Promise<Json>;
  createPaywall(fields: object): Promise<Json>;
  lnUrlWithdraw(config: object): Promise<Json>;
}
type MakeLnpay = (keys: { secretKey: string; walletAccessKey?: string }) => Lnpay;

const makeLnpay = (createRequire(import.meta.url)('lnpay') as { default: MakeLnpay }).default;

/** Its methods for features that this service lacks, such as paywalls. */
const NOT_COVERED = ['createPaywall'];

onFakeNode('the npm package lnpay works when only its baseURL changes', ({ client }) => {
  let wallet: TestWallet;
  let other: TestWallet;
  let alice: string;

  beforeAll(async () => {
    [wallet, other] = [await client.wallet(20_000), await client.wallet()];
    const { nodes } = await client.get('/playground');
    alice = nodes.find(({ name }: Json) => name === 'alice').pubkey;
  });

  function lnpay(secretKey: string, walletAccessKey: string): Lnpay {
    const made = makeLnpay({ secretKey, walletAccessKey });
    made.api.defaults.baseURL = `${client.url}/v1`;
    return made;
  }
  const outside = async (numSatoshis: number) =>
    (await client.post('/playground/invoice', { num_satoshis: numSatoshis, memo: 'tea' })).payment_request;

  it('covers every method of the package', () => {
    const has = Object.entries(lnpay('', '')).filter(([name, value]) => typeof value === 'function' && name !== 'api');
    const covered = [
      ...['createWallet', 'getBalance', 'getTransactions', 'generateInvoice', 'getInvoice'],
      ...['payInvoice', 'keysend', 'transfer', 'lnUrlWithdraw', ...NOT_COVERED],
    ];
    expect(has.map(([name]) => name).sort()).toEqual(covered.sort());
  });

  it('makes a wallet with keys for its routes', async () => {
    const made = await lnpay(client.secretKey, '').createWallet({ user_label: 'My Wallet' });
    expect(made).toMatchObject({ user_label: 'My Wallet', balance: 0, statusType: { type: 'wallet', name: 'active' } });
    expect(made.id).toMatch(/^wal_/);
    const [admin] = made.access_keys['Wallet Admin'];
    const [invoice] = made.access_keys['Wallet Invoice'];
    const [read] = made.access_keys['Wallet Read'];
    expect(await lnpay(client.publicKey, read).getBalance()).toMatchObject({ id: made.id, balance: 0 });
    expect(await lnpay(client.publicKey, invoice).generateInvoice()).toMatchObject({ num_satoshis: 0, expiry: 86_400, settled: 0 });
    await expect(lnpay(client.publicKey, read).generateInvoice()).rejects.toThrow('wallet_deposit');
    expect(await lnpay(admin, admin).getBalance()).toMatchObject({ id: made.id });
  });

  it.each([
    ['a secret key and the wallet id', () => lnpay(client.secretKey, wallet.id)],
    ['a secret key and an access key', () => lnpay(client.secretKey, wallet.admin)],
    ['the public key and an access key', () => lnpay(client.publicKey, wallet.admin)],
    ['the public key and an access key with the old prefix', () => lnpay(client.publicKey, wallet.admin.replace('waka_', 'wa_'))],
  ])('receives, pays, sends and moves money with %s', async (_, open) => {
    const sdk = open();
    const passThru = { order_id: '100' };
    const { balance } = await sdk.getBalance();

    const fields = { num_satoshis: 100, passThru, memo: 'Invoice memo.', expiry: 86_400 };
    const invoice = await sdk.generateInvoice(fields);
    expect(invoice).toMatchObject({ ...fields, settled: 0, settled_at: null, payment_preimage: null, description_hash: null });
    await client.post('/playground/pay', { payment_request: invoice.payment_request });
    const paid = await sdk.getInvoice({ id: invoice.id });
    expect(paid).toMatchObject({ id: invoice.id, settled: 1, num_satoshis: 100, settled_at: expect.any(Number) });

    const payment = await sdk.payInvoice({ payment_request: await outside(30), passThru });
    expect(payment).toMatchObject({ num_satoshis: -30, passThru, wtxType: { name: 'ln_withdrawal' }, lnTx: { settled: 1, memo: 'tea' } });
    expect(payment.lnTx.payment_preimage).toMatch(/^[0-9a-f]{64}$/);
    expect(payment.wal).toMatchObject({ id: wallet.id, balance: balance + 70 });

    const sent = await sdk.keysend({ dest_pubkey: alice, num_satoshis: 10, passThru, custom_records: { '7629169': 'hello' } });
    expect(sent).toMatchObject({ num_satoshis: -10, passThru: { method: 'api', ...passThru }, lnTx: { is_keysend: 1, settled: 1 } });
    expect(sent.lnTx.payment_request).toBe(`${alice}:10`);
    expect(sent.lnTx.custom_records).toMatchObject({ '7629169': 'hello', '5482373484': sent.lnTx.payment_preimage });

    const fieldsOfTransfer = { dest_wallet_id: other.id, num_satoshis: 1, memo: 'Transfer Memo', lnPayParams: passThru };
    const moved = await sdk.transfer(fieldsOfTransfer);
    expect(moved.wtx_transfer_in).toMatchObject({ num_satoshis: 1, user_label: 'Transfer Memo', lnTx: null, wal: { id: other.id } });
    expect(moved.wtx_transfer_out).toMatchObject({ num_satoshis: -1, wtxType: { name: 'ln_transfer_out' }, wal: { id: wallet.id } });
    expect(moved.wtx_transfer_out.passThru).toMatchObject({ lnPayParams: passThru });

    const { data, pagination } = await sdk.getTransactions({ page: 1 });
    expect(data.slice(0, 4).map((wtx: Json) => wtx.num_satoshis)).toEqual([-1, -10, -30, 100]);
    expect(pagination).toEqual({ total_count: String(data.length), page_count: '1', current_page: '1', per_page: '50' });
    expect(await sdk.getBalance()).toMatchObject({ balance: balance + 59 });
  });

  it('accepts a description hash in base64, and then omits the memo from the invoice', async () => {
    const hash = Buffer.alloc(32, 7);
    const made = await lnpay(client.secretKey, wallet.id).generateInvoice({ num_satoshis: 1, description_hash: hash.toString('base64') });
    expect(made.description_hash).toBe(hash.toString('hex'));
  });

  it('makes a withdraw link, of the whole balance when the call has no query', async () => {
    const sdk = lnpay(client.secretKey, wallet.id);
    const { balance } = await sdk.getBalance();
    // The method passes its argument to axios unchanged. Only the fields under `params` are sent.
    expect(await sdk.lnUrlWithdraw({ public: false, memo: 'm', num_satoshis: 3 })).toMatchObject({ num_satoshis: balance });
    const passThru = Buffer.from(JSON.stringify({ order_id: '100' })).toString('base64');
    const link = await sdk.lnUrlWithdraw({ params: { public: true, memo: 'LNURL Withdraw memo', num_satoshis: 3, passThru } });
    expect(link.lnurl).toMatch(/^LNURL1[0-9A-Z]+$/);
    const terms = (await client.request('GET', link.url.slice(client.url.length))).body;
    expect(terms).toMatchObject({ tag: 'withdrawRequest', maxWithdrawable: 3000, defaultDescription: 'LNURL Withdraw memo' });
  });

  it('throws the message of an error, also for a paywall, which this service lacks', async () => {
    const sdk = lnpay(client.secretKey, wallet.id);
    await expect(sdk.createPaywall({ num_satoshis: 1 })).rejects.toThrow(/No route|not found|does not exist/i);
    await expect(sdk.payInvoice({ payment_request: await outside(1_000_000) })).rejects.toThrow(/balance/);
    await expect(sdk.keysend({ dest_pubkey: (await client.get('/playground')).unreachable_pubkey, num_satoshis: 1 })).rejects.toThrow(
      'Failure reason: FAILURE_REASON_NO_ROUTE',
    );
    await expect(sdk.getInvoice({ id: 'lntx_0' })).rejects.toThrow();
    await expect(lnpay('sak_unknown', wallet.id).getBalance()).rejects.toThrow('unknown or revoked');
  });
});
