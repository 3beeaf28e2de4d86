import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { join } from 'node:path';
import { decodeBolt11 } from '../../../src/core/lightning/bolt11/bolt11.ts';
import type { RegtestLnd } from './regtest-lnd.ts';

/** An invoice that LND has refused to pay, and its response. */
export interface Refusal {
  readonly payment_request: string;
  readonly status: number;
  readonly body: unknown;
}

/** Sends refused invoices to LND again, and writes one response of each kind to a file. */
export async function writeRefusals(hub: RegtestLnd, refused: readonly string[], file: string): Promise<void> {
  const kinds = new Map<string, Refusal>();
  for (const payment_request of refused) {
    const amount = decodeBolt11(payment_request).amountMsat === undefined ? { amt_msat: '2000' } : {};
    const refusal = await send(hub, { payment_request, fee_limit_msat: '1000', timeout_seconds: 60, ...amount });
    const kind = `${refusal.status} ${JSON.stringify(refusal.body).replace(/[0-9a-f]{10,}|\d+/g, 'n')}`;
    if (refusal.status !== 200 && !kinds.has(kind)) kinds.set(kind, { payment_request, ...refusal });
  }
  writeFileSync(file, `[\n${Array.from(kinds.values(), (one) => `  ${JSON.stringify(one)}`).join(',\n')}\n]\n`);
}

async function send(hub: RegtestLnd, body: object): Promise<Omit<Refusal, 'payment_request'>> {
  const macaroon = readFileSync(join(hub.directory, 'data/chain/bitcoin/regtest/admin.macaroon')).toString('hex');
  const { promise, resolve, reject } = Promise.withResolvers<Omit<Refusal, 'payment_request'>>();
  const options = {
    ...{ host: '127.0.0.1', port: hub.restPort, method: 'POST', path: '/v2/router/send' },
    ca: readFileSync(join(hub.directory, 'tls.cert')),
    headers: { 'grpc-metadata-macaroon': macaroon, 'content-type': 'application/json' },
  };
  const call = request(options, async (response) => {
    let text = '';
    for await (const chunk of response) text += chunk;
    const status = response.statusCode ?? 0;
    resolve({ status, body: status === 200 ? text : JSON.parse(text) });
  });
  call.on('error', reject);
  call.end(JSON.stringify(body));
  return promise;
}
