import { expect } from 'vitest';
import { JSON_TYPE, PHP, ticket, type Wire } from './documented-shapes.ts';

const GO = { 'X-Api-Key': 'SAK', ...JSON_TYPE, Accept: 'application/json', 'User-Agent': 'Go-http-client/1.1' };
const PYTHON = { 'X-Api-Key': 'PAK', ...JSON_TYPE, 'X-LNPay-sdk': 'py0.1.0', 'User-Agent': 'python-requests/2.22.0', Accept: '*/*' };
const LNBITS = { 'x-api-key': 'SAK', 'user-agent': 'LNbits/1.0.0', accept: '*/*' };
/** The empty fields that Go programs send. */
const GO_INVOICE = { memo: 'go', num_satoshis: 7, expiry: 0, passThru: null, description_hash: '' };

/** The requests of the SDKs in Go, Python and PHP, and of LNbits' funding source. */
export const SDKS: readonly Wire[] = [
  // lnpay-go sends every field, also the empty ones, and a Content-Type on GET as well.
  {
    client: 'lnpay-go Invoice',
    method: 'POST',
    path: '/v1/wallet/INVOICE/invoice',
    headers: GO,
    body: JSON.stringify(GO_INVOICE),
    status: 201,
    expected: { memo: 'go', num_satoshis: 7, expiry: 86_400, description_hash: null },
  },
  {
    client: 'lnpay-go Pay',
    method: 'POST',
    path: '/v1/wallet/ADMIN/withdraw',
    headers: GO,
    body: '{"payment_request":"BOLT11","passThru":null}',
    status: 201,
    expected: { num_satoshis: -11, lnTx: { settled: 1 } },
  },
  {
    client: 'lnpay-go Transfer',
    method: 'POST',
    path: '/v1/wallet/ADMIN/transfer',
    headers: GO,
    body: '{"memo":"","num_satoshis":2,"dest_wallet_id":"OTHER"}',
    status: 201,
    expected: { wtx_transfer_out: { num_satoshis: -2 } },
  },
  {
    client: 'lnpay-go Details',
    method: 'GET',
    path: '/v1/wallet/READ',
    headers: GO,
    status: 200,
    expected: { statusType: { type: 'wallet', name: 'active', display_name: 'Active' } },
  },
  {
    client: 'lnpay-go Transaction',
    method: 'GET',
    path: '/v1/lntx/LNTX',
    headers: GO,
    status: 200,
    expected: { settled: 0, expires_at: expect.any(Number) },
  },
  {
    client: 'lnpay-go CreateWallet',
    method: 'POST',
    path: '/v1/wallet',
    headers: GO,
    body: '{"user_label":"w"}',
    status: 201,
    expected: { user_label: 'w', access_keys: { 'Wallet Invoice': [expect.any(String)] } },
  },

  // lnpay-py sends JSON, the public key, an access key in the path and its own header.
  {
    client: 'lnpay-py get_info',
    method: 'GET',
    path: '/v1/wallet/ADMIN',
    headers: PYTHON,
    status: 200,
    expected: { balance: expect.any(Number) },
  },
  {
    client: 'lnpay-py pay_invoice',
    method: 'POST',
    path: '/v1/wallet/ADMIN/withdraw',
    headers: PYTHON,
    body: '{"payment_request": "BOLT11"}',
    status: 201,
    expected: { wtxType: { layer: 'ln', name: 'ln_withdrawal', display_name: 'LN Withdrawal' } },
  },
  {
    client: 'lnpay-py get_lnurl',
    method: 'GET',
    path: '/v1/wallet/ADMIN/lnurl/withdraw?num_satoshis=1',
    headers: PYTHON,
    status: 200,
    expected: { lnurl: expect.stringMatching(/^LNURL1/), ott: expect.any(String) },
  },

  // lnpay-php sends forms with brackets, digit strings, an asynchronous keysend and the LNURL key in the path.
  {
    client: 'lnpay-php generateInvoice',
    method: 'POST',
    path: '/v1/wallet/WALLET/invoice',
    headers: PHP,
    body: 'num_satoshis=2&memo=Tester&passThru%5BticketId%5D=23',
    status: 201,
    expected: { num_satoshis: 2, passThru: ticket },
  },
  {
    client: 'lnpay-php keysend',
    method: 'POST',
    path: '/v1/wallet/WALLET/keysend',
    headers: PHP,
    body: 'dest_pubkey=ALICE&num_satoshis=2&passThru%5BticketId%5D=23&custom_records%5B7629169%5D=hi',
    status: 201,
    expected: { passThru: { method: 'api', ...ticket }, lnTx: { custom_records: { 7629169: 'hi' } } },
  },
  {
    client: 'lnpay-php keysend, asynchronous',
    method: 'POST',
    path: '/v1/wallet/WALLET/keysend',
    headers: { ...PHP, 'X-LNPAY-ASYNC': '1' },
    body: 'dest_pubkey=ALICE&num_satoshis=2',
    // The request does not wait for the end of the payment, which may already have come.
    status: expect.toSatisfy((status) => status === 202 || status === 201),
    expected: { id: expect.stringMatching(/^wtx_/), lnTx: { id: expect.stringMatching(/^lntx_/) } },
  },
  {
    client: 'lnpay-php disposableLnUrlWithdraw',
    method: 'GET',
    path: '/v1/wallet/WAKLW/lnurl/withdraw?num_satoshis=1&Memo=SateBack',
    headers: PHP,
    status: 200,
    expected: { lnurl: expect.stringMatching(/^LNURL1/) },
  },
  {
    client: 'lnpay-php internalTransfer',
    method: 'POST',
    path: '/v1/wallet/WALLET/transfer',
    headers: PHP,
    body: 'dest_wallet_id=OTHER&num_satoshis=1&memo=Memo&lnPayParams%5Ba%5D=b',
    status: 201,
    expected: {
      wtx_transfer_in: { passThru: { lnPayParams: { a: 'b' }, source_wallet_id: expect.stringMatching(/^wal_/) } },
      wtx_transfer_out: { passThru: { lnPayParams: { a: 'b' }, dest_wallet_id: expect.stringMatching(/^wal_/) } },
    },
  },

  // LNbits’ funding source LNPayWallet sends amounts as text, and an empty memo or the hash in hex.
  {
    client: 'LNbits status',
    method: 'GET',
    path: '/v1/wallet/ADMIN',
    headers: LNBITS,
    status: 200,
    expected: { balance: expect.any(Number), user_label: 'test', statusType: { name: 'active' } },
  },
  {
    client: 'LNbits create_invoice',
    method: 'POST',
    path: '/v1/wallet/ADMIN/invoice',
    headers: { ...LNBITS, ...JSON_TYPE },
    body: '{"num_satoshis":"21","memo":""}',
    status: 201,
    expected: { id: expect.stringMatching(/^lntx_/), payment_request: expect.stringMatching(/^ln/) },
  },
  {
    client: 'LNbits create_invoice with a hash',
    method: 'POST',
    path: '/v1/wallet/ADMIN/invoice',
    headers: { ...LNBITS, ...JSON_TYPE },
    body: `{"num_satoshis":"21","description_hash":"${'ab'.repeat(32)}"}`,
    status: 201,
    expected: { description_hash: 'ab'.repeat(32) },
  },
  {
    client: 'LNbits get_invoice_status',
    method: 'GET',
    path: '/v1/lntx/LNTX',
    headers: LNBITS,
    status: 200,
    expected: { payment_preimage: null, fee_msat: null, settled: 0 },
  },
];
