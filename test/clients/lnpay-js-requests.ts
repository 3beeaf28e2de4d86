import { expect } from 'vitest';
import type { Wire } from './documented-shapes.ts';

/** The script sets the first three headers; `fetch` adds the others. */
const GET = { 'X-Api-Key': 'PAK', 'X-LNPay-sdk': 'js0.1.0', accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors' };
const POST = { ...GET, 'Content-Type': 'application/json' };

/**
 * The requests of lnpay-js 0.1.2 (npm), recorded with each method called once and `endpointUrl` set to this service. `lnpay.min.js` sends
 * the same. The package itself is not installed: it depends on 27 build tools.
 */
export const LNPAY_JS: readonly Wire[] = [
  {
    client: 'lnpay-js getInfo',
    method: 'GET',
    path: '/v1/wallet/ADMIN',
    headers: GET,
    status: 200,
    expected: { user_label: 'test', balance: expect.any(Number), statusType: { name: 'active' } },
  },
  {
    client: 'lnpay-js createInvoice',
    method: 'POST',
    path: '/v1/wallet/ADMIN/invoice',
    headers: POST,
    body: '{"num_satoshis":20,"memo":"Tester"}',
    status: 201,
    expected: { num_satoshis: 20, memo: 'Tester', settled: 0, payment_request: expect.stringMatching(/^ln/) },
  },
  { client: 'lnpay-js LNPayLnTx.getInfo', method: 'GET', path: '/v1/lntx/LNTX', headers: GET, status: 200, expected: { settled: 0 } },
  {
    client: 'lnpay-js LNPayLnTx.getInfo, paid',
    method: 'GET',
    path: '/v1/lntx/PAID',
    headers: GET,
    status: 200,
    expected: { settled: 1, num_satoshis: 20 },
  },
  {
    client: 'lnpay-js payInvoice',
    method: 'POST',
    path: '/v1/wallet/ADMIN/withdraw',
    headers: POST,
    body: '{"payment_request":"BOLT11"}',
    status: 201,
    expected: { num_satoshis: -11, lnTx: { settled: 1 }, wal: { id: expect.stringMatching(/^wal_/) } },
  },
  {
    client: 'lnpay-js internalTransfer',
    method: 'POST',
    path: '/v1/wallet/ADMIN/transfer',
    headers: POST,
    body: '{"dest_wallet_id":"OTHER","num_satoshis":3,"memo":"Transfer Memo"}',
    status: 201,
    expected: { wtx_transfer_out: { num_satoshis: -3, user_label: 'Transfer Memo' }, wtx_transfer_in: { num_satoshis: 3 } },
  },
  {
    // It sends no memo, although its method takes one.
    client: 'lnpay-js getLnurl',
    method: 'GET',
    path: '/v1/wallet/ADMIN/lnurl/withdraw?num_satoshis=12',
    headers: GET,
    status: 200,
    expected: { lnurl: expect.stringMatching(/^LNURL1/), num_satoshis: 12 },
  },
  {
    client: 'lnpay-js getTransactions',
    method: 'GET',
    path: '/v1/wallet/ADMIN/transactions',
    headers: GET,
    status: 200,
    expected: expect.arrayContaining([
      expect.objectContaining({ num_satoshis: 20, wtxType: expect.objectContaining({ name: 'ln_deposit' }) }),
      expect.objectContaining({ num_satoshis: -11, wtxType: expect.objectContaining({ name: 'ln_withdrawal' }) }),
      expect.objectContaining({ num_satoshis: -3, wtxType: expect.objectContaining({ name: 'ln_transfer_out' }) }),
    ]),
  },
  {
    client: 'lnpay-js createInvoice with a read key',
    method: 'POST',
    path: '/v1/wallet/READ/invoice',
    headers: POST,
    body: '{"num_satoshis":1}',
    status: 403,
    expected: { status: 403, name: 'Forbidden', code: 0 },
  },
  {
    client: 'lnpay-js payInvoice with a read key',
    method: 'POST',
    path: '/v1/wallet/READ/withdraw',
    headers: POST,
    body: '{"payment_request":"2"}',
    status: 403,
    expected: { status: 403 },
  },
  {
    // The original service accepted this. Here it requires the secret key.
    client: 'lnpay-js createWallet with the public key',
    method: 'POST',
    path: '/v1/wallet',
    headers: POST,
    body: '{"user_label":"w"}',
    status: 403,
    expected: { status: 403, type: 'forbidden' },
  },
  {
    client: 'lnpay-js createWallet with the secret key',
    method: 'POST',
    path: '/v1/wallet',
    headers: { ...POST, 'X-Api-Key': 'SAK' },
    body: '{"user_label":"My wallet"}',
    status: 201,
    expected: { user_label: 'My wallet', access_keys: { 'Wallet Admin': [expect.stringMatching(/^waka_/)] } },
  },
];
