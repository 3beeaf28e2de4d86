import type { Json } from '../support/client.ts';

/** A request with exactly these headers, in this spelling. */
export interface Wire {
  readonly client: string;
  readonly method: string;
  /** `WALLET`, `ADMIN`, `INVOICE`, `READ`, `WAKLW`, `SAK`, `PAK`, `ALICE`, `OTHER`, `LNTX`, `PAID` and `BOLT11` stand for the real ones. */
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly status: number;
  readonly expected?: Json;
}

export const JSON_TYPE = { 'Content-Type': 'application/json' };
export const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' };
export const PHP = { 'X-LNPay-sdk': 'php0.1.0', 'X-Api-Key': 'SAK', ...FORM_TYPE, 'User-Agent': 'GuzzleHttp/7' };
export const ticket = { ticketId: '23' };
const BOOST = { app_name: 'Podcast Player', podcast: 'A Show', action: 'boost', ts: 33, value_msat_total: 10_000, message: 'ü ⚡' };

/** Requests from the old documentation, and the variants that podcast apps send. */
export const DOCUMENTED: readonly Wire[] = [
  // curl, as the old documentation shows it: form fields, the key as the Basic user name.
  {
    client: 'curl -u sak_: -d',
    method: 'POST',
    path: '/v1/user/wallet/INVOICE/invoice',
    headers: { Authorization: 'BASIC', ...FORM_TYPE },
    body: 'num_satoshis=20&memo=Test+invoice+from+the+docs',
    status: 201,
    expected: { num_satoshis: 20, memo: 'Test invoice from the docs' },
  },
  {
    client: 'curl with passThru as padded JSON text inside of JSON',
    method: 'POST',
    path: '/v1/wallet/WALLET/invoice',
    headers: { Authorization: 'BASIC', ...JSON_TYPE },
    body: '{"num_satoshis":5, "memo":"Test invoice from the docs","passThru":" {\\"ticketId\\":\\"556\\"} "}',
    status: 201,
    expected: { num_satoshis: 5, passThru: { ticketId: '556' } },
  },
  {
    client: 'curl ?fields=',
    method: 'GET',
    path: '/v1/lntx/LNTX?fields=num_satoshis,settled',
    headers: { Authorization: 'BASIC' },
    status: 200,
    expected: { num_satoshis: 5, settled: 0 },
  },
  {
    client: 'curl ?page=',
    method: 'GET',
    path: '/v1/wallet/READ/transactions?page=2&per-page=100',
    headers: { Authorization: 'BASIC' },
    status: 200,
    expected: [],
  },
  {
    client: 'a form without a Content-Type',
    method: 'POST',
    path: '/v1/wallet/INVOICE/invoice',
    headers: { 'x-api-key': 'PAK' },
    body: 'num_satoshis=3&passThru[ticketId]=23',
    status: 201,
    expected: { num_satoshis: 3, passThru: ticket },
  },
  {
    client: 'a form with a charset',
    method: 'POST',
    path: '/v1/wallet/INVOICE/invoice',
    headers: { 'X-API-KEY': 'PAK', 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' },
    body: 'num_satoshis=3&memo=%C3%BC',
    status: 201,
    expected: { memo: 'ü' },
  },
  {
    client: 'JSON with a charset',
    method: 'POST',
    path: '/v1/wallet/INVOICE/invoice',
    headers: { 'X-api-Key': 'PAK', 'CONTENT-TYPE': 'application/json;charset=utf-8' },
    body: '{"num_satoshis":"3","memo":null}',
    status: 201,
    expected: { num_satoshis: 3, memo: '' },
  },
  {
    client: 'passTru',
    method: 'POST',
    path: '/v1/wallet/INVOICE/invoice',
    headers: { Authorization: 'Bearer SAK', ...JSON_TYPE },
    body: '{"num_satoshis":100,"passTru":{"order_id":"100"}}',
    status: 201,
    expected: { passThru: { order_id: '100' } },
  },
  {
    client: 'passTru in a form',
    method: 'POST',
    path: '/v1/user/wallet/WALLET/invoice?access-token=SAK',
    headers: FORM_TYPE,
    body: 'num_satoshis=1&passTru%5Border_id%5D=100',
    status: 201,
    expected: { passThru: { order_id: '100' } },
  },
  {
    client: 'access-token alone',
    method: 'GET',
    path: '/v1/wallet/WALLET?access-token=SAK',
    status: 200,
    expected: { user_label: 'test' },
  },
  {
    client: 'a wallet key as its own credential',
    method: 'GET',
    path: '/v1/wallet/READ',
    headers: { 'x-api-key': 'READ' },
    status: 200,
    expected: { user_label: 'test' },
  },

  // Podcast apps: records as text, as JSON text, or as an object.
  ...[JSON.stringify(BOOST), BOOST].map(
    (boost): Wire => ({
      client: `a podcast app with its boost as ${typeof boost}`,
      method: 'POST',
      path: '/v1/wallet/ADMIN/keysend',
      headers: { 'X-Api-Key': 'SAK', ...JSON_TYPE },
      body: JSON.stringify({ dest_pubkey: 'ALICE', num_satoshis: '10', custom_records: { '7629169': boost, '696969': 'wal_someone' } }),
      status: 201,
      expected: {
        lnTx: { custom_records: { 7629169: JSON.stringify(BOOST), 696969: 'wal_someone' }, custom_records_json: { 7629169: BOOST } },
      },
    }),
  ),
  {
    client: 'a podcast app with its records as text',
    method: 'POST',
    path: '/v1/wallet/ADMIN/keysend',
    headers: { 'X-Api-Key': 'SAK', ...FORM_TYPE },
    body: `dest_pubkey=ALICE&num_satoshis=1&custom_records=${encodeURIComponent(JSON.stringify({ '7629169': BOOST }))}`,
    status: 201,
    expected: { lnTx: { custom_records_json: { 7629169: BOOST } } },
  },
];
