import type { Made } from './busy.ts';
import type { Recorder } from './recorder.ts';

/** Sends every secret in the wrong place, as users do by mistake. */
export async function makeMistakes(recorder: Recorder, { secretKey, wallet, keys, ott, balanceToken }: Made): Promise<void> {
  for (const secret of [secretKey, keys.admin, keys.invoice, keys.read, ott, balanceToken]) {
    await inAddresses(recorder, secret);
    await inBodies(recorder, secret, { secretKey, base: `/v1/wallet/${wallet}` });
    await inHeaders(recorder, secret, { secretKey });
  }
}

async function inAddresses(recorder: Recorder, secret: string): Promise<void> {
  for (const path of [
    `/${secret}`,
    `/v1/${secret}`,
    `/v1/wallet/${secret}x`,
    `/v1/wallet/%zz${secret}`,
    `/v1/wallet/${secret}/nothing`,
    `/v1/wallet/${secret}/lnurl-process?ott=${secret}x&pr=${secret}`,
    `/v1/wallet/waklw_x/lnurl-process?k1=${secret}&num_satoshis=${secret}`,
    `/v1/lntx/${secret}`,
    `/v1/lntx/${secret}%ff?access-token=${secret}`,
    `/v1/nothing?access-token=${secret}`,
    `/playground?access-token=${secret}x`,
  ]) {
    await recorder.request('GET', path);
    await recorder.request('PUT', path, { json: {} });
    await recorder.request('POST', path, { json: {} });
  }
}

async function inBodies(recorder: Recorder, secret: string, { secretKey: key, base }: { secretKey: string; base: string }): Promise<void> {
  const bodies = [
    { [secret]: 1 },
    ...['num_satoshis', 'payment_request', 'dest_pubkey', 'dest_wallet_id', 'description_hash', 'expiry', 'passThru', 'ln_node_id'].map(
      (field) => ({ num_satoshis: 1, [field]: `${secret}x` }),
    ),
    { num_satoshis: 1, dest_pubkey: `02${'11'.repeat(32)}`, custom_records: { [secret]: 'x' } },
  ];
  for (const route of [
    '/v1/wallet',
    `${base}/invoice`,
    `${base}/withdraw`,
    `${base}/keysend`,
    `${base}/transfer`,
    `${base}/lnurl/withdraw`,
  ]) {
    for (const json of bodies) await recorder.request('POST', route, { key, json });
    for (const form of [`${secret}=1`, `passThru[${secret}]=1&x[${secret}]=2`, `num_satoshis=${secret}`, `num_satoshis[${secret}]=1`])
      await recorder.request('POST', route, { key, form });
    await recorder.request('POST', route, { key, json: `{"num_satoshis":${secret}` });
    await recorder.request('POST', route, { key, json: `"${secret}"`, headers: { 'content-type': secret } });
  }
  for (const name of ['page', 'per-page', 'after', 'from', 'fields', 'status', 'type', 'key', 'api_key'])
    for (const list of [
      '/v1/wallets',
      '/v1/keys',
      '/v1/events',
      '/v1/proofs',
      `${base}/events`,
      `${base}/transactions`,
      `${base}/statement`,
    ])
      await recorder.request('GET', `${list}?${name}=${secret}${name === 'per-page' ? '' : '&per-page=1'}`, { key });
}

async function inHeaders(recorder: Recorder, secret: string, { secretKey: key }: { secretKey: string }): Promise<void> {
  for (const name of [
    'x-request-id',
    'referer',
    'origin',
    'x-forwarded-host',
    'prefer',
    'idempotency-key',
    'accept',
    'user-agent',
    'cookie',
  ]) {
    await recorder.request('POST', '/v1/wallet', { key, json: { nothing: 1 }, headers: { [name]: secret } });
  }
  await recorder.request('OPTIONS', '/v1/wallets', { headers: { origin: 'https://a.example', 'access-control-request-method': 'GET' } });
  await recorder.request('GET', '/v1/wallets', { key: `${secret}x` });
  await recorder.request('GET', '/v1/wallets', { headers: { authorization: `Digest ${secret}` } });
  await recorder.raw(`GET /v1/wallets?access-token=${secret} HTTP/9.9\r\n\r\n`);
  await recorder.raw(`${secret}\r\n\r\n`);
  await recorder.raw(`GET /v1/wallets HTTP/1.1\r\nHost: x\r\nX-Api-Key: ${secret}\u0000\r\n\r\n`);
  await recorder.raw(`GET /v1/wallets HTTP/1.1\r\nHost: x\r\nX-Filler: ${secret}${'x'.repeat(20_000)}\r\n\r\n`);
  await recorder.raw(
    `POST /v1/wallet HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: ${secret}\r\nConnection: close\r\n\r\n{"a":`,
  );
}
