import { expect } from 'vitest';
import { JSON_TYPE, PHP, type Wire } from './documented-shapes.ts';

const BROWSER = { Origin: 'https://shop.example', 'Access-Control-Request-Method': 'POST' };
const WANTED = 'content-type,x-api-key,x-lnpay-sdk';

/** Requests of old clients to routes that may not exist yet. Each is tested as soon as its route exists. */
export const AWAITED: readonly Wire[] = [
  {
    client: 'lnpay-php getAllTransactions',
    method: 'GET',
    path: '/v1/wallet-transactions',
    headers: PHP,
    status: 200,
    expected: expect.arrayContaining([expect.objectContaining({ id: expect.stringMatching(/^wtx_/), num_satoshis: 20_000 })]),
  },
  {
    client: 'lnpay-php getQueryRoutes',
    method: 'GET',
    path: '/v1/node/default/payments/queryroutes?pub_key=ALICE&amt=2',
    headers: PHP,
    status: 200,
    expected: { routes: [{ hops: [{ pubKey: expect.any(String), chanId: expect.any(String) }] }] },
  },
  {
    client: 'lnpay-php decodeInvoice',
    method: 'GET',
    path: '/v1/node/default/payments/decodeinvoice?payment_request=BOLT11',
    headers: PHP,
    status: 200,
    expected: { num_satoshis: '11', destination: expect.stringMatching(/^0[23]/), payment_hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  },
  {
    client: 'lnpay-php permanentLnUrlWithdraw',
    method: 'GET',
    path: '/v1/wallet/WAKLW/lnurl/withdraw-static?num_satoshis=1&Memo=SateBack',
    headers: PHP,
    status: 200,
    expected: { lnurl: expect.stringMatching(/^LNURL1/) },
  },
  {
    client: 'the documentation: create an LNURL-pay link',
    method: 'POST',
    path: '/v1/wallet/ADMIN/lnurlp',
    headers: { Authorization: 'BASIC', ...JSON_TYPE },
    body: '{"lnurlp_minSendable_msat":1000,"lnurlp_maxSendable_msat":5000,"lnurlp_short_desc":"tips"}',
    status: 201,
    expected: { id: expect.stringMatching(/^lnurlp_/) },
  },
  {
    client: 'a browser before lnpay-js',
    method: 'OPTIONS',
    path: '/v1/wallet/ADMIN/invoice',
    headers: { ...BROWSER, 'Access-Control-Request-Headers': WANTED },
    status: 204,
  },
];
